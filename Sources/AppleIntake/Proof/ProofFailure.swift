/// Why a mail is not proved to be Apple's letter to the operator.
package enum ProofFailure: Error, Sendable, Equatable {
  /// A field that has to be there exactly once is missing.
  case missingField(String)
  /// A field that has to be there once is there twice: verifiers read the last, people the first.
  case repeatedField(String)
  /// From is no address that can be read.
  case malformedFrom(AddressFault)
  /// From is more than one address.
  case severalSenders
  /// From is another address than App Store Connect's.
  case wrongSender(String)
  /// To is no address that can be read.
  case malformedTo(AddressFault)
  /// To is not one address of the operator's: a letter to somebody else, which proves nothing about these apps.
  case wrongRecipient
  /// Date names no moment.
  case malformedDate
  /// Message-ID is none.
  case malformedMessageID
  /// No signature holds, and no server is trusted.
  case signature(DKIMFailure)
  /// The trusted server's word proves nothing, nor does a signature.
  case server(ServerFailure, signature: DKIMFailure)
  /// The server's word is about a signature that does not cover this mail.
  case uncovered(DKIMFailure)
  /// The operator trusts neither a key nor a server.
  case nothingTrusted

  /// A short name that does not change.
  package var id: String {
    switch self {
    case .missingField: "missing-field"
    case .repeatedField: "repeated-field"
    case .malformedFrom: "malformed-from"
    case .severalSenders: "several-senders"
    case .wrongSender: "wrong-sender"
    case .malformedTo: "malformed-to"
    case .wrongRecipient: "wrong-recipient"
    case .malformedDate: "malformed-date"
    case .malformedMessageID: "malformed-message-id"
    case .signature(let failure): "signature.\(failure.id)"
    case .server(let failure, _): "server.\(failure.rawValue)"
    case .uncovered(let failure): "uncovered.\(failure.id)"
    case .nothingTrusted: "nothing-trusted"
    }
  }
}
