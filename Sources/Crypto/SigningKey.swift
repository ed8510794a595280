import CLibcrypto

/// An Ed25519 key that signs (RFC 8032).
package struct SigningKey: Sendable {
  package let publicKey: PublicKey

  private let seed: [UInt8]
  private let handle: KeyHandle

  /// Everything in a PKCS #8 key before its 32 secret bytes (RFC 8410 §7), which is the same in every Ed25519
  /// key.
  private static let prefix: [UInt8] = [
    0x30, 0x2E, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
  ]

  /// Makes a key from its 32 secret bytes; nil for another length.
  package init?(seed: [UInt8]) {
    guard seed.count == 32,
      let handle = KeyHandle(EVP_PKEY_new_raw_private_key(NID_ED25519, nil, seed, seed.count)),
      let bytes = handle.rawPublic, let publicKey = PublicKey(ed25519: bytes)
    else { return nil }
    self.seed = seed
    self.handle = handle
    self.publicKey = publicKey
  }

  /// Reads a `PRIVATE KEY` block of PKCS #8; nil if there is not exactly one, or it is not a plain Ed25519
  /// key.
  package init?(pem: String) {
    guard let der = PEM.decode(pem, label: "PRIVATE KEY"), der.starts(with: SigningKey.prefix) else {
      return nil
    }
    self.init(seed: Array(der.dropFirst(SigningKey.prefix.count)))
  }

  /// Makes a new key from the system's randomness; nil if there is none.
  package static func random() -> SigningKey? {
    var seed = [UInt8](repeating: 0, count: 32)
    guard RAND_priv_bytes(&seed, 32) == 1 else {
      ERR_clear_error()
      return nil
    }
    return SigningKey(seed: seed)
  }

  /// The key as a `PRIVATE KEY` block of PKCS #8, secret and unencrypted.
  package var pem: String { PEM.encode(SigningKey.prefix + seed, label: "PRIVATE KEY") }

  /// Returns the 64-byte signature of a message; nil if libcrypto cannot sign.
  package func sign(_ message: [UInt8]) -> [UInt8]? {
    handle.sign(message, nil, most: 64)
  }
}
