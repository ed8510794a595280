import AppleIntake
import CommandLineKit
import Crypto
import JSON
import Ledger
import Platform
import ReleaseModel

private struct WebhookOptions: Sendable {
  var change = ChangeOptions()
  var app = ""
  var file = "-"
  var signature = ""
  var secretFile = ""
}

extension Command where Context == PawlContext {
  /// App Store Connect's own notifications.
  static var ingestWebhook: Command {
    Command(
      "webhook", summary: "Take in the body of a webhook of App Store Connect",
      discussion: """
        Counts only with its HMAC signature over the raw body. The notification names neither app nor version: APP is \
        whose webhook it is, and it moves a release only where just one can be meant; else it is parked.
        """,
      examples: [
        .init(
          "pawl ingest webhook taxi body.json --signature hmacsha256=7f06… --secret-file /etc/pawl/webhook",
          "a body kept by your web server")
      ],
      options: { WebhookOptions() },
      parameters: {
        [
          .argument("APP", .slug, help: "The app whose webhook it is") { $0.app = $1 },
          .argument("FILE", .path, help: "The raw body; - for standard input", required: false) {
            $0.file = $1
          },
          .option("--signature", "S", .line, help: "The header x-apple-signature", required: true) {
            $0.signature = $1
          },
          .option(
            "--secret-file", "FILE", .path, help: "A file with the secret you gave Apple", required: true
          ) {
            $0.secretFile = $1
          },
        ] + ChangeOptions.parameters.pulled(\.change)
      }
    ) { options, call, context in
      let body =
        options.file == "-"
        ? try context.readAllInput(limit: 1 << 20) : try readFile(options.file, limit: 1 << 20)
      var secret = try readFile(options.secretFile, limit: 4_096)
      while secret.last == 0x0A || secret.last == 0x0D { secret.removeLast() }
      guard !secret.isEmpty, let code = WebhookIntake.code(options.signature),
        HMACSHA256.isValid(code, for: body, key: secret)
      else {
        throw Report(
          "webhook.bad-signature", "cannot believe the webhook: its signature is not that of this body",
          hint: "hand over the raw body, the whole header x-apple-signature, and the secret of this webhook",
          exit: .refused)
      }
      let intake = try Intake(options.change, call, context, words: [Recording.digest(of: body)])
      let results = try intake.record { draft in
        [try WebhookIntake(app: options.app).take(body, source: options.file, &draft)]
      }
      return try intake.finish(results, isStrict: false)
    }
  }
}

/// Takes notifications of App Store Connect into the ledger, their signature verified.
struct WebhookIntake {
  let app: String

  /// The bytes of a signature header: `hmacsha256=` and 64 hexadecimal digits.
  static func code(_ header: String) -> [UInt8]? {
    let prefix = "hmacsha256="
    let text = header.hasPrefix(prefix) ? header.dropFirst(prefix.count) : header[...]
    guard text.utf8.count == 64 else { return nil }
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let high = rest.popFirst(), let low = rest.popFirst() {
      guard let byte = UInt8(String(decoding: [high, low], as: UTF8.self), radix: 16),
        high != UInt8(ascii: "+")
      else {
        return nil
      }
      bytes.append(byte)
    }
    return bytes
  }

  /// Takes in one notification.
  func take(_ body: [UInt8], source: String, _ draft: inout Draft) throws -> IntakeResult {
    let event: WebhookEvent
    do throws(WebhookFault) {
      event = try WebhookEvent(body)
    } catch {
      throw Report(
        "webhook.malformed", "cannot read the webhook: it is no notification of App Store Connect",
        hint: "hand over the raw body as it came", exit: .data)
    }
    let line = try draft.line(app)
    var evidence = Evidence(
      id: draft.nextEvidenceID, kind: .webhook, sha256: Recording.digest(of: body), size: Int64(body.count),
      receivedAt: draft.now)
    evidence.app = app
    evidence.messageID = event.id
    evidence.sentAt = event.timestamp
    evidence.subject = event.type
    evidence.proof = "hmac"
    var result = IntakeResult(source: source, outcome: .ignored, app: app)
    if let known = try draft.evidence(.webhook, messageID: event.id) {
      result.outcome = .duplicate
      result.evidence = known.id
      return result
    }
    func end(_ outcome: Evidence.Outcome, _ reason: String) -> IntakeResult {
      evidence.outcome = outcome
      evidence.reason = reason
      draft.add(evidence, body: body)
      result.outcome = outcome
      result.reason = reason
      result.evidence = evidence.id
      return result
    }
    guard event.type == WebhookEvent.stateUpdated else { return end(.ignored, "webhook.other-type") }
    guard let name = event.newValue, let state = WebhookEvent.state(name) else {
      return end(.ignored, "webhook.other-state")
    }
    evidence.state = state
    result.to = state
    guard let timestamp = event.timestamp, draft.now <= timestamp + MailIntake.oldest,
      timestamp <= draft.now + MailIntake.aheadBy
    else { return end(.parked, "webhook.stale") }
    // Only one release can be meant where only one is on its way.
    let candidates = line.releases.filter { release in
      state == .removed ? release.state == .live : !release.state.isReleased && release.state != .void
    }
    guard candidates.count == 1, let release = candidates.first else {
      return end(.parked, candidates.isEmpty ? "webhook.no-candidate" : "webhook.ambiguous")
    }
    evidence.version = release.version
    result.version = release.version
    result.from = release.state
    let saidAt = min(timestamp, draft.now)
    switch release.move(to: state, saidAt: saidAt) {
    case .overtaken: return end(.ignored, "webhook.overtaken")
    case .older: return end(.parked, "webhook.older")
    case .moves: break
    }
    let now = draft.now
    let notBefore = now + MailIntake.timeToObject
    func change(_ line: ReleaseLine) throws(LawViolation) -> Change? {
      try line.mark(release.version, state, at: saidAt, isVisibleNow: false, notBefore: notBefore, now: now)
    }
    do throws(LawViolation) {
      _ = try change(line)
    } catch {
      return end(.parked, "webhook.law.\(report(app: app, command: "mark", error).id)")
    }
    evidence.outcome = .applied
    draft.add(evidence, body: body)
    try draft.change(app, "mark \(release.version.text)", evidence: evidence.id) {
      line, _ throws(LawViolation) in
      try change(line)
    }
    result.outcome = .applied
    result.evidence = evidence.id
    return result
  }
}
