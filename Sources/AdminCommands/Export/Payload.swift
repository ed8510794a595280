import CommandLineKit
import Export
import JSON
import Ledger
import ReleaseModel

enum PushService: String, Sendable, CaseIterable {
  case jpush
  case fcm
  case apns
}

struct PushMember: Sendable {
  let name: String
  let value: String
}

/// What an app calls the members of a message, and who gets it.
struct PushOptions: Sendable {
  let type: String
  /// The member that contains all others; nil for none.
  let container: String?
  let extras: [PushMember]
  /// Firebase's topic, or JPush's tag.
  let topic: String?
  /// Whether Firebase checks the message and delivers nothing.
  let isValidated: Bool
  /// Whether development builds get it; Apple has another address for them.
  let isTest: Bool
}

extension Command where Context == PawlContext {
  static var payload: Command {
    Command(
      "payload", reach: .remote, isReadOnly: true, no: "no version is forced now",
      summary: "Print the push message that tells running apps about a forced update",
      discussion: """
        A silent message, ready for curl, with the versions that are forced now and the page to open. The \
        message is a hint, the document is the truth: an app that gets the message reads its document before \
        it does anything. See docs/push.md.
        """,
      examples: [
        .init("pawl payload taxi --for jpush", "for api.jpush.cn/v3/push"),
        .init("pawl payload taxi --for fcm --validate", "checked by Firebase, not delivered"),
        .init(
          "pawl payload taxi --for apns --type mddy_needUpgrade --in page --data userTel=13800000000",
          "with the names that an existing app expects"),
      ]
    ) {
      (
        .app, .requiredOption("--for", "SERVICE", .oneOf, help: "The push service"),
        .option(
          "--topic", "NAME", .line,
          help: "Who gets it: a Firebase topic (default: APP) or JPush tag (default: all)"),
        .option("--type", "NAME", .line, help: "The value of the member 'type'; default: needUpgrade"),
        .option("--in", "MEMBER", .line, help: "Nest all members in one with this name, as some apps expect"),
        .options("--data", "NAME=VALUE", .member, help: "Another member, such as the user it is for"),
        .flag("--test", help: "For development builds instead of store builds"),
        .flag("--validate", help: "Have Firebase check the message without delivering it"), .common
      )
    } run: { context, app, service, topic, type, container, extras, isTest, isValidated, common in
      let names = extras.map(\.name)
      if let twice = names.first(where: { name in names.filter { $0 == name }.count > 1 }) {
        throw UsageError("usage.repeated-option/part", ["what": "member '\(twice)' of --data"])
      }
      let ledger = try common.open(context)
      let sheet = try ledger.snapshotting {
        try ledger.answers(of: app, at: ledger.now(clock: context.clock()), includesUnreleased: false)
      }
      guard let message = ForcedUpdate(sheet) else {
        throw CommandFailure("payload.nothing-forced", ["app": app])
      }
      let options = PushOptions(
        type: type ?? "needUpgrade", container: container, extras: extras, topic: topic,
        isValidated: isValidated, isTest: isTest)
      try context.print(message.json(for: service, options).text() + "\n")
      return .success
    }
  }
}

/// What a push message says about an app's forced versions.
struct ForcedUpdate {
  private let app: String
  private let generation: Int64
  private let versions: [Version]
  /// The page to open, if it is the same for all versions.
  private let url: String?

  /// - Returns: Nil if no version that clients have is forced.
  init?(_ sheet: AppAnswers) {
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

  /// The members that every service carries; their values are texts, since Firebase takes nothing else.
  private func data(_ options: PushOptions) -> JSON.Object {
    var data = JSON.Object([
      ("type", .string(options.type)), ("app", .string(app)), ("generation", .string(String(generation))),
      ("versions", .string(ForcedUpdate.list(versions))),
    ])
    // If the page differs by version, only the documents can say which.
    if let url { data["downloadUrl"] = .string(url) }
    for extra in options.extras { data[extra.name] = .string(extra.value) }
    guard let container = options.container else { return data }
    return JSON.Object([(container, .object(data))])
  }

  /// All versions, or the first and the last if the list would crowd a message of at most 4,096 bytes.
  private static func list(_ versions: [Version]) -> String {
    let all = versions.map(\.text).joined(separator: " ")
    guard all.utf8.count > 1_000, let first = versions.first, let last = versions.last else { return all }
    return "\(first.text)..\(last.text)"
  }

  func json(for service: PushService, _ options: PushOptions) -> JSON {
    let data = data(options)
    switch service {
    case .jpush:
      let audience: JSON = options.topic.map { ["tag": [.string($0)]] } ?? "all"
      // "content-available" without an alert wakes the app and shows nothing (APNs background notifications).
      let silent: JSON = ["alert": "", "content-available": true, "extras": .object(data)]
      let inApp: JSON = [
        "content_type": "text", "extras": .object(data), "msg_content": .string(options.type),
      ]
      return [
        "audience": audience, "message": inApp, "notification": ["ios": silent],
        "options": ["apns_production": .bool(!options.isTest)], "platform": ["ios"],
      ]
    case .fcm:
      let apns: JSON = [
        "headers": ["apns-priority": "5", "apns-push-type": "background"],
        "payload": ["aps": ["content-available": 1]],
      ]
      // Firebase's members are texts, so an object among them is sent as its JSON text.
      let texts = data.members.map { ($0.key, $0.value.string.map(JSON.string) ?? .string($0.value.text())) }
      var message = JSON.Object([
        (
          "message",
          ["apns": apns, "data": .object(JSON.Object(texts)), "topic": .string(options.topic ?? app)]
        )
      ])
      if options.isValidated { message["validate_only"] = true }
      return .object(message)
    case .apns:
      var message = data
      message["aps"] = ["content-available": 1]
      return .object(message)
    }
  }
}

extension ValueType where Value == PushMember {
  fileprivate static var member: Self {
    ValueType { text throws(ValueError) in
      guard let equals = text.firstIndex(of: "="), equals > text.startIndex,
        !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }), text.utf8.count <= 1_000
      else { throw ValueError("usage.invalid-value/member") }
      return PushMember(
        name: String(text[..<equals]), value: String(text[text.index(after: equals)...]))
    }
  }
}
