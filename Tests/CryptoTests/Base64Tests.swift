import Crypto
import Testing

@Suite struct Base64Tests {
  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
    ("foobar", "Zm9vYmFy"),
  ])
  func `the vectors of RFC 4648 are encoded and decoded`(plain: String, encoded: String) {
    #expect(Base64.encode(Array(plain.utf8)) == encoded)
    #expect(Base64.decode(encoded.utf8) == Array(plain.utf8))
  }

  @Test(arguments: [
    "Zg", "Zg=", "Zg===", "Z", "Z===", "=", "====", "Zm9v=", "Zm9v====", "Zh==", "Zm9=", "Zm 9v", "Zm9v\n",
    "Zm-_",
    "Zg==Zg==", "Z=g=", "Zm9vé",
  ])
  func `text that is not canonical base64 is refused`(text: String) {
    #expect(Base64.decode(text.utf8) == nil)
  }

  @Test func `every byte survives encoding and decoding`() {
    let bytes = Array(UInt8.min...UInt8.max)
    for count in 0...bytes.count {
      #expect(Base64.decode(Base64.encode(Array(bytes.prefix(count))).utf8) == Array(bytes.prefix(count)))
    }
  }
}
