import Crypto
package import JSON
import ReleaseModel
import SQLite

/// Where a ledger stood: its id, its count of events, and the hash of the last one.
package struct Checkpoint: Sendable, Equatable {
  /// The namespace of the signatures (`ssh-keygen -Y sign -n`).
  package static let namespace = "pawl-checkpoint@v1"

  package let ledger: String
  package let events: Int64
  /// The hash of the last event, in lower-case hexadecimal digits: it stands for all before it.
  package let hash: String

  package init(ledger: String, events: Int64, hash: String) {
    (self.ledger, self.events, self.hash) = (ledger, events, hash)
  }

  /// Reads a checkpoint; nil for anything that pawl would not have written.
  package init?(json: JSON) {
    guard let ledger = json["ledger"]?.string, let events = json["events"]?.integer, events >= 0,
      let hash = json["hash"]?.string, KeptHead("\(events):\(hash)")?.hash == hash
    else { return nil }
    self.init(ledger: ledger, events: events, hash: hash)
    guard self.json == json else { return nil }
  }

  package var json: JSON {
    ["events": .integer(events), "hash": .string(hash), "ledger": .string(ledger)]
  }

  /// What is signed: JSON with sorted keys and no whitespace, as in plans.
  package var bytes: [UInt8] { json.bytes() }
}

/// A checkpoint and the signatures of it.
package struct SignedCheckpoint: Sendable, Equatable {
  package let checkpoint: Checkpoint
  private let signatures: [AppliedPlan.Signature]
  /// The keys that signed it, as OpenSSH writes them; empty if not every signature is good.
  package let keys: Set<String>

  private init(_ checkpoint: Checkpoint, _ signatures: [AppliedPlan.Signature]) {
    (self.checkpoint, self.signatures) = (checkpoint, signatures)
    keys = signatures.keys(over: checkpoint.bytes, namespace: Checkpoint.namespace) ?? []
  }

  /// Joins a checkpoint and what `ssh-keygen` made of it; nil if that is not a good signature.
  package init?(_ checkpoint: Checkpoint, signature: String) {
    guard let key = SSHSignature(signature)?.key.text else { return nil }
    self.init(checkpoint, [AppliedPlan.Signature(key: key, signature: signature)])
    guard !keys.isEmpty else { return nil }
  }

  /// Reads a file, or an answer of `checkpoint`, whose other members nobody signed; nil for anything else.
  package init?(json: JSON) {
    guard let checkpoint = json["checkpoint"].flatMap(Checkpoint.init(json:)),
      let listed = json["signatures"]?.array, listed.count <= Plan.mostSignatures
    else { return nil }
    self.init(checkpoint, listed.compactMap(AppliedPlan.Signature.init(json:)))
    guard signatures.count == listed.count else { return nil }
  }

  package var json: JSON {
    ["checkpoint": checkpoint.json, "signatures": .array(signatures.map(\.json))]
  }
}

/// The head of a ledger as someone kept it: the number of the last event, and its hash.
package struct KeptHead: Sendable, Equatable {
  package let seq: Int64
  /// The hash of the event, in lower-case hexadecimal digits.
  package let hash: String

  /// Reads `SEQ:HASH`; nil for anything else.
  package init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let seq = Int64(parts[0]), seq >= 0, String(seq) == parts[0],
      parts[1].utf8.count == 64, let bytes = hexadecimalBytes(String(parts[1]))
    else { return nil }
    self.seq = seq
    hash = hexadecimalText(bytes)
  }

  package var text: String { "\(seq):\(hash)" }
}

extension Ledger {
  /// Verifies the ledger: its schema, its file, every event, every row, and what someone kept of its past.
  ///
  /// - Parameter between: Called between steps; ends it by throwing.
  /// - Throws: `LedgerError` if the file cannot be read for reasons that are not a fault in it.
  package func verify(
    against checkpoint: Checkpoint? = nil, heads: [KeptHead] = [],
    between: @escaping () throws -> Void = {}
  ) throws -> Verification {
    let verifier = Verifier(self, between: between)
    try reading {
      try verifier.run()
      guard verifier.isReadable else { return }
      try verifier.guarded("event") {
        if let checkpoint { try verifier.hold(against: checkpoint) }
        for head in heads { try verifier.hold(against: head) }
      }
    }
    return verifier.result
  }

  /// The checkpoint of what was verified.
  package func checkpoint(of found: Verification) throws -> Checkpoint {
    Checkpoint(ledger: try name(), events: found.events, hash: found.head.hash)
  }
}

// The chain has been verified by now, so what an event says is its hash stands for all before it.
extension Verifier {
  private func hash(_ place: String, _ number: Int64) throws -> String? {
    try connection.first("SELECT hash FROM event_row \(place)", .integer(number)) { row in
      if case .text(let bytes) = try row.lend(0) { String(decoding: bytes, as: UTF8.self) } else { "" }
    }
  }

  func hold(against checkpoint: Checkpoint) throws {
    let own = try ledger.checkpoint(of: result)
    let heads =
      "checkpoint \(checkpoint.events):\(checkpoint.hash), ledger \(own.events):\(own.hash)"
    let found =
      checkpoint.events == 0
      ? EventRecord.genesis : try hash("ORDER BY seq LIMIT 1 OFFSET ?", checkpoint.events - 1)
    if own.ledger != checkpoint.ledger {
      report(
        "checkpoint.differs", nil,
        "it is a checkpoint of another ledger: of '\(checkpoint.ledger)', not of '\(own.ledger)'")
    } else if found == nil {
      report(
        "checkpoint.shorter", own.events,
        "the ledger is shorter than its checkpoint: events were cut off, or an older file was restored; \(heads)"
      )
    } else if found != checkpoint.hash {
      report(
        "checkpoint.differs", min(checkpoint.events, own.events),
        "the first \(checkpoint.events) events are not those of the checkpoint: they were rewritten, or this is a "
          + "backup, which ends with an event of its own; \(heads)"
      )
    }
  }

  func hold(against head: KeptHead) throws {
    let found = head.seq == 0 ? EventRecord.genesis : try hash("WHERE seq = ?", head.seq)
    guard found != nil || head.seq <= result.head.seq else {
      return report(
        "head.shorter", chain.head.seq,
        "the ledger is shorter than the head that was kept: events were cut off, or an older file was restored; "
          + "head \(head.text), ledger \(result.head.seq):\(result.head.hash)")
    }
    guard found != head.hash else { return }
    report(
      "head.differs", head.seq,
      "event \(head.seq) is not the head that was kept: the past was rewritten, or this is a backup, "
        + "which ends with an event of its own; "
        + "head \(head.text), ledger \(head.seq):\(found ?? "none")")
  }
}
