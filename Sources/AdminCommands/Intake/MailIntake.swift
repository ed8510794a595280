import AppleIntake
import JSON
import Ledger
import ReleaseModel

/// One result of `ingest`: what came in and what became of it.
struct IntakeResult {
  let source: String
  var outcome: Evidence.Outcome
  var app: String?
  var version: Version?
  var from: ReleaseState?
  var to: ReleaseState?
  var reason: String?
  var evidence: Int64?

  var json: JSON {
    [
      "source": .string(source), "outcome": .string(outcome.rawValue), "app": .optional(app),
      "version": .optional(version?.text), "from": .optional(from?.rawValue), "to": .optional(to?.rawValue),
      "reason": .optional(reason), "evidence": .optional(evidence),
    ]
  }
}

/// Takes mails into the ledger: proved ones move releases, what claims to be Apple's is kept, the rest is hashed.
struct MailIntake {
  let now: Timestamp
  let trust: MailTrust

  /// A mail older than this at its receipt proves nothing about now.
  static let oldest = TimeSpan(seconds: 14 * 86_400)
  /// A sender's clock may be ahead by this much.
  static let aheadBy = TimeSpan(seconds: 600)
  /// The time to object to what a mail says, from its receipt.
  static let timeToObject = TimeSpan(seconds: 3_600)

  /// What the ledger trusts about mails.
  init(_ draft: Draft) {
    now = draft.now
    trust = MailTrust(
      keys: draft.trusts.filter { $0.kind == .dkim }.compactMap { trust in
        try? PinnedKey(domain: trust.value, selector: trust.selector, text: trust.key ?? "")
      },
      servers: draft.trusts.filter { $0.kind == .mx }.map(\.value),
      recipients: draft.trusts.filter { $0.kind == .recipient }.compactMap { MailAddress($0.value) })
  }

  /// The verdict on a mail, before it is recorded.
  private struct Verdict {
    var evidence: Evidence
    /// Whether the bytes are kept.
    var keepsBody: Bool
    /// What a proved mail says, to be bound to a release.
    var binding: AppleNotice?
    var from: ReleaseState?
  }

  /// Takes in one mail.
  func take(_ bytes: [UInt8], source: String, _ draft: inout Draft) throws -> IntakeResult {
    let sha256 = Recording.digest(of: bytes)
    if let known = try draft.evidence(sha256: sha256) { return duplicate(of: known, source) }
    let blank = Evidence(
      id: draft.nextEvidenceID, kind: .mail, sha256: sha256, size: Int64(bytes.count), receivedAt: now)
    var verdict = Verdict(evidence: blank, keepsBody: false)
    do throws(MessageFault) {
      let message = try RawMessage(bytes)
      let examination = MailExamination(message, trust: trust, now: now)
      if let headers = examination.headers, (try? examination.proof.get()) != nil,
        let known = try? draft.evidence(.mail, messageID: headers.messageID)
      {
        return duplicate(of: known, source)
      }
      verdict = examine(examination, blank)
    } catch {
      verdict.evidence.outcome = error == .tooLarge ? .refused : claimsApple(bytes) ? .parked : .ignored
      verdict.evidence.reason = "mail.\(error.rawValue)"
      verdict.keepsBody = verdict.evidence.outcome == .parked
    }
    if verdict.evidence.outcome == .applied { try move(&verdict, &draft) }
    return try record(verdict, bytes, source, &draft)
  }

  /// Looks anew at a mail that was parked.
  func retake(_ parked: Evidence, _ bytes: [UInt8], _ draft: inout Draft) throws -> IntakeResult {
    guard let message = try? RawMessage(bytes) else { return result(parked, "evidence \(parked.id)", nil) }
    // What counts as its receipt is when it came, not when somebody pinned the key.
    let received = MailIntake(now: parked.receivedAt, trust: trust)
    var verdict = received.examine(MailExamination(message, trust: trust, now: parked.receivedAt), parked)
    if verdict.evidence.outcome == .applied {
      if let id = verdict.evidence.messageID, let known = try draft.evidence(.mail, messageID: id),
        known.id != parked.id
      {
        verdict.evidence.outcome = .ignored
        verdict.evidence.reason = "mail.duplicate"
      } else {
        try move(&verdict, &draft)
      }
    }
    guard verdict.evidence != parked else { return result(parked, "evidence \(parked.id)", nil) }
    // A verdict that still parks says why, which may be another reason than before.
    draft.settle(parked, as: verdict.evidence)
    if verdict.evidence.outcome == .applied { try apply(verdict.evidence, &draft) }
    return result(verdict.evidence, "evidence \(parked.id)", verdict.from)
  }

  private init(now: Timestamp, trust: MailTrust) {
    self.now = now
    self.trust = trust
  }

  private func duplicate(of known: Evidence, _ source: String) -> IntakeResult {
    // Too large stays too large, however often it is sent.
    if known.outcome == .refused { return result(known, source, nil) }
    return IntakeResult(
      source: source, outcome: .duplicate, app: known.app, version: known.version, to: known.state,
      evidence: known.id)
  }

