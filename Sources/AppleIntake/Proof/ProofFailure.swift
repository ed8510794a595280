/// Why a mail is not proved to be Apple's letter to the operator.
package enum ProofFailure: Error, Sendable, Hashable, CaseIterable {
  /// What is wrong before any proof is examined.
  package enum Header: String, Sendable, CaseIterable {
    /// A field that has to occur exactly once is missing.
    case missingField = "missing-field"
    /// A field that has to occur once occurs twice: verifiers read the last, people the first.
    case repeatedField = "repeated-field"
    /// From is not a readable address.
    case malformedFrom = "malformed-from"
    /// From has more than one address.
    case severalSenders = "several-senders"
    /// From has an address other than App Store Connect's.
    case wrongSender = "wrong-sender"
    /// To is not a readable address.
    case malformedTo = "malformed-to"
    /// To is not one address of the operator's: the letter is to somebody else and proves nothing about these
    /// apps.
    case wrongRecipient = "wrong-recipient"
    /// Date does not name a moment.
    case malformedDate = "malformed-date"
    /// Message-ID is malformed.
    case malformedMessageID = "malformed-message-id"
    /// The operator trusts neither a key nor a server.
    case nothingTrusted = "nothing-trusted"
  }

  case header(Header)
  /// No signature holds, and no server is trusted.
  case signature(DKIMFailure)
  /// Neither the trusted server's word nor a signature proves anything.
  case server(ServerFailure)
  /// The server's word is about a signature that does not cover this mail.
  case uncovered(DKIMFailure)

  package static var allCases: [ProofFailure] {
    Header.allCases.map(header) + DKIMFailure.allCases.map(signature) + ServerFailure.allCases.map(server)
      + DKIMFailure.allCases.map(uncovered)
  }

  /// A short name that never changes.
  package var id: String {
    switch self {
    case .header(let fault): fault.rawValue
    case .signature(let failure): "signature.\(failure.rawValue)"
    case .server(let failure): "server.\(failure.rawValue)"
    case .uncovered(let failure): "uncovered.\(failure.rawValue)"
    }
  }
}
