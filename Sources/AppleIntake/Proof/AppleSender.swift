package import ReleaseModel

/// The sender of App Store Connect's mails.
package enum AppleSender {
  /// The only address trusted: `noreply@` of the same domain also sends calendar invitations that anybody can
  /// write.
  package static let address = "no_reply@email.apple.com"
  package static let domain = "email.apple.com"

  /// Whether a mail says it is from Apple, proved or not, by address or by name.
  ///
  /// Such mails are kept even if they are not trusted, since somebody will want to know; so this errs on that
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
    return [text.map { $0 == 0x0D ? 0x0A : $0 }, text.filter { $0 != 0x0D }].contains(where: hasClaim)
  }

  /// Whether text whose lines end in LF has a From field that says Apple.
  private static func hasClaim(_ text: [UInt8]) -> Bool {
    let name = Array("from".utf8)
    var start = text.startIndex
    while start < text.endIndex {
      var end = text[start...].firstIndex(of: 0x0A) ?? text.endIndex
      if text[start...].prefix(name.count).map({ lowercased($0) as UInt8 }) == name {
        // The continuation lines it is folded into; empty lines between them are what is left of CRLF.
        while end < text.endIndex {
          let next = text[end...].firstIndex { $0 != 0x0A } ?? text.endIndex
          guard next < text.endIndex, isBlank(text[next]) else { break }
          end = text[next...].firstIndex(of: 0x0A) ?? text.endIndex
        }
        let field = text[(start + name.count)..<end]
        if let colon = field.firstIndex(where: { !isBlank($0) && $0 != 0x0A }),
          field[colon] == UInt8(ascii: ":"), isClaimed(inFrom: field[(colon + 1)...])
        {
          return true
        }
      }
      start = min(end + 1, text.endIndex)
    }
    return false
  }

  /// Whether the value of a From field says Apple, unfolded either with or without the blanks that start a
  /// line.
  static func isClaimed(inFrom value: ArraySlice<UInt8>) -> Bool {
    var loose: [UInt8] = []
    var tight: [UInt8] = []
    var isFolding = false
    for byte in value {
      if byte == 0x0D || byte == 0x0A {
        isFolding = true
        continue
      }
      isFolding = isFolding && isBlank(byte)
      loose.append(byte)
      if !isFolding { tight.append(byte) }
    }
    return [loose, tight].contains { bytes in
      let text = lowercased(EncodedWords.decode(bytes))
      return ["apple", "app store", "itunes", "app review"].contains { text.holds($0) }
    }
  }
}

/// A header field that matters to the reading of a mail, so that it must not occur twice.
package enum MailField: String, Sendable, CaseIterable {
  case from
  case to
  case subject
  case date
  case messageID = "message-id"
  case contentType = "content-type"
  case mimeVersion = "mime-version"
  case transferEncoding = "content-transfer-encoding"

  /// The fields that have to be there, and to be signed.
  package static let required: [MailField] = [.from, .to, .subject, .date, .messageID, .contentType]
}

/// The six fields of a mail that has each of them exactly once, parsed.
package struct MailHeaders: Sendable, Equatable {
  package let from: MailAddress
  package let to: [MailAddress]
  package let subject: String
  /// As the sender says; the caller decides how old it may be.
  package let date: Timestamp
  /// Without the angle brackets.
  package let messageID: String

  package init(_ message: RawMessage) throws(ProofFailure) {
    for field in MailField.allCases where message.header.all(field.rawValue).count > 1 {
      throw .repeatedField(field)
    }
    func value(_ field: MailField) throws(ProofFailure) -> [UInt8] {
      guard let found = message.header.only(field.rawValue) else { throw .missingField(field) }
      return found.value
    }
    for field in MailField.required { _ = try value(field) }
    guard let senders = MailAddress.list(try value(.from)) else { throw .header(.malformedFrom) }
    guard senders.count == 1 else { throw .header(.severalSenders) }
    from = senders[0]
    guard let recipients = MailAddress.list(try value(.to)) else { throw .header(.malformedTo) }
    to = recipients
    subject = EncodedWords.decode(try value(.subject))
    guard let date = MailDate.read(try value(.date)) else { throw .header(.malformedDate) }
    self.date = date
    guard let id = MessageID.read(try value(.messageID)) else { throw .header(.malformedMessageID) }
    messageID = id
  }
}
