import AppleIntake
import MailCorpus
import ReleaseModel
import Testing

@Suite struct DoubtTests {
  private let live = #"The status of your (iOS) app, Taxi, is now "Ready for Distribution""#

  private func kind(_ subject: String, plain: String? = nil, html: String? = nil) throws -> NoticeKind {
    let text = try Self.text(plain: plain, html: html)
    return AppleNotice(subject: subject, text: text).kind
  }

  private static func text(plain: String?, html: String?) throws -> MailText {
    let body: Letter.Body =
      switch (plain, html) {
      case (let plain?, let html?): .alternative(plain: plain, html: html)
      case (nil, let html?): .html(html)
      default: .plain(plain ?? "")
      }
    return try MailText(message(body))
  }

  private static func message(_ body: Letter.Body) throws -> RawMessage {
    var letter = Letter()
    letter.body = body
    let (fields, body) = letter.unsigned()
    return try RawMessage(Mail(fields: fields, body: body).bytes)
  }

  @Test func `subject and text have to agree on the state`() throws {
    for sentence in [
      "The status of your app has changed to In Review.", "It is now eligible for distribution.",
      "We noticed an issue with your submission.", "Hello. We've received your app for review.",
    ] {
      #expect(try kind(live, plain: Letter.rows(sentence: sentence)) == .unclear("contradiction.state"))
      #expect(
        try kind(live, plain: Letter.rows(), html: Letter.table(sentence: sentence))
          == .unclear("contradiction.state"))
    }
    #expect(
      try kind("Review of your Taxi (iOS) submission is complete.", plain: Letter.rows())
        == .unclear("contradiction.state"))
  }

  @Test func `plain and HTML have to agree on every field both have`() throws {
    let plain = Letter.rows()
    let cases: [(String, NoticeField)] = [
      (Letter.table(name: "Bus"), .appName), (Letter.table(version: "7.4.0"), .version),
      (Letter.table(version: "7.3"), .version), (Letter.table(appleID: "1234567891"), .appleID),
      (Letter.table(platform: "Platform: macOS"), .platform),
    ]
    for (html, field) in cases {
      #expect(try kind(live, plain: plain, html: html) == .unclear("contradiction.\(field.rawValue)"))
    }
  }

  @Test func `a field with two different values is ambiguous`() throws {
    #expect(
      try kind(live, plain: Letter.rows() + "\nApp Version Number: 7.4.0") == .unclear("ambiguous.version"))
    #expect(try kind(live, plain: Letter.rows() + "\nApp Apple ID: 99") == .unclear("ambiguous.apple-id"))
    #expect(
      try kind(live, plain: Letter.rows() + "\nApp Version\n8.0 for iOS") == .unclear("ambiguous.version"))
    #expect(try kind(live, plain: Letter.rows() + "\nApp Version Number: 7.3.0") == .status(.live))
  }

  @Test func `text and link have to agree`() throws {
    let other = "<a href='https://appstoreconnect.apple.com/apps/99/distribution'>View</a>"
    #expect(try kind(live, html: Letter.table() + other) == .unclear("ambiguous.apple-id"))
    let id = "11111111-2222-3333-4444-555555555555"
    let link =
      "<p>Submission ID: 99999999-2222-3333-4444-555555555555</p><a href=\"https://appstoreconnect.apple.com/x?"
      + "targetUrl=%2Fapps%2F1234567890%2Fdistribution%2Freviewsubmissions%2Fdetails%2F\(id)\">View</a>"
    #expect(try kind(live, html: Letter.table() + link) == .unclear("ambiguous.submission-id"))
  }

  @Test func `a link to another host is ignored`() throws {
    for host in [
      "https://example.com/apps/99/", "https://appstoreconnect.apple.com.example.com/apps/99/",
      "https://appstoreconnect.apple.com@example.com/apps/99/", "ftp://appstoreconnect.apple.com/apps/99/",
      "https://apps.apple.com/app/99/",
    ] {
      #expect(
        try kind(live, html: Letter.table() + "<a href=\"\(host)\">View</a>") == .status(.live), "\(host)")
    }
  }

  @Test func `the subject's name and platform have to be those of the text`() throws {
    #expect(try kind(live, plain: Letter.rows(name: "Bus")) == .unclear("contradiction.app-name"))
    #expect(
      try kind(live, plain: Letter.rows(platform: "Platform: tvOS")) == .unclear("contradiction.platform"))
  }

  @Test func `version and Apple ID must be present and well formed`() throws {
    #expect(try kind(live, plain: "App Apple ID: 1234567890") == .unclear("missing.version"))
    #expect(try kind(live, plain: "App Version Number: 7.3.0") == .unclear("missing.apple-id"))
    for version in ["7.3.0 (x)", "v7.3", "7.0000000003", "7.3.0.1", "7..3", "٧.٣", "seven"] {
      #expect(
        try kind(live, plain: Letter.rows(version: version)) == .unclear("malformed.version"),
        "\(version)")
    }
    for id in ["12a", "-1", "1234567890123456", "١٢"] {
      #expect(try kind(live, plain: Letter.rows(appleID: id)) == .unclear("malformed.apple-id"), "\(id)")
    }
    #expect(try kind(live, plain: Letter.rows(platform: "Platform: BeOS")) == .unclear("malformed.platform"))
  }

  @Test func `a label without a value does not take the next label for one`() throws {
    #expect(try kind(live, plain: Letter.rows(version: "")) == .unclear("missing.version"))
  }

  @Test func `a label and its value may be in two table cells`() throws {
    let html = """
      <table><tr><td>App Name:</td><td>Taxi</td></tr><tr><td>App Version Number:</td><td>7.3.0</td></tr>
      <tr><td>App Apple ID:</td><td>1234567890</td></tr></table>
      """
    #expect(try kind(live, html: html) == .status(.live))
  }

  @Test func `a character that cannot be decoded agrees with any character`() throws {
    let message = try Self.message(
      .raw(
        type: "multipart/alternative; boundary=b", encoding: nil,
        bytes: """
          --b
          Content-Type: text/plain; charset=ISO-2022-JP
          Content-Transfer-Encoding: QUOTED-PRINTABLE

          App Name: =1B$B%?%/=1B(B
          App Version Number: 7.3.0
          App Apple ID: 1234567890
          --b
          Content-Type: text/html; charset=UTF-8

          <p>App Name: タク</p><p>App Version Number: 7.3.0</p><p>App Apple ID: 1234567890</p>
          --b--
          """))
    let notice = AppleNotice(message, subject: #"The status of your app, タク, is now "Ready for Sale""#)
    #expect(notice.kind == .status(.live))
  }

  @Test func `a calendar invitation is recognised whatever its subject`() throws {
    let message = try Self.message(
      .raw(
        type: "multipart/alternative; boundary=b", encoding: nil,
        bytes: "--b\n\n\(Letter.rows())\n--b\nContent-Type: text/calendar\n\nBEGIN:VCALENDAR\n--b--\n"))
    #expect(AppleNotice(message, subject: live).kind == .other(.calendar))
  }

  @Test(arguments: [
    ("multipart/mixed; boundary=b", "--b\n\nx\n", MIMEFault.unclosedMultipart),
    ("multipart/mixed", "x", .unclosedMultipart),
    ("text/plain; charset=Shift_JIS", "x", .unknownCharset), ("image/png", "x", .noText),
    ("text", "x", .malformedType),
    ("text/plain; charset=a; charset=b", "x", .malformedType),
    ("text/plain; charset=\"a", "x", .malformedType),
    ("multipart/mixed; boundary=b", "--b\n\nx\n--b\n\ny\n--b--\n", .severalTexts),
    ("multipart/mixed; boundary=b", "--b\nno header\n\nx\n--b--\n", .malformedPart),
    (
      "multipart/mixed; boundary=b", "--b\nContent-Type: text/plain\nContent-Type: text/html\n\nx\n--b--\n",
      .malformedType
    ),
    ("multipart/mixed; boundary=b", "--b\nContent-Transfer-Encoding: base64\n\nx\n--b--\n", .malformedBase64),
    ("multipart/mixed; boundary=b", "--b\nContent-Transfer-Encoding: uu\n\nx\n--b--\n", .unknownEncoding),
  ])
  func `a mail whose text cannot be read is unclear`(type: String, body: String, fault: MIMEFault) throws {
    let message = try RawMessage(Array("Content-Type: \(type)\n\n\(body)".utf8))
    #expect(AppleNotice(message, subject: live).kind == .unclear("unreadable.\(fault.rawValue)"))
  }

  @Test func `parts may nest eight deep and number a hundred, and no more`() throws {
    func nested(_ depth: Int) -> String {
      var text = "Content-Type: text/plain\n\nx"
      for level in 0..<depth {
        text = "Content-Type: multipart/mixed; boundary=b\(level)x\n\n--b\(level)x\n\(text)\n--b\(level)x--\n"
      }
      return text
    }
    #expect(try MailText(RawMessage(Array(nested(8).utf8))).plain != nil)
    #expect(throws: MIMEFault.tooDeep) { try MailText(RawMessage(Array(nested(9).utf8))) }
    #expect(throws: MIMEFault.tooDeep) { try MailText(RawMessage(Array(nested(1_000).utf8))) }
    let part = "--b\nContent-Type: image/png\n\nx\n"
    let head = "Content-Type: multipart/mixed; boundary=b\n\n"
    #expect(
      try MIMEPart.parts(of: RawMessage(Array((head + String(repeating: part, count: 100) + "--b--").utf8)))
        .count == 100)
    #expect(throws: MIMEFault.tooManyParts) {
      try MIMEPart.parts(of: RawMessage(Array((head + String(repeating: part, count: 101) + "--b--").utf8)))
    }
  }
}
