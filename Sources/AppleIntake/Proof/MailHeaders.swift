package import ReleaseModel

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
    for name in AppleSender.signedFields + AppleSender.singleFields {
      let count = message.header.all(name).count
      guard count <= 1 else { throw .header(.repeatedField) }
      guard count == 1 || AppleSender.singleFields.contains(name) else { throw .header(.missingField) }
    }
    func value(_ name: String) throws(ProofFailure) -> [UInt8] {
      guard let field = message.header.only(name) else { throw .header(.missingField) }
      return field.value
    }
    guard let senders = Mailbox.list(try value("from")) else { throw .header(.malformedFrom) }
    guard senders.count == 1 else { throw .header(.severalSenders) }
    from = senders[0].address
    guard let recipients = Mailbox.list(try value("to")) else { throw .header(.malformedTo) }
    to = recipients.map(\.address)
    subject = EncodedWords.decode(try value("subject"))
    guard let date = MailDate.read(try value("date")) else { throw .header(.malformedDate) }
    self.date = date
    guard let id = MessageID.read(try value("message-id")) else { throw .header(.malformedMessageID) }
    messageID = id
  }
}
