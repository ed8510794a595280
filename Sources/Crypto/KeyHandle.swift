import CLibcrypto

/// A libcrypto key, freed with the last reference.
///
/// The conformance is unchecked: libcrypto documents that a key which is no longer changed may be used by
/// several threads (openssl-threads(7)), and nothing here changes one after it is made.
final class KeyHandle: @unchecked Sendable {
  let pointer: OpaquePointer

  /// Takes over a key; nil if libcrypto made none.
  init?(_ pointer: OpaquePointer?) {
    guard let pointer else {
      // The error stays in the thread's queue until somebody takes it.
      ERR_clear_error()
      return nil
    }
    self.pointer = pointer
  }

  deinit { EVP_PKEY_free(pointer) }

  /// The SubjectPublicKeyInfo of the key (RFC 5280 §4.1).
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
