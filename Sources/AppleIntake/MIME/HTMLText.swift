/// The lines and links of an HTML mail: enough to find fields that appear nowhere else.
///
/// This is not a browser: what a style hides is visible here. Only proved mails are read this far.
package struct HTMLText {
  /// The text, one line per block or table cell, with blanks collapsed and empty lines left out.
  package private(set) var lines: [String] = []
  package private(set) var links: [String] = []
  private var rest: ArraySlice<UInt8>
  private var line: [UInt8] = []

  package init(_ html: String) {
    rest = Array(html.utf8)[...]
    while let byte = rest.first {
      if byte == UInt8(ascii: "<"), rest.dropFirst().first.map(HTMLText.beginsMarkup) == true {
        markup()
      } else {
        line.append(byte)
        rest = rest.dropFirst()
      }
    }
    endLine()
  }

  private static let blocks: Set<String> = [
    "address", "article", "blockquote", "body", "br", "caption", "center", "dd", "div", "dl", "dt", "footer",
    "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "html", "li", "main", "ol", "p", "pre",
    "section", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul",
  ]

  private static let hidden: Set<String> = ["head", "noscript", "script", "style", "template", "title"]

  private static func beginsMarkup(_ byte: UInt8) -> Bool {
    (0x61...0x7A).contains(byte | 0x20) || "/!?".utf8.contains(byte)
  }

  private mutating func markup() {
    if rest.starts(with: "<!--".utf8) {
      rest = places(of: "-->", in: rest.dropFirst(4)).first.map { rest[($0 + 3)...] } ?? []
      return
    }
    let tag = tag()
    if HTMLText.blocks.contains(tag.name) { endLine() }
    if tag.name == "a", !tag.isEnd, let link = tag.link { links.append(link) }
    if !tag.isEnd, HTMLText.hidden.contains(tag.name) {
      rest = places(of: "</\(tag.name)", in: rest).first.map { rest[$0...] } ?? []
    }
  }

  /// Reads a tag from its `<` past its `>`; quoted attribute values may contain a `>`.
  private mutating func tag() -> (name: String, isEnd: Bool, link: String?) {
    rest = rest.dropFirst()
    let isEnd = rest.first == UInt8(ascii: "/")
    if isEnd { rest = rest.dropFirst() }
    let name = lowercased(word(until: ">/"))
    var link: String?
    while let first = next(), first != UInt8(ascii: ">") {
      let attribute = lowercased(word(until: ">/="))
      let mark = next()
      if mark == UInt8(ascii: "=") {
        rest = rest.dropFirst()
        let value = value()
        if attribute == "href", link == nil { link = HTMLEntity.text(value) }
      } else if attribute.isEmpty, mark != UInt8(ascii: ">") {
        rest = rest.dropFirst()
      }
    }
    rest = rest.dropFirst()
    return (name, isEnd, link)
  }

  private mutating func word(until ends: String) -> ArraySlice<UInt8> {
    let word = rest.prefix { !isSpace($0) && !ends.utf8.contains($0) }
    rest = rest.dropFirst(word.count)
    return word
  }

  private mutating func value() -> ArraySlice<UInt8> {
    guard let quote = next(), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      return word(until: ">")
    }
    let value = rest.dropFirst().prefix { $0 != quote }
    rest = rest.dropFirst(value.count + 2)
    return value
  }

  private func isSpace(_ byte: UInt8) -> Bool {
    isBlank(byte) || byte == 0x0A || byte == 0x0D || byte == 0x0C
  }

  /// The first byte after blanks.
  private mutating func next() -> UInt8? {
    rest = rest.drop(while: isSpace)
    return rest.first
  }

  private mutating func endLine() {
    let text = collapsed(HTMLEntity.text(line[...]))
    if !text.isEmpty { lines.append(text) }
    line.removeAll(keepingCapacity: true)
  }
}

/// Character references in HTML (html.spec.whatwg.org, §13.5).
enum HTMLEntity {
  /// The named references that Apple's mails use, and those that names of apps are likely to have.
  private static let named: [String: String] = [
    "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "lsquo": "\u{2018}", "rsquo": "\u{2019}",
    "ldquo": "\u{201C}", "rdquo": "\u{201D}", "ndash": "\u{2013}", "mdash": "\u{2014}", "hellip": "\u{2026}",
    "trade": "\u{2122}", "bull": "\u{2022}", "euro": "\u{20AC}", "zwnj": "\u{200C}", "zwj": "\u{200D}",
    "lrm": "\u{200E}", "rlm": "\u{200F}",
  ]

  /// Those of Latin-1, from A0 (hexadecimal) on (HTML 4.01 §24.2.1).
  private static let latin = """
    nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para
    middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute
    Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml
    Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml
    eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml
    """.split(whereSeparator: \.isWhitespace).map(String.init)

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
    guard name.hasPrefix("#") else {
      let index = latin.firstIndex(of: name).map { UInt32(0xA0 + $0) }
      return named[name] ?? index.flatMap(Unicode.Scalar.init).map(String.init)
    }
    let isHexadecimal = name.hasPrefix("#x") || name.hasPrefix("#X")
    let code = isHexadecimal ? UInt32(name.dropFirst(2), radix: 16) : UInt32(name.dropFirst())
    return code.map { code in
      code == 0 ? "\u{FFFD}" : String(Unicode.Scalar(code) ?? "\u{FFFD}")
    }
  }
}