  private func result(_ evidence: Evidence, _ source: String, _ from: ReleaseState?) -> IntakeResult {
    IntakeResult(
      source: source, outcome: evidence.outcome, app: evidence.app, version: evidence.version, from: from,
      to: evidence.state, reason: evidence.reason, evidence: evidence.id)
  }

  /// Says what a mail comes to as far as it can be said without looking at the releases.
  private func examine(_ examination: MailExamination, _ blank: Evidence) -> Verdict {
    var verdict = Verdict(evidence: blank, keepsBody: true)
    verdict.evidence.reason = nil
    func end(_ outcome: Evidence.Outcome, _ reason: String) -> Verdict {
      verdict.evidence.outcome = outcome
      verdict.evidence.reason = reason
      return verdict
    }
    if let headers = examination.headers {
      verdict.evidence.messageID = headers.messageID
      verdict.evidence.sentAt = headers.date
      verdict.evidence.sender = headers.from.text
      verdict.evidence.subject = String(headers.subject.prefix(500))
    }
    let proof: AppleProof
    switch examination.proof {
    case .success(let found): proof = found
    case .failure(let failure):
      guard examination.claimsApple else {
        verdict.keepsBody = false
        return end(.ignored, "mail.not-apple")
      }
      return end(.parked, "mail.\(failure.id)")
    }
    switch proof.path {
    case .signature(let pass): verdict.evidence.proof = "dkim \(pass.domain) \(pass.selector)"
    case .server(let server): verdict.evidence.proof = "mx \(server)"
    }
    let date = proof.headers.date
    if date + MailIntake.oldest < now { return end(.parked, "mail.stale") }
    if now + MailIntake.aheadBy < date { return end(.parked, "mail.future") }
    guard let notice = examination.notice else { return end(.parked, "mail.unclear") }
    verdict.evidence.version = notice.version
    switch notice.kind {
    case .other(let matter): return end(.ignored, "mail.other.\(matter.rawValue)")
    case .unclear(let doubt): return end(.parked, "mail.\(doubt.id)")
    case .status(let state): verdict.evidence.state = state
    }
    verdict.evidence.outcome = .applied
    verdict.binding = notice
    return verdict
  }

  /// Binds a proved statement to a release, and holds it against what the ledger knows of it.
  private func move(_ verdict: inout Verdict, _ draft: inout Draft) throws {
    func park(_ reason: String) {
      verdict.evidence.outcome = .parked
      verdict.evidence.reason = reason
    }
    guard let notice = verdict.binding, let id = notice.appleID, let version = notice.version,
      let state = verdict.evidence.state
    else { return park("mail.unclear") }
    let apps = try draft.apps(appleID: id, platform: notice.platform)
    guard let app = apps.first else { return park("mail.unknown-app") }
    guard apps.count == 1 else { return park("mail.ambiguous-app") }
    verdict.evidence.app = app.slug
    let line = try draft.line(app.slug)
    guard let release = line.release(version), release.state != .void else {
      return park("mail.unknown-version")
    }
    verdict.from = release.state
    switch release.move(to: state, saidAt: saidAt(verdict.evidence)) {
    case .overtaken:
      verdict.evidence.outcome = .ignored
      verdict.evidence.reason = "mail.overtaken"
    case .older: park("mail.older")
    case .moves:
      do throws(LawViolation) {
        _ = try change(line, verdict.evidence)
      } catch {
        park("mail.law.\(report(app: app.slug, command: "mark", error).id)")
      }
    }
  }

  /// When a mail says it happened, never later than now.
  private func saidAt(_ evidence: Evidence) -> Timestamp { min(evidence.sentAt ?? now, now) }

  private func change(_ line: ReleaseLine, _ evidence: Evidence) throws(LawViolation) -> Change? {
    guard let version = evidence.version, let state = evidence.state else { return nil }
    return try line.mark(
      version, state, at: saidAt(evidence), isVisibleNow: false, notBefore: now + MailIntake.timeToObject,
      now: now)
  }

  private func apply(_ evidence: Evidence, _ draft: inout Draft) throws {
    guard let app = evidence.app, let version = evidence.version else { return }
    try draft.change(app, "mark \(version.text)", evidence: evidence.id) { line, _ throws(LawViolation) in
      try change(line, evidence)
    }
  }

  private func record(
    _ verdict: Verdict, _ bytes: [UInt8], _ source: String, _ draft: inout Draft
  ) throws -> IntakeResult {
    draft.add(verdict.evidence, body: verdict.keepsBody ? bytes : nil)
    if verdict.evidence.outcome == .applied { try apply(verdict.evidence, &draft) }
    return result(verdict.evidence, source, verdict.from)
  }

  /// Whether bytes that are no mail look as if they wanted to be Apple's: by the line that starts with `From:`.
  private func claimsApple(_ bytes: [UInt8]) -> Bool {
    for line in bytes.split(separator: 0x0A)
    where line.first == UInt8(ascii: "F") || line.first == UInt8(ascii: "f") {
      let text = String(decoding: line.prefix(1_000), as: UTF8.self).lowercased()
      if text.hasPrefix("from:"), text.contains("apple") || text.contains("app store") { return true }
    }
    return false
  }
}
