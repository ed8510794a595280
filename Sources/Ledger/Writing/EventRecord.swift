import Crypto
package import JSON
package import ReleaseModel
import SQLite

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
  package var hash: String = ""

  /// The columns in the order of the table, but for the hash.
  var cells: [Value] {
    [
      .integer(seq), .text(at), .integer(format), .text(kind), app.sqliteValue, version.sqliteValue,
      subject.sqliteValue, before.sqliteValue, after.sqliteValue, impact.sqliteValue, .text(actor),
      reason.sqliteValue, evidence.sqliteValue, requestID.sqliteValue, request.sqliteValue,
      answer.sqliteValue, schedules.sqliteValue,
    ]
  }

  /// The hash this event must have, given its predecessor's: SHA-256 over `EventBytes`.
  package func chainedHash(after previous: String) -> String {
    var bytes = EventBytes()
    bytes.begin(after: Array(previous.utf8))
    for cell in cells {
      switch cell {
      case .integer(let number): bytes.add(number)
      case .text(let text): Array(text.utf8).withUnsafeBytes { bytes.add($0) }
      default: bytes.addNull()
      }
    }
    return SHA256.hexadecimal(of: bytes.all)
  }

  package var json: JSON {
    func parsed(_ text: String?) -> JSON {
      text.flatMap { try? JSON(parsing: $0.utf8) } ?? .null
    }
    return [
      "seq": .integer(seq), "at": .string(at), "kind": .string(kind), "app": .optional(app),
      "version": .optional(version), "before": parsed(before), "after": parsed(after),
      "impact": parsed(impact),
      "schedules": .array((schedules ?? "").split(separator: ",").map { .string(String($0)) }),
      "actor": parsed(actor), "reason": .optional(reason),
      "requestId": .optional(requestID), "evidence": .optional(evidence), "hash": .string(hash),
    ]
  }

  /// - Throws: `LedgerError.unreadableEvent` if it says something that its kind cannot say.
  package func change() throws -> Change {
    var reader = ChangeReader()
    return try change(by: &reader)
  }

  /// The change the event records, read by a reader that is reused for many events.
  package func change(by reader: inout ChangeReader) throws -> Change {
    guard format <= EventRecord.currentFormat, let kind = EventKind(rawValue: kind),
      let change = EventRecord.withBytes(
        before,
        { before in
          EventRecord.withBytes(after) { after in reader.change(kind, app: app, before: before, after: after)
          }
        })
    else { throw LedgerError.unreadableEvent(seq) }
    return change
  }

  private static func withBytes<T>(_ text: String?, _ body: (UnsafeRawBufferPointer?) -> T) -> T {
    guard var text else { return body(nil) }
    return text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
  }
}

/// Where the record ends.
package struct Head: Sendable, Equatable {
  package let seq: Int64
  package let hash: String
  package let at: Timestamp?

  package init(seq: Int64, hash: String, at: Timestamp?) {
    self.seq = seq
    self.hash = hash
    self.at = at
  }

  package var json: JSON { ["seq": .integer(seq), "hash": .string(hash)] }
}

/// The bytes of an event as they are hashed: length-prefixed fields, so that no two events have the same.
///
/// First the predecessor's hash, then every column in the order of the table. A field is 0x00 if it is NULL,
/// else 0x01, its length in eight bytes, most significant first, and its UTF-8 bytes; numbers are in decimal.
struct EventBytes {
  private(set) var all: [UInt8] = []

  mutating func begin(after previous: [UInt8]) {
    all.removeAll(keepingCapacity: true)
    EventBytes.name.withUnsafeBytes { add($0) }
    previous.withUnsafeBytes { add($0) }
  }

  private static let name = Array("pawl event".utf8)

  mutating func addNull() { all.append(0) }

  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    all.append(1)
    withUnsafeBytes(of: UInt64(bytes.count).bigEndian) { all.append(contentsOf: $0) }
    all.append(contentsOf: bytes)
  }

  mutating func add(_ number: Int64) {
    // Enough for the digits of the least number, and its sign.
    withUnsafeTemporaryAllocation(byteCount: 20, alignment: 1) { digits in
      var place = digits.count
      var rest = number.magnitude
      repeat {
        place -= 1
        digits[place] = UInt8(truncatingIfNeeded: 0x30 + rest % 10)
        rest /= 10
      } while rest > 0
      if number < 0 {
        place -= 1
        digits[place] = UInt8(ascii: "-")
      }
      add(UnsafeRawBufferPointer(rebasing: digits[place...]))
    }
  }
}
