import CommandLineKit
import Crypto
import JSON
import Ledger
import Platform

/// Reads the files of a proof: keys and checkpoints.
enum NoteFiles {
  /// More than any of them needs.
  private static let limit = 1 << 20

  /// Reads a checkpoint with its signatures.
  ///
  /// - Throws: `Report`, `SystemError`.
  static func checkpoint(_ path: String) throws -> (note: SignedNote, checkpoint: Checkpoint) {
    let text = String(decoding: try readFile(path, limit: limit), as: UTF8.self)
    guard let note = SignedNote(text), let checkpoint = Checkpoint(note.text) else {
      throw Report(
        "checkpoint.malformed", "cannot read '\(printable(path, limit: 200))': it is no signed checkpoint",
        hint: "name a file that 'pawl checkpoint' wrote", exit: .data)
    }
    return (note, checkpoint)
  }

  /// Reads a public key that was given itself, or the file of some, one a line.
  ///
  /// - Throws: `Report`, `SystemError`.
  static func verifiers(_ word: String) throws -> [NoteVerifier] {
    if let key = NoteVerifier(word) { return [key] }
    let lines = String(decoding: try readFile(word, limit: limit), as: UTF8.self).split(separator: "\n")
    let keys = lines.compactMap { NoteVerifier(String($0)) }
    guard !keys.isEmpty, keys.count == lines.count else {
      throw Report(
        "key.malformed", "cannot read '\(printable(word, limit: 200))': it is no public key",
        hint: "write what 'pawl checkpoint --new-key' printed, name+hash+key", exit: .data)
    }
    return keys
  }

  /// Reads the key that signs, from a file that nobody else may read.
  ///
  /// - Throws: `Report`, `SystemError`.
  static func signingKey(_ path: String) throws -> SigningKey {
    let name = "'\(printable(path, limit: 200))'"
    let status = try FileStatus(of: path)
    guard status.kind == .regular else {
      throw Report("key.malformed", "cannot use key \(name): it is no file", exit: .data)
    }
    guard status.rights & 0o077 == 0 else {
      throw Report(
        "key.rights", "cannot use key \(name): others may read or write it",
        hint: "run 'chmod 600' on it, and make a new one if it may have been read", exit: .forbidden)
    }
    guard let key = SigningKey(pem: String(decoding: try readFile(path, limit: limit), as: UTF8.self)) else {
      throw Report(
        "key.malformed", "cannot use key \(name): it is no Ed25519 key in PEM",
        hint: "make one with 'pawl checkpoint --new-key FILE'", exit: .data)
    }
    return key
  }

  /// Makes a key that signs, in a file that was not there.
  ///
  /// - Throws: `Report`, `SystemError`.
  static func makeKey(_ path: String) throws -> SigningKey {
    guard let key = SigningKey.random() else {
      throw Report("internal", "the system has no randomness for a key", exit: .defect)
    }
    do {
      try publishFile(Array(key.pem.utf8), as: path, rights: 0o600, replaces: false)
    } catch {
      guard error.isTaken else { throw error }
      throw Report(
        "key.exists", "cannot make key '\(printable(path, limit: 200))': there is a file of that name",
        hint: "a key is never overwritten; choose another name", exit: .refused)
    }
    return key
  }
}
