package import Crypto
import ReleaseModel

/// A DKIM key that the operator vouches for, in place of a look-up in DNS.
package struct PinnedKey: Sendable, Equatable {
  /// In lower case, as the selector is.
  package let domain: String
  package let selector: String
  /// Nil if the record says it is revoked.
  package let key: PublicKey?
  /// Whether the record says the domain is only testing DKIM (`t=y`).
  package let isTest: Bool
  /// Whether the identity must be in the domain itself (`t=s`).
  package let isStrict: Bool
  /// Whether the record allows mail (`s=`) and SHA-256 (`h=`).
  package let isForMail: Bool

  /// Why a key is not accepted.
  package enum Fault: String, Error, Sendable, Equatable, CaseIterable {
    case name
    /// Neither one PEM block nor a TXT record of RFC 6376 §3.6.1.
    case malformed
    /// A key that is neither RSA nor Ed25519, or bytes that are not a key.
    case unusable
  }

  /// Pins a key; a revoked, weak or test key is accepted but never verifies, so that the verdict says why.
  ///
  /// - Parameter text: A `PUBLIC KEY` block, or the TXT record, plain or in quoted pieces as `dig` prints it.
  package init(domain: String, selector: String, text: String) throws(Fault) {
    guard DKIMSignature.isDomain(domain), DKIMSignature.isDomain(selector) else { throw .name }
    self.domain = lowercased(domain)
    self.selector = lowercased(selector)
    if text.utf8.contains(UInt8(ascii: "\n")), text.holds("-----BEGIN") {
      guard let key = PublicKey(pem: text) else { throw .unusable }
      self.key = key
      (isTest, isStrict, isForMail) = (false, false, true)
      return
    }
    guard let record = PinnedKey.joined(Array(text.utf8)), let tags = TagList(record),
      let base64 = tags.compact("p")
    else { throw .malformed }
    // §3.6.1: the version, if given, comes first and is this one.
    if let version = tags["v"] { guard version == "DKIM1", tags.names.first == "v" else { throw .malformed } }
    let flags = tags.list("t") ?? []
    isTest = flags.contains("y")
    isStrict = flags.contains("s")
    let services = tags.list("s") ?? ["*"]
    isForMail =
      (services.contains("*") || services.contains("email"))
      && (tags.list("h") ?? ["sha256"]).contains("sha256")
    guard !base64.isEmpty else {
      key = nil
      return
    }
    guard let bytes = Base64.decode(base64) else { throw .malformed }
    switch lowercased(tags["k"] ?? "rsa") {
    case "rsa":
      guard let key = PublicKey(der: bytes), key.algorithm == .rsa else { throw .unusable }
      self.key = key
    case "ed25519":
      guard let key = PublicKey(ed25519: bytes) else { throw .unusable }
      self.key = key
    default: throw .unusable
    }
  }

  /// Joins the quoted pieces of a record; text without quotes stays as it is.
  private static func joined(_ text: [UInt8]) -> [UInt8]? {
    let text = trimmed(text[...])
    guard let first = text.first, first == UInt8(ascii: "\"") || first == UInt8(ascii: "(") else {
      return Array(text)
    }
    let pieces = text.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false).enumerated()
    let between = pieces.filter { $0.offset.isMultiple(of: 2) }.flatMap(\.element)
    guard !pieces.count.isMultiple(of: 2),
      between.allSatisfy({ isBlank($0) || [0x0A, 0x0D, UInt8(ascii: "("), UInt8(ascii: ")")].contains($0) })
    else { return nil }
    // Some tools print `\;`, as in a zone's file (RFC 1035 §5.1); no tag has a backslash of its own.
    return pieces.filter { !$0.offset.isMultiple(of: 2) }.flatMap(\.element).filter {
      $0 != UInt8(ascii: "\\")
    }
  }
}
