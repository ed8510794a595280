import JSON
import ReleaseModel

/// What a command's answer contains besides `changed`, `event` and `impact`, in the contract's names.
///
/// It is kept in the ledger with the request, and what a person reads is made from what is kept, so that a
/// repeated request gets the same answer.
typealias Answer = [(String, JSON)]

/// An answer in words.
///
/// Warnings and the table of what clients are told are printed before the next command worth running.
struct Said {
  private let done: String
  /// What already holds: printed instead if nothing changed.
  private let same: String?
  private let next: String?

  init(_ done: String, same: String? = nil, next: String? = nil) {
    (self.done, self.same, self.next) = (done, same, next)
  }

  func words(isChanged: Bool) -> (done: String, next: String?) {
    guard !isChanged, let same else { return (done, next) }
    return ("\(same); nothing to record.\n", nil)
  }
}

struct UnreadableAnswer: Error {}

/// A value that is a member of an answer.
///
/// Null, or a member that an earlier version did not write, is read as nil, false or an empty list.
protocol JSONValue {
  var json: JSON { get }
  init?(json: JSON)
}

extension JSON {
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

extension App: JSONValue {}
extension Trust: JSONValue {}

extension JSONValue where Self: RawRepresentable<String> {
  var json: JSON { .string(rawValue) }
  init?(json: JSON) { self.init(rawValue: json.string ?? "") }
}

extension ReleaseState: JSONValue {}
extension Channel: JSONValue {}

/// A record that belongs to an app, but names the app only in its JSON.
protocol AppRecord {
  var shown: Self { get }
  func json(app: String) -> JSON
  init?(json: JSON)
}

extension Release: AppRecord {}
extension Rule: AppRecord {}
extension Redirect: AppRecord {}
extension Setting: AppRecord {}

struct Owned<Record: AppRecord> {
  let app: String
  let record: Record
}

extension Owned: JSONValue {
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
