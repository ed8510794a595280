import CommandLineKit
import Crypto
import JSON
import Ledger
import Platform

private struct CheckpointOptions: Sendable {
  var common = CommonOptions()
  var key: String?
  var newKey: String?
  var origin: String?
  var out: String?
  var previous: [String] = []
}

extension Command where Context == PawlContext {
  /// Signs where the record ends.
  static var checkpoint: Command {
    Command(
      "checkpoint", summary: "Sign where the record ends, to keep elsewhere",
      discussion: """
        Proves the ledger, then prints a signed note of how many events there are and of the root of the tree over them. \
        Kept where whoever writes the ledger cannot reach it, it shows later whether the past was altered. The last note \
        that a key signed is kept beside the key, in KEY.head, and only what follows from it is signed.
        """,
      examples: [
        .init("pawl checkpoint --new-key checkpoint.key", "make a key, once"),
        .init(
          "pawl checkpoint --key checkpoint.key --out head.txt", "sign, after holding it against the last one"
        ),
      ],
      section: "Record", options: { CheckpointOptions() },
      parameters: {
        [
          .option("--key", "FILE", .path, help: "The key that signs (else PAWL_KEY, also a file's name)") {
            $0.key = $1
          },
          .option("--new-key", "FILE", .newFile, help: "Make a key, print its public half, and sign nothing")
          {
            $0.newKey = $1
          },
          .option("--origin", "NAME", .noteName, help: "What the ledger is called (else its own id)") {
            $0.origin = $1
          },
          .option("--out", "FILE", .newFile, help: "Write it there, if it follows from the one that is there")
          {
            $0.out = $1
          },
          .option(
            "--previous", "FILE", .path, help: "Sign only what follows from this checkpoint", repeatable: true
          ) { $0.previous.append($1) },
        ] + CommonOptions.parameters.pulled(\.common)
      }
    ) { options, _, context in
      let ledger = try options.common.open(context)
      defer { ledger.close() }
      let origin = try options.origin ?? ledger.origin()
      if let file = options.newKey { return try makeKey(file, origin: origin, options, context) }
      guard let file = options.key ?? context.environment("PAWL_KEY") else {
        throw Report(
          "key.missing", "there is no key to sign with",
          hint: "name its file with --key or PAWL_KEY; make one with --new-key FILE", exit: .usage)
      }
      let key = try NoteFiles.signingKey(file)
      // Held to the end, so that two who sign at once do not sign two heads.
      let lock = try NoteFiles.lock(file)
      defer { lock.release() }
      var previous = try options.previous.map { ($0, try NoteFiles.checkpoint($0)) }
      if let last = try NoteFiles.lastSigned(by: key, in: file) { previous.append(last) }
      if let out = options.out, (try? FileStatus(of: out)) != nil {
        previous.append((out, try NoteFiles.checkpoint(out)))
      }
      let (found, own) = try proving(context) { progress in
        try ledger.verify(against: previous.map(\.1.checkpoint), origin: origin, progress: progress)
      }
      try check(found, own, previous.map { ($0.0, $0.1.checkpoint) }, options.common.path(context))
      var note = SignedNote(text: own.text)
      guard note.sign(key, name: origin) else {
        throw Report("internal", "libcrypto cannot sign", exit: .defect)
      }
      // Before anybody sees the signature: one that is not remembered could be contradicted.
      try NoteFiles.remember(note, signedBy: file)
      if let out = options.out {
        try publishFile(Array(note.note.utf8), as: out, rights: 0o644, replaces: true)
      }
      if options.common.isJSON {
        let json: JSON = [
          "checkpoint": .string(note.note), "origin": .string(origin), "size": .integer(found.events),
          "root": .string(Base64.encode(own.root)), "head": found.head.json, "file": .optional(options.out),
        ]
        try context.print(json.text() + "\n")
      } else {
        try context.print(note.note)
      }
      return .success
    }
  }

  private static func makeKey(
    _ file: String, origin: String, _ options: CheckpointOptions, _ context: PawlContext
  ) throws -> ExitCode {
    let key = try NoteFiles.makeKey(file)
    guard let verifier = NoteVerifier(name: origin, key: key.publicKey) else {
      throw Report("internal", "the key has no name", exit: .defect)
    }
    if options.common.isJSON {
      let json: JSON = ["publicKey": .string(verifier.text), "file": .string(file)]
      try context.print(json.text() + "\n")
    } else {
      try context.print(verifier.text + "\n")
      context.note("Keep '\(printable(file))' secret, and this public half wherever checkpoints are kept.\n")
    }
    return .success
  }

  /// Refuses to sign what is not what was recorded, or not what was signed before.
  private static func check(
    _ found: Verification, _ own: Checkpoint, _ previous: [(path: String, checkpoint: Checkpoint)],
    _ path: String
  ) throws {
    if let other = previous.first(where: { $0.checkpoint.origin != own.origin }) {
      throw Report(
        "checkpoint.origin",
        "cannot follow '\(printable(other.path))': it is of '\(printable(other.checkpoint.origin))', not '\(own.origin)'",
        hint: "name the ledger with --origin as before; each ledger has a key and files of its own",
        exit: .refused)
    }
    guard let fault = found.faults.first else { return }
    if let fault = found.faults.first(where: { $0.id.hasPrefix("checkpoint.") }) {
      throw Report(
        "checkpoint.inconsistent", "cannot sign what contradicts an earlier checkpoint: \(fault.message)",
        hint: "one of the two was tampered with: keep both; after restoring a backup sign with a new key",
        exit: .refused)
    }
    throw Report(
      "checkpoint.faulty",
      "cannot sign ledger '\(printable(path, limit: 200))': it is not what was recorded (\(fault.id))",
      hint: "run 'pawl verify' to see every fault", exit: .refused)
  }
}

extension ValueType where Value == String {
  /// What a signed note may call a key: no blanks and no plus signs.
  static var noteName: Self {
    ValueType { text throws(ValueError) in
      guard NoteVerifier.isName(text) else { throw ValueError("a name has no blanks and no '+'") }
      return text
    }
  }
}
