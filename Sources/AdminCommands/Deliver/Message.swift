import CommandLineKit
import Crypto
import Export
import JSON
import Ledger
import Platform
import ReleaseModel

/// One message; if it is delivered again, it is the same byte for byte.
struct Message: Equatable {
  /// The same each time, and without a full stop (Standard Webhooks 1.0.0, "webhook-id").
  let id: String
  /// One line of JSON, including the line end.
  let body: String

  /// The size limit of a message in bytes: Standard Webhooks asks for less than 20 kB.
  static let limit = 19_000
  /// The size limit of a message's words in characters, of up to four bytes each.
  private static let wordLimit = 1_200
}

extension Message {
  private init(id: String, type: String, at moment: String, data: JSON) {
    let json: JSON = ["data": data, "timestamp": .string(moment), "type": .string(type)]
    self.init(id: id, body: json.text() + "\n")
  }

  /// The message about an event: what `history` says, in words too, without the preview and notes.
  static func recorded(_ event: EventRecord, ledger: String) -> Message {
    var data = event.json.object ?? JSON.Object()
    // Times of one form are in the order of their texts.
    // Only of these `answers.changed` says something in words: what the newest systems, and unknown ones, are told.
    data["answersChange"] = .bool(
      data["impact"]?.array?.contains { line in
        line["when"]?.string == nil && (line["at"]?.string).map { $0 <= event.at } ?? false
          && line["before"] != line["after"]
          && (line["os"]?.string.map { (try? VersionRange($0))?.upper == nil } ?? true)
          && (line["count"]?.integer ?? 0 > 0 || line["devices"]?.integer ?? 0 > 0)
      } ?? false)
    data["what"] = .string(printable(EventText.what(event), limit: wordLimit))
    data["impact"] = nil
    data["ledger"] = .string(ledger)
    for side in ["before", "after"] {
      guard var object = data[side]?.object else { continue }
      object["notes"] = nil
      data[side] = .object(object)
    }
    func message() -> Message {
      Message(id: "\(ledger)-\(event.seq)", type: "event.recorded", at: event.at, data: .object(data))
    }
    let whole = message()
    guard whole.body.utf8.count > limit else { return whole }
    data["before"] = .null
    data["after"] = .null
    data["truncated"] = true
    return message()
  }

  static func changed(
    _ changes: [ScheduleSlice.Change], what: String?, app: String, ledger: String, generation: Int64,
    at moment: Timestamp
  ) -> Message {
    var data = JSON.Object([
      ("app", .string(app)), ("generation", .integer(generation)), ("ledger", .string(ledger)),
      ("what", .optional(what.map { printable($0, limit: wordLimit) })),
    ])
    var lines: [JSON] = []
    var size = 0
    for change in changes {
      let line = change.json
      size += line.bytes().count + 1
      guard size < limit - 6_000 else { break }
      lines.append(line)
    }
    data["answers"] = .array(lines)
    // The rest is in the documents.
    if lines.count < changes.count { data["truncated"] = true }
    return Message(
      id: "\(ledger)-\(moment.seconds)-\(app)", type: "answers.changed", at: moment.text, data: .object(data))
  }
}

/// The secrets that sign messages (Standard Webhooks 1.0.0), one per line, so that one can replace another.
struct MessageSecret {
  private let keys: [[UInt8]]

  private static let prefix = "whsec_"
  private static let sizes = 24...64

  init(_ path: String) throws {
    let text = String(decoding: try readFile(path, limit: 1 << 12), as: UTF8.self)
    let lines = text.split(whereSeparator: \.isNewline)
    keys = lines.compactMap { line in
      guard line.hasPrefix(MessageSecret.prefix) else { return nil }
      return Base64.decode(line.dropFirst(MessageSecret.prefix.count).utf8).flatMap {
        MessageSecret.sizes.contains($0.count) ? $0 : nil
      }
    }
    guard !keys.isEmpty, keys.count == lines.count else {
      throw CommandFailure("secret.malformed", ["path": path])
    }
  }

  func environment(of message: Message, at seconds: Int64) -> [(name: String, value: String)] {
    let text = Array("\(message.id).\(seconds).\(message.body)".utf8)
    let signatures = keys.map { "v1," + Base64.encode(HMACSHA256.code(for: text, key: $0)) }
    return [
      ("PAWL_WEBHOOK_ID", message.id), ("PAWL_WEBHOOK_TIMESTAMP", String(seconds)),
      ("PAWL_WEBHOOK_SIGNATURE", signatures.joined(separator: " ")),
    ]
  }
}

extension Snapshot {
  /// Says whom a change of answers concerns and why, a clause for each run of versions: `37,500 devices on
  /// 4.0.0–4.2.1 are now forced to 4.4.1 (rule 3: crash at start)`.
  ///
  /// - Parameters:
  ///   - usage: How many devices run each version; nil if no one counted them.
  ///   - cause: The change that caused it; nil if it was the time alone.
  /// - Returns: nil if all versions that someone may run are prompted as before.
  func words(
    for changes: [ScheduleSlice.Change], by decider: Decider, usage: Usage?, cause: EventRecord?
  ) -> String? {
    let app = line.app
    let counted = usage?.counts.filter { $0.devices > 0 }.map(\.version) ?? []
    let versions = line.releases.filter(\.state.isReleased).map(\.version) + counted
    let clauses = changes.compactMap { change -> String? in
      let concerned = versions.filter(change.range.contains)
      guard let words = change.words(of: app.slug), let first = concerned.min(), let last = concerned.max(),
        let run = VersionRange(from: VersionKey(first), to: .after(last))
      else { return nil }
      let devices = usage?.part(of: run).devices ?? 0
      let who =
        devices == 0 ? "clients" : devices == 1 ? "1 device" : "\(grouped(Int(devices))) devices"
      let span = first == last ? first.text : "\(first.text)–\(last.text)"
      return "\(who) on \(span) \(devices == 1 ? "is" : "are") \(words)"
        + why(decider.decide(Client(version: first)))
    }
    guard !clauses.isEmpty else { return nil }
    let text = "\(app.name ?? app.slug): " + clauses.joined(separator: "; ")
    guard let cause else { return text }
    let reason = cause.kind.hasPrefix("rule.") ? nil : cause.reason
    return text + ", by \(Actor(cause).name)" + (reason.map { ": \($0)" } ?? "")
  }

  private func why(_ decision: Decision) -> String {
    switch decision.decidedBy {
    case .stopped: return " (the app is \(line.app.silence ?? "stopped"))"
    case .mandatory: return " (mandatory)"
    case .rule:
      guard let rule = line.rules.first(where: { $0.number == decision.rule }) else { return "" }
      return " (rule \(rule.number)" + (rule.reason.map { ": \($0)" } ?? "") + ")"
    default: return ""
    }
  }
}

extension ScheduleSlice.Change {
  fileprivate func words(of app: String) -> String? {
    let text = json
    guard let before = text["before"]?.string, let after = text["after"]?.string, before != after else {
      return nil
    }
    let other = text["targetApp"]?.string.flatMap { $0 == app ? nil : "\($0) " } ?? ""
    let target = other + (text["target"]?.string ?? "another page")
    switch after {
    case "force": return "now forced to \(target)"
    case "remind": return "now \(before == "force" ? "only " : "")reminded of \(target)"
    default: return before == "force" ? "no longer forced" : "no longer reminded"
    }
  }
}
