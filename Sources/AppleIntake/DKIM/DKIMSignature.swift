package import Crypto
package import ReleaseModel

/// One DKIM-Signature field, read and not yet verified (RFC 6376 §3.5).
package struct DKIMSignature: Sendable, Equatable {
  /// That of the tag `a=`, with SHA-256 (RFC 6376 §3.3, RFC 8463).
  package let algorithm: PublicKey.Algorithm
  /// The first half of `c=`.
  package let headerForm: Canonicalization
  /// The second half of `c=`.
  package let bodyForm: Canonicalization
  /// In lower case, as the selector is.
  package let domain: String
  package let selector: String
  /// In lower case, repeated as often as they are signed.
  package let signedFields: [String]
  /// The SHA-256 of the canonical body: `bh=`.
  package let bodyHash: [UInt8]
  /// The signature itself: `b=`.
  package let signature: [UInt8]
  /// The domain of the `i=` tag, if there is one.
  package let identityDomain: String?
  /// `t=`.
  package let signedAt: Timestamp?
  /// `x=`.
  package let expires: Timestamp?
  package let hasLength: Bool
  package let field: HeaderField

  /// - Throws: `DKIMFailure.malformedSignature` or `.unknownAlgorithm`.
  package init(_ field: HeaderField) throws(DKIMFailure) {
    guard let tags = TagList(Array(field.rawValue)), tags["v"] == "1" else { throw .malformedSignature }
    guard let name = tags["a"] else { throw .malformedSignature }
    let algorithms: [String: PublicKey.Algorithm] = ["rsa-sha256": .rsa, "ed25519-sha256": .ed25519]
    guard let algorithm = algorithms[lowercased(name)] else { throw .unknownAlgorithm }
    let forms = lowercased(tags["c"] ?? "simple/simple").split(
      separator: "/", omittingEmptySubsequences: false)
    guard forms.count <= 2, let headerForm = forms.first.flatMap({ Canonicalization(rawValue: String($0)) }),
      let bodyForm = forms.count == 1 ? .simple : Canonicalization(rawValue: String(forms[1])),
      let domain = tags["d"].map({ lowercased($0) }), DKIMSignature.isDomain(domain),
      let selector = tags["s"].map({ lowercased($0) }), DKIMSignature.isDomain(selector),
      let signedFields = tags.list("h"), signedFields.allSatisfy({ !$0.isEmpty }),
      let bodyHash = tags.compact("bh").flatMap({ Base64.decode($0) }), bodyHash.count == 32,
      let signature = tags.compact("b").flatMap({ Base64.decode($0) }), !signature.isEmpty
    else { throw .malformedSignature }
    // §3.5: From must be signed, and `q=` must allow dns/txt, the only way to get keys from DNS.
    guard signedFields.contains("from") else { throw .missingSignedHeader }
    if let queries = tags.list("q"), !queries.contains("dns/txt") { throw .malformedSignature }
    for tag in ["t", "x", "l"] where tags[tag] != nil && tags.number(tag) == nil { throw .malformedSignature }
    signedAt = tags.number("t").map(Timestamp.init(seconds:))
    expires = tags.number("x").map(Timestamp.init(seconds:))
    if let signedAt, let expires, expires <= signedAt { throw .malformedSignature }
    if let identity = tags["i"] {
      guard let at = identity.lastIndex(of: "@") else { throw .malformedSignature }
      let owner = lowercased(String(identity[identity.index(after: at)...]))
      // §3.5: the identity is in the signing domain or below it.
      guard owner == domain || owner.hasSuffix(".\(domain)") else { throw .malformedSignature }
      identityDomain = owner
    } else {
      identityDomain = nil
    }
    hasLength = tags["l"] != nil
    (self.algorithm, self.headerForm, self.bodyForm) = (algorithm, headerForm, bodyForm)
    (self.domain, self.selector, self.signedFields) = (domain, selector, signedFields)
    (self.bodyHash, self.signature, self.field) = (bodyHash, signature, field)
  }

  /// ASCII letters, digits, hyphens and underscores, separated by dots.
  static func isDomain(_ text: String) -> Bool {
    (1...253).contains(text.utf8.count)
      && text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { label in
        (1...63).contains(label.count)
          && label.allSatisfy {
            (0x61...0x7A).contains($0 | 0x20) || isDigit($0) || $0 == UInt8(ascii: "-")
              || $0 == UInt8(ascii: "_")
          }
      }
  }

  /// The field as it was signed: in canonical form, with `b=` empty and without CRLF (§3.7).
  func signedForm() -> [UInt8] {
    let value = DKIMSignature.withoutSignature(field.rawValue)
    let emptied = HeaderField(
      key: field.key, position: field.position, raw: field.raw[..<field.rawValue.startIndex] + value,
      rawValue: value)
    var form = headerForm.header(emptied)
    while let last = form.last, last == 0x0A || last == 0x0D { form.removeLast() }
    return form
  }

  private static func withoutSignature(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var start = text.startIndex
    while start < text.endIndex {
      let end = text[start...].firstIndex(of: UInt8(ascii: ";")) ?? text.endIndex
      if let equals = text[start..<end].firstIndex(of: UInt8(ascii: "=")),
        trimmed(text[start..<equals]).elementsEqual([UInt8(ascii: "b")])
      {
        return text[...equals] + text[end...]
      }
      start = min(end + 1, text.endIndex)
    }
    return text
  }
}

