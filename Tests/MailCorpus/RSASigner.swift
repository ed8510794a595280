import CLibcrypto
package import Crypto

package final class RSASigner: @unchecked Sendable {
  private let pointer: OpaquePointer
  package let publicKey: PublicKey

  package init?(bits: Int) {
    guard let context = EVP_PKEY_CTX_new_from_name(nil, "RSA", nil) else { return nil }
    defer { EVP_PKEY_CTX_free(context) }
    var made: OpaquePointer?
    guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_CTX_set_rsa_keygen_bits(context, Int32(bits)) == 1,
      EVP_PKEY_generate(context, &made) == 1, let made
    else { return nil }
    var der = [UInt8](repeating: 0, count: Int(i2d_PUBKEY(made, nil)))
    der.withUnsafeMutableBufferPointer { buffer in
      var cursor = buffer.baseAddress
      _ = i2d_PUBKEY(made, &cursor)
    }
    guard let publicKey = PublicKey(der: der) else {
      EVP_PKEY_free(made)
      return nil
    }
    pointer = made
    self.publicKey = publicKey
  }

  deinit { EVP_PKEY_free(pointer) }

  package func sign(_ message: [UInt8]) -> [UInt8] {
    guard let context = EVP_MD_CTX_new() else { return [] }
    defer { EVP_MD_CTX_free(context) }
    var count = 0
    guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, pointer) == 1,
      EVP_DigestSign(context, nil, &count, message, message.count) == 1
    else { return [] }
    var signature = [UInt8](repeating: 0, count: count)
    guard EVP_DigestSign(context, &signature, &count, message, message.count) == 1 else { return [] }
    return Array(signature.prefix(count))
  }
}
