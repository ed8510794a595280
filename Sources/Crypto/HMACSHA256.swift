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
