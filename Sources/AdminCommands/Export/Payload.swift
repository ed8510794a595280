import CommandLineKit
import Export
import JSON
import Ledger
import ReleaseModel

/// Who delivers a push message.
enum PushService: String, Sendable, CaseIterable {
  /// JPush's REST API v3.
  case jpush
  /// Firebase Cloud Messaging's HTTP v1 API.
  case fcm
  /// A server of one's own, by the form of Standard Webhooks.
  case webhook
}

extension Command where Context == PawlContext {
  /// Prints what tells running apps to look again.
  static var payload: Command {
    Command(
      "payload", summary: "Print the push message that tells running apps of a forced update",
      discussion: """
        A silent message, ready for curl: it names the versions that are forced now and the page to open, and an app \
        that gets it reads its document before it does anything. It is a hint; the document is the truth. See \
        docs/push.md.
        """,
      examples: [
        .init("pawl payload taxi --for jpush", "for api.jpush.cn/v3/push"),
        .init("pawl payload taxi --for fcm --validate", "checked by Firebase and not delivered"),
      ],
      section: "Documents"
    ) {
      (
        .app, .requiredOption("--for", "SERVICE", .oneOf, help: "Who delivers it"),
        .option("--topic", "NAME", .line, help: "Who gets it: Firebase's topic (APP), JPush's tag (all)"),
        .flag("--validate", help: "Ask Firebase to check the message and not to deliver it"), .common
      )
    } run: { context, app, service, topic, isValidated, common in
      let ledger = try common.open(context)
      defer { ledger.close() }
      let (sheet, now) = try ledger.snapshotting {
        let now = try ledger.now(clock: context.clock())
        return (
          AnswerSheet(
            try ledger.snapshot(app), at: now, generation: try ledger.generation(of: app),
            includesUnreleased: false), now
        )
      }
      guard let message = ForcedUpdate(sheet) else {
        throw CommandFailure(
          "payload.nothing-forced", "there is nothing to tell: no version of \(app) is forced now",
          hint: "'pawl due \(app)' shows whether one will be; 'pawl force' arms it", exit: .refused)
      }
      let json = message.json(for: service, topic: topic, isValidated: isValidated, now: now)
      try context.print(json.text() + "\n")
      return .success
    }
  }
}

/// What a push message says of an app's forced versions.
struct ForcedUpdate {
  private let app: String
  private let generation: Int64
  private let versions: [Version]
  /// The page to open, where it is one for all.
  private let url: String?

  /// - Returns: Nil where no version that clients have is forced.
  init?(_ sheet: AnswerSheet) {
    let forced = sheet.published.map(\.version).compactMap { version in
      let decision = sheet.decide(version)
      return decision.action == .force ? (version: version, url: decision.url) : nil
    }
    guard !forced.isEmpty else { return nil }
    app = sheet.app.slug
    generation = sheet.generation
    versions = forced.map(\.version)
    let urls = Set(forced.compactMap(\.url))
    url = urls.count == 1 ? urls.first : nil
  }

  /// The members every service carries; texts, since Firebase takes nothing else.
  private var data: JSON.Object {
    var data = JSON.Object([
      ("type", "needUpgrade"), ("app", .string(app)), ("generation", .string(String(generation))),
      ("versions", .string(ForcedUpdate.list(versions))),
    ])
    // Where the page differs by version, only the documents can say which.
    if let url { data["downloadUrl"] = .string(url) }
    return data
  }

  /// All versions, or the first and the last where they would crowd a message, of 4,096 bytes at the most.
  private static func list(_ versions: [Version]) -> String {
    let all = versions.map(\.text).joined(separator: " ")
    guard all.utf8.count > 1_000, let first = versions.first, let last = versions.last else { return all }
    return "\(first.text)..\(last.text)"
  }

  func json(for service: PushService, topic: String?, isValidated: Bool, now: Timestamp) -> JSON {
    switch service {
    case .jpush:
      let audience: JSON = topic.map { ["tag": [.string($0)]] } ?? "all"
      // "content-available" without an alert wakes the app and shows nothing (APNs background notifications).
      let silent: JSON = ["alert": "", "content-available": true, "extras": .object(data)]
      let inApp: JSON = ["content_type": "text", "extras": .object(data), "msg_content": "needUpgrade"]
      return [
        "audience": audience, "message": inApp, "notification": ["ios": silent],
        "options": ["apns_production": true], "platform": ["ios"],
      ]
    case .fcm:
      let apns: JSON = [
        "headers": ["apns-priority": "5", "apns-push-type": "background"],
        "payload": ["aps": ["content-available": 1]],
      ]
      var message = JSON.Object([
        ("message", ["apns": apns, "data": .object(data), "topic": .string(topic ?? app)])
      ])
      if isValidated { message["validate_only"] = true }
      return .object(message)
    case .webhook:
      return ["data": .object(data), "timestamp": .string(now.text), "type": "app.update-forced"]
    }
  }
}
