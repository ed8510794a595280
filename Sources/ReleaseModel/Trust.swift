package import JSON

/// Something that the operator believes: a host in URLs, or a key, server or recipient of mail.
package struct Trust: Sendable, Hashable {
  /// What is believed of the value.
  package enum Kind: String, Sendable, CaseIterable {
    /// URLs may name this host.
    case host
    /// Mail of this domain is signed with this key (RFC 6376), pinned under its selector.
    case dkim
    /// This mail server's Authentication-Results are true (RFC 8601).
    case mx
    /// Apple's mail to this address is ours.
    case recipient
    /// App Store Connect's webhooks about this app are signed with the secret of this hash.
    case webhook
  }

  package let kind: Kind
  /// The host, domain, authserv-id, address or slug.
  package let value: String
  /// The DKIM selector; empty for the other kinds.
  package let selector: String
  /// The DKIM key, as a TXT record or PEM; of a webhook's secret the SHA-256 in hexadecimal.
  package let key: String?
  /// Whether Apple's app has one platform, so that a webhook that names no version known here can mean but one; nil
  /// for what is no webhook.
  package let isSinglePlatform: Bool?

  package init(
    kind: Kind, value: String, selector: String = "", key: String? = nil, isSinglePlatform: Bool? = nil
  ) {
    self.kind = kind
    self.value = value
    self.selector = selector
    self.key = key
    self.isSinglePlatform = isSinglePlatform
  }

  /// Whether both are about the same thing, whatever the key.
  package func isAbout(_ other: Trust) -> Bool {
    kind == other.kind && value == other.value && selector == other.selector
  }

  /// What is believed, as commands and events show it.
  package var json: JSON {
    [
      "kind": .string(kind.rawValue), "value": .string(value),
      "selector": selector.isEmpty ? .null : .string(selector), "key": .optional(key),
      "singlePlatform": isSinglePlatform.map(JSON.bool) ?? .null,
    ]
  }

  /// Reads it back from what `json` wrote; nil where it wrote something else.
  package init?(json: JSON) {
    guard let kind = json["kind"]?.string.flatMap(Kind.init(rawValue:)), let value = json["value"]?.string
    else {
      return nil
    }
    self.init(
      kind: kind, value: value, selector: json["selector"]?.string ?? "", key: json["key"]?.string,
      isSinglePlatform: json["singlePlatform"]?.bool)
  }
}
