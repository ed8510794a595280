/// Something that the operator trusts, such as a host in URLs, or a key, server or recipient of mail.
package struct Trust: Record {
  /// What the value is trusted for.
  package enum Kind: String, WordValue, CaseIterable {
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
  package var until: Timestamp?

  @Unsaid package var event: Int64 = 0

  package init(
    kind: Kind, value: String, selector: String = "", key: String? = nil, until: Timestamp? = nil
  ) {
    (self.kind, self.value, self.selector, self.key, self.until) = (kind, value, selector, key, until)
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

extension Sequence<Trust> {
  /// How many signers must agree to a change that needs agreement; 0 if none have to.
  package var approvals: Int {
    first { $0.kind == .approvals }.flatMap { Int($0.value) } ?? 0
  }

  /// The signers who are trusted at a moment.
  package func signers(at moment: Timestamp) -> [Trust] {
    filter { $0.kind == .signer && $0.until.map { moment < $0 } ?? true }
  }

  /// The names of the signers at a moment whose keys are among the given ones, each once.
  package func names(signingWith keys: Set<String>, at moment: Timestamp) -> Set<String> {
    Set(signers(at: moment).filter { $0.key.map(keys.contains) ?? false }.map(\.value))
  }
}

extension Sequence<Trust> {
  /// Reports that fewer signers are trusted than must agree, or soon will be, or none to spare; nil if there are enough.
  package func agreementFinding(now: Timestamp) -> Finding? {
    let (needed, counting) = (approvals, signers(at: now))
    guard needed > 0 else { return nil }
    guard needed <= counting.count else {
      return Finding("signers.too-few", ["needed": "\(needed)", "left": "\(counting.count)"])
    }
    let ends = counting.compactMap(\.until).sorted()
    let spare = counting.count - needed
    guard spare < ends.count, ends[spare] <= now + Trust.agreementNotice else {
      return spare == 0 ? Finding("signers.no-spare") : nil
    }
    return Finding(
      "signers.expire",
      ["needed": "\(needed)", "from": ends[spare].text, "left": "\(signers(at: ends[spare]).count)"])
  }
}

extension Trust {
  /// How long before there are too few signers someone is warned.
  static let agreementNotice = TimeSpan(seconds: 14 * 86_400)

  package static let mostApprovals = 99

  /// Whether a text may name a signer: what ssh-keygen's list takes as a principal without quotes.
  package static func isSignerName(_ text: String) -> Bool {
    text.isWord(of: 1...64, marks: "-._@")
  }
}
