import CLibcrypto

/// A libcrypto key, freed with the last reference.
///
/// The conformance is unchecked: libcrypto documents that a key which is no longer changed may be used by
/// several threads (openssl-threads(7)), and nothing here changes one after it is made.
final class KeyHandle: @unchecked Sendable {
  let pointer: OpaquePointer

  init?(_ pointer: OpaquePointer?) {
    guard let pointer else {
      // The error stays in the thread's queue until someone takes it.
      ERR_clear_error()
      return nil
    }
    self.pointer = pointer
  }

  /// Takes over what a function of libcrypto reads; nil if that is not all of the bytes.
  convenience init?(
    reading der: [UInt8], _ read: (inout UnsafePointer<UInt8>?, Int) -> OpaquePointer?
  ) {
    var isWhole = false
    let key = der.withUnsafeBufferPointer { buffer -> OpaquePointer? in
      guard let start = buffer.baseAddress else { return nil }
      var cursor: UnsafePointer<UInt8>? = start
      let key = read(&cursor, buffer.count)
      isWhole = cursor == start + buffer.count
      return key
    }
    self.init(key)
    guard isWhole else { return nil }
  }

  deinit { EVP_PKEY_free(pointer) }

  /// SubjectPublicKeyInfo (RFC 5280 §4.1).
  var publicDER: [UInt8] {
    let count = i2d_PUBKEY(pointer, nil)
    guard count > 0 else { return [] }
    var bytes = [UInt8](repeating: 0, count: Int(count))
    bytes.withUnsafeMutableBufferPointer { buffer in
      var cursor = buffer.baseAddress
      _ = i2d_PUBKEY(pointer, &cursor)
    }
    return bytes
  }

  /// Nil if libcrypto cannot sign.
  ///
  /// - Parameters:
  ///   - hash: Nil for a key that takes messages as they are.
  ///   - most: The most bytes that a signature has.
  func sign(_ message: [UInt8], _ hash: OpaquePointer?, most: Int) -> [UInt8]? {
    guard let context = EVP_MD_CTX_new() else { return nil }
    defer {
      EVP_MD_CTX_free(context)
      ERR_clear_error()
    }
    var signature = [UInt8](repeating: 0, count: most)
    var count = most
    guard EVP_DigestSignInit(context, nil, hash, nil, pointer) == 1,
      EVP_DigestSign(context, &signature, &count, message, message.count) == 1, count <= most
    else { return nil }
    return Array(signature.prefix(count))
  }

  func verifies(_ signature: [UInt8], _ message: [UInt8], _ hash: OpaquePointer?) -> Bool {
    guard let context = EVP_MD_CTX_new() else { return false }
    defer {
      EVP_MD_CTX_free(context)
      ERR_clear_error()
    }
    guard EVP_DigestVerifyInit(context, nil, hash, nil, pointer) == 1 else { return false }
    return EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
  }

  /// The 32 bytes of an Ed25519 public key; nil for another kind of key.
  var rawPublic: [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 32)
    var count = bytes.count
    guard EVP_PKEY_get_raw_public_key(pointer, &bytes, &count) == 1, count == 32 else {
      ERR_clear_error()
      return nil
    }
    return bytes
  }
}

/// A key that signatures are checked with: RSA or Ed25519.
package struct PublicKey: Sendable {
  /// The algorithm that a key is made for, which determines how it verifies.
  package enum Algorithm: Sendable {
    /// RSASSA-PKCS1-v1_5 with SHA-256 (RFC 8017 §8.2).
    case rsa
    /// PureEdDSA on Curve25519 (RFC 8032).
    case ed25519
  }

  package let algorithm: Algorithm
  /// Of RSA, the size of the modulus.
  package let bits: Int
  /// The key as SubjectPublicKeyInfo (RFC 5280 §4.1).
  package let der: [UInt8]

  private let handle: KeyHandle

  init?(handle: KeyHandle?) {
    guard let handle else { return nil }
    switch EVP_PKEY_get_base_id(handle.pointer) {
    case EVP_PKEY_RSA: algorithm = .rsa
    case NID_ED25519: algorithm = .ed25519
    default: return nil
    }
    bits = Int(EVP_PKEY_get_bits(handle.pointer))
    self.handle = handle
    der = handle.publicDER
  }

  /// Reads a `PUBLIC KEY` block; nil if there is not exactly one, or it holds another kind of key.
  package init?(pem: String) {
    guard let der = PEM.decode(pem, label: "PUBLIC KEY") else { return nil }
    self.init(der: der)
  }

  /// Reads a SubjectPublicKeyInfo, or the bare RSAPublicKey that RFC 6376 §3.6.1 names and hardly anyone
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
    (self.seed, self.handle, self.publicKey) = (seed, handle, publicKey)
  }

  /// Reads a `PRIVATE KEY` block of PKCS #8; nil if there is not exactly one, or it is not a plain Ed25519
  /// key.
  package init?(pem: String) {
    guard let der = PEM.decode(pem, label: "PRIVATE KEY"), der.starts(with: SigningKey.prefix) else {
      return nil
    }
    self.init(seed: Array(der.dropFirst(SigningKey.prefix.count)))
  }

  /// Makes a new key from the system's randomness, or nil.
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

/// A P-256 key that signs with ES256 (RFC 7518 §3.4).
package struct ES256Key: Sendable {
  private let handle: KeyHandle

  private static let half = 32

  /// Reads a `PRIVATE KEY` block of PKCS #8, such as App Store Connect's `.p8`; nil if there is not exactly
  /// one, or it is not a P-256 key.
  package init?(pem: String) {
    guard let der = PEM.decode(pem, label: "PRIVATE KEY") else { return nil }
    let found = KeyHandle(reading: der) { d2i_AutoPrivateKey(nil, &$0, $1) }
    guard let found, ES256Key.isOfCurve(found) else {
      ERR_clear_error()
      return nil
    }
    handle = found
  }

  private static func isOfCurve(_ key: KeyHandle) -> Bool {
    guard EVP_PKEY_get_base_id(key.pointer) == EVP_PKEY_EC else { return false }
    var name = [CChar](repeating: 0, count: 64)
    var count = 0
    guard EVP_PKEY_get_group_name(key.pointer, &name, name.count, &count) == 1 else { return false }
    return String(decoding: name.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self) == "prime256v1"
  }

  /// Returns the 64-byte signature of a message: r and s, one after the other (RFC 7515 §A.3); nil if
  /// libcrypto cannot sign.
  package func sign(_ message: [UInt8]) -> [UInt8]? {
    // The greatest length of a signature of this curve in DER.
    handle.sign(message, EVP_sha256(), most: 72).flatMap(ES256Key.raw)
  }

  /// The two numbers of a signature in DER (RFC 3279 §2.2.3), each in 32 bytes.
  private static func raw(_ der: [UInt8]) -> [UInt8]? {
    let parsed = der.withUnsafeBufferPointer { buffer -> OpaquePointer? in
      var cursor = buffer.baseAddress
      return d2i_ECDSA_SIG(nil, &cursor, buffer.count)
    }
    guard let parsed else { return nil }
    defer { ECDSA_SIG_free(parsed) }
    var (r, s): (OpaquePointer?, OpaquePointer?) = (nil, nil)
    ECDSA_SIG_get0(parsed, &r, &s)
    var (first, second) = ([UInt8](repeating: 0, count: half), [UInt8](repeating: 0, count: half))
    guard BN_bn2binpad(r, &first, Int32(half)) == Int32(half),
      BN_bn2binpad(s, &second, Int32(half)) == Int32(half)
    else { return nil }
    return first + second
  }
}
