import Crypto
import Testing

@Suite struct HMACSHA256Tests {
  @Test func `the codes match those of RFC 4231`() {
    #expect(
      hexadecimalText(HMACSHA256.code(for: Array("Hi There".utf8), key: [UInt8](repeating: 0x0B, count: 20)))
        == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
    let long = Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8)
    #expect(
      hexadecimalText(HMACSHA256.code(for: long, key: [UInt8](repeating: 0xAA, count: 131)))
        == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
  }

  @Test func `a code of App Store Connect's documentation is valid and no other is`() throws {
    let key = Array("This is my secret".utf8)
    let message = Array("Hello, World!".utf8)
    let code = try #require(
      hexadecimalBytes("7f062172b01cb00b53ca068614674a3d982a34062a0f5d37687d5e3377e54657"))
    #expect(HMACSHA256.isValid(code, for: message, key: key))
    for index in code.indices {
      var wrong = code
      wrong[index] ^= 1
      #expect(!HMACSHA256.isValid(wrong, for: message, key: key))
    }
    #expect(!HMACSHA256.isValid([], for: message, key: key))
    #expect(!HMACSHA256.isValid(code + [0], for: message, key: key))
    #expect(!HMACSHA256.isValid(code, for: message + [0], key: key))
  }

  @Test func `hexadecimal text is encoded and decoded, and other text refused`() {
    #expect(hexadecimalBytes("00ffA9") == [0, 0xFF, 0xA9])
    #expect(hexadecimalText([0, 0xFF, 0xA9]) == "00ffa9")
    for wrong in ["0", "0g", "é0", "0x00"] { #expect(hexadecimalBytes(wrong) == nil) }
  }
}
