import CommandLineKit
import JSON
import Ledger
import Platform
import ReleaseModel

extension Command where Context == PawlContext {
  static var checkpoint: Command {
    Command(
      "checkpoint", reach: .remote, summary: "Sign a checkpoint of the ledger, to keep elsewhere",
      discussion: """
        Verifies the ledger, then prints its id, the number of events and the hash of the last one, signed with an SSH \
        key by 'ssh-keygen -Y sign' in the namespace pawl-checkpoint@v1. Keep that where no one who writes the ledger \
        can change it: later it shows whether the past was altered.
        """,
      examples: [
        .init("pawl checkpoint --key checkpoint.key --out head.txt", "the first one"),
        .init(
          "pawl checkpoint --key checkpoint.key --after head.txt --out head.txt",
          "the next, if the ledger goes on from it"),
      ]
    ) {
      (
        .option("--key", "FILE", .path, help: SSHKeygen.help),
        .option("--after", "FILE", .path, help: "Sign only if the ledger goes on from this checkpoint"),
        .option(
          "--out", "FILE", .newFile, help: "Write it to a new file, or to the one that --after names"),
        .common
      )
    } run: { context, key, after, out, common in
      let ledger = try common.open(context)
      let key = try key ?? SSHKeygen.usualKey(context)
      let earlier = try after.map { file in
        let earlier = try SignedCheckpoint(file)
        guard !earlier.keys.isEmpty else { throw CommandFailure("checkpoint.malformed", ["path": file]) }
        return earlier.checkpoint
      }
      let found = try proving(context) { try ledger.verify(against: earlier, between: $0) }
      if let fault = found.faults.first {
        if let fault = found.faults.first(where: { $0.id.hasPrefix("checkpoint.") }) {
          throw CommandFailure("checkpoint.inconsistent", ["fault": fault.message])
        }
        throw CommandFailure("checkpoint.faulty", ["path": common.path(context), "fault": fault.id])
      }
      let own = try ledger.checkpoint(of: found)
      let signature = try SSHKeygen.sign(
        own.bytes, namespace: Checkpoint.namespace, key: key, isJSON: common.isJSON, context)
      guard let signed = SignedCheckpoint(own, signature: signature) else {
        throw CommandFailure("plan.signature", ["key": key])
      }
      let line = signed.json.text() + "\n"
      if let out {
        do throws(SystemError) {
          try publishFile(Array(line.utf8), as: out, rights: 0o644, replaces: out == after)
        } catch {
          guard error.isTaken else { throw error }
          throw CommandFailure("checkpoint.exists", ["path": out])
        }
      }
      let warnings =
        after == nil
        ? ["not checked: whether the ledger goes on from an earlier checkpoint (--after FILE)"] : []
      let json = signed.json.adding([
        "file": .optional(out), "head": found.head.json, "warnings": .array(warnings.map(JSON.string)),
      ])
      try common.print(json, context, isExact: true) { line }
      if !common.isJSON { for warning in warnings { context.note("warning: \(warning)\n") } }
      return .success
    }
  }
}

extension SignedCheckpoint {
  private static let limit = 1 << 20

  /// Reads a checkpoint's file; whether anybody signed it is another question.
  init(_ path: String) throws {
    let bytes = try readFile(path, limit: SignedCheckpoint.limit)
    guard let read = (try? JSON(parsing: bytes)).flatMap(SignedCheckpoint.init(json:)) else {
      throw CommandFailure("checkpoint.malformed", ["path": path])
    }
    self = read
  }
}
