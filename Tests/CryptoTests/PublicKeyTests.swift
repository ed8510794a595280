import Crypto
import Testing

@Suite struct PublicKeyTests {
  /// The key, message and signature of RFC 8032 §7.1, test 2.
  let ed25519 = "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"
  let signature =
    "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
    + "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
  let seed = "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb"

  @Test func `an Ed25519 signature of RFC 8032 verifies and no changed one does`() throws {
    let key = try #require(hexadecimalBytes(ed25519).flatMap { PublicKey(ed25519: $0) })
    let signature = try #require(hexadecimalBytes(signature))
    #expect(key.algorithm == .ed25519)
    #expect(key.algorithm == .ed25519)
    #expect(key.verify(signature: signature, message: [0x72]))
    #expect(!key.verify(signature: signature, message: [0x73]))
    for index in signature.indices {
      var wrong = signature
      wrong[index] ^= 1
      #expect(!key.verify(signature: wrong, message: [0x72]))
    }
    #expect(!key.verify(signature: [], message: [0x72]))
    #expect(!key.verify(signature: signature + [0], message: [0x72]))
  }

  @Test func `a signing key signs as RFC 8032 has it`() throws {
    let key = try #require(hexadecimalBytes(seed).flatMap { SigningKey(seed: $0) })
    #expect(key.publicKey.ed25519Bytes.map(hexadecimalText) == ed25519)
    #expect(key.sign([0x72]).map(hexadecimalText) == signature)
  }

  @Test func `keys survive a round trip through PEM`() throws {
    let key = try #require(SigningKey.random())
    let again = try #require(SigningKey(pem: "a comment\n" + key.pem + "\n"))
    #expect(again.publicKey == key.publicKey)
    #expect(PublicKey(pem: key.publicKey.pem) == key.publicKey)
    #expect(PublicKey(der: key.publicKey.der) == key.publicKey)
    let signature = try #require(again.sign([1, 2, 3]))
    #expect(key.publicKey.verify(signature: signature, message: [1, 2, 3]))
    #expect(SigningKey.random()?.publicKey != key.publicKey)
  }

  @Test func `text or bytes that are not a key are refused`() throws {
    let key = try #require(SigningKey.random())
    #expect(PublicKey(der: []) == nil)
    #expect(PublicKey(der: Array(key.publicKey.der.dropLast())) == nil)
    #expect(PublicKey(der: key.publicKey.der + [0]) == nil)
    #expect(PublicKey(ed25519: [UInt8](repeating: 1, count: 31)) == nil)
    #expect(PublicKey(pem: "") == nil)
    #expect(PublicKey(pem: key.pem) == nil)
    #expect(PublicKey(pem: key.publicKey.pem + key.publicKey.pem) == nil)
    #expect(PublicKey(pem: String(key.publicKey.pem.dropLast(10))) == nil)
    #expect(SigningKey(pem: key.publicKey.pem) == nil)
    #expect(SigningKey(seed: []) == nil)
    // An elliptic curve key of another kind (P-256): read by libcrypto, used by nobody here.
    let p256 =
      "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEaxfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpZP40Li/hp/m47n60p8D54WK84"
      + "zV2sxXs7LtkBoN79R9Q=="
    let der = try #require(Base64.decode(p256.utf8))
    #expect(PublicKey(der: der) == nil)
  }
}
