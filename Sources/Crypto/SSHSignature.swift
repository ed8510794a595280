import CLibcrypto

/// A signature made by `ssh-keygen -Y sign` (OpenSSH PROTOCOL.sshsig).
package struct SSHSignature: Sendable, Equatable {
  package let key: SSHPublicKey
  package let namespace: String
  private let hash: Hash
  private let signature: [UInt8]

  private enum Hash: String { case sha256, sha512 }

  private static let begin = "-----BEGIN SSH SIGNATURE-----"
  private static let end = "-----END SSH SIGNATURE-----"
  private static let magic = Array("SSHSIG".utf8)

  /// Reads a file with a signature; nil for anything else, and for keys that cannot be checked.
  package init?(_ text: String) {
    var lines = text.utf8.split(separator: 0x0A).map { $0.last == 0x0D ? $0.dropLast() : $0 }[...]
    guard let first = lines.popFirst(), first.elementsEqual(SSHSignature.begin.utf8),
      let last = lines.popLast(), last.elementsEqual(SSHSignature.end.utf8),
      let blob = Base64.decode(lines.joined())
    else { return nil }
    self.init(blob: blob)
  }

  private init?(blob: [UInt8]) {
    var reader = SSHReader(blob)
    guard reader.bytes(6) == SSHSignature.magic, reader.number() == 1,
      let key = reader.string().flatMap(SSHPublicKey.init(blob:)), let namespace = reader.text(),
      !namespace.isEmpty, reader.string() == [], let hash = reader.text().flatMap(Hash.init(rawValue:)),
      let signature = reader.string(), reader.isAtEnd
    else { return nil }
    self.key = key
    self.namespace = namespace
    self.hash = hash
    self.signature = signature
  }

  /// Whether the key signed a message for a purpose.
  package func isGood(over message: [UInt8], namespace: String) -> Bool {
    guard self.namespace == namespace else { return false }
    return key.verifies(signature, SSHSignature.signed(message, namespace: namespace, hash: hash))
  }

  private static func signed(_ message: [UInt8], namespace: String, hash: Hash) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 64)
    var count: UInt32 = 0
    let algorithm = hash == .sha256 ? EVP_sha256() : EVP_sha512()
    // No bytes count if it fails.
    _ = EVP_Digest(message, message.count, &digest, &count, algorithm, nil)
    return magic + string(Array(namespace.utf8)) + string([]) + string(Array(hash.rawValue.utf8))
      + string(Array(digest.prefix(Int(count))))
  }

  private static func string(_ bytes: [UInt8]) -> [UInt8] {
    let count = UInt32(truncatingIfNeeded: bytes.count)
    return stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: count >> UInt32($0)) } + bytes
  }
}
