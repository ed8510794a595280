import Crypto
import MailCorpus
import Platform
import ReleaseModel
import TestSupport
import Testing

@testable import AppleIntake

private let hasPython = (try? runProgram(["python3", "-V"], limit: 99))?.status == 0

/// What docs/redact-mail.py leaves of a mail.
@Suite(.enabled(if: hasPython, "there is no python3 here"))
struct RedactedMailTests {
  /// Redacts every file of a folder in place, in one process.
  private static let driver = """
    import importlib.util, os, sys
    spec = importlib.util.spec_from_file_location("script", sys.argv[1])
    script = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode = True
    spec.loader.exec_module(script)
    for name in os.listdir(sys.argv[2]):
        path = os.path.join(sys.argv[2], name)
        mail = script.Redaction(open(path, "rb").read(), sys.argv[3:]).mail
        open(path, "wb").write(mail)
    """

  private func notice(_ message: RawMessage) -> AppleNotice {
    let subject = message.header.all("subject").first.map { EncodedWords.decode($0.value) } ?? ""
    return AppleNotice(message, subject: subject)
  }

  private func redacted(_ bytes: [UInt8], names: [String] = []) throws -> RawMessage {
    try #require(try redacted([bytes], names: names).first)
  }

  private func redacted(_ mails: [[UInt8]], names: [String] = []) throws -> [RawMessage] {
    let directory = try TemporaryDirectory()
    for (index, bytes) in mails.enumerated() { try directory.write(bytes, to: "\(index)") }
    let words = ["python3", "-c", Self.driver, Fixtures.path("docs/redact-mail.py"), directory.path] + names
    let end = try runProgram(words, limit: 1 << 16, keepsErrors: true)
    try #require(end.status == 0, "\(String(decoding: end.errors, as: UTF8.self))")
    return try mails.indices.map { try RawMessage(readFile(directory.file("\($0)"), limit: 1 << 22)) }
  }

  /// What is left of a mail for everybody to read, with every encoding undone.
  private func everything(_ message: RawMessage) throws -> String {
    let fields = message.header.fields.map { EncodedWords.decode($0.value) }
    let parts = try MIMEPart.parts(of: message).map { String(decoding: $0.content, as: UTF8.self) }
    return ([String(decoding: message.bytes, as: UTF8.self)] + fields + parts).joined(separator: "\n")
  }

  private static let letters: [Letter] =
    Wordings.states.flatMap { Wordings.statusLetters($0.name) }
    + Wordings.reviews.map { Wordings.reviewLetter($0.subject, $0.sentence) }
    + Wordings.approvals.map { approval in
      var letter = Letter()
      letter.body = .plain(Letter.rows(sentence: approval.sentence, platform: approval.platform))
      return letter
    }
    + Wordings.iTunesStates.map { state in
      var letter = Letter()
      letter.subject = "Your app status"
      letter.body = .html(
        Wordings.iTunes("The status for the following app has changed to <b>\(state.name)</b>."))
      return letter
    }

  @Test func `a redacted mail is read as the original was, apart from the numbers in it`() throws {
    let world = try #require(World.shared)
    let genuine = RedactedMailTests.letters.map { world.apple.sign($0).bytes }
    let mails = (genuine + Forgeries.all.map(\.bytes)).compactMap { try? RawMessage($0) }
    for (original, redacted) in zip(mails, try redacted(mails.map { Array($0.bytes) })) {
      let (before, after) = (notice(original), notice(redacted))
      #expect(before.kind == after.kind && before.says == after.says, "\(before.kind) became \(after.kind)")
      #expect(before.version == after.version && before.platform == after.platform)
      #expect((before.appleID == nil) == (after.appleID == nil))
      let names = [original, redacted].map {
        $0.header.fields.map { $0.raw.prefix { $0 != UInt8(ascii: ":") } }
      }
      #expect(names[0] == names[1])
      #expect(AppleSender.isClaimed(by: redacted) || !AppleSender.isClaimed(by: original))
    }
  }

