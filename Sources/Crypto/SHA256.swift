import CLibcrypto

/// A running SHA-256 (FIPS 180-4), computed by OpenSSL's libcrypto.
package struct SHA256: ~Copyable {
  private var context = SHA256_CTX()

  package init() { SHA256_Init(&context) }

  /// Takes in more bytes.
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    guard let base = bytes.baseAddress, !bytes.isEmpty else { return }
    SHA256_Update(&context, base, bytes.count)
  }

  /// Takes in more bytes.
  package mutating func update(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { update($0) }
  }

  /// Ends the digest and returns its 32 bytes.
  package consuming func finish() -> [UInt8] {
    var context = self.context
    var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
    SHA256_Final(&digest, &context)
    return digest
  }

  /// Returns the SHA-256 of some bytes, 32 bytes.
  package static func digest(of bytes: [UInt8]) -> [UInt8] {
    var digest = SHA256()
    digest.update(bytes)
    return digest.finish()
  }

  /// Returns the SHA-256 of some bytes as 64 lower-case hexadecimal digits.
  package static func hexadecimal(of bytes: [UInt8]) -> String {
    hexadecimalText(digest(of: bytes))
  }
}

/// A keyed hash: HMAC (RFC 2104) with SHA-256.
package enum HMACSHA256 {
  /// Returns the 32-byte code of a message under a key of any length.
  package static func code(for message: [UInt8], key: [UInt8]) -> [UInt8] {
    var code = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
    HMAC(EVP_sha256(), key, Int32(clamping: key.count), message, message.count, &code, nil)
    return code
  }

  /// Returns whether a code is that of a message, in a time that does not reveal how much of it is right.
  package static func isValid(_ code: [UInt8], for message: [UInt8], key: [UInt8]) -> Bool {
    let expected = HMACSHA256.code(for: message, key: key)
    return code.count == expected.count && CRYPTO_memcmp(code, expected, expected.count) == 0
  }
}
