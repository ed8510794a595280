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

/// The proof that a mail is Apple's letter to the operator, and how that is known.
package struct AppleProof: Sendable, Equatable {
  /// How a mail is proved.
  package enum Path: Sendable, Equatable {
    case signature(DKIMPass)
    case server(String)
  }

  package let path: Path
  package let headers: MailHeaders

  /// Proves a mail, by signature first, and by the server's word if no signature holds.
  ///
  /// In both cases, From is exactly App Store Connect's address, To is one trusted address, each field that
  /// matters occurs once, and a signature of Apple's domain covers these fields and the whole body.
  package init(_ message: RawMessage, trust: MailTrust, now: Timestamp) throws(ProofFailure) {
    headers = try MailHeaders(message)
    guard headers.from.text == AppleSender.address else { throw .header(.wrongSender) }
    guard headers.to.count == 1, trust.recipients.contains(headers.to[0]) else {
      throw .header(.wrongRecipient)
    }
    guard !trust.keys.isEmpty || !trust.servers.isEmpty else { throw .header(.nothingTrusted) }
    let sender = headers.from
    do throws(DKIMFailure) {
      // Beyond RFC 6376, the signing domain is that of From, and the required fields are signed.
      path = .signature(
        try DKIMVerifier(keys: trust.keys).verify(message, now: now) { pass throws(DKIMFailure) in
          guard pass.domain == sender.domain else { throw .wrongDomain }
          guard AppleProof.isCovered(by: pass.signedFields) else { throw .missingSignedHeader }
        })
    } catch {
      guard !trust.servers.isEmpty else { throw .signature(error) }
      path = .server(try AppleProof.server(vouchingFor: message, among: trust.servers))
    }
  }

  /// The first server that vouches for a mail: several may be named while one replaces another.
  private static func server(
    vouchingFor message: RawMessage, among servers: [String]
  ) throws(ProofFailure) -> String {
    var failure = ServerFailure.noResults
    for server in servers {
      let verdict: ServerVerdict
      do throws(ServerFailure) {
        verdict = try ServerVerdict(of: message, server: server, domain: AppleSender.domain)
      } catch {
        if failure == .noResults { failure = error }
        continue
      }
      do throws(DKIMFailure) {
        try requireCoverage(of: message)
      } catch {
        throw .uncovered(error)
      }
      return verdict.server
    }
    throw .server(failure)
  }

  private static func isCovered(by signed: [String]) -> Bool {
    MailField.required.allSatisfy { signed.contains($0.rawValue) }
  }

  /// Checks the signatures that a server's `dkim=pass` is about.
  ///
  /// The server says that some signature of Apple's domain holds, but not which one, nor what it covers. So
  /// every one has to cover the fields and the whole body, and one has to be over this body. That needs no
  /// key.
  private static func requireCoverage(of message: RawMessage) throws(DKIMFailure) {
    let fields = message.header.all("dkim-signature")
    guard fields.count <= DKIMVerifier.maximumSignatures else { throw .tooManySignatures }
    var bodies = BodyHashes(message.body)
    var isOverBody = false
    var isOfApple = false
    for field in fields {
      guard let tags = TagList(Array(field.rawValue)) else { throw .malformedSignature }
      guard tags["d"].map({ lowercased($0) }) == AppleSender.domain else { continue }
      let signature = try DKIMSignature(field)
      isOfApple = true
      guard !signature.hasLength else { throw .lengthTag }
      guard isCovered(by: signature.signedFields) else { throw .missingSignedHeader }
      if bodies.hash(signature.bodyForm) == signature.bodyHash { isOverBody = true }
    }
    guard isOfApple else { throw .noSignature }
    guard isOverBody else { throw .bodyHashMismatch }
  }
}

/// What the operator trusts about mails.
package struct MailTrust: Sendable, Equatable {
  package var keys: [PinnedKey]
  /// The names of the operator's mail servers that keep forged Authentication-Results out (RFC 8601 §5).
  package var servers: [String]
  package var recipients: [MailAddress]

  package init(keys: [PinnedKey] = [], servers: [String] = [], recipients: [MailAddress] = []) {
    self.keys = keys
    self.servers = servers
    self.recipients = recipients
  }
}

/// Why a mail is not proved to be Apple's letter to the operator; docs/reasons.md says what each means.
package enum ProofFailure: Error, Sendable, Hashable, CaseIterable {
  /// What is wrong before any proof is examined.
  package enum Header: String, Sendable, CaseIterable {
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

  case missingField(MailField)
  /// A field that has to occur once occurs twice: verifiers read the last, people the first.
  case repeatedField(MailField)
  case header(Header)
  case signature(DKIMFailure)
  /// Neither the trusted server's word nor a signature proves anything.
  case server(ServerFailure)
  /// The server's word is about a signature that does not cover this mail.
  case uncovered(DKIMFailure)

  package static var allCases: [ProofFailure] {
    MailField.required.map(missingField) + MailField.allCases.map(repeatedField) + Header.allCases.map(header)
      + DKIMFailure.allCases.map(signature) + ServerFailure.allCases.map(server)
      + DKIMFailure.allCases.map(uncovered)
  }

  package var id: String {
    switch self {
    case .missingField(let field): "missing-field.\(field.rawValue)"
    case .repeatedField(let field): "repeated-field.\(field.rawValue)"
    case .header(let fault): fault.rawValue
    case .signature(let failure): "signature.\(failure.rawValue)"
    case .server(let failure): "server.\(failure.rawValue)"
    case .uncovered(let failure): "uncovered.\(failure.rawValue)"
    }
  }
}
