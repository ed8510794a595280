import Crypto
import Ledger
import Platform

enum NoteFiles {
  private static let limit = 1 << 20

  static func checkpoint(_ path: String) throws -> (note: SignedNote, checkpoint: Checkpoint) {
    let text = String(decoding: try readFile(path, limit: limit), as: UTF8.self)
    guard let note = SignedNote(text), let checkpoint = Checkpoint(note.text) else {
      throw CommandFailure("checkpoint.malformed", ["path": path])
    }
    return (note, checkpoint)
  }

  /// Reads a public key that is given itself, or a file of public keys, one per line.
  static func verifiers(_ word: String) throws -> [NoteVerifier] {
    if let key = NoteVerifier(word) { return [key] }
    let lines = String(decoding: try readFile(word, limit: limit), as: UTF8.self).split(separator: "\n")
    let keys = lines.compactMap { NoteVerifier(String($0)) }
    guard !keys.isEmpty, keys.count == lines.count else {
      throw CommandFailure("key.malformed/public", ["path": word])
    }
    return keys
  }

  static func signingKey(_ path: String) throws -> SigningKey {
    let status = try FileStatus(of: path)
    guard status.kind == .regular else {
      throw CommandFailure("key.malformed", ["path": path])
    }
    guard status.rights & 0o077 == 0 else { throw CommandFailure("key.rights", ["path": path]) }
    guard let key = SigningKey(pem: String(decoding: try readFile(path, limit: limit), as: UTF8.self)) else {
      throw CommandFailure("key.malformed", ["path": path])
    }
    return key
  }

  static func makeKey(_ path: String) throws -> SigningKey {
    guard let key = SigningKey.random() else {
      throw CommandFailure("internal", ["reason": "the system has no randomness for a key"])
    }
    do {
      try publishFile(Array(key.pem.utf8), as: path, rights: 0o600, replaces: false)
    } catch {
      guard error.isTaken else { throw error }
      throw CommandFailure("key.exists", ["path": path])
    }
    return key
  }

  // MARK: - The last head of a key

  /// How many seconds to wait for someone else who signs with the same key: about the time it takes to
  /// verify a million events.
  private static let patience = 10.0

  private static func headFile(of key: String) -> String { key + ".head" }

  /// Takes the lock to sign with a key.
  ///
  /// - Throws: `CommandFailure` if someone else does not finish, `SystemError`.
  static func lock(_ key: String) throws -> FileLock {
    let lock = try FileLock(reading: key)
    guard try lock.take(waiting: patience) else {
      throw CommandFailure("key.busy", ["path": key])
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
    CommandFailure("checkpoint.malformed/last", ["path": path])
  }

  /// Stores the last note that a key signed; it is on disk when this returns.
  ///
  /// - Throws: `CommandFailure` if that fails; then nothing may be signed.
  static func remember(_ note: SignedNote, signedBy key: String) throws {
    do {
      try publishFile(Array(note.note.utf8), as: headFile(of: key), rights: 0o600, replaces: true)
    } catch {
      throw CommandFailure(
        "key.head", ["path": headFile(of: key), "reason": error.reason], exit: error.isForbidden ? nil : .io)
    }
  }
}
