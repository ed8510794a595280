/// Why the word of the operator's mail server proves nothing; docs/reasons.md says what each means.
package enum ServerFailure: String, Error, Sendable, Equatable, CaseIterable {
  case noResults = "no-results"
  /// Two fields of that server, which wrote one at most (RFC 8601 §5).
  case severalResults = "several-results"
  case malformedResults = "malformed-results"
  /// The field is below a Received line of another server, which may have written it.
  case belowForeignReceived = "below-foreign-received"
  case noDKIMPass = "no-dkim-pass"
  /// Not exactly one `dmarc=pass` for the domain.
  case noDMARCPass = "no-dmarc-pass"
}

/// The word of the mail server that received a mail, if the operator named that server.
///
/// It is worth what the server does: one that lets in fields with its own name from outside (against RFC 8601
/// §5) can be made to say anything.
package struct ServerVerdict: Sendable, Equatable {
  package let server: String

  /// Finds a server's statement that a domain's signature holds and that From is in that domain.
  package init(of message: RawMessage, server: String, domain: String) throws(ServerFailure) {
    let server = lowercased(server)
    let fields = message.header.all("authentication-results").filter {
      AuthenticationResults.server(of: $0.value) == server
    }
    guard let field = fields.first else { throw .noResults }
    guard fields.count == 1 else { throw .severalResults }
    for received in message.header.all("received") where received.position < field.position {
      guard ServerVerdict.receiver(of: received.value) == server else { throw .belowForeignReceived }
    }
    guard let results = AuthenticationResults(field.value) else { throw .malformedResults }
    guard results.verdicts.contains(where: { ServerVerdict.isPass($0, domain: domain) }) else {
      throw .noDKIMPass
    }
    let dmarc = results.verdicts.filter { $0.method == "dmarc" }
    guard dmarc.count == 1, dmarc[0].result == "pass", dmarc[0].only("header.from") == domain else {
      throw .noDMARCPass
    }
    self.server = server
  }

  /// Whether a verdict says that a signature of the domain holds: by `header.d`, by the domain of `header.i`,
  /// or by both.
  private static func isPass(_ verdict: AuthenticationResults.Verdict, domain: String) -> Bool {
    guard verdict.method == "dkim", verdict.result == "pass" else { return false }
    let hasDomain = verdict.has("header.d")
    let hasIdentity = verdict.has("header.i")
    guard hasDomain || hasIdentity else { return false }
    if hasDomain, verdict.only("header.d") != domain { return false }
    if hasIdentity {
      guard let identity = verdict.only("header.i"), let at = identity.lastIndex(of: "@") else {
        return false
      }
      return identity[identity.index(after: at)...] == domain
    }
    return true
  }

  /// The host after `by` in a Received field, in lower case: at its front, or after `from` and one word.
  ///
  /// The word after `from` is whatever the other side called itself, so no `by` further on counts.
  static func receiver(of value: [UInt8]) -> String? {
    var scanner = HeaderScanner(value)
    func word() -> String? {
      guard scanner.skipBlanksAndComments() else { return nil }
      let word = scanner.run {
        $0 > 0x20 && $0 < 0x7F && $0 != 0x28 && $0 != 0x29 && $0 != 0x3B && $0 != 0x22
      }
      return word.isEmpty ? nil : lowercased(word)
    }
    var keyword = word()
    if keyword == "from" {
      guard word() != nil else { return nil }
      keyword = word()
    }
    return keyword == "by" ? word() : nil
  }
}
