package import JSON

/// Something in a ledger that is not as pawl would have written it.
package struct Fault: Sendable, Equatable {
  /// Stable, catalogued in docs/verify.md.
  package let id: String
  package let seq: Int64?
  package let message: String

  package init(_ id: String, seq: Int64?, _ message: String) {
    (self.id, self.seq, self.message) = (id, seq, message)
  }

  package var json: JSON { ["id": .string(id), "seq": .optional(seq), "message": .string(message)] }
}

/// What a verification found.
package struct Verification: Sendable, Equatable {
  /// The most faults that are listed one by one; the rest are only counted.
  package static let listedFaults = 1_000

  package internal(set) var events: Int64 = 0
  package internal(set) var head = Head(seq: 0, hash: EventRecord.genesis, at: nil)
  package private(set) var faults: [Fault] = []
  package private(set) var unlisted = 0

  package var isClean: Bool { faults.isEmpty }

  /// Takes in one more fault.
  package mutating func add(_ fault: Fault) {
    if faults.count < Verification.listedFaults { faults.append(fault) } else { unlisted += 1 }
  }

  package var json: JSON {
    [
      "ok": .bool(isClean), "events": .integer(events), "head": head.json,
      "faults": .array(faults.map(\.json)), "unlisted": .integer(Int64(unlisted)),
    ]
  }
}
