package import ReleaseModel

/// The sender of App Store Connect's mails.
package enum AppleSender {
  /// The only address trusted: `noreply@` of the same domain also sends calendar invitations that anyone can
  /// write.
  package static let address = "no_reply@email.apple.com"
  package static let domain = "email.apple.com"

  /// Whether a mail says it is from Apple, proved or not, by address or by name.
  ///
  /// Such mails are kept even if they are not trusted, since someone will want to know; so this errs on that
  /// side.
  package static func isClaimed(by message: RawMessage) -> Bool {
    message.header.all("from").contains { isClaimed(inFrom: $0.rawValue) }
  }

  /// Whether bytes that are not a mail look as if they were meant to be one from Apple.
  ///
  /// Programs disagree about where such a header ends and what its fields are, so every line that may start a
  /// From field counts, wherever it is, whether or not a bare CR ends a line.
  package static func isClaimed(in bytes: [UInt8]) -> Bool {
    let text = bytes.filter { $0 != 0 }
    return [text.map { $0 == 0x0D ? 0x0A : $0 }, text.filter { $0 != 0x0D }].contains { text in
      // Each field with the continuation lines it is folded into; empty lines between them are what is left of CRLF.
      var fields: [[UInt8]] = []
      for line in text.split(separator: 0x0A) {
        if let first = line.first, isBlank(first), let last = fields.indices.last {
          fields[last] += [0x0A] + line
        } else {
          fields.append(Array(line))
        }
      }
      return fields.contains { field in
        guard let colon = field.firstIndex(of: UInt8(ascii: ":")) else { return false }
        return lowercased(trimmed(field[..<colon])) == "from" && isClaimed(inFrom: field[(colon + 1)...])
      }
    }
  }

  /// Whether the value of a From field says Apple, unfolded either with or without the blanks that start a
  /// line.
  static func isClaimed(inFrom value: ArraySlice<UInt8>) -> Bool {
    let lines = value.split { $0 == 0x0D || $0 == 0x0A }
    return [lines, lines.map { $0.drop(while: isBlank) }].contains { lines in
      let text = lowercased(EncodedWords.decode(Array(lines.joined())))
      return ["apple", "app store", "itunes", "app review"].contains { text.holds($0) }
    }
  }
}

/// The six fields of a mail that has each of them exactly once, parsed.
package struct MailHeaders: Sendable, Equatable {
  /// The fields that have to be there, and to be signed.
  package static let required = ["from", "to", "subject", "date", "message-id", "content-type"]
  /// Those that must not occur twice: verifiers read the last, people the first.
  package static let single = required + ["mime-version", "content-transfer-encoding"]

  package let from: MailAddress
  package let to: [MailAddress]
  package let subject: String
  /// As the sender says; the caller decides how old it may be.
  package let date: Timestamp
  /// Without the angle brackets.
  package let messageID: String

  package init(_ message: RawMessage) throws(ProofFailure) {
    for field in MailHeaders.single where message.header.all(field).count > 1 {
      throw ProofFailure("repeated-field.\(field)")
    }
    func value(_ field: String) throws(ProofFailure) -> [UInt8] {
      guard let found = message.header.only(field) else { throw ProofFailure("missing-field.\(field)") }
      return found.value
    }
    for field in MailHeaders.required { _ = try value(field) }
    guard let senders = MailAddress.list(try value("from")) else { throw ProofFailure("malformed-from") }
    guard senders.count == 1 else { throw ProofFailure("several-senders") }
    from = senders[0]
    guard let recipients = MailAddress.list(try value("to")) else { throw ProofFailure("malformed-to") }
    to = recipients
    subject = EncodedWords.decode(try value("subject"))
    guard let date = MailDate.read(try value("date")) else { throw ProofFailure("malformed-date") }
    self.date = date
    guard let id = MessageID.read(try value("message-id")) else { throw ProofFailure("malformed-message-id") }
    messageID = id
  }
}
