import CommandLineKit
import Crypto
import Ledger
import ReleaseModel

extension Command where Context == PawlContext {
  static var verify: Command {
    Command(
      "verify", reach: .remote, isReadOnly: true, no: "the ledger is not what was recorded",
      summary: "Check that the ledger is exactly what was recorded",
      discussion: """
        Recomputes the hash chain, replays every event into fresh tables and compares each row, and checks \
        the schema, the file structure and the evidence. Exits with 1 if anything is not as it was recorded.
        """,
      examples: [
        .init("pawl verify", "check everything"),
        .init(
          "pawl verify --checkpoint head.txt --signer checkpoint.key.pub",
          "compare it with a signed checkpoint"),
        .init(
          "pawl verify --head 31:\(String(repeating: "0123456789abcdef", count: 4))",
          "compare it with the head that a CI job printed"),
      ]
    ) {
      (
        .option("--checkpoint", "FILE", .path, help: "Compare the ledger with this checkpoint"),
        .option(
          "--signer", "KEY", .sshKey, help: "The public key that signed it, or a file that holds it"),
        .options("--head", "SEQ:HASH", .keptHead, help: "Compare the ledger with a head you kept"),
        .common
      )
    } run: { context, checkpoint, signer, heads, common in
      try UsageError.demand(signer == nil || checkpoint != nil, "--signer", needs: "--checkpoint FILE")
      let ledger = try Ledger.open(common.path(context), for: .verifying, now: context.clock())
      let kept = try checkpoint.map { (file: $0, signed: try SignedCheckpoint($0)) }
      let signer = try signer.map { try SSHPublicKey(given: $0, context) }
      var found: Verification
      do {
        found = try proving(context) {
          try ledger.verify(against: kept?.signed.checkpoint, heads: heads, between: $0)
        }
      } catch LedgerError.storage(let failure, _) where failure.kind == .full {
        // The ledger is only read; what is written is its witness.
        throw CommandFailure("ledger.disk-full/temporary")
      }
      var matched = heads.map { "Matches the head \($0.text).\n" }
      if let (file, signed) = kept {
        let events = signed.checkpoint.events
        if let signer, signed.keys.contains(signer.text) {
          matched.append(
            "Matches the checkpoint '\(printable(file, limit: 200))' of \(grouped(Int(clamping: events), "event"))"
              + ", signed by \(signer.fingerprint).\n")
        } else {
          found.add(
            signer.map {
              Fault(
                "checkpoint.signature", seq: events, "'\(file)' has no good signature of \($0.fingerprint)")
            }
              ?? Fault(
                "checkpoint.unverified", seq: events,
                "the signature of '\(file)' was not checked, so it proves nothing: name its key with --signer"
              ))
        }
      }
      try common.print(found.json, context) {
        found.text(context) + (found.isClean ? matched.joined() : "")
      }
      return found.isClean ? .success : .refused
    }
  }
}

extension ValueType where Value == KeptHead {
  static var keptHead: Self {
    ValueType { text throws(UsageError) in
      guard let head = KeptHead(text) else {
        throw UsageError("usage.invalid-value/head")
      }
      return head
    }
  }
}

/// Runs a verification.
///
/// - Throws: What the verification throws; `CommandFailure` if someone asks to stop.
func proving<Found>(
  _ context: PawlContext, _ verify: (@escaping () throws -> Void) throws -> Found
) throws -> Found {
  try context.working(
    ifStopped: "not all events and rows were checked, and nothing is known about the rest",
    hint: "nothing was changed; run the same command again"
  ) { work in try verify { try work.step() } }
}

extension Verification {
  func text(_ context: PawlContext) -> String {
    var text = ""
    if !faults.isEmpty {
      let rows = faults.map {
        [Cell($0.seq.map { String($0) } ?? "–"), Cell($0.id, .red), Cell(printable($0.message, limit: 400))]
      }
      text += context.table(["EVENT", "FAULT", "WHAT"], rows) + "\n"
      if unlisted > 0 { text += "and \(unlisted) more\n" }
    }
    let sum = "\(events) \(events == 1 ? "event" : "events"), head \(head.seq):\(head.hash)\n"
    let count = faults.count + unlisted
    let verdict =
      isClean
      ? "OK: ledger intact."
      : faults.allSatisfy { $0.id == "checkpoint.unverified" }
        ? "The ledger is sound, but a checkpoint was not checked."
        : "Ledger altered: \(count) \(count == 1 ? "fault" : "faults")."
    return text + verdict + "\n" + sum
  }
}
