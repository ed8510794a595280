/// Why the word of the operator's mail server proves nothing; docs/reasons.md says what each means.
package enum ServerFailure: String, Error, Sendable, Equatable, CaseIterable {
  case noResults = "no-results"
  /// The only fields name no server, so anyone may have written them; Exchange Online writes such ones.
  case namelessResults = "nameless-results"
  case malformedResults = "malformed-results"
  /// The field is below a Received line of another server, which may have written it.
  case belowForeignReceived = "below-foreign-received"
  case noDKIMPass = "no-dkim-pass"
  case noDMARCPass = "no-dmarc-pass"
  /// One verdict says pass, and another one about the same domain does not.
  case contradiction
}

/// The word of the mail server that received a mail, if the operator named that server.
///
/// It is worth what the server does: one that lets in fields with its own name from outside (against RFC 8601
/// §5) can be made to say anything.
package enum ServerVerdict {
  /// Requires a server's statement that a domain's signature holds and that From is in that domain.
  ///
  /// What checks a mail may write a field of its own, as OpenDKIM and OpenDMARC do: all fields of the name count
  /// together.
  ///
  /// - Parameter server: Its name in lower case.
  package static func requirePass(
    of message: RawMessage, by server: String, for domain: String
  ) throws(ServerFailure) {
    let all = message.header.all("authentication-results").map {
      ($0.position, AuthenticationResults($0.value))
    }
    let own = all.filter { $0.1.server == server }
    guard let last = own.map(\.0).max() else {
      throw all.contains { $0.1.isNameless } ? .namelessResults : .noResults
    }
    for received in message.header.all("received") where received.position < last {
      guard receiver(of: received.value) == server else { throw .belowForeignReceived }
    }
    let readable = own.compactMap(\.1.verdicts)
    guard readable.count == own.count else { throw .malformedResults }
    let verdicts = readable.joined()
    let dkim = verdicts.filter { $0.method == "dkim" }
    guard dkim.contains(where: { isPass($0, domain: domain) }) else { throw .noDKIMPass }
    let dmarc = verdicts.filter { $0.method == "dmarc" }
    let isDMARCPass = { (verdict: AuthenticationResults.Verdict) in
      verdict.result == "pass" && verdict.properties["header.from"] == [domain]
    }
    guard dmarc.contains(where: isDMARCPass) else { throw .noDMARCPass }
    guard dmarc.allSatisfy(isDMARCPass), !dkim.contains(where: { isFailure($0, domain: domain) }) else {
      throw .contradiction
    }
  }

  /// Whether a verdict of DKIM says of the domain, or of no domain, anything but pass.
  private static func isFailure(_ verdict: AuthenticationResults.Verdict, domain: String) -> Bool {
    guard verdict.result != "pass" else { return false }
    let domains = (verdict.properties["header.d"] ?? []).union(
      (verdict.properties["header.i"] ?? []).map { String($0.split(separator: "@").last ?? "") })
    return domains.isEmpty || domains.contains(domain)
  }

  /// Whether a verdict says that a signature of the domain holds: by `header.d`, by the domain of `header.i`,
  /// or by both.
  private static func isPass(_ verdict: AuthenticationResults.Verdict, domain: String) -> Bool {
    let (domains, identities) = (verdict.properties["header.d"], verdict.properties["header.i"])
    guard verdict.method == "dkim", verdict.result == "pass", domains != nil || identities != nil,
      domains == nil || domains == [domain]
    else { return false }
    guard let identities else { return true }
    guard identities.count == 1, let identity = identities.first, let at = identity.lastIndex(of: "@")
    else { return false }
    return identity[identity.index(after: at)...] == domain
  }

  /// The host after `by` in a Received field, in lower case: at its front, or after `from` and one word.
  ///
  /// The word after `from` is whatever the other side called itself, so no `by` further on counts.
  static func receiver(of value: [UInt8]) -> String? {
    var scanner = HeaderScanner(value)
    func word() -> String? {
      let word = scanner.word(while: AuthenticationResults.isWordText)
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
    /// In lower case, as all the rest: `dkim`, `spf`, `dmarc`.
    package let method: String
    /// `pass`, `fail`, `none`.
    package let result: String
    /// What follows, such as `header.d`: all values of each name, with quotes undone.
    package let properties: [String: Set<String>]
  }

  /// The server that the field claims to be from, even if the rest is malformed; nil if it names none.
  package let server: String?
  /// Whether the field begins with a verdict where a server's name belongs (RFC 8601 §2.2).
  package let isNameless: Bool
  /// Nil if the field breaks the grammar.
  package let verdicts: [Verdict]?

  package init(_ value: [UInt8]) {
    var scanner = HeaderScanner(value)
    server = scanner.value(while: AuthenticationResults.isWordText).map { lowercased($0) }
    var ahead = scanner
    isNameless = server != nil && ahead.takeNext("=")
    verdicts = server == nil ? nil : AuthenticationResults.verdicts(&scanner)
  }

  /// Beyond the grammar, names without a dot after a verdict (`action=none`) are accepted, since large
  /// servers write them.
  private static func verdicts(_ scanner: inout HeaderScanner) -> [Verdict]? {
    // The version of the format: RFC 8601 §2.2 knows only the first.
    let version = scanner.word(while: isDigit)
    guard version.isEmpty || version == [0x31] else { return nil }
    var verdicts: [Verdict] = []
    while scanner.takeNext(";") {
      var pairs: [(name: String, value: String)] = []
      while !scanner.ends(), scanner.current != UInt8(ascii: ";") {
        let name = lowercased(scanner.run(while: AuthenticationResults.isWordText))
        guard !name.isEmpty else { return nil }
        // `none` alone: nothing was checked.
        if pairs.isEmpty, name == "none", scanner.ends() || scanner.current == UInt8(ascii: ";") { break }
        guard scanner.takeNext("="), let value = AuthenticationResults.value(&scanner) else { return nil }
        pairs.append((name, value))
      }
      guard let first = pairs.first else { continue }
      verdicts.append(
        Verdict(
          method: String(first.name.prefix { $0 != "/" }), result: first.value,
          properties: Dictionary(grouping: pairs.dropFirst(), by: \.name).mapValues { Set($0.map(\.value)) }))
    }
    return scanner.isAtEnd ? verdicts : nil
  }

  /// A value in lower case: a word, a quoted string, or a quoted local part with its domain.
  private static func value(_ scanner: inout HeaderScanner) -> String? {
    guard let value = scanner.value(while: isWordText) else { return nil }
    return lowercased(scanner.current == UInt8(ascii: "@") ? value + scanner.run(while: isWordText) : value)
  }

  /// Everything printable except what separates the parts of a field: `;`, `=`, `(`, `)`, `"`, `,`.
  fileprivate static func isWordText(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: ";"), UInt8(ascii: "="), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "\""),
      UInt8(ascii: ","):
      false
    default: byte > 0x20 && byte < 0x7F
    }
  }
}