/// A list of `name=value` pairs separated by semicolons (RFC 6376 §3.2).
struct TagList: Sendable, Equatable {
  let names: [String]
  private let values: [String: [UInt8]]

  /// Nil if the list breaks the grammar or repeats a name; a semicolon at the end is allowed.
  init?(_ text: [UInt8]) {
    var names: [String] = []
    var values: [String: [UInt8]] = [:]
    let parts = text.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      let part = trimmed(part)
      if part.isEmpty, index == parts.count - 1 { break }
      guard let equals = part.firstIndex(of: UInt8(ascii: "=")) else { return nil }
      let name = trimmed(part[..<equals])
      guard let first = name.first, (0x61...0x7A).contains(first | 0x20),
        name.allSatisfy({ (0x61...0x7A).contains($0 | 0x20) || isDigit($0) || $0 == UInt8(ascii: "_") })
      else { return nil }
      let value = trimmed(part[(equals + 1)...])
      guard value.allSatisfy({ $0 >= 0x21 && $0 < 0x7F || isBlank($0) || $0 == 0x0D || $0 == 0x0A }) else {
        return nil
      }
      let key = String(decoding: name, as: UTF8.self)
      guard values.updateValue(Array(value), forKey: key) == nil else { return nil }
      names.append(key)
    }
    self.names = names
    self.values = values
  }

  subscript(name: String) -> String? { values[name].map { String(decoding: $0, as: UTF8.self) } }

  /// Without the blanks and line ends in the value, as base64 needs it.
  func compact(_ name: String) -> [UInt8]? {
    values[name]?.filter { !isBlank($0) && $0 != 0x0D && $0 != 0x0A }
  }

  /// The entries between colons, in lower case; nil if the name is missing.
  func list(_ name: String) -> [String]? {
    values[name]?.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
      .map { lowercased(trimmed($0)) }
  }

  /// At most twelve digits; nil if the name is missing or its value is not a number.
  func number(_ name: String) -> Int64? {
    guard let value = values[name], (1...12).contains(value.count), value.allSatisfy(isDigit) else {
      return nil
    }
    return value.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
  }
}

/// How text is normalized before it is signed (RFC 6376 §3.4).
package enum Canonicalization: String, Sendable {
  case simple
  case relaxed

  /// Returns a header field in the form that is signed, with its CRLF.
  package func header(_ field: HeaderField) -> [UInt8] {
    switch self {
    case .simple: Array(field.raw)
    case .relaxed:
      Array("\(field.key):".utf8) + Canonicalization.collapsedValue(field.rawValue) + [0x0D, 0x0A]
    }
  }

  /// Returns a body of CRLF lines in the form that is signed.
  package func body(_ body: ArraySlice<UInt8>) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(body.count + 2)
    // Where the last non-empty line ends: empty lines at the end are not signed.
    var kept = 0
    for var line in lines(of: body) {
      if line.last == 0x0A { line.removeLast() }
      if line.last == 0x0D { line.removeLast() }
      let before = out.count
      if self == .relaxed { Canonicalization.appendCollapsed(line, to: &out) } else { out += line }
      let isEmpty = out.count == before
      out.append(0x0D)
      out.append(0x0A)
      if !isEmpty { kept = out.count }
    }
    out.removeLast(out.count - kept)
    // §3.4.3: the simple form of no body is one CRLF; §3.4.4: the relaxed form is nothing.
    if self == .simple, out.isEmpty { return [0x0D, 0x0A] }
    return out
  }

  /// With each run of blanks collapsed to one, and none at its end.
  private static func appendCollapsed(_ line: ArraySlice<UInt8>, to out: inout [UInt8]) {
    var wantsBlank = false
    for byte in line {
      if isBlank(byte) {
        wantsBlank = true
      } else {
        if wantsBlank { out.append(0x20) }
        wantsBlank = false
        out.append(byte)
      }
    }
  }

  /// Returns a field's value unfolded, with runs of blanks collapsed, and none at either end.
  static func collapsedValue(_ value: ArraySlice<UInt8>) -> [UInt8] {
    var out: [UInt8] = []
    appendCollapsed(trimmed(value).filter { $0 != 0x0D && $0 != 0x0A }[...], to: &out)
    return out
  }
}
