import Crypto
import Ledger
import Platform

enum NoteFiles {
  private static let limit = 1 << 20

  static func checkpoint(_ path: String) throws -> (note: SignedNote, checkpoint: Checkpoint) {
    let text = String(decoding: try readFile(path, limit: limit), as: UTF8.self)
    guard let note = SignedNote(text), let checkpoint = Checkpoint(note.text) else {
      throw CommandFailure(
        "checkpoint.malformed", "cannot read \(quoted(path)): it is not a signed checkpoint",
        hint: "name a file that 'pawl checkpoint' wrote", exit: .data)
    }
    return (note, checkpoint)
  }

  /// Reads a public key that is given itself, or a file of public keys, one per line.
  static func verifiers(_ word: String) throws -> [NoteVerifier] {
    if let key = NoteVerifier(word) { return [key] }
    let lines = String(decoding: try readFile(word, limit: limit), as: UTF8.self).split(separator: "\n")
    let keys = lines.compactMap { NoteVerifier(String($0)) }
    guard !keys.isEmpty, keys.count == lines.count else {
      throw CommandFailure(
        "key.malformed", "cannot read \(quoted(word)): it is not a public key",
        hint: "write what 'pawl key new' printed, name+hash+key", exit: .data)
    }
    return keys
  }

  static func signingKey(_ path: String) throws -> SigningKey {
    let name = quoted(path)
    let status = try FileStatus(of: path)
    guard status.kind == .regular else {
      throw CommandFailure("key.malformed", "cannot use key \(name): it is not a file", exit: .data)
    }
    guard status.rights & 0o077 == 0 else {
      throw CommandFailure(
        "key.rights", "cannot use key \(name): others can read or write it",
        hint: "run 'chmod 600' on it, and make a new one if it may have been read", exit: .forbidden)
    }
    guard let key = SigningKey(pem: String(decoding: try readFile(path, limit: limit), as: UTF8.self)) else {
      throw CommandFailure(
        "key.malformed", "cannot use key \(name): it is not an Ed25519 key in PEM",
        hint: "make one with 'pawl key new FILE'", exit: .data)
    }
    return key
  }

  static func makeKey(_ path: String) throws -> SigningKey {
    guard let key = SigningKey.random() else {
      throw CommandFailure("internal", "the system has no randomness for a key", exit: .defect)
    }
    do {
      try publishFile(Array(key.pem.utf8), as: path, rights: 0o600, replaces: false)
    } catch {
      guard error.isTaken else { throw error }
      throw CommandFailure(
        "key.exists", "cannot make key \(quoted(path)): a file with that name exists",
        hint: "a key is never overwritten; choose another name")
    }
    return key
  }

  // MARK: - The last head of a key

  /// How many seconds to wait for somebody else who signs with the same key: about the time it takes to
  /// verify a million events.
  private static let patience = 10.0

  private static func headFile(of key: String) -> String { key + ".head" }

  /// Takes the lock to sign with a key.
  ///
  /// - Throws: `CommandFailure` if somebody else does not finish, `SystemError`.
  static func lock(_ key: String) throws -> FileLock {
    let lock = try FileLock(reading: key)
    guard try lock.take(waiting: patience) else {
      throw CommandFailure(
        "key.busy", "cannot sign with key \(quoted(key)): someone else is signing with it",
        hint: "try again", exit: .busy)
    }
    return lock
  }

  /// The last note that a key signed, and the name of its file; nil if it has signed none.
  static func lastSigned(
    by key: SigningKey, in file: String
  ) throws -> (String, (note: SignedNote, checkpoint: Checkpoint))? {
    let path = headFile(of: file)
    do {
      let status = try FileStatus(of: path)
      guard status.kind == .regular else { throw unreadable(path) }
    } catch let error as SystemError where error.isMissing {
      return nil
    }
    let last = try checkpoint(path)
    guard let own = NoteVerifier(name: last.checkpoint.origin, key: key.publicKey),
      last.note.isSigned(by: [own]) == true
    else { throw unreadable(path) }
    return (path, last)
  }

  private static func unreadable(_ path: String) -> CommandFailure {
    CommandFailure(
      "checkpoint.malformed",
      "cannot read \(quoted(path)): it is not the last checkpoint that this key signed",
      hint: "find out who changed it; a new key starts afresh", exit: .data)
  }

  /// Stores the last note that a key signed; it is on disk when this returns.
  ///
  /// - Throws: `CommandFailure` if that fails; then nothing may be signed.
  static func remember(_ note: SignedNote, signedBy key: String) throws {
    do {
      try publishFile(Array(note.note.utf8), as: headFile(of: key), rights: 0o600, replaces: true)
    } catch {
      throw CommandFailure(
        "key.head",
        "cannot record what was signed in \(quoted(headFile(of: key))): \(error.reason)",
        hint: "nothing was signed; keep the key in a folder that the signing account can write",
        exit: error.isForbidden ? .forbidden : .io)
    }
  }
}
