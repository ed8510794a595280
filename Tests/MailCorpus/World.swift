package import AppleIntake
import Crypto
package import ReleaseModel

package struct World: Sendable {
  package let apple: Signer
  package let stranger: Signer
  package let weak: Signer
  package let modern: Signer
  package let keys: [PinnedKey]
  package let records: [(domain: String, selector: String, text: String)]

  package static let now = Timestamp(seconds: 1_795_173_600)
  package static let server = "mx.example.com"
  package static let recipient = "release@example.com"
  package static let appleID: Int64 = 1_234_567_890

  package static let shared: World? = World()

  private init?() {
    guard let apple = RSASigner(bits: 2048), let stranger = RSASigner(bits: 2048),
      let weak = RSASigner(bits: 768),
      let modern = SigningKey.random()
    else { return nil }
    self.apple = Signer(key: .rsa(apple))
    self.stranger = Signer(key: .rsa(stranger), domain: "example.net", selector: "s1")
    self.weak = Signer(key: .rsa(weak), selector: "weak")
    self.modern = Signer(key: .ed25519(modern), selector: "modern")
    let revoked = "v=DKIM1; k=rsa; p="
    let record = "v=DKIM1; k=rsa; p=\(Base64.encode(apple.publicKey.der))"
    let texts = [
      ("email.apple.com", "email0517", apple.publicKey.pem),
      ("email.apple.com", "weak", weak.publicKey.pem),
      (
        "email.apple.com", "modern",
        "v=DKIM1; k=ed25519; p=\(Base64.encode(modern.publicKey.ed25519Bytes ?? []))"
      ),
      ("email.apple.com", "revoked", revoked),
      ("email.apple.com", "testing", record + "; t=y"),
      ("email.apple.com", "web", record + "; s=web"),
      ("email.apple.com", "sha1", record + "; h=sha1"),
      ("example.net", "s1", stranger.publicKey.pem),
    ]
    records = texts.map { domain, selector, text in
      let der = PublicKey(pem: text)?.der
      return (domain, selector, der.map { "v=DKIM1; k=rsa; p=\(Base64.encode($0))" } ?? text)
    }
    keys = texts.compactMap { try? PinnedKey(domain: $0.0, selector: $0.1, text: $0.2) }
    guard keys.count == texts.count else { return nil }
  }

  package var recipients: [MailAddress] { [MailAddress(World.recipient)].compactMap { $0 } }

  package var bySignature: MailTrust { MailTrust(keys: keys, recipients: recipients) }

  package var byServer: MailTrust { MailTrust(servers: [World.server], recipients: recipients) }

  package static func received(_ mail: Mail, dkim: String, dmarc: String) -> Mail {
    received(
      mail, ["\(server);\r\n\tdkim=\(dkim);\r\n\tspf=pass smtp.mailfrom=email.apple.com;\r\n\tdmarc=\(dmarc)"]
    )
  }

  /// A mail as the server hands it on, with the Authentication-Results that it writes.
  package static func received(_ mail: Mail, _ results: [String]) -> Mail {
    let fields = [
      "Return-Path: <no_reply@email.apple.com>",
      "Received: from out.example.net (out.example.net. [192.0.2.1])\r\n\tby \(server) with ESMTPS id a1;\r\n\t"
        + "Fri, 20 Nov 2026 11:11:22 +0000",
    ]
    return (fields + results.map { "Authentication-Results: \($0)" }).reduce(mail) { $0.prepending($1) }
  }

  package static func receivedFromApple(_ mail: Mail) -> Mail {
    received(
      mail, dkim: "pass (2048-bit key) header.i=@email.apple.com header.s=email0517 header.b=sTj3NmwF",
      dmarc: "pass (p=REJECT sp=REJECT dis=NONE) header.from=email.apple.com")
  }
}

/// Examines bytes; nil where they are refused outright.
package func examine(_ bytes: [UInt8], _ trust: MailTrust) -> MailExamination? {
  guard let message = try? RawMessage(bytes) else { return nil }
  return MailExamination(message, trust: trust, now: World.now)
}

/// Whether a mail would move the release of the tests, Taxi for iOS: the caller binds by Apple ID and looks at the date.
package func isAccepted(_ examination: MailExamination?) -> Bool {
  guard let examination, case .success = examination.proof, let date = examination.headers?.date,
    let notice = examination.notice, case .status = notice.kind, notice.appleID == World.appleID
  else { return false }
  let age = World.now.seconds - date.seconds
  return age <= 14 * 86_400 && age >= -600
}
