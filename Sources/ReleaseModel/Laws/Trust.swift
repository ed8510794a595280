/// Something that the operator trusts, such as a host in URLs, or a key, server or recipient of mail.
package struct Trust: Record {
  /// What the value is trusted for.
  package enum Kind: String, Sendable, CaseIterable {
    case host
    /// Mail of this domain is signed with this key (RFC 6376), pinned under its selector.
    case dkim
    /// This mail server's Authentication-Results are true (RFC 8601).
    case mx
    /// Apple's mail to this address is ours.
    case recipient
    /// App Store Connect's webhooks about this app are signed with the secret of this hash.
    case webhook
    case signer
    /// This many signers must agree to a change that needs agreement.
    case approvals
  }

  package internal(set) var kind: Kind
  @Verbatim package internal(set) var value: String
  @Verbatim package internal(set) var selector: String
  /// A DKIM key as a TXT record or PEM, the SHA-256 of a webhook's secret in hexadecimal, or an SSH key.
  @Verbatim package internal(set) var key: String?
  package internal(set) var until: Timestamp?

  package var event: Int64 = 0

  package init(
    kind: Kind, value: String, selector: String = "", key: String? = nil, until: Timestamp? = nil
  ) {
    self.kind = kind
    self.value = value
    self.selector = selector
    self.key = key
    self.until = until
  }

  /// Whether both say the same, whichever event set them.
  package static func == (left: Trust, right: Trust) -> Bool {
    left.isAbout(right) && left._value == right._value && left._key == right._key
      && left.until == right.until
  }

  /// Whether both are about the same thing, whatever the key.
  package func isAbout(_ other: Trust) -> Bool {
    // There is only one number of approvals.
    kind == other.kind && (kind == .approvals || _value == other._value) && _selector == other._selector
  }

  package static let table = RecordTable.trust
  package static let columns = Columns(of: Trust.self)
  package static let blank = Trust(kind: .host, value: "")

  package mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(FieldFault) {
    try fields.field(&kind, "kind", "kind", .fixed)
    try fields.field(&value, "value", "value", .fixed)
    try fields.field(&selector, "selector", nil, .fixed)
    var shown = selector.isEmpty ? nil : selector
    try fields.field(&shown, nil, "selector", .fixed)
    selector = shown ?? ""
    try fields.field(&key, "key", "key", .fixed)
    try fields.field(&until, "until_at", "until", .fixed)
    try fields.field(&event, "event_seq", nil)
  }
}
