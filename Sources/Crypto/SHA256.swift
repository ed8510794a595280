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
  private static let blockSize = 64

  /// Returns the 32-byte code of a message under a key of any length.
  package static func code(for message: [UInt8], key: [UInt8]) -> [UInt8] {
    var block = key.count > blockSize ? SHA256.digest(of: key) : key
    block += [UInt8](repeating: 0, count: blockSize - block.count)
    var inner = SHA256()
    inner.update(block.map { $0 ^ 0x36 })
    inner.update(message)
    var outer = SHA256()
    outer.update(block.map { $0 ^ 0x5C })
    outer.update(inner.finish())
    return outer.finish()
  }

  /// Returns whether a code is that of a message, in a time that does not reveal how much of it is right.
  package static func isValid(_ code: [UInt8], for message: [UInt8], key: [UInt8]) -> Bool {
    isEqualInConstantTime(code, HMACSHA256.code(for: message, key: key))
  }
}

/// Returns whether two secrets are equal, in a time that depends only on their lengths.
package func isEqualInConstantTime(_ left: [UInt8], _ right: [UInt8]) -> Bool {
  guard left.count == right.count else { return false }
  var difference: UInt8 = 0
  for index in left.indices { difference |= left[index] ^ right[index] }
  return difference == 0
}
