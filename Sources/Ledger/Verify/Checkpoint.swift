import Crypto
import JSON
import SQLite

/// Where a ledger stood: its name, its count of events, and the hash of the last one, in the lines of a checkpoint
/// (c2sp.org/tlog-checkpoint).
package struct Checkpoint: Sendable, Equatable {
  package let origin: String
  package let size: UInt64
  /// The hash of the last event, of 32 bytes: it stands for all before it.
  package let hash: [UInt8]

  package init(origin: String, size: UInt64, hash: [UInt8]) {
    (self.origin, self.size, self.hash) = (origin, size, hash)
  }

  /// Reads the text of a checkpoint; nil if it is not one. Lines after the first three belong to others and
  /// are ignored.
  package init?(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count > 3, !lines[0].isEmpty, let size = UInt64(lines[1]), String(size) == lines[1],
      let hash = Base64.decode(lines[2].utf8), hash.count == 32
    else { return nil }
    self.init(origin: String(lines[0]), size: size, hash: hash)
  }

  package var text: String { "\(origin)\n\(size)\n\(Base64.encode(hash))\n" }

  package var shown: String { "\(size) \(Base64.encode(hash))" }
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
  /// Verifies the ledger, compares it with checkpoints and heads of its past, and returns its own checkpoint.
  package func verify(
    against checkpoints: [Checkpoint], heads: [KeptHead] = [], origin: String?,
    progress: @escaping (_ done: Int, _ total: Int) throws -> Void = { _, _ in }
  ) throws -> (Verification, Checkpoint) {
    let verifier = Verifier(self, counts: Set(checkpoints.map(\.size)), progress: progress)
    try reading { try verifier.run() }
    let head = verifier.chain.head
    let own = Checkpoint(
      origin: try origin ?? (verifier.isReadable ? self.origin() : "pawl-ledger/unnamed"),
      size: UInt64(clamping: verifier.chain.count), hash: hexadecimalBytes(head.hash) ?? [])
    guard verifier.isReadable else { return (verifier.result, own) }
    for checkpoint in checkpoints { verifier.hold(against: checkpoint, own) }
    try reading {
      for head in heads { try verifier.guarded("event") { try verifier.hold(against: head) } }
    }
    return (verifier.result, own)
  }

  /// The name of a ledger that was given none, from the random bits of its first event.
  package func origin() throws -> String {
    let after = try first("SELECT after FROM event_row WHERE seq = 1 AND kind = 'ledger.init'") {
      row -> String? in
      if case .text(let bytes) = try row.lend(0) { String(decoding: bytes, as: UTF8.self) } else { nil }
    }
    var name = "unnamed"
    let made = (after ?? nil).flatMap { try? JSON(parsing: $0.utf8) }
    if let id = made?["ledger"]?.string,
      id.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "+") })
    {
      name = id
    }
    return "pawl-ledger/\(name)"
  }
}

extension Verifier {
  func hold(against checkpoint: Checkpoint, _ own: Checkpoint) {
    let seq = Int64(exactly: min(checkpoint.size, own.size))
    let heads = "checkpoint \(checkpoint.shown), ledger \(own.shown)"
    if checkpoint.size > own.size {
      report(
        "checkpoint.shorter", seq,
        "the ledger is shorter than its checkpoint: events were cut off, or an older file was restored; \(heads)"
      )
    } else if chain.hashes[checkpoint.size] != hexadecimalText(checkpoint.hash) {
      report(
        "checkpoint.differs", seq,
        "the first \(checkpoint.size) events are not those of the checkpoint: they were rewritten; \(heads)")
    }
  }

  /// Compares the chain, which has been verified by now, with a head that someone kept.
  func hold(against head: KeptHead) throws {
    let found =
      head.seq == 0
      ? EventRecord.genesis
      : try connection.first("SELECT hash FROM event_row WHERE seq = ?", .integer(head.seq)) {
        row -> String in
        if case .text(let bytes) = try row.lend(0) { String(decoding: bytes, as: UTF8.self) } else { "" }
      }
    if let found {
      guard found != head.hash else { return }
      report(
        "head.differs", head.seq,
        "event \(head.seq) is not the head that was kept: the past was rewritten; "
          + "head \(head.text), ledger \(head.seq):\(found)")
    } else {
      report(
        "head.shorter", chain.head.seq,
        "the ledger is shorter than the head that was kept: events were cut off, or an older file was restored; "
          + "head \(head.text), ledger \(result.head.seq):\(result.head.hash)")
    }
  }
}
