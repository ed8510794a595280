import CLibcrypto

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

  /// Returns whether a signature over a message was made with the key.
  package func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool {
    ES256Key.der(signature).map { handle.verifies($0, message, EVP_sha256()) } ?? false
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

  /// The signature in DER; nil if it is not one of 64 bytes.
  private static func der(_ signature: [UInt8]) -> [UInt8]? {
    guard signature.count == half * 2 else { return nil }
    let numbers = [signature.prefix(half), signature.suffix(half)].flatMap { number -> [UInt8] in
      let digits = Array(number.drop { $0 == 0 })
      // A first bit of 1 would mean a negative number.
      let unsigned = digits.first.map { $0 < 0x80 } ?? false ? digits : [0] + digits
      return [2, UInt8(unsigned.count)] + unsigned
    }
    return [0x30, UInt8(numbers.count)] + numbers
  }
}
