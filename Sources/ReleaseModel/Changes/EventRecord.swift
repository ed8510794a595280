import Crypto
package import JSON

/// One event of the record, as its row holds it.
package struct EventRecord: Sendable, Equatable {
  /// The format of `before` and `after` that this build writes.
  package static let currentFormat: Int64 = 1

  package static let genesis = String(repeating: "0", count: 64)

  package var seq: Int64
  package var at: String
  package var format: Int64 = EventRecord.currentFormat
  package var kind: String
  package var app: String?
  package var version: String?
  package var subject: String?
  package var before: String?
  package var after: String?
  package var impact: String?
  package var actor: String
  package var reason: String?
  package var evidence: Int64?
  package var requestID: String?
  package var request: String?
  package var answer: String?
  /// The apps whose schedules its command changed, with commas between; nil unless it is the command's last.
  package var schedules: String?
  /// The command in words, such as `stop --all`; nil unless it is the command's last, so that it tells which
  /// events were recorded together.
  package var command: String?
  /// What it does to rows beyond what `before` and `after` say, as `Change.also` gives it.
  package var also: String?
  package var hash: String = ""

  package init(seq: Int64, at: String, kind: String, actor: String) {
    (self.seq, self.at, self.kind, self.actor) = (seq, at, kind, actor)
  }

  /// The hash this event must have, given its predecessor's: SHA-256 over length-prefixed fields, so that no two events
  /// have the same bytes.
  ///
  /// First the predecessor's hash, then every column in the order of the table. A field is 0x00 if it is NULL,
  /// else 0x01, its length in eight bytes, most significant first, and its UTF-8 bytes; numbers are in decimal.
  package func chainedHash(after previous: String) -> String {
    var bytes: [UInt8] = []
    func add(_ text: String) {
      var text = text
      text.withUTF8 { field in
        bytes.append(1)
        withUnsafeBytes(of: UInt64(field.count).bigEndian) { bytes.append(contentsOf: $0) }
        bytes.append(contentsOf: field)
      }
    }
    add("pawl event")
    add(previous)
    for value in storedValues(app: nil).dropLast() {
      switch value {
      case .integer(let number): add(String(number))
      case .text(let text): add(text)
      case .null: bytes.append(0)
      }
    }
    return SHA256.hexadecimal(of: bytes)
  }
}

extension EventRecord: Fields {
  package static let columns = Columns(of: EventRecord.self)
  package static let blank = EventRecord(seq: 0, at: "", kind: "", actor: "")

  /// The hash, which is over all the others, comes last.
  package mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(FieldFault) {
    try fields.field(&seq, "seq", "seq")
    try fields.field(&at, "at", "at")
    try fields.field(&format, "format", nil)
    try fields.field(&kind, "kind", "kind")
    try fields.field(&app, "app", "app")
    try fields.field(&version, "version", "version")
    try fields.field(&subject, "subject", nil)
    try fields.text(&before, "before")
    try fields.text(&after, "after")
    try fields.text(&impact, "impact")
    var actor: String? = actor
    try fields.text(&actor, "actor")
    self.actor = actor ?? ""
    try fields.field(&reason, "reason", "reason")
    try fields.field(&evidence, "evidence", "evidence")
    try fields.field(&requestID, "request_id", "requestId")
    try fields.field(&request, "request", nil)
    try fields.field(&answer, "answer", nil)
    try fields.field(&schedules, "schedules", nil)
    var slugs = (schedules ?? "").split(separator: ",").map(String.init)
    try fields.field(&slugs, nil, "schedules")
    try fields.field(&command, "command", "command")
    try fields.field(&also, "also", nil)
    try fields.field(&hash, "hash", "hash")
  }
}

extension FieldVisitor {
  /// Visits a field with JSON in a column of text, shown as what it says.
  fileprivate mutating func text(_ text: inout String?, _ name: String) throws(FieldFault) {
    try field(&text, name, nil)
    var json = JSONValueOfText(text: text)
    try field(&json, nil, name)
  }
}

/// JSON that a column holds as text.
private struct JSONValueOfText: FieldValue {
  let text: String?

  init(text: String?) { self.text = text }
  init?(cell: LentStoredValue) { nil }
  init?(member: JSON) { nil }
  var cell: StoredValue { .null }
  var member: JSON { text.flatMap { try? JSON(parsing: $0.utf8) } ?? .null }
}

/// Where the record ends.
package struct Head: Sendable, Equatable {
  package let seq: Int64
  package let hash: String
  package let at: Timestamp?

  package init(seq: Int64, hash: String, at: Timestamp?) {
    (self.seq, self.hash, self.at) = (seq, hash, at)
  }

  package var json: JSON { ["seq": .integer(seq), "hash": .string(hash)] }
}
