import AppleIntake
import Crypto
import MailCorpus
import Testing

@Suite struct PinnedKeyTests {
  private func pin(_ text: String, domain: String = "email.apple.com", selector: String = "s")
    throws(PinnedKey.Fault) -> PinnedKey
  {
    try PinnedKey(domain: domain, selector: selector, text: text)
  }

  @Test func `a key record is read as DNS, zone files and PEM have it`() throws {
    let key = try #require(RSASigner(bits: 1024)).publicKey
    let p = Base64.encode(key.der)
    let half = p.index(p.startIndex, offsetBy: 100)
    for text in [
      "v=DKIM1; k=rsa; p=\(p)", "p=\(p);", " v=DKIM1 ; n=a note ; unknown=x; p=\(p[..<half]) \(p[half...])",
      key.pem, "\n\(key.pem)",
      "\"v=DKIM1\\; k=rsa\\; p=\(p[..<half])\" \"\(p[half...])\"", "( \"v=DKIM1; \"\n \"p=\(p)\" )",
      "h=sha1:sha256; s=*; t=; p=\(p)",
    ] {
      let pinned = try pin(text)
      #expect(pinned.key == key, "\(text)")
      #expect(pinned.isForMail && !pinned.isTest && !pinned.isStrict, "\(text)")
    }
    #expect(try pin("p=\(p)", domain: "Email.Apple.COM", selector: "S.x").domain == "email.apple.com")
    #expect(try pin("p=\(p); t=y:s").isTest)
    #expect(try pin("p=\(p); t=y:s").isStrict)
    #expect(try !pin("p=\(p); s=web").isForMail)
    #expect(try pin("p=\(p); s=web:email").isForMail)
    #expect(try !pin("p=\(p); h=sha1").isForMail)
    #expect(try pin("v=DKIM1; p=").key == nil)
  }

  @Test func `the bare RSA key that the RFC names is read`() throws {
    let der = try #require(RSASigner(bits: 1024)).publicKey.der
    // The BIT STRING at the end holds it: 24 bytes of algorithm and lengths come first for this size.
    let bare = Array(der.dropFirst(22))
    #expect(try pin("p=\(Base64.encode(bare))").key?.der == der)
  }

  @Test func `text that is not a usable key record is refused with its fault`() throws {
    let ed25519 = Base64.encode([UInt8](repeating: 9, count: 32))
    for text in [
      "", "hello", "k=rsa", "v=DKIM2; p=", "k=rsa; v=DKIM1; p=", "p=; p=", "p=!", "p=a", "\"p=", "\"p=\" x",
    ] {
      #expect(throws: PinnedKey.Fault.malformed, "\(text)") { try pin(text) }
    }
    for text in [
      "p=\(ed25519)", "k=ed25519; p=AAAA", "k=dsa; p=\(ed25519)", "p=AAAA",
      "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n",
    ] {
      #expect(throws: PinnedKey.Fault.unusable, "\(text)") { try pin(text) }
    }
    for name in ["", ".", "a..b", "a b", "ä.example", String(repeating: "a", count: 64)] {
      #expect(throws: PinnedKey.Fault.name) { try pin("p=", domain: name) }
      #expect(throws: PinnedKey.Fault.name) { try pin("p=", selector: name) }
    }
  }
}
