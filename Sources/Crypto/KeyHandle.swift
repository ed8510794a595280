import CLibcrypto

/// A libcrypto key, freed with the last reference.
///
/// The conformance is unchecked: libcrypto documents that a key which is no longer changed may be used by
/// several threads (openssl-threads(7)), and nothing here changes one after it is made.
final class KeyHandle: @unchecked Sendable {
  let pointer: OpaquePointer

  init?(_ pointer: OpaquePointer?) {
    guard let pointer else {
      // The error stays in the thread's queue until somebody takes it.
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
