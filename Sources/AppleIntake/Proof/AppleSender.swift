/// The sender of App Store Connect's mails.
package enum AppleSender {
  /// The only address believed: `noreply@` of the same domain also sends calendar invitations that anybody writes.
  package static let address = "no_reply@email.apple.com"
  /// The domain that has to sign.
  package static let domain = "email.apple.com"
  /// The fields that have to be signed and to be there exactly once.
  package static let signedFields = ["from", "to", "subject", "date", "message-id", "content-type"]
  /// Fields that change how the mail is read; unsigned, but never twice.
  static let singleFields = ["mime-version", "content-transfer-encoding"]

  /// Whether a mail says it is from Apple, proved or not: by address or by name.
  ///
  /// Such mails are kept when they are not believed, since somebody will want to know; so this errs on that side.
  package static func isClaimed(by message: RawMessage) -> Bool {
    message.header.all("from").contains { field in
      let text = lowercased(EncodedWords.decode(field.value))
      return ["apple", "app store", "itunes", "app review"].contains { text.contains($0) }
    }
  }
}
