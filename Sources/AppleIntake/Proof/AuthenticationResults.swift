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
