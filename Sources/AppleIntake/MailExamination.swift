package import ReleaseModel

/// What has to be known about a mail: whether it says it is Apple's, whether that is proved, and what it
/// says.
package struct MailExamination: Sendable, Equatable {
  package let claimsApple: Bool
  package let proof: Result<AppleProof, ProofFailure>
  /// Nil if nothing is proved, so that nobody acts on it.
  package let notice: AppleNotice?
  /// Nil if they cannot be read; nothing in them may be acted on without proof.
  package let headers: MailHeaders?

  /// - Parameter now: When the mail was received; signatures may expire.
  package init(_ message: RawMessage, trust: MailTrust, now: Timestamp) {
    claimsApple = AppleSender.isClaimed(by: message)
    proof = Result { () throws(ProofFailure) in try AppleProof(message, trust: trust, now: now) }
    headers = try? MailHeaders(message)
    notice = (try? proof.get()).map { AppleNotice(message, subject: $0.headers.subject) }
  }
}
