import AppleIntake
import Crypto
import MailCorpus
import ReleaseModel
import Testing

@Suite struct DKIMVerifierTests {
  /// The signed mail of RFC 8463, appendix A, with both its signatures and the keys published for them.
  private let sample = """
    DKIM-Signature: v=1; a=ed25519-sha256; c=relaxed/relaxed;
     d=football.example.com; i=@football.example.com;
     q=dns/txt; s=brisbane; t=1528637909; h=from : to :
     subject : date : message-id : from : subject : date;
     bh=2jUSOH9NhtVGCQWNr9BrIAPreKQjO6Sn7XIkfJVOzv8=;
     b=/gCrinpcQOoIfuHNQIbq4pgh9kyIK3AQUdt9OdqQehSwhEIug4D11Bus
     Fa3bT3FY5OsU7ZbnKELq+eXdp1Q1Dw==
    DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed;
     d=football.example.com; i=@football.example.com;
     q=dns/txt; s=test; t=1528637909; h=from : to : subject :
     date : message-id : from : subject : date;
     bh=2jUSOH9NhtVGCQWNr9BrIAPreKQjO6Sn7XIkfJVOzv8=;
     b=F45dVWDfMbQDGHJFlXUNB2HKfbCeLRyhDXgFpEL8GwpsRe0IeIixNTe3
     DhCVlUrSjV4BwcVcOF6+FF3Zo9Rpo1tFOeS9mPYQTnGdaSGsgeefOsk2Jz
     dA+L10TeYt9BgDfQNZtKdN1WO//KgIqXP7OdEFE4LjFYNcUxZQ4FADY+8=
    From: Joe SixPack <joe@football.example.com>
    To: Suzie Q <suzie@shopping.example.net>
    Subject: Is dinner ready?
    Date: Fri, 11 Jul 2003 21:00:37 -0700 (PDT)
    Message-ID: <20030712040037.46341.5F8J@football.example.com>

    Hi.

    We lost the game.  Are you hungry yet?

    Joe.

    """
  private let ed25519 = "v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="
  private let rsa =
    "v=DKIM1; k=rsa; p=MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDkHlOQoBTzWRiGs5V6NpP3idY6Wk08a5qhdR6wy5bdOKb2jLQiY/J16JYi0Qvx/by"
    + "YzCNb3W91y3FutACDfzwQ/BC/e/8uBsCR+yz1Lxj+PL6lHvqMKrM3rG4hstT5QjvHO9PzoxZyVYLzBfO2EeC3Ip3G+2kryOTIKT+l/K4w3QIDAQAB"

  @Test func `the signatures of RFC 8463 verify`() throws {
    let message = try RawMessage(Array(sample.utf8))
    let keys = [
      try PinnedKey(domain: "football.example.com", selector: "brisbane", text: ed25519),
      try PinnedKey(domain: "football.example.com", selector: "test", text: rsa),
    ]
    let now = Timestamp(seconds: 1_528_638_000)
    let verdicts = try DKIMVerifier(keys: keys).verdicts(on: message, now: now)
    #expect(verdicts.map { (try? $0.get())?.selector } == ["brisbane", "test"])
    // Spelled out as often as signed: a name more often than there are fields protects against added ones.
    let added = try RawMessage(Array(("Subject: another\n" + sample).utf8))
    #expect(throws: DKIMFailure.badSignature) { try DKIMVerifier(keys: keys).verify(added, now: now) }
    #expect(throws: DKIMFailure.noSignature) {
      try DKIMVerifier(keys: keys).verify(try RawMessage(Array("A: b\n\n".utf8)), now: now)
    }
  }

  @Test func `one valid signature among several is enough`() throws {
    let world = try #require(World.shared)
    var mail = world.stranger.sign(Letter())
    mail.fields.insert(world.apple.sign(Letter()).fields[0], at: 1)
    mail.fields.insert("DKIM-Signature: garbage", at: 0)
    let message = try RawMessage(mail.bytes)
    let verdicts = try DKIMVerifier(keys: world.keys).verdicts(on: message, now: World.now)
    #expect(verdicts.count == 3)
    #expect(verdicts[0] == .failure(.malformedSignature))
    #expect(try verdicts[1].get().domain == "example.net")
    // The stranger's signature holds as well and proves nothing; Apple's does.
    #expect(isAccepted(examine(mail.bytes, world.bySignature)))
  }

  @Test func `a selector may have two keys while they change`() throws {
    let world = try #require(World.shared)
    let old = try PinnedKey(
      domain: "email.apple.com", selector: "email0517",
      text: try #require(RSASigner(bits: 1024)).publicKey.pem)
    let trust = MailTrust(keys: [old] + world.keys, recipients: world.recipients)
    #expect(isAccepted(examine(world.apple.sign(Letter()).bytes, trust)))
  }

  @Test func `an identity below the domain needs a key that allows it`() throws {
    let world = try #require(World.shared)
    var signer = world.modern
    signer.extra = "i=x@mail.email.apple.com;"
    let mail = try RawMessage(signer.sign(Letter()).bytes)
    guard case .ed25519(let key) = world.modern.key else { return }
    let p = Base64.encode(key.publicKey.ed25519Bytes ?? [])
    func keys(_ flags: String) throws -> [PinnedKey] {
      [try PinnedKey(domain: "email.apple.com", selector: "modern", text: "k=ed25519; p=\(p); t=\(flags)")]
    }
    #expect(try DKIMVerifier(keys: keys("")).verify(mail, now: World.now).selector == "modern")
    #expect(throws: DKIMFailure.keyNotForThis) {
      try DKIMVerifier(keys: keys("s")).verify(mail, now: World.now)
    }
  }

  @Test func `a signature may be ten minutes in the future, and expires to the second`() throws {
    let world = try #require(World.shared)
    var signer = world.modern
    signer.time = "t=1000; x=2000; "
    let message = try RawMessage(signer.sign(Letter()).bytes)
    func failure(_ seconds: Int64) -> DKIMFailure? {
      do {
        _ = try DKIMVerifier(keys: world.keys).verify(message, now: Timestamp(seconds: seconds))
        return nil
      } catch { return error }
    }
    #expect(failure(399) == .futureSignature)
    #expect(failure(400) == nil)
    #expect(failure(2_000) == nil)
    #expect(failure(2_001) == .expired)
  }
}
