import Crypto

/// A URL that a client can open to get an app.
///
/// Apple's `itms-services` form is described at support.apple.com, "Distribute proprietary in-house apps".
package struct StoreURL: Sendable, Equatable {
  /// The longest URL accepted, in bytes; longer ones break in some web views and mail programs.
  package static let maximumLength = 2_048

  package let text: String
  package let scheme: String
  /// The host that serves what the URL names, in lower case: the manifest's host for `itms-services`.
  package let host: String

  /// The hosts of Apple's store, which are always trusted.
  package static let storeHosts: Set<String> = ["apps.apple.com", "itunes.apple.com"]

  /// Reads a URL and percent-encodes what is not ASCII; its host is checked by `check(hosts:)`.
  package init(_ raw: String) throws(Refusal) {
    let encoded = try StoreURL.encode(raw)
    guard let colon = encoded.firstIndex(of: ":") else { throw Refusal("url.malformed") }
    let scheme = encoded[..<colon].lowercased()
    guard scheme.utf8.first.map({ (0x61...0x7A).contains($0) }) == true else {
      throw Refusal("url.malformed")
    }
    let rest = encoded[encoded.index(after: colon)...]
    switch scheme {
    case "https", "itms-apps", "itms-appss", "com.apple.tvappstore":
      guard rest.hasPrefix("//") else { throw Refusal("url.malformed") }
      host = try StoreURL.host(ofAuthority: rest.dropFirst(2))
    case "itms-services":
      host = try StoreURL.manifestHost(of: rest)
    default: throw Refusal("url.scheme", ["scheme": scheme])
    }
    text = encoded
    self.scheme = scheme
  }

  /// - Throws: `Refusal`.
  package func check(hosts: Set<String>, for platform: ApplePlatform) throws(Refusal) {
    guard hosts.contains(host) else { throw Refusal("url.host-not-trusted", ["host": host]) }
    guard isOpened(on: platform) else {
      throw Refusal("url.scheme/platform", ["platform": platform.rawValue])
    }
  }

  /// Whether a platform opens the scheme: tvOS has no browser, and its store a scheme of its own.
  func isOpened(on platform: ApplePlatform) -> Bool {
    (platform == .tvOS ? "https" : "com.apple.tvappstore") != scheme
  }

  /// Whether a text is a URL that clients on a platform can open and may be given while these hosts are trusted.
  package static func isUsable(_ text: String, hosts: Set<String>, on platform: ApplePlatform) -> Bool {
    guard let url = try? StoreURL(text) else { return false }
    return hosts.contains(url.host) && url.isOpened(on: platform)
  }

  /// Whether a text is a host name that may be on the list of trusted hosts.
  package static func isHost(_ text: String) -> Bool {
    let labels = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard labels.count >= 2, text.utf8.count <= 253, text == text.lowercased() else { return false }
    // An all-digit last label would make it an IP address, which no certificate of a store names.
    guard let last = labels.last, !last.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return false }
    return labels.allSatisfy { $0.isWord(of: 1...63, marks: "-") && $0.first != "-" && $0.last != "-" }
  }

  private static func encode(_ raw: String) throws(Refusal) -> String {
    var out: [UInt8] = []
    let bytes = Array(raw.utf8)
    guard !bytes.isEmpty else { throw Refusal("url.malformed") }
    guard bytes.count <= maximumLength else {
      throw Refusal("url.malformed/long", ["most": String(maximumLength)])
    }
    for (index, byte) in bytes.enumerated() {
      switch byte {
      case 0x80...: out += "%\(hexadecimalText([byte]).uppercased())".utf8
      case 0...0x20, 0x7F: throw Refusal("url.malformed/character")
      case UInt8(ascii: "%"):
        guard index + 2 < bytes.count,
          bytes[index + 1...index + 2].allSatisfy({ hexadecimalDigit($0) != nil })
        else { throw Refusal("url.malformed/escape") }
        out.append(byte)
      case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"), UInt8(ascii: "^"),
        UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"):
        throw Refusal("url.malformed/character")
      default: out.append(byte)
      }
    }
    guard out.count <= maximumLength else {
      throw Refusal("url.malformed/long", ["most": String(maximumLength)])
    }
    return String(decoding: out, as: UTF8.self)
  }

  private static func host(ofAuthority text: Substring) throws(Refusal) -> String {
    let authority = text.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    if authority.contains("@") { throw Refusal("url.credentials") }
    let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
    guard let name = parts.first, parts.count <= 2 else { throw Refusal("url.malformed") }
    if parts.count == 2 {
      guard let port = Int(parts[1]), (1...65_535).contains(port),
        parts[1].utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 })
      else { throw Refusal("url.malformed") }
    }
    let host = name.lowercased()
    guard isHost(host) else {
      // Non-ASCII characters are percent-encoded by now, as bytes from 80 (hexadecimal) on.
      let isForeign = host.split(separator: "%").dropFirst().contains { $0.first.map { $0 > "7" } ?? false }
      if isForeign { throw Refusal("url.malformed/host") }
      throw Refusal("url.malformed")
    }
    return host
  }

  /// What stands after the question mark, such as `mt=8`.
  package var arguments: [String] {
    let query = text.prefix { $0 != "#" }.split(separator: "?", maxSplits: 1).dropFirst().joined()
    return query.split(separator: "&").map(String.init)
  }

  private static func manifestHost(of rest: Substring) throws(Refusal) -> String {
    guard let question = rest.firstIndex(of: "?") else { throw Refusal("url.manifest") }
    var isDownload = false
    var manifest: String?
    for argument in rest[rest.index(after: question)...].split(separator: "&") {
      // Keys may be encoded like values; some clients would read a second `url` in another spelling, and
      // others would not.
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { throw Refusal("url.manifest") }
      switch decoded(parts[0]) {
      case "action": isDownload = decoded(parts[1]) == "download-manifest"
      case "url":
        guard manifest == nil else { throw Refusal("url.manifest") }
        manifest = decoded(parts[1])
      default: break
      }
    }
    guard isDownload, let manifest, let inner = try? StoreURL(manifest), inner.scheme == "https" else {
      throw Refusal("url.manifest")
    }
    return inner.host
  }

  private static func decoded(_ text: Substring) -> String {
    var out: [UInt8] = []
    var bytes = Array(text.utf8)[...]
    while let byte = bytes.popFirst() {
      if byte == UInt8(ascii: "%"), let high = bytes.popFirst(), let low = bytes.popFirst(),
        let value = hexadecimalBytes(String(decoding: [high, low], as: UTF8.self))
      {
        out += value
      } else {
        out.append(byte)
      }
    }
    return String(decoding: out, as: UTF8.self)
  }
}
