import AppleIntake
package import Ledger
package import ReleaseModel

/// Mails from App Store Connect.
package struct AppleMail: EvidenceSource {
  /// A mail that was older than this when it was received proves nothing about the present.
  package static let oldest = TimeSpan(seconds: 14 * 86_400)
  package static let aheadBy = TimeSpan(seconds: 600)

  private let trust: MailTrust

  package let kind = Evidence.Kind.mail
  package let app: String? = nil

  package init(_ draft: ChangeSet) {
    trust = MailTrust(
      keys: draft.trusts.filter { $0.kind == .dkim }.compactMap { trust in
        try? PinnedKey(domain: trust.value, selector: trust.selector, text: trust.key ?? "")
      },
      servers: draft.trusts.filter { $0.kind == .mx }.map(\.value),
      recipients: draft.trusts.filter { $0.kind == .recipient }.compactMap { MailAddress($0.value) })
  }

  /// The most bytes of a sender or subject that are stored with the mail.
  private static let longest = 500

  /// Proves a mail and reads its letter, as of its receipt.
  package func examine(_ bytes: [UInt8], _ evidence: inout Evidence, _ draft: inout ChangeSet) throws
    -> Examined
  {
    let message: RawMessage
    do {
      message = try RawMessage(bytes)
    } catch .tooLarge {
      return .ends(.refused, .message(.tooLarge))
    } catch {
      return .ends(AppleSender.isClaimed(in: bytes) ? .parked : .ignored, .message(error))
    }
    evidence.proof = nil
    let received = evidence.receivedAt
    let examination = MailExamination(message, trust: trust, now: received)
    if let headers = examination.headers {
      evidence.messageID = headers.messageID
      evidence.sentAt = headers.date
      evidence.sender = AppleMail.cut(headers.from.text)
      evidence.subject = AppleMail.cut(headers.subject)
    }
    let proof: AppleProof
    switch examination.proof {
    case .success(let found): proof = found
    case .failure(let failure):
      guard examination.claimsApple else { return .ends(.ignored, .own(.mailNotApple)) }
      return .ends(.parked, .proof(failure))
    }
    switch proof.path {
    case .signature(let pass): evidence.proof = "dkim \(pass.domain) \(pass.selector)"
    case .server(let server): evidence.proof = "mx \(server)"
    }
    if proof.headers.date + AppleMail.oldest < received { return .ends(.parked, .binding(.mail, .stale)) }
    if received + AppleMail.aheadBy < proof.headers.date { return .ends(.parked, .own(.mailFuture)) }
    guard let notice = examination.notice else { return .ends(.parked, .own(.mailUnclear)) }
    evidence.version = notice.version
    switch notice.kind {
    case .other(let matter): return .ends(.ignored, .other(matter))
    case .namesNoVersion: return .ends(.ignored, .own(.mailNamesNoVersion))
    case .unclear(let doubt): return .ends(.parked, .letter(doubt))
    case .status(let state):
      evidence.state = state
      guard let id = notice.appleID, let version = notice.version else {
        return .ends(.parked, .own(.mailUnclear))
      }
      return .state(state, of: .version(version, appleID: id, platform: notice.platform))
    }
  }

  private static func cut(_ text: String) -> String {
    guard text.utf8.count > longest else { return text }
    var short = String.UnicodeScalarView()
    var count = 0
    for scalar in text.unicodeScalars {
      count += UTF8.width(scalar)
      guard count <= longest else { break }
      short.append(scalar)
    }
    return String(short)
  }
}
