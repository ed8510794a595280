import Crypto
package import JSON
package import ReleaseModel

/// One event of the record, as its row holds it.
package struct EventRecord: Sendable, Equatable {
  /// The format of `before` and `after` that this build writes.
  package static let currentFormat: Int64 = 1

  /// The hash before the first event.
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
  /// The apps whose schedules its command changed: slugs with commas between them; nil unless the event is
  /// the command's last.
  package var schedules: String?
  package var hash: String = ""

  /// The hash this event must have, given its predecessor's.
  ///
  /// SHA-256 over length-prefixed fields, so that no two events have the same bytes: the predecessor's hash,
  /// then every column in the order of the table. A field is 0x00 if it is NULL, else 0x01, its length in
  /// eight bytes, most significant first, and its UTF-8 bytes; numbers are written in decimal.
  package func chainedHash(after previous: String) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(1_024)
    func add(_ text: String?) {
      guard var text else {
        bytes.append(0)
        return
      }
      bytes.append(1)
      text.withUTF8 { utf8 in
        let count = UInt64(utf8.count)
        for shift in stride(from: 56, through: 0, by: -8) {
          bytes.append(UInt8(truncatingIfNeeded: count >> UInt64(shift)))
        }
        bytes.append(contentsOf: utf8)
      }
    }
    add("pawl event")
    add(previous)
    add(String(seq))
    add(at)
    add(String(format))
    add(kind)
    add(app)
    add(version)
    add(subject)
    add(before)
    add(after)
    add(impact)
    add(actor)
    add(reason)
    add(evidence.map { String($0) })
    add(requestID)
    add(request)
    add(answer)
    add(schedules)
    return SHA256.hexadecimal(of: bytes)
  }

  /// The event as `history` and `show` print it.
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

  /// The change the event records.
  ///
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
  /// The number of the last event, 0 if there is none.
  package let seq: Int64
  package let hash: String
  /// When the last event was recorded.
  package let at: Timestamp?

  package init(seq: Int64, hash: String, at: Timestamp?) {
    self.seq = seq
    self.hash = hash
    self.at = at
  }

  /// The head as `history` and `verify` print it.
  package var json: JSON { ["seq": .integer(seq), "hash": .string(hash)] }
}
