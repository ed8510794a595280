import ReleaseModel
import Testing

@Suite struct StoreURLTests {
  private func fault(_ text: String) -> String? {
    refusal { () throws(Refusal) in try StoreURL(text) }?.key
  }

  @Test func `Chinese and an em dash are encoded as UTF-8`() throws {
    let url = try StoreURL("https://apps.apple.com/cn/app/音—陪/id310633997")
    #expect(url.text == "https://apps.apple.com/cn/app/%E9%9F%B3%E2%80%94%E9%99%AA/id310633997")
    #expect(url.host == "apps.apple.com")
    #expect(url.scheme == "https")
  }

  @Test(arguments: [
    "https://apps.apple.com/cn/app/音—陪/id310633997", "https://apps.apple.com/app/id1?mt=8&pt=1#x",
    "https://apps.apple.com/app/%E9%9F%B3/id1", "https://apps.apple.com/app/%e9%9f%b3音/id1",
    "itms-apps://itunes.apple.com/app/id1?l=é",
    "itms-services://?action=download-manifest&url=https://dl.example.com/音.plist",
  ])
  func `encoding an encoded URL changes nothing`(text: String) throws {
    let once = try StoreURL(text)
    #expect(try StoreURL(once.text) == once)
    #expect(once.text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
  }

  @Test func `an escape is kept letter for letter`() throws {
    #expect(try StoreURL("https://a.example/%e9%9F%b3%2F%25").text == "https://a.example/%e9%9F%b3%2F%25")
  }

  @Test(arguments: [
    "https://apps.apple.com", "https://apps.apple.com/", "https://apps.apple.com?x=1",
    "https://apps.apple.com#x",
    "https://apps.apple.com/app/id1", "HTTPS://Apps.Apple.COM/app/id1", "itms-apps://apps.apple.com/app/id1",
    "itms-appss://apps.apple.com/app/id1", "https://apps.apple.com:443/app/id1",
  ])
  func `https and Apple's store schemes name their host`(text: String) throws {
    #expect(try StoreURL(text).host == "apps.apple.com")
    #expect(StoreURL.isUsable(text, hosts: StoreURL.storeHosts, on: .iOS))
    #expect(!StoreURL.isUsable(text, hosts: ["itunes.apple.com"], on: .iOS))
  }

  @Test(arguments: [
    ("http://apps.apple.com/", "http"), ("ftp://apps.apple.com/", "ftp"),
    ("javascript:alert(1)", "javascript"),
    ("data:text/html,x", "data"), ("itms://apps.apple.com/", "itms"), ("file:///etc/passwd", "file"),
    ("market://details?id=x", "market"), ("apps.apple.com:443/app", "apps.apple.com"),
  ])
  func `every other scheme is refused`(text: String, scheme: String) {
    #expect(throws: Refusal("url.scheme", ["scheme": scheme])) { try StoreURL(text) }
  }

