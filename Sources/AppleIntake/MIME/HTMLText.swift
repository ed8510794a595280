/// The lines and links of an HTML mail: enough to find fields that appear nowhere else.
///
/// This is not a browser: what a style hides is visible here. Only proved mails are read this far.
package struct HTMLText {
  /// The text, one line per block or table cell, with blanks collapsed and empty lines left out.
  package private(set) var lines: [String] = []
  package private(set) var links: [String] = []
  private let bytes: [UInt8]
  private var position = 0
  private var line: [UInt8] = []

  package init(_ html: String) {
    bytes = Array(html.utf8)
    read()
  }

  private static let blocks: Set<String> = [
    "address", "article", "blockquote", "body", "br", "caption", "center", "dd", "div", "dl", "dt", "footer",
    "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "html", "li", "main", "ol", "p", "pre",
    "section", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul",
  ]

  private static let hidden: Set<String> = ["head", "noscript", "script", "style", "template", "title"]

  private mutating func read() {
    while position < bytes.count {
      let byte = bytes[position]
      if byte == UInt8(ascii: "<"), isMarkup(at: position + 1) {
        markup()
      } else {
        line.append(byte)
        position += 1
      }
    }
    endLine()
  }

  private func isMarkup(at index: Int) -> Bool {
    guard index < bytes.count else { return false }
    let byte = bytes[index]
    return (0x61...0x7A).contains(byte | 0x20) || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "!")
      || byte == UInt8(ascii: "?")
  }

  private mutating func markup() {
    if bytes[position...].starts(with: "<!--".utf8) {
      position = places(of: "-->", in: bytes.dropFirst(position + 4)).first.map { $0 + 3 } ?? bytes.count
      return
    }
    let tag = tag()
    if HTMLText.blocks.contains(tag.name) { endLine() }
    if tag.name == "a", !tag.isEnd, let link = tag.link { links.append(link) }
    if !tag.isEnd, HTMLText.hidden.contains(tag.name) {
      position = places(of: "</\(tag.name)", in: bytes[position...]).first ?? bytes.count
    }
  }

  /// Reads a tag from its `<` past its `>`; quoted attribute values may contain a `>`.
  private mutating func tag() -> (name: String, isEnd: Bool, link: String?) {
    position += 1
    let isEnd = bytes[position] == UInt8(ascii: "/")
    if isEnd { position += 1 }
    let name = lowercased(word(until: ">/"))
    var link: String?
    while true {
      skipBlanks()
      guard position < bytes.count, bytes[position] != UInt8(ascii: ">") else { break }
      let attribute = lowercased(word(until: ">/="))
      skipBlanks()
      guard position < bytes.count else { break }
      if bytes[position] == UInt8(ascii: "=") {
        position += 1
        skipBlanks()
        let value = value()
        if attribute == "href", link == nil { link = HTMLEntity.text(value) }
      } else if attribute.isEmpty, bytes[position] != UInt8(ascii: ">") {
        position += 1
      }
    }
    if position < bytes.count { position += 1 }
    return (name, isEnd, link)
  }

  private mutating func word(until ends: String) -> ArraySlice<UInt8> {
    let start = position
    while position < bytes.count, !isSpace(bytes[position]), !ends.utf8.contains(bytes[position]) {
      position += 1
    }
    return bytes[start..<position]
  }

  private mutating func value() -> ArraySlice<UInt8> {
    guard position < bytes.count else { return [] }
    let quote = bytes[position]
    guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return word(until: ">") }
    let start = position + 1
    let end = bytes[start...].firstIndex(of: quote) ?? bytes.count
    position = min(end + 1, bytes.count)
    return bytes[start..<end]
  }

  private func isSpace(_ byte: UInt8) -> Bool {
    isBlank(byte) || byte == 0x0A || byte == 0x0D || byte == 0x0C
  }

  private mutating func skipBlanks() {
    while position < bytes.count, isSpace(bytes[position]) { position += 1 }
  }

  private mutating func endLine() {
    let text = collapsed(HTMLEntity.text(line[...]))
    if !text.isEmpty { lines.append(text) }
    line.removeAll(keepingCapacity: true)
  }
}

/// Character references in HTML (html.spec.whatwg.org, §13.5).
enum HTMLEntity {
  /// The named references that Apple's mails use, and their neighbours in Latin-1 text.
  private static let named: [String: String] = [
    "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": "\u{A0}", "lsquo": "\u{2018}",
    "rsquo": "\u{2019}", "ldquo": "\u{201C}", "rdquo": "\u{201D}", "ndash": "\u{2013}", "mdash": "\u{2014}",
    "hellip": "\u{2026}", "copy": "\u{A9}", "reg": "\u{AE}", "trade": "\u{2122}", "bull": "\u{2022}",
    "middot": "\u{B7}",
  ]

  /// What bytes say with each reference undone; an `&` that begins none stays.
  static func text(_ bytes: ArraySlice<UInt8>) -> String {
    var out: [UInt8] = []
    var rest = bytes
    while let byte = rest.popFirst() {
      // The longest known reference has ten characters; looking no further keeps reading linear.
      if byte == UInt8(ascii: "&"), let end = rest.prefix(12).firstIndex(of: UInt8(ascii: ";")),
        let text = character(String(decoding: rest[..<end], as: UTF8.self))
      {
        out += Array(text.utf8)
        rest = rest[(end + 1)...]
      } else {
        out.append(byte)
      }
    }
    return String(decoding: out, as: UTF8.self)
  }

  private static func character(_ name: String) -> String? {
    guard name.hasPrefix("#") else { return named[name] }
    let isHexadecimal = name.hasPrefix("#x") || name.hasPrefix("#X")
    let code = isHexadecimal ? UInt32(name.dropFirst(2), radix: 16) : UInt32(name.dropFirst())
    return code.map { code in
      code == 0 ? "\u{FFFD}" : String(Unicode.Scalar(code) ?? "\u{FFFD}")
    }
  }
}
