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
