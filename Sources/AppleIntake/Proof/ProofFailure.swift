/// Why a mail is not proved to be Apple's letter to the operator.
package enum ProofFailure: Error, Sendable, Equatable {
  /// A field that has to occur exactly once is missing.
  case missingField(String)
  /// A field that has to occur once occurs twice: verifiers read the last, people the first.
  case repeatedField(String)
  /// From is not a readable address.
  case malformedFrom(AddressFault)
  /// From has more than one address.
  case severalSenders
  /// From has an address other than App Store Connect's.
  case wrongSender(String)
  /// To is not a readable address.
  case malformedTo(AddressFault)
  /// To is not one address of the operator's: the letter is to somebody else and proves nothing about these
  /// apps.
  case wrongRecipient
  /// Date does not name a moment.
  case malformedDate
  /// Message-ID is malformed.
  case malformedMessageID
  /// No signature holds, and no server is trusted.
  case signature(DKIMFailure)
  /// Neither the trusted server's word nor a signature proves anything.
  case server(ServerFailure, signature: DKIMFailure)
  /// The server's word is about a signature that does not cover this mail.
  case uncovered(DKIMFailure)
  /// The operator trusts neither a key nor a server.
  case nothingTrusted

  /// The failures without their details.
  package enum Kind: Sendable, Hashable, CaseIterable {
    /// What is wrong before any proof is examined.
    package enum Header: String, Sendable, CaseIterable {
      case missingField = "missing-field"
      case repeatedField = "repeated-field"
      case malformedFrom = "malformed-from"
      case severalSenders = "several-senders"
      case wrongSender = "wrong-sender"
      case malformedTo = "malformed-to"
      case wrongRecipient = "wrong-recipient"
      case malformedDate = "malformed-date"
      case malformedMessageID = "malformed-message-id"
      case nothingTrusted = "nothing-trusted"
    }

    case header(Header)
    case signature(DKIMFailure.Kind)
    case server(ServerFailure)
    case uncovered(DKIMFailure.Kind)

    package static var allCases: [Kind] {
      Header.allCases.map(Kind.header) + DKIMFailure.Kind.allCases.map(Kind.signature)
        + ServerFailure.allCases.map(Kind.server) + DKIMFailure.Kind.allCases.map(Kind.uncovered)
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

  package var kind: Kind {
    switch self {
    case .missingField: .header(.missingField)
    case .repeatedField: .header(.repeatedField)
    case .malformedFrom: .header(.malformedFrom)
    case .severalSenders: .header(.severalSenders)
    case .wrongSender: .header(.wrongSender)
    case .malformedTo: .header(.malformedTo)
    case .wrongRecipient: .header(.wrongRecipient)
    case .malformedDate: .header(.malformedDate)
    case .malformedMessageID: .header(.malformedMessageID)
    case .signature(let failure): .signature(failure.kind)
    case .server(let failure, _): .server(failure)
    case .uncovered(let failure): .uncovered(failure.kind)
    case .nothingTrusted: .header(.nothingTrusted)
    }
  }

  /// A short name that never changes.
  package var id: String { kind.id }
}
