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

/// What a mail server says it found out about a mail (RFC 8601 §2.2).
package struct AuthenticationResults: Sendable, Equatable {
  /// The verdict of one method and what it is about.
  package struct Verdict: Sendable, Equatable {
    /// In lower case, as the rest: `dkim`, `spf`, `dmarc`.
    package let method: String
    /// `pass`, `fail`, `none`.
    package let result: String
    /// What follows, such as `header.d`, with names in lower case, repeated as often as they are written.
    package let properties: [Property]

    /// The only value of a property; nil if there is none, or two that differ.
    package func only(_ name: String) -> String? {
      let values = Set(properties.filter { $0.name == name }.map { lowercased($0.value) })
      return values.count == 1 ? values.first : nil
    }

    /// Whether a property is there at all.
    package func has(_ name: String) -> Bool { properties.contains { $0.name == name } }
  }

  /// One `name=value` pair of a verdict.
  package struct Property: Sendable, Equatable {
    /// In lower case: `header.d`.
    package let name: String
    /// As it was written, with quotes undone.
    package let value: String
  }

  package let verdicts: [Verdict]

  /// Returns the server that a field claims to be from, even if the rest is malformed; nil if it names none.
  package static func server(of value: [UInt8]) -> String? {
    var scanner = HeaderScanner(value)
    return serverName(&scanner)
  }

  private static func serverName(_ scanner: inout HeaderScanner) -> String? {
    guard scanner.skipBlanksAndComments() else { return nil }
    if scanner.current == UInt8(ascii: "\"") { return scanner.quotedString().map { lowercased($0) } }
    let name = scanner.run(while: isWordText)
    return name.isEmpty ? nil : lowercased(name)
  }

  /// Reads a field; nil if it breaks the grammar.
  ///
  /// Beyond the grammar, names without a dot after a verdict (`action=none`) are accepted, since large
  /// servers write them.
  package init?(_ value: [UInt8]) {
    var scanner = HeaderScanner(value)
    guard AuthenticationResults.serverName(&scanner) != nil, scanner.skipBlanksAndComments() else {
      return nil
    }
    // The version of the format: RFC 8601 §2.2 knows only the first.
    let version = scanner.run(while: isDigit)
    guard version.isEmpty || version == [0x31], scanner.skipBlanksAndComments() else { return nil }
    var verdicts: [Verdict] = []
    while scanner.take(";") {
      guard scanner.skipBlanksAndComments() else { return nil }
      if scanner.isAtEnd || scanner.current == UInt8(ascii: ";") { continue }
      var pairs: [Property] = []
      while !scanner.isAtEnd, scanner.current != UInt8(ascii: ";") {
        let name = lowercased(scanner.run(while: AuthenticationResults.isWordText))
        guard !name.isEmpty, scanner.skipBlanksAndComments() else { return nil }
        // `none` alone: nothing was checked.
        if pairs.isEmpty, name == "none", scanner.isAtEnd || scanner.current == UInt8(ascii: ";") { break }
        guard scanner.take("="), scanner.skipBlanksAndComments(),
          let value = AuthenticationResults.value(&scanner), scanner.skipBlanksAndComments()
        else { return nil }
        pairs.append(Property(name: name, value: value))
      }
      guard let first = pairs.first else { continue }
      let method = first.name.prefix { $0 != "/" }
      verdicts.append(
        Verdict(method: String(method), result: lowercased(first.value), properties: Array(pairs.dropFirst()))
      )
    }
    guard scanner.isAtEnd else { return nil }
    self.verdicts = verdicts
  }

  /// A value: a word, a quoted string, or a quoted local part with its domain.
  private static func value(_ scanner: inout HeaderScanner) -> String? {
    var bytes: [UInt8] = []
    if scanner.current == UInt8(ascii: "\"") {
      guard let quoted = scanner.quotedString() else { return nil }
      bytes = quoted
      guard scanner.current == UInt8(ascii: "@") else { return String(decoding: bytes, as: UTF8.self) }
    }
    bytes += scanner.run(while: isWordText)
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
  }

  /// Everything printable except what separates the parts of a field: `;`, `=`, `(`, `)`, `"`, `,`.
  private static func isWordText(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: ";"), UInt8(ascii: "="), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "\""),
      UInt8(ascii: ","):
      false
    default: byte > 0x20 && byte < 0x7F
    }
  }
}