  @Test(
    arguments: [
      (
        "url.malformed",
        [
          "", "apps.apple.com/app/id1", "//apps.apple.com/app", "/app/id1", "https:", "https:/", "https://",
          "https:///x", "https:apps.apple.com", ":https://apps.apple.com", "1https://apps.apple.com",
          "https://localhost/", "https://-a.example/", "https://a-.example/", "https://a..example/",
          "https://.example/", "https://a.example./", "https://a_b.example/", "https://a%2Eexample.com/",
          "https://a.example:0/", "https://a.example:65536/", "https://a.example:/", "https://a.example:+1/",
          "https://a.example:1:2/", "https://a.example:x/", "https://a.example,b.example/",
          "https://*.example/", "https://127.0.0.1/", "https://10.1/", "https://2130706433/",
          "https://[::1]/",
          "https://[fe80::1]:443/", "https://0x7f.1/", "https://a.example.1/",
        ]
      ),
      (
        "url.credentials",
        [
          "https://user@apps.apple.com/", "https://user:secret@apps.apple.com/",
          "https://apps.apple.com@evil.example/", "https://@apps.apple.com/",
          "itms-apps://a:b@apps.apple.com/",
        ]
      ),
      (
        "url.malformed/character",
        [
          "https://apps.apple.com/a b", " https://apps.apple.com/", "https://apps.apple.com/\n",
          "https://apps.apple.com/\r\n", "https://apps.apple.com/\t", "https://apps.apple.com/\0",
          "https://apps.apple.com/\u{7F}", "https://apps.apple.com/\u{1B}[31m",
          "https://apps.apple.com\\@evil.example/", "https://apps.apple.com/<x>", "https://apps.apple.com/\"",
          "https://apps.apple.com/^", "https://apps.apple.com/`", "https://apps.apple.com/{x}",
          "https://apps.apple.com/|",
        ]
      ),
      (
        "url.malformed/escape",
        [
          "https://apps.apple.com/%", "https://apps.apple.com/%2", "https://apps.apple.com/%G0",
          "https://apps.apple.com/%0G", "https://apps.apple.com/%%20", "https://apps.apple.com/%é",
          "https://apps.apple.com/%2é",
        ]
      ),
      (
        "url.manifest",
        [
          "itms-services://", "itms-services://?action=download-manifest",
          "itms-services://?url=https://dl.example.com/app.plist",
          "itms-services://?action=download-manifest&url=http://dl.example.com/app.plist",
          "itms-services://?action=download-manifest&url=itms-apps://dl.example.com/app.plist",
          "itms-services://?action=download-manifest&url=app.plist",
          "itms-services://?action=download-manifest&url=",
          "itms-services://?action=purge&url=https://dl.example.com/app.plist",
          "itms-services://?action=download-manifest&url=https://a.example/a&url=https://b.example/b",
          "itms-services://?action=download-manifest&url=https://u:p@dl.example.com/app.plist",
          "itms-services://?action=download-manifest&url=https%3A%2F%2F10.0.0.1%2Fapp.plist",
          "itms-services://?action=download-manifest&url=itms-services://?action=download-manifest",
        ]
      ),
    ] as [(String, [String])])
  func `text that is not a page's URL is refused with its reason`(wanted: String, texts: [String]) {
    for text in texts { #expect(fault(text) == wanted, "\(text)") }
  }

  @Test(arguments: ["https://例え.example/", "https://é.example/app", "https://a.例え:443/"])
  func `a host outside ASCII is refused as such`(text: String) {
    #expect(fault(text) == "url.malformed/host")
  }

  @Test func `an at sign behind the host is just a character`() throws {
    #expect(try StoreURL("https://apps.apple.com/@x?y=@#@").host == "apps.apple.com")
    #expect(try StoreURL("https://apps.apple.com?@evil.example").host == "apps.apple.com")
    #expect(try StoreURL("https://apps.apple.com#@evil.example").host == "apps.apple.com")
  }

  @Test func `the limit counts the length once encoded`() {
    let front = "https://apps.apple.com/"
    let room = StoreURL.maximumLength - front.utf8.count
    #expect(fault(front + String(repeating: "a", count: room)) == nil)
    #expect(fault(front + String(repeating: "a", count: room + 1)) == "url.malformed/long")
    #expect(fault(front + String(repeating: "音", count: room / 9)) == nil)
    #expect(fault(front + String(repeating: "音", count: room / 9 + 1)) == "url.malformed/long")
    #expect(fault(String(repeating: "x", count: 1_000_000)) == "url.malformed/long")
  }

  @Test func `an itms-services URL has the host of its https manifest`() throws {
    let plain = try StoreURL("itms-services://?action=download-manifest&url=https://dl.example.com/app.plist")
    #expect(plain.host == "dl.example.com")
    #expect(plain.scheme == "itms-services")
    let encoded =
      "itms-services://?action=download-manifest&url=https%3A%2F%2Fdl.example.com%2Fapp.plist%3Fa%3D1"
    #expect(try StoreURL(encoded).host == "dl.example.com")
    #expect(try StoreURL(encoded).text == encoded)
    let swapped = "itms-services://?url=https://dl.example.com/app.plist&action=download-manifest"
    #expect(try StoreURL(swapped).host == "dl.example.com")
  }

  @Test func `a host that is not trusted is refused by name`() throws {
    let url = try StoreURL("https://Evil.example/app")
    let refused = Refusal("url.host-not-trusted", ["host": "evil.example"])
    #expect(throws: refused) { try url.check(hosts: StoreURL.storeHosts, for: .iOS) }
    try url.check(hosts: ["evil.example"], for: .iOS)
    #expect(!StoreURL.isUsable("https://apps.apple.com.evil.example/", hosts: StoreURL.storeHosts, on: .iOS))
    #expect(!StoreURL.isUsable("https://xapps.apple.com/", hosts: StoreURL.storeHosts, on: .iOS))
    #expect(!StoreURL.isUsable("no url", hosts: StoreURL.storeHosts, on: .iOS))
  }

  @Test(arguments: ["a.b", "dl.example.com", "xn--r8jz45g.example", "1.example", "a-b.c-d"])
  func `a host name may be trusted`(text: String) { #expect(StoreURL.isHost(text)) }

  @Test(arguments: [
    "", "localhost", "Example.com", "a.b.", ".a.b", "a..b", "-a.b", "a.b-", "a b.c", "a.b:443", "https://a.b",
    "1.2.3.4",
    "a.1", "*.b", "a_b.c", "例え.jp",
  ])
  func `other texts are not host names`(text: String) { #expect(!StoreURL.isHost(text)) }

  @Test func `labels and host names have a greatest length`() {
    let label = String(repeating: "a", count: 63)
    #expect(StoreURL.isHost("\(label).b"))
    #expect(!StoreURL.isHost("a\(label).b"))
    #expect(StoreURL.isHost("\(label).\(label).\(label).\(String(repeating: "b", count: 61))"))
    #expect(!StoreURL.isHost("\(label).\(label).\(label).\(String(repeating: "b", count: 62))"))
  }
}
