import JSON
import ReleaseModel

/// What a command's answer contains besides `changed`, `event` and `impact`.
///
/// It is encoded as JSON once, kept in the ledger with the request, and decoded from there, so that a
/// repeated request gets the same answer.
protocol Answer {
  /// The members in the contract's names.
  var members: [(String, JSON)] { get }

  /// Decodes an answer that this or an earlier version encoded with `members`.
  init(answer json: JSON) throws(UnreadableAnswer)
}

/// A stored answer that cannot be read as an answer of its command.
struct UnreadableAnswer: Error {}

/// A record that is an answer by itself, under its own name; null if there is none.
protocol AnswerRecord: Answer, JSONValue {
  static var memberName: String { get }
}

extension AnswerRecord {
  var members: [(String, JSON)] { [(Self.memberName, json)] }
  init(answer json: JSON) throws(UnreadableAnswer) { self = try json.value(Self.memberName) }
}

extension Optional: Answer where Wrapped: AnswerRecord {
  var members: [(String, JSON)] { [(Wrapped.memberName, json)] }
  init(answer json: JSON) throws(UnreadableAnswer) { self = try json.value(Wrapped.memberName) }
}

/// A value that is a member of an answer.
///
/// Null, or a member that an earlier version did not write, is read as nil, false or an empty list.
protocol JSONValue {
  var json: JSON { get }
  init?(json: JSON)
}

extension JSON {
  /// Reads the member with that name as a value of its type.
  func value<Value: JSONValue>(_ name: String) throws(UnreadableAnswer) -> Value {
    guard let value = Value(json: self[name] ?? .null) else { throw UnreadableAnswer() }
    return value
  }
}

extension Optional: JSONValue where Wrapped: JSONValue {
  var json: JSON { self?.json ?? .null }
  init?(json: JSON) {
    self = Wrapped(json: json)
    if self == nil, json != .null { return nil }
  }
}

extension Array: JSONValue where Element: JSONValue {
  var json: JSON { .array(map(\.json)) }
  init?(json: JSON) {
    let elements = json.array ?? []
    self = elements.compactMap(Element.init(json:))
    if count < elements.count || (json.array == nil && json != .null) { return nil }
  }
}

extension String: JSONValue {
  var json: JSON { .string(self) }
  init?(json: JSON) {
    guard let text = json.string else { return nil }
    self = text
  }
}

extension Int64: JSONValue {
  var json: JSON { .integer(self) }
  init?(json: JSON) {
    guard let number = json.integer else { return nil }
    self = number
  }
}

extension Bool: JSONValue {
  var json: JSON { .bool(self) }
  init?(json: JSON) { self = json.bool ?? false }
}

extension App: AnswerRecord { static let memberName = "app" }
extension Trust: AnswerRecord { static let memberName = "trust" }

extension ReleaseState: JSONValue {
  var json: JSON { .string(rawValue) }
  init?(json: JSON) { self.init(rawValue: json.string ?? "") }
}

extension Channel: JSONValue {
  var json: JSON { .string(rawValue) }
  init?(json: JSON) { self.init(rawValue: json.string ?? "") }
}

/// A record that belongs to an app, but names the app only in its JSON.
protocol AppRecord {
  static var memberName: String { get }
  /// The record as answers show it.
  var shown: Self { get }
  func json(app: String) -> JSON
  init?(json: JSON)
}

extension Release: AppRecord { static let memberName = "release" }
extension Rule: AppRecord { static let memberName = "rule" }
extension Redirect: AppRecord { static let memberName = "redirect" }
extension Setting: AppRecord { static let memberName = "setting" }

struct Owned<Record: AppRecord> {
  let app: String
  let record: Record
}

extension Owned: AnswerRecord {
  static var memberName: String { Record.memberName }

  var json: JSON { record.shown.json(app: app) }

  init?(json: JSON) {
    guard let app = json["app"]?.string, let record = Record(json: json) else { return nil }
    self.init(app: app, record: record)
  }
}

extension AppRecord {
  var shown: Self { self }

  func of(_ app: String) -> Owned<Self> { Owned(app: app, record: self) }
}
