import AppleIntake
import ReleaseModel
import Testing

@Suite struct HeaderTests {
  private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  @Test(arguments: [
    ("a@b.example", "a@b.example"), (" <a@B.Example> ", "a@b.example"), ("Name <a@b.example>", "a@b.example"),
    (#""\"App Store Connect\"" <no_reply@email.apple.com>"#, "no_reply@email.apple.com"),
    (#""a, b@c.example" <d@e.example>"#, "d@e.example"),
    ("a@b.example (no_reply@email.apple.com (deep))", "a@b.example"),
    ("(c) X. Y (z) <a@b.example>(e)", "a@b.example"),
    ("=?UTF-8?Q?Apple?= <a@b.example>", "a@b.example"), ("粉猪 <a@b.example>", "a@b.example"),
  ])
  func `a mailbox is read`(value: String, address: String) {
    #expect(MailAddress.list(bytes(value))?.map(\.text) == [address])
  }

  @Test(arguments: [
    "", "   (nobody)", "list: a@b.example;", "\"A\" : a@b.example;", "no_reply(x)@email.apple.com",
    "no_reply @email.apple.com", "<no_reply@ email.apple.com>", "<no_reply@email.apple.com >",
    "=?UTF-8?Q?no=5Freply?=@email.apple.com", "a@=?UTF-8?Q?b?=", "\"=?UTF-8?Q?a?=\"@b.example",
    "a@[192.0.2.1]", "\"a b\"@c.example", "nö@b.example", "a@bücher.example", "<@x.example:a@b.example>",
    "a@b.example,",
    ",a@b.example", "a@b@c.example", "a@b..example", ".a@b.example", "a@b.example.", "\"a <b@c.example>",
    "a <b@c.example", "(a", "a b@c.example", "a", "<>", "a@b.example x", "a <b@c.example> x",
  ])
  func `text that is not a mailbox is refused`(value: String) {
    #expect(MailAddress.list(bytes(value)) == nil, "\(value)")
  }

  @Test func `a bare address must have nothing around it`() {
    #expect(MailAddress("release@Example.com")?.text == "release@example.com")
    for text in [
      "", " a@b.example", "a@b.example ", "<a@b.example>", "a@b.example,c@d.example", "(x)a@b.example",
    ] {
      #expect(MailAddress(text) == nil, "\(text)")
    }
  }

  @Test(arguments: [
    ("Fri, 22 Oct 2021 11:11:21 +0000 (GMT)", "2021-10-22T11:11:21Z"),
    ("22 Oct 2021 11:11 -0730", "2021-10-22T18:41:00Z"),
    ("Fri , 2 oct 2021 11:11:21 UT", "2021-10-02T11:11:21Z"),
    ("29 Feb 2024 23:59:60 Z", "2024-03-01T00:00:00Z"),
    ("(c) Mon(c), (c)1 (c)Jan (c)2024 (c)01(c):(c)02(c):(c)03 (c)Z(c)", "2024-01-01T01:02:03Z"),
  ])
  func `a date is read`(value: String, text: String) {
    #expect(MailDate.read(bytes(value))?.text == text)
  }

  @Test(arguments: [
    "", "Fri", "Foo, 22 Oct 2021 11:11:21 GMT", "22 Oct 2021", "22 Oct 2021 11:11:21",
    "22 Oct 2021 25:00:00 GMT",
    "31 Feb 2021 11:11:21 GMT", "22 Okt 2021 11:11:21 GMT", "22 Oct 2021 11:11:21 EST",
    "22 Oct 21 11:11:21 GMT", "22 Oct 2021 11:11:21 K",
    "22 Oct 2021 11:11:21 +000", "22 Oct 2021 11:11:21 +9999", "22 Oct 20210 11:11:21 GMT",
    "22 Oct 2021 1:11:21 GMT",
    "22 Oct 2021 11:11:21 GMT x", "22 Oct 2021 11:11:21 (", "99999999999999999999 Oct 2021 11:11:21 GMT",
    "0 Oct 2021 11:11:21 GMT", "22 Oct 0000 11:11:21 GMT",
  ])
  func `text that is not a complete date is refused`(value: String) {
    #expect(MailDate.read(bytes(value)) == nil)
  }

  @Test func `a message ID must be well formed and in angle brackets`() {
    #expect(MessageID.read(bytes(" (c) <a.1@b.example> ")) == "a.1@b.example")
    for value in [
      "", "a@b", "<a>", "<a@b", "<a@b> x", "<@b>", "<a@>", "<a@b@c>", "<a b@c>", "<ä@b>", "<<a@b>>",
    ] {
      #expect(MessageID.read(bytes(value)) == nil, "\(value)")
    }
    #expect(MessageID.read(bytes("<\(String(repeating: "a", count: 997))@b>")) == nil)
  }

  @Test(arguments: [
    ("plain", "plain"), ("=?UTF-8?Q?a_b=3D?=", "a b="), ("=?utf-8?b?4oCd?=", "”"),
    ("=?ISO-8859-1?Q?a?= =?ISO-8859-1?Q?=E4?=", "aä"),
    ("=?ISO-8859-1?Q?a?=  \t =?UTF-8?B?YsOk?=", "abä"), ("=?UTF-8?Q?=E7=B2?= =?UTF-8?Q?=89?=", "粉"),
    ("x =?UTF-8?Q?y?= z", "x y z"),
    ("=?windows-1252?Q?=93a=94?=", "“a”"), ("=?ISO-2022-JP?B?GyRCIUcbKEI=?=", "’"), ("=?UTF-8*en?Q?a?=", "a"),
    ("=?KOI8-R?Q?a?=", "=?KOI8-R?Q?a?="), ("=?UTF-8?Q?a", "=?UTF-8?Q?a"),
    ("=?UTF-8?Q?=G0?=", "=?UTF-8?Q?=G0?="),
    ("=?UTF-8?B?a?=", "=?UTF-8?B?a?="), ("=?UTF-8?X?a?=", "=?UTF-8?X?a?="),
    ("x=?UTF-8?Q?a?=", "x=?UTF-8?Q?a?="), ("=??=", "=??="),
    ("=?UTF-8?Q?a?=x", "=?UTF-8?Q?a?=x"), ("  a   b ", "a   b"), ("raw ü", "raw ü"), ("=?UTF-8?Q??=", ""),
  ])
  func `encoded words are decoded where they are well formed`(value: String, text: String) {
    #expect(EncodedWords.decode(bytes(value)) == text)
  }
}
