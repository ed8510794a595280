/// The small part of XML that feeds need.
package enum Markup {
  /// Escapes a text for use between tags and in attributes; characters that XML forbids are left out (XML 1.0
  /// §2.2).
  static func escaped(_ text: String) -> String {
    var out = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": out += "&amp;"
      case "<": out += "&lt;"
      case ">": out += "&gt;"
      case "\"": out += "&quot;"
      case "'": out += "&apos;"
      // A bare carriage return would be read as a line feed (XML 1.0 §2.11).
      case "\r": out += "&#13;"
      case "\t", "\n": out.unicodeScalars.append(scalar)
      case "\u{0}"..<" ", "\u{FFFE}", "\u{FFFF}": break
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out
  }

  /// An element with its name as written, since clients of feeds look for the prefix too.
  package struct Element: Sendable, Equatable {
    package let name: String
    package var attributes: [String: String] = [:]
    package var children: [Element] = []
    package var text = ""

    fileprivate init(name: String) { self.name = name }

    /// The elements with a name, anywhere in it.
    package func all(_ name: String) -> [Element] {
      children.flatMap { ($0.name == name ? [$0] : []) + $0.all(name) }
    }
  }
}

extension Markup.Element {
  /// Reads what this module writes: elements, attributes, texts and their escapes, one root; nil for anything
  /// else.
  package init?(parsing bytes: [UInt8]) {
    var reader = MarkupReader(rest: bytes[...])
    guard let root = reader.document() else { return nil }
    self = root
  }
}

private struct MarkupReader {
  var rest: ArraySlice<UInt8>

  mutating func document() -> Markup.Element? {
    if take("<?xml ") {
      guard skip(past: ">") != nil else { return nil }
    }
    skipBlanks()
    guard let root = element(depth: 0) else { return nil }
    skipBlanks()
    return rest.isEmpty ? root : nil
  }

  private mutating func element(depth: Int) -> Markup.Element? {
    guard depth < 16, take("<"), let name = name() else { return nil }
    var element = Markup.Element(name: name)
    while true {
      let hadBlank = skipBlanks()
      if take("/>") { return element }
      if take(">") { break }
      guard hadBlank, let key = self.name(), take("=\""), let text = skip(past: "\""),
        let value = MarkupReader.unescaped(text), element.attributes[key] == nil
      else { return nil }
      element.attributes[key] = value
    }
    while true {
      guard let tag = rest.firstIndex(of: UInt8(ascii: "<")),
        let text = MarkupReader.unescaped(rest[..<tag])
      else { return nil }
      element.text += text
      rest = rest[tag...]
      if take("</") {
        guard self.name() == name, take(">") else { return nil }
        return element
      }
      guard let child = self.element(depth: depth + 1) else { return nil }
      element.children.append(child)
    }
  }

  private mutating func name() -> String? {
    let name = rest.prefix {
      (0x61...0x7A).contains($0 | 0x20) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: ":")
    }
    guard let first = name.first, first >= 0x41 else { return nil }
    rest = rest[name.endIndex...]
    return String(decoding: name, as: UTF8.self)
  }

  private mutating func take(_ text: StaticString) -> Bool {
    let bytes = text.withUTF8Buffer(Array.init)
    guard rest.starts(with: bytes) else { return false }
    rest = rest.dropFirst(bytes.count)
    return true
  }

  /// Takes what precedes a character, and skips the character too.
  private mutating func skip(past character: Unicode.Scalar) -> ArraySlice<UInt8>? {
    guard let end = rest.firstIndex(of: UInt8(ascii: character)) else { return nil }
    defer { rest = rest[(end + 1)...] }
    return rest[..<end]
  }

  @discardableResult private mutating func skipBlanks() -> Bool {
    let start = rest.startIndex
    rest = rest.drop { $0 == 0x20 || $0 == 0x0A || $0 == 0x09 }
    return rest.startIndex > start
  }

  private static let entities = [
    "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "#13": "\r",
  ]

  private static func unescaped(_ text: ArraySlice<UInt8>) -> String? {
    guard !text.contains(UInt8(ascii: "<")) else { return nil }
    let parts = text.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
    var out = String(decoding: parts.first ?? [], as: UTF8.self)
    for part in parts.dropFirst() {
      guard let end = part.firstIndex(of: UInt8(ascii: ";")),
        let character = entities[String(decoding: part[..<end], as: UTF8.self)]
      else { return nil }
      out += character + String(decoding: part[(end + 1)...], as: UTF8.self)
    }
    return out
  }
}
