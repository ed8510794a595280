/// A text with signature lines under it: C2SP's signed note (c2sp.org/signed-note).
package struct SignedNote: Sendable, Equatable {
  /// One signature line.
  package struct Signature: Sendable, Equatable {
    package let name: String
    /// The first four bytes of the key's hash.
    package let keyHash: [UInt8]
    package let bytes: [UInt8]
  }

  /// The text that is signed; it ends with a newline.
  package let text: String
  package private(set) var signatures: [Signature] = []

  package init(text: String) { self.text = text }

  /// Reads a note; nil if it is not one.
  package init?(_ note: String) {
    guard !note.utf8.contains(where: { $0 < 0x20 && $0 != 0x0A }) else { return nil }
    let bytes = Array(note.utf8)
    // The last empty line separates the text from its signatures.
    guard bytes.last == 0x0A,
      let gap = bytes.indices.dropLast().last(where: { bytes[$0] == 0x0A && bytes[$0 + 1] == 0x0A })
    else { return nil }
    text = String(decoding: bytes[...gap], as: UTF8.self)
    guard gap > 0 else { return nil }
    for line in bytes[(gap + 2)...].split(separator: 0x0A, omittingEmptySubsequences: false).dropLast() {
      guard let signature = SignedNote.signature(String(decoding: line, as: UTF8.self)) else { return nil }
      signatures.append(signature)
    }
    guard !signatures.isEmpty else { return nil }
  }

  private static func signature(_ line: String) -> Signature? {
    let words = line.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 3, words[0] == "\u{2014}", NoteVerifier.isName(String(words[1])),
      let bytes = Base64.decode(words[2].utf8), bytes.count > 4
    else { return nil }
    return Signature(
      name: String(words[1]), keyHash: Array(bytes.prefix(4)), bytes: Array(bytes.dropFirst(4)))
  }

  /// Signs the text under a name; false if libcrypto cannot.
  package mutating func sign(_ key: SigningKey, name: String) -> Bool {
    guard let verifier = NoteVerifier(name: name, key: key.publicKey), let bytes = key.sign(Array(text.utf8))
    else {
      return false
    }
    signatures.append(Signature(name: name, keyHash: verifier.keyHash, bytes: bytes))
    return true
  }

  /// Whether one of these keys has signed the text; nil if there is no line of any of them, since a line of
  /// an unknown key says nothing.
  package func isSigned(by verifiers: [NoteVerifier]) -> Bool? {
    var isKnown = false
    for verifier in verifiers {
      for signature in signatures
      where signature.name == verifier.name && signature.keyHash == verifier.keyHash {
        // A line of a known key that does not verify makes the note invalid.
        guard verifier.key.verify(signature: signature.bytes, message: Array(text.utf8)) else { return false }
        isKnown = true
      }
    }
    return isKnown ? true : nil
  }

  package var note: String {
    text + "\n"
      + signatures.map { "\u{2014} \($0.name) \(Base64.encode($0.keyHash + $0.bytes))\n" }.joined()
  }
}

/// A named Ed25519 key that notes are checked with, written `name+hash+key` (c2sp.org/signed-note).
package struct NoteVerifier: Sendable, Equatable {
  package let name: String
  package let key: PublicKey
  /// The first four bytes of the SHA-256 of the name, a newline, the algorithm and the key.
  package let keyHash: [UInt8]

  /// Of Ed25519, among the algorithms of signed notes.
  private static let algorithm: UInt8 = 1

  /// Names a key; nil for a name or key that notes cannot have.
  package init?(name: String, key: PublicKey) {
    guard NoteVerifier.isName(name), let bytes = key.ed25519Bytes else { return nil }
    self.name = name
    self.key = key
    keyHash = Array(SHA256.digest(of: Array(name.utf8) + [0x0A, NoteVerifier.algorithm] + bytes).prefix(4))
  }

  /// Reads `name+hash+key`; nil if it is not one, or the hash does not match.
  package init?(_ text: String) {
    let words = text.split(separator: "+", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
    guard words.count == 3, let hash = hexadecimalBytes(words[1]), let bytes = Base64.decode(words[2].utf8),
      bytes.first == NoteVerifier.algorithm, let key = PublicKey(ed25519: Array(bytes.dropFirst()))
    else { return nil }
    self.init(name: words[0], key: key)
    guard keyHash == hash else { return nil }
  }

  package var text: String {
    "\(name)+\(hexadecimalText(keyHash))+\(Base64.encode([NoteVerifier.algorithm] + (key.ed25519Bytes ?? [])))"
  }

  /// Whether a text may name a key: it is neither empty nor too long, and has no blanks or plus signs.
  package static func isName(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= 200
      && !text.unicodeScalars.contains {
        $0 == "+" || $0.properties.isWhitespace || $0.value < 0x20 || $0.value == 0x7F
      }
  }
}
