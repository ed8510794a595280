import CommandLineKit
import Crypto
import JSON
import Ledger
import Platform

extension Command where Context == PawlContext {
  static var checkpoint: Command {
    Command(
      "checkpoint", reach: .remote, summary: "Sign a checkpoint of the ledger, to keep elsewhere",
      discussion: """
        Verifies the ledger, then prints a signed note with the number of events and the hash of the last \
        one. Keep the note where no one who writes the ledger can change it: later it shows whether the \
        past was altered. The last note that a key signed is kept beside the key, in KEY.head, and the key signs only \
        what follows from it.
        """,
      examples: [
        .init(
          "pawl checkpoint --key checkpoint.key --out head.txt", "sign, after a check against the last one"
        )
      ]
    ) {
      (
        .option("--key", "FILE", .path, help: "The key to sign with; default: the file named by PAWL_KEY"),
        .option("--origin", "NAME", .noteName, help: "What the ledger is called; default: its own id"),
        .option(
          "--out", "FILE", .newFile,
          help: "Write it to a file, if it follows from the checkpoint already there"),
        .options("--previous", "FILE", .path, help: "Sign only what follows from this checkpoint"), .common
      )
    } run: { context, key, origin, out, earlier, common in
      let ledger = try common.open(context)
      let origin = try origin ?? ledger.origin()
      guard let file = key ?? context.environment("PAWL_KEY") else {
        throw CommandFailure("key.missing")
      }
      let key = try NoteFiles.signingKey(file)
      // Held to the end, so that two runs at once cannot sign two different heads.
      let lock = try NoteFiles.lock(file)
      defer { lock.release() }
      var previous = try earlier.map { ($0, try NoteFiles.checkpoint($0)) }
      if let last = try NoteFiles.lastSigned(by: key, in: file) { previous.append(last) }
      if let out, (try? FileStatus(of: out)) != nil {
        previous.append((out, try NoteFiles.checkpoint(out)))
      }
      let (found, own) = try proving(context) { progress in
        try ledger.verify(against: previous.map(\.1.checkpoint), origin: origin, progress: progress)
      }
      try check(found, own, previous.map { ($0.0, $0.1.checkpoint) }, common.path(context))
      var note = SignedNote(text: own.text)
      guard note.sign(key, name: origin) else {
        throw CommandFailure("internal", ["reason": "libcrypto cannot sign"])
      }
      // Remember it before anyone sees the signature: a signature that is not remembered could be
      // contradicted.
      try NoteFiles.remember(note, signedBy: file)
      if let out {
        try publishFile(Array(note.note.utf8), as: out, rights: 0o644, replaces: true)
      }
      let json: JSON = [
        "checkpoint": .string(note.note), "origin": .string(origin), "size": .integer(found.events),
        "head": found.head.json, "file": .optional(out),
      ]
      return try common.print(json, context, isExact: true) { note.note }
    }
  }

  static var key: Command {
    Command("key", summary: "Make a key that signs checkpoints or documents", subcommands: { [newKey] })
  }

  private static var newKey: Command {
    Command(
      "new", reach: .remote, summary: "Make a key, and print its public half",
      discussion: "Writes an Ed25519 key that only its owner may read. It never replaces a file.",
      examples: [.init("pawl key new checkpoint.key > checkpoint.pub", "the key, and its public half")]
    ) {
      (
        .argument("FILE", .newFile, help: "Where to write the key"),
        .option(
          "--origin", "NAME", .noteName,
          help: "What the ledger is called; default: its own id, or pawl without one"),
        .common
      )
    } run: { context, file, origin, common in
      var origin = origin
      do { origin = try origin ?? common.open(context).origin() } catch LedgerError.noLedger {}
      let key = try NoteFiles.makeKey(file)
      guard let verifier = NoteVerifier(name: origin ?? "pawl", key: key.publicKey) else {
        throw CommandFailure("internal", ["reason": "the key has no name"])
      }
      try common.print(["publicKey": .string(verifier.text), "file": .string(file)], context, isExact: true) {
        verifier.text + "\n"
      }
      if !common.isJSON {
        context.note("Keep '\(printable(file))' secret, and keep the public key where it is checked.\n")
      }
      return .success
    }
  }

  /// Refuses to sign a record that was altered, or that contradicts what was signed before.
  private static func check(
    _ found: Verification, _ own: Checkpoint, _ previous: [(path: String, checkpoint: Checkpoint)],
    _ path: String
  ) throws {
    if let other = previous.first(where: { $0.checkpoint.origin != own.origin }) {
      throw CommandFailure(
        "checkpoint.origin",
        ["path": other.path, "other": other.checkpoint.origin, "origin": own.origin])
    }
    guard let fault = found.faults.first else { return }
    if let fault = found.faults.first(where: { $0.id.hasPrefix("checkpoint.") }) {
      throw CommandFailure("checkpoint.inconsistent", ["fault": fault.message])
    }
    throw CommandFailure("checkpoint.faulty", ["path": path, "fault": fault.id])
  }
}

extension ValueType where Value == String {
  static var noteName: Self {
    ValueType { text throws(UsageError) in
      guard NoteVerifier.isName(text) else { throw UsageError("usage.invalid-value/note-name") }
      return text
    }
  }
}
