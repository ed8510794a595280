import AppleIntake
import Crypto
import MailCorpus
import ReleaseModel
import Testing

/// A mail of App Review from 2021, its addresses replaced: the body is as Apple signed it, the header is not.
@Suite struct RealMailTests {
  private func message() throws -> RawMessage {
    try RawMessage(Fixtures.read("Tests/Fixtures/mail/review-message-2021.eml"))
  }

  @Test func `the real mail's body is the one that Apple signed`() throws {
    let message = try message()
    let signature = try DKIMSignature(try #require(message.header.only("dkim-signature")))
    #expect(signature.domain == "email.apple.com")
    #expect(signature.selector == "email0517")
    #expect(signature.signedFields == ["date", "from", "to", "message-id", "subject", "content-type"])
    #expect(signature.signature.count == 256)
    #expect(signature.signedAt?.text == "2021-10-22T11:11:21Z")
    let canonical = Reference.relaxedBody(Array(message.body))
    #expect(SHA256.digest(of: canonical) == signature.bodyHash)
    // Any 2048-bit key: what is wrong is then the signature and no longer the body.
    let key = try #require(RSASigner(bits: 2048))
    let pinned = try PinnedKey(domain: "email.apple.com", selector: "email0517", text: key.publicKey.pem)
    #expect(throws: DKIMFailure.badSignature) {
      try DKIMVerifier(keys: [pinned]).verify(message, now: Timestamp(seconds: 1_634_901_100))
    }
  }

  @Test func `the real mail is shown without tags`() throws {
    let mail = try #require(ReadableMail(Fixtures.read("Tests/Fixtures/mail/review-message-2021.eml")))
    let lines = mail.text.split(whereSeparator: \.isNewline)
    #expect(lines.first == "Dear Tomas," && lines.contains("Guideline 2.1 - Information Needed"))
    #expect(lines.contains("Next Steps") && !mail.text.contains("<"))
  }

  @Test func `the real mail is recognised as a review message`() throws {
    let message = try message()
    let headers = try MailHeaders(message)
    #expect(headers.from.text == "no_reply@email.apple.com")
    #expect(headers.date.text == "2021-10-22T11:11:21Z")
    #expect(AppleSender.isClaimed(by: message))
    let text = try MailText(message)
    #expect(text.plain?.contains("your app\u{2019}s content") == true)
    #expect(text.html?.contains("your app\u{2019}s content") == true)
    let notice = AppleNotice(message, subject: headers.subject)
    #expect(notice.kind == .other(.reviewMessage))
    #expect(notice.appleID == 1_591_462_989)
    #expect(notice.platform == .iOS)
  }

  @Test func `the real mail is proved by its server's verdict if the server is trusted`() throws {
    let message = try message()
    let now = Timestamp(seconds: 1_634_901_100)
    let recipients = [MailAddress("release@example.com")].compactMap { $0 }
    let trust = MailTrust(servers: ["mx.google.com"], recipients: recipients)
    // A Received line of another host stands above: the mail went on within the provider.
    func proof(_ message: RawMessage) -> Result<String, ProofFailure> {
      MailExamination(message, trust: trust, now: now).proof
    }
    #expect(proof(message) == .failure(ProofFailure("server.below-foreign-received")))
    let below = try #require(message.header.only("return-path"))
    let own = try RawMessage(
      message.header.fields[below.position...].flatMap(\.raw) + [0x0D, 0x0A] + message.body)
    #expect(proof(own) == .success("mx mx.google.com"))
  }
}
