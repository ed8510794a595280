package import ReleaseModel

/// What has to be known about a mail: whether it says it is Apple's, whether that is proved, and what it
/// says.
package struct MailExamination: Sendable, Equatable {
  package let claimsApple: Bool
  /// How it is proved, in the words of the evidence: `dkim DOMAIN SELECTOR` or `mx SERVER`.
  package let proof: Result<String, ProofFailure>
  /// Nil if nothing is proved, so that no one acts on it.
  package let notice: AppleNotice?
  /// Nil if they cannot be read; nothing in them may be acted on without proof.
  package let headers: MailHeaders?

  /// - Parameter now: When the mail was received; signatures may expire.
  package init(_ message: RawMessage, trust: MailTrust, now: Timestamp) {
    claimsApple = AppleSender.isClaimed(by: message)
    let read = Result { () throws(ProofFailure) in try MailHeaders(message) }
    headers = try? read.get()
    proof = read.flatMap { headers in
      Result { () throws(ProofFailure) in
        try AppleProof.find(for: message, headers, trust: trust, now: now)
      }
    }
    let subject = (try? proof.get()) == nil ? nil : headers?.subject
    notice = subject.map { AppleNotice(message, subject: $0) }
  }
}

/// The proof that a mail is Apple's letter to the operator.
enum AppleProof {
  /// Proves a mail, by signature first, and by the server's word if no signature holds.
  ///
  /// In both cases, From is exactly App Store Connect's address, To is one trusted address, each field that
  /// matters occurs once, and a signature of Apple's domain covers these fields and the whole body.
  static func find(
    for message: RawMessage, _ headers: MailHeaders, trust: MailTrust, now: Timestamp
  ) throws(ProofFailure) -> String {
    guard headers.from.text == AppleSender.address else { throw ProofFailure("wrong-sender") }
    // A letter to someone else proves nothing about these apps.
    guard headers.to.count == 1, trust.recipients.contains(headers.to[0]) else {
      throw ProofFailure("wrong-recipient")
    }
    guard !trust.keys.isEmpty || !trust.servers.isEmpty else { throw ProofFailure("nothing-trusted") }
    do throws(DKIMFailure) {
      // Beyond RFC 6376, the signing domain is that of From, and the required fields are signed.
      let pass = try DKIMVerifier(keys: trust.keys).verify(message, now: now) { pass throws(DKIMFailure) in
        guard pass.domain == headers.from.domain else { throw .wrongDomain }
        guard isCovered(by: pass.signedFields) else { throw .missingSignedHeader }
      }
      return "dkim \(pass.domain) \(pass.selector)"
    } catch {
      guard !trust.servers.isEmpty else { throw ProofFailure("signature.\(error.rawValue)") }
      return "mx \(try server(vouchingFor: message, among: trust.servers))"
    }
  }

  /// The first server that vouches for a mail: several may be named while one replaces another.
  private static func server(
    vouchingFor message: RawMessage, among servers: [String]
  ) throws(ProofFailure) -> String {
    var failure = ServerFailure.noResults
    for server in servers.map({ lowercased($0) }) {
      do throws(ServerFailure) {
        try ServerVerdict.requirePass(of: message, by: server, for: AppleSender.domain)
      } catch {
        if failure == .noResults { failure = error }
        continue
      }
      do throws(DKIMFailure) {
        try requireCoverage(of: message)
      } catch {
        throw ProofFailure("uncovered.\(error.rawValue)")
      }
      return server
    }
    throw ProofFailure("server.\(failure.rawValue)")
  }

  private static func isCovered(by signed: [String]) -> Bool {
    MailHeaders.required.allSatisfy(signed.contains)
  }

  /// Checks the signatures that a server's `dkim=pass` is about.
  ///
  /// The server says that some signature of Apple's domain holds, but not which one, nor what it covers. So
  /// every one has to cover the fields and the whole body, and one has to be over this body. That needs no
  /// key.
  private static func requireCoverage(of message: RawMessage) throws(DKIMFailure) {
    let fields = message.header.all("dkim-signature")
    guard fields.count <= DKIMVerifier.maximumSignatures else { throw .tooManySignatures }
    let hashes = message.bodyHashes
    var isOverBody = false
    var isOfApple = false
    for field in fields {
      guard let tags = TagList(Array(field.rawValue)) else { throw .malformedSignature }
      guard tags["d"].map({ lowercased($0) }) == AppleSender.domain else { continue }
      let signature = try DKIMSignature(field)
      isOfApple = true
      guard !signature.hasLength else { throw .lengthTag }
      guard isCovered(by: signature.signedFields) else { throw .missingSignedHeader }
      if hashes[signature.bodyForm] == signature.bodyHash { isOverBody = true }
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
    (self.keys, self.servers, self.recipients) = (keys, servers, recipients)
  }
}

/// Why a mail is not proved to be Apple's letter to the operator.
package struct ProofFailure: Error, Sendable, Equatable {
  /// The reason in docs/reasons.md, without its `mail.`.
  package let id: String

  package init(_ id: String) { self.id = id }
}
