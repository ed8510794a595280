import AppleIntake
import MailCorpus
import ReleaseModel
import Testing

@Suite struct GenuineTests {
  @Test func `a letter signed as Apple signs is proved by its signature`() throws {
    let world = try #require(World.shared)
    let mail = world.apple.sign(Letter())
    let examination = try #require(examine(mail.bytes, world.bySignature))
    #expect(examination.proof == .success("dkim email.apple.com email0517"))
    #expect(examination.headers?.date.text == "2026-11-20T11:11:21Z")
    #expect(examination.headers?.messageID == "694019457.7562904.1795173081184@email.apple.com")
    #expect(examination.claimsApple)
    let notice = try #require(examination.notice)
    #expect(notice.kind == .status(.live))
    #expect(notice.appleID == World.appleID)
    #expect(notice.version?.text == "7.3.0")
    #expect(notice.platform == .iOS)
    #expect(isAccepted(examination))
  }

  @Test func `the verdict of the operator's server proves a letter, too`() throws {
    let world = try #require(World.shared)
    let mail = World.receivedFromApple(world.apple.sign(Letter()))
    let examination = try #require(examine(mail.bytes, world.byServer))
    #expect(examination.proof == .success("mx \(World.server)"))
    #expect(examination.notice?.kind == .status(.live))
    #expect(isAccepted(examination))
  }

  @Test func `a signature is checked before a server's verdict`() throws {
    let world = try #require(World.shared)
    let trust = MailTrust(keys: world.keys, servers: [World.server], recipients: world.recipients)
    let mail = World.receivedFromApple(world.apple.sign(Letter()))
    #expect(examine(mail.bytes, trust)?.proof == .success("dkim email.apple.com email0517"))
  }

  @Test(arguments: ["relaxed/relaxed", "simple/simple", "relaxed/simple", "simple/relaxed"])
  func `every canonical form verifies, with RSA and Ed25519`(form: String) throws {
    let world = try #require(World.shared)
    for var signer in [world.apple, world.modern] {
      signer.form = form
      #expect(isAccepted(examine(signer.sign(Letter()).bytes, world.bySignature)), "\(form)")
    }
  }

  @Test func `a mail with the line ends of a Maildir is accepted`() throws {
    let world = try #require(World.shared)
    let mail = world.apple.sign(Letter()).bytes
    #expect(isAccepted(examine(mail.filter { $0 != 0x0D }, world.bySignature)))
  }

  @Test func `a mail with added unsigned fields is accepted`() throws {
    let world = try #require(World.shared)
    let mail = world.apple.sign(Letter()).prepending(
      "Delivered-To: release@example.com", "Received: by x with SMTP; Fri, 20 Nov 2026 11:11:22 +0000",
      "DKIM-Signature: v=1; a=rsa-sha1; d=example.org; s=x; h=from; bh=; b=", "Authentication-Results: nobody"
    )
    #expect(isAccepted(examine(mail.bytes, world.bySignature)))
  }

  @Test func `encoded words in the subject are read`() throws {
    let world = try #require(World.shared)
    var letter = Letter()
    letter.subject =
      "=?UTF-8?Q?The_status_of_your_=28iOS=29_app=2C_=E7=B2=89?=\r\n\t=?UTF-8?Q?=E7=8C=AA=2C_is_now_=22In_Review=22?="
    letter.body = .alternative(
      plain: Letter.rows(sentence: "The status of your app has changed to In Review.", name: "粉猪"),
      html: Letter.table(sentence: "The status of your app has changed to <b>In Review</b>.", name: "粉猪"))
    let notice = try #require(examine(world.apple.sign(letter).bytes, world.bySignature)?.notice)
    #expect(notice.kind == .status(.inReview))
  }
}
