/// Why a mail is not proved to be Apple's letter to the operator; docs/reasons.md says what each means.
package enum ProofFailure: Error, Sendable, Hashable, CaseIterable {
  /// What is wrong before any proof is examined.
  package enum Header: String, Sendable, CaseIterable {
    case missingField = "missing-field"
    /// A field that has to occur once occurs twice: verifiers read the last, people the first.
    case repeatedField = "repeated-field"
    case malformedFrom = "malformed-from"
    case severalSenders = "several-senders"
    case wrongSender = "wrong-sender"
    case malformedTo = "malformed-to"
    /// To is not one address of the operator's: the letter is to somebody else and proves nothing about these
    /// apps.
    case wrongRecipient = "wrong-recipient"
    case malformedDate = "malformed-date"
    case malformedMessageID = "malformed-message-id"
    case nothingTrusted = "nothing-trusted"
  }

  case header(Header)
  case signature(DKIMFailure)
  /// Neither the trusted server's word nor a signature proves anything.
  case server(ServerFailure)
  /// The server's word is about a signature that does not cover this mail.
  case uncovered(DKIMFailure)

  package static var allCases: [ProofFailure] {
    Header.allCases.map(header) + DKIMFailure.allCases.map(signature) + ServerFailure.allCases.map(server)
      + DKIMFailure.allCases.map(uncovered)
  }

  package var id: String {
    switch self {
    case .header(let fault): fault.rawValue
    case .signature(let failure): "signature.\(failure.rawValue)"
    case .server(let failure): "server.\(failure.rawValue)"
    case .uncovered(let failure): "uncovered.\(failure.rawValue)"
    }
  }
}
