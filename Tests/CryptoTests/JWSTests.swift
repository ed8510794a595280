import Crypto
import Testing

/// Signatures in the compact form, held against the vectors of RFC 8037 and RFC 7515.
@Suite struct JWSTests {
  private static let seed = Base64URL.decode("nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A".utf8) ?? []

  private func isSigned(_ jws: JWS, by key: PublicKey) -> Bool {
    let input = jws.bytes.prefix(jws.bytes.lastIndex(of: UInt8(ascii: ".")) ?? 0)
    return key.verify(signature: jws.signature, message: Array(input))
  }

  @Test func `the vector of RFC 8037 A.4 is signed and verified`() throws {
    let key = try #require(SigningKey(seed: JWSTests.seed))
    #expect(key.publicKey.jwkX == "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo")
    let signed = try #require(
      JWS(
        header: Array(#"{"alg":"EdDSA"}"#.utf8), payload: Array("Example of Ed25519 signing".utf8), key: key))
    let text =
      "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc."
      + "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"
    #expect(String(decoding: signed.bytes, as: UTF8.self) == text)
    let read = try #require(JWS(Array(text.utf8)))
    #expect(read == signed)
    #expect(isSigned(read, by: key.publicKey))
    var altered = Array(text.utf8)
    altered[30] ^= 1
    #expect(JWS(altered).map { !isSigned($0, by: key.publicKey) } ?? true)
  }

  @Test func `the thumbprint is that of RFC 8037 A 3`() throws {
    let key = try #require(SigningKey(seed: JWSTests.seed)).publicKey
    #expect(key.jwkThumbprint == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k")
  }

  @Test func `another key's signature does not count`() throws {
    let (one, other) = (try #require(SigningKey(seed: JWSTests.seed)), try #require(SigningKey.random()))
    let signed = try #require(JWS(header: [0x7B, 0x7D], payload: [1, 2, 3], key: other))
    #expect(isSigned(signed, by: other.publicKey))
    #expect(!isSigned(signed, by: one.publicKey))
  }

  @Test(arguments: ["", ".", "a.b", "YQ.YQ.YQ.YQ", "YQ==.YQ.YQ", "Y+.YQ.YQ", "YQ.YQ.Y Q", "YR.YQ.YQ"])
  func `text that is not a compact JWS is not read`(text: String) {
    #expect(JWS(Array(text.utf8)) == nil)
  }

  @Test func `base64url has one text for each value`() {
    for count in 0..<70 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37 + 250) }
      let text = Base64URL.encode(bytes)
      #expect(!text.contains { "+/=".contains($0) })
      #expect(Base64URL.decode(text.utf8) == bytes)
    }
    #expect(Base64URL.encode([0xFB, 0xFF]) == "-_8")
    #expect(Base64URL.decode("-_8=".utf8) == nil)
    #expect(Base64URL.decode("+/8".utf8) == nil)
  }
}
