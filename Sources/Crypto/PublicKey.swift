import CLibcrypto

/// A key that signatures are checked with: RSA or Ed25519.
package struct PublicKey: Sendable {
  /// The algorithm that a key is made for, which determines how it verifies.
  package enum Algorithm: String, Sendable {
    /// RSASSA-PKCS1-v1_5 with SHA-256 (RFC 8017 §8.2).
    case rsa
    /// PureEdDSA on Curve25519 (RFC 8032).
    case ed25519
  }

  package let algorithm: Algorithm
  /// The size of the modulus in bits; 256 for Ed25519.
  package let bits: Int
  /// The key as SubjectPublicKeyInfo (RFC 5280 §4.1).
  package let der: [UInt8]

  private let handle: KeyHandle

  init?(handle: KeyHandle?) {
    guard let handle else { return nil }
    switch EVP_PKEY_get_base_id(handle.pointer) {
    case EVP_PKEY_RSA:
      algorithm = .rsa
      bits = Int(EVP_PKEY_get_bits(handle.pointer))
    case NID_ED25519:
      algorithm = .ed25519
      bits = 256
    default: return nil
    }
    self.handle = handle
    der = handle.publicDER
  }

  /// Reads a `PUBLIC KEY` block; nil if there is not exactly one, or it holds another kind of key.
  package init?(pem: String) {
    guard let der = PEM.decode(pem, label: "PUBLIC KEY") else { return nil }
    self.init(der: der)
  }

  /// Reads a SubjectPublicKeyInfo, or the bare RSAPublicKey that RFC 6376 §3.6.1 names and hardly anybody
  /// sends.
  ///
  /// Nil for anything else, another kind of key, and bytes after the key.
  package init?(der: [UInt8]) {
    self.init(
      handle: KeyHandle(reading: der) { d2i_PUBKEY(nil, &$0, $1) }
        ?? KeyHandle(reading: der) { d2i_PublicKey(EVP_PKEY_RSA, nil, &$0, $1) })
  }

  /// Reads the 32 bytes of an Ed25519 key, as a DKIM record holds them (RFC 8463 §4); nil for another length.
  package init?(ed25519 bytes: [UInt8]) {
    guard bytes.count == 32 else { return nil }
    self.init(handle: KeyHandle(EVP_PKEY_new_raw_public_key(NID_ED25519, nil, bytes, bytes.count)))
  }

  package var pem: String { PEM.encode(der, label: "PUBLIC KEY") }

  /// The 32 bytes of an Ed25519 key; nil for RSA.
  package var ed25519Bytes: [UInt8]? { algorithm == .ed25519 ? handle.rawPublic : nil }

  /// Returns whether a signature over a message was made with this key's private half.
  ///
  /// For RSA the message is hashed here with SHA-256; Ed25519 signs what it is given.
  package func verify(signature: [UInt8], message: [UInt8]) -> Bool {
    handle.verifies(signature, message, algorithm == .rsa ? EVP_sha256() : nil)
  }
}

extension PublicKey: Equatable {
  package static func == (left: PublicKey, right: PublicKey) -> Bool { left.der == right.der }
}
