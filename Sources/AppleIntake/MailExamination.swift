package import ReleaseModel

/// What has to be known about a mail: whether it says it is Apple's, whether that is proved, and what it
/// says.
package struct MailExamination: Sendable, Equatable {
  /// Whether the mail says it is from Apple; see `AppleSender.isClaimed(by:)`.
  package let claimsApple: Bool
  /// The proof, or why there is no proof.
  package let proof: Result<AppleProof, ProofFailure>
  /// What the letter says; nil if nothing is proved, so that nobody acts on it.
  package let notice: AppleNotice?
  /// The fields of the header if they can be read, proved or not; nothing in them may be acted on without
  /// proof.
  package let headers: MailHeaders?

  /// Examines a mail.
  ///
  /// - Parameter now: When the mail was received; signatures may expire.
  package init(_ message: RawMessage, trust: MailTrust, now: Timestamp) {
    claimsApple = AppleSender.isClaimed(by: message)
    proof = Result { () throws(ProofFailure) in try AppleProof(message, trust: trust, now: now) }
    headers = try? MailHeaders(message)
    notice = (try? proof.get()).map { AppleNotice(message, subject: $0.headers.subject) }
  }
}
