import TestSupport
import Testing

@testable import Crypto

@Suite struct ES256KeyTests {
  private static let input =
    "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
  private static let signature =
    "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"

  /// Whether the key's public half, as SSH writes it, takes a signature.
  private func isValid(_ signature: [UInt8], for message: [UInt8]) throws -> Bool {
    func string(_ bytes: [UInt8]) -> [UInt8] { [0, 0, 0, UInt8(bytes.count)] + bytes }
    func number(_ half: ArraySlice<UInt8>) -> [UInt8] {
      let digits = Array(half.drop { $0 == 0 })
      return string((digits.first ?? 0) < 0x80 ? digits : [0] + digits)
    }
    let kind = string(Array("ecdsa-sha2-nistp256".utf8))
    let point = try #require(PEM.decode(keyOfRFC7515, label: "PRIVATE KEY")).suffix(65)
    let key = try #require(SSHPublicKey(blob: kind + string(Array("nistp256".utf8)) + string(Array(point))))
    return key.verifies(
      kind + string(number(signature.prefix(32)) + number(signature.dropFirst(32))), message)
  }

  @Test func `the signature of RFC 7515 is valid, and no other is`() throws {
    var signature = try #require(Base64URL.decode(Array(ES256KeyTests.signature.utf8)))
    let message = Array(ES256KeyTests.input.utf8)
    #expect(try isValid(signature, for: message) && !isValid(signature, for: message + [0]))
    signature[40] ^= 1
    #expect(try !isValid(signature, for: message))
  }

  @Test func `a signature is r and s in 64 bytes, even if they begin with zeros`() throws {
    let key = try #require(ES256Key(pem: keyOfRFC7515))
    var shortest = 32
    // One in 256 begins with a zero, which DER leaves out.
    for number in 0..<20_000 where shortest == 32 {
      let message = Array("message \(number)".utf8)
      let signature = try #require(key.sign(message))
      #expect(signature.count == 64)
      #expect(try isValid(signature, for: message))
      shortest = min(shortest, signature.prefix(32).drop { $0 == 0 }.count)
    }
    #expect(shortest < 32)
  }

  @Test func `other kinds of keys and other texts are refused`() throws {
    #expect(ES256Key(pem: "") == nil)
    #expect(ES256Key(pem: keyOfRFC7515 + "\n" + keyOfRFC7515) == nil)
    let other = try #require(SigningKey.random())
    #expect(ES256Key(pem: other.pem) == nil)
    // The curve P-384, made with 'openssl genpkey'.
    let p384 = """
      -----BEGIN PRIVATE KEY-----
      MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDAoYCzKlkmvqWuhcZBO
      -----END PRIVATE KEY-----
      """
    #expect(ES256Key(pem: p384) == nil)
  }
}
