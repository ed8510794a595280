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

  /// The most characters of a sender or subject that are stored with the mail.
  private static let longest = 250

  /// Proves a mail and reads its letter, as of its receipt.
  package func examine(_ bytes: [UInt8], _ evidence: inout Evidence, _ draft: inout ChangeSet) throws
    -> Examined
  {
    let message: RawMessage
    do {
      message = try RawMessage(bytes)
    } catch .tooLarge {
      return .ends(.refused, "mail.\(MessageFault.tooLarge.rawValue)")
    } catch {
      return .ends(AppleSender.isClaimed(in: bytes) ? .parked : .ignored, "mail.\(error.rawValue)")
    }
    evidence.proof = nil
    let received = evidence.receivedAt
    let examination = MailExamination(message, trust: trust, now: received)
    if let headers = examination.headers {
      evidence.messageID = headers.messageID
      evidence.sentAt = headers.date
      evidence.sender = String(headers.from.text.unicodeScalars.prefix(AppleMail.longest))
      evidence.subject = String(headers.subject.unicodeScalars.prefix(AppleMail.longest))
    }
    do throws(ProofFailure) {
      evidence.proof = try examination.proof.get()
    } catch {
      guard examination.claimsApple else { return .ends(.ignored, "mail.not-apple") }
      return .ends(.parked, "mail.\(error.id)")
    }
    guard let date = examination.headers?.date, let notice = examination.notice else {
      return .ends(.parked, "mail.unclear")
    }
    if date + AppleMail.oldest < received { return .ends(.parked, "mail.stale") }
    if received + AppleMail.aheadBy < date { return .ends(.parked, "mail.future") }
    evidence.version = notice.version
    switch notice.kind {
    case .other(let matter): return .ends(.ignored, "mail.other.\(matter.rawValue)")
    case .namesNoVersion: return .ends(.ignored, "mail.names-no-version")
    case .unclear(let doubt): return .ends(.parked, "mail.\(doubt)")
    case .status(let state):
      evidence.state = state
      guard let id = notice.appleID, let version = notice.version else {
        return .ends(.parked, "mail.unclear")
      }
      return .state(state, of: .version(version, appleID: id, platform: notice.platform))
    }
  }
}