  @Test func `a redacted mail has nothing left about its recipient`() throws {
    let html = """
      <html><head><title>Canary Cab</title></head><body><p>Dear Zoe Quill,</p>
      <p>We&rsquo;re pleased to let you know that your app, Canary&#32;<b>Cab</b>, has been approved for distribution.</p>
      <p>App Name: Canary Cab</p><p>App Version Number: 7.3.0 (2026112)</p><p>App SKU: SKU-CANARY</p>
      <p>App Apple ID: 1524608462</p><p>Write to zoe@corp-canary.example or call Zoe Quill.</p>
      <img src="https://track.corp-canary.example/pixel?u=zoe"><!-- Canary Cab -->
      <a href="https://appstoreconnect.apple.com/apps/1524608462/distribution/reviewsubmissions/details/6c88cc8c-96e0-495d-9a36-f88613be69a6">x</a>
      <a href="https://apps.apple.com/us/app/canary-cab/id1524608462">x</a>
      <a href="https://appstoreconnect.apple.com/x?token=c2VjcmV0Y2FuYXJ5c2VjcmV0Y2FuYXJ5">x</a></body></html>
      """
    var letter = Letter()
    letter.to = "\"Zoe Quill\" <zoe@corp-canary.example>"
    letter.subject = "=?UTF-8?Q?The_status_of_your_app,_Canary_Cab,_is_now_=E2=80=9CReady_for_Sale=E2=80=9D?="
    letter.others += [
      "Cc: x <boss@corp-canary.example>", "X-Sent-To: zoe@corp-canary.example", "X-TXN_ID: 11111111-canary",
      "Received: from mx.corp-canary.example (192.0.2.77) by b; Fri, 20 Nov 2026 11:11:21 +0000",
      "Return-Path: <bounce+zoe=corp-canary.example@email.apple.com>",
      "Delivered-To: zoe@corp-canary.example",
      "Authentication-Results: mx.corp-canary.example; dkim=pass",
    ]
    letter.body = .raw(
      type: "multipart/mixed; boundary=outer", encoding: nil,
      bytes: """
        --outer
        Content-Type: text/html; charset=UTF-8; name="canary.html"
        Content-Transfer-Encoding: base64

        \(Base64.encode(Array(html.utf8)))
        --outer
        Content-Type: application/octet-stream; name="Canary Cab.log"
        Content-Disposition: attachment; filename="Canary Cab.log"

        zoe@corp-canary.example
        --outer--

        """)
    var signer = try #require(World.shared).apple
    signer.extra = "i=zoe@email.apple.com; "
    let mail = signer.sign(letter)
    let redacted = try redacted(mail.bytes, names: ["Canarino Pro"])
    let text = try everything(redacted).lowercased()
    for canary in [
      "canary", "zoe", "quill", "boss", "192.0.2", "1524608462", "6c88cc8c", "sku-", "694019457", "bounce",
    ] {
      #expect(!text.contains(canary), "\(canary) is left: \(text)")
    }
    let original = try RawMessage(mail.bytes)
    let before = try DKIMSignature(try #require(original.header.only("dkim-signature")))
    let after = try DKIMSignature(try #require(redacted.header.only("dkim-signature")))
    #expect(after.domain == "email.apple.com" && after.signedFields == before.signedFields)
    #expect(after.bodyHash != before.bodyHash && after.signature != before.signature)
    // One thing has one stand-in, wherever it stands.
    #expect(text.contains("the status of your app, app, is now") && text.contains("app name: app<"))
    #expect(text.contains("dear person,") && text.contains("person1@domain"))
    #expect(notice(redacted).kind == notice(original).kind)
    #expect(notice(redacted).version?.text == "7.3.0")
  }

  @Test func `names known only to the ledger are redacted, too, in every charset`() throws {
    for (charset, bytes, word) in [
      ("UTF-8", Array("Café".utf8), "Café"), ("ISO-8859-1", Array("Caf".utf8) + [0xE9], "Café"),
      ("windows-1252", Array("Caf".utf8) + [0xE9, 0x92], "Café’"),
      ("ISO-2022-JP", Array("App\u{1B}$B!G\u{1B}(Bs".utf8), "App’s"),
    ] {
      let head =
        "From: \(AppleSender.address)\r\nContent-Type: text/plain; charset=\(charset)\r\n\r\nHello,\r\n"
      let message = try redacted(
        Array(head.utf8) + bytes + Array(" Ride-Hailing is ready.\r\n".utf8), names: ["Ride-Hailing"])
      #expect(try MailText(message).plain == "Hello,\r\n\(word) App is ready.\r\n", "\(charset)")
    }
  }

  @Test func `the real mail keeps its form and loses its names`() throws {
    let bytes = try Fixtures.read("Tests/Fixtures/mail/review-message-2021.eml")
    let (original, redacted) = (try RawMessage(bytes), try redacted(bytes))
    let text = try everything(redacted)
    for canary in ["FlowCrypt", "Tomas", "1591462989"] {
      #expect(!text.contains(canary), "\(canary): \(text)")
    }
    #expect(notice(redacted).kind == notice(original).kind && notice(redacted).platform == .iOS)
    // A comma after "your app" is not always one before a name.
    #expect(try MailText(redacted).plain?.contains("the review of your app, but in addition") == true)
    #expect(
      try MIMEPart.parts(of: redacted).map(\.type.name) == MIMEPart.parts(of: original).map(\.type.name))
  }
}
