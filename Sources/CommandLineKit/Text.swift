/// Fills lines of at most `width` cells with texts in different styles, broken at blanks.
///
/// A blank separates a text from the next, unless that begins with one; other blanks stay as they are. Every line but
/// the first is indented. A no-break space keeps the words around it on one line, and is shown as a blank; a word
/// longer than a line is left whole. Escape sequences for styles take no cells.
///
/// - Parameter width: Nil for one line.
package func filled(
  _ parts: [Cell], width: Int? = nil, indent: Int = 0, styles: Bool = false
) -> [String] {
  var lines = [""]
  var (used, gap, isFirst) = (0, 0, true)
  for (index, part) in parts.enumerated() {
    if index > 0 { gap = part.text.first == " " ? 0 : 1 }
    for word in part.text.split(separator: " ", omittingEmptySubsequences: false) {
      guard !word.isEmpty else {
        gap += 1
        continue
      }
      let cells = displayWidth(String(word))
      if !isFirst, let width, used + gap + cells > width {
        lines.append(blanks(indent))
        used = indent
      } else {
        lines[lines.count - 1] += blanks(gap)
        used += gap
      }
      lines[lines.count - 1] += part.style.apply(breakable(String(word)), enabled: styles)
      used += cells
      (gap, isFirst) = (1, false)
    }
  }
  return lines
}

/// The same for plain text in paragraphs that empty lines separate.
///
/// A line that starts with a blank is kept whole, since it is meant to be copied.
func filled(_ text: String, width: Int) -> [String] {
  var lines: [String] = []
  var paragraph: [Cell] = []
  for line in (text + "\n").split(separator: "\n", omittingEmptySubsequences: false) {
    if !line.isEmpty, line.first != " " {
      paragraph.append(Cell(String(line)))
      continue
    }
    if !paragraph.isEmpty { lines += filled(paragraph, width: width) }
    paragraph = []
    lines.append(String(line))
  }
  return Array(lines.dropLast())
}

/// Fits a line of text into lines of at most `width` cells, of which all but the first are indented by two more.
package func fitted(_ line: String, width: Int) -> String {
  // A question keeps the blank before its answer.
  filled([Cell(line)], width: width, indent: line.prefix { $0 == " " }.count + 2).joined(separator: "\n")
    + (line.last == " " ? " " : "")
}

func breakable(_ text: String) -> String { String(text.map { $0 == "\u{A0}" ? " " : $0 }) }

func blanks(_ count: Int) -> String { String(repeating: " ", count: max(count, 0)) }

/// A count with a comma between groups of three digits: `2,000`.
package func grouped(_ count: Int) -> String {
  let digits = String(count.magnitude)
  var text = ""
  for (index, digit) in digits.enumerated() {
    if index > 0, (digits.count - index) % 3 == 0 { text += "," }
    text.append(digit)
  }
  return count < 0 ? "-" + text : text
}

/// A count of things: `1 range`, `2,000 ranges`.
package func grouped(_ count: Int, _ thing: String) -> String {
  "\(grouped(count)) \(thing)\(count == 1 ? "" : "s")"
}

/// Text that cannot drive a terminal: whatever is not shown as itself is written as an escape.
///
/// This escapes control characters, line separators, controls of text direction, invisible format characters
/// (except the joiners that scripts and emoji need) and the replacement character for invalid UTF-8, as `\n`,
/// `\r`, `\t` or `\u{1B}`. A backslash stays as it is, so that a second pass changes nothing. With a limit,
/// longer text is cut and ends with `…`.
package func printable(_ text: String, limit: Int? = nil) -> String {
  var shown = ""
  if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) {
    shown = text
  } else {
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\n": shown += "\\n"
      case "\r": shown += "\\r"
      case "\t": shown += "\\t"
      case _ where scalar.isShown: shown.unicodeScalars.append(scalar)
      default: shown += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
      }
    }
  }
  guard let limit, shown.count > limit else { return shown }
  return shown.prefix(max(limit, 1) - 1) + "…"
}

extension Unicode.Scalar {
  /// Whether it is shown as itself and does nothing else: no control, of a terminal or of direction, no separator of lines
  /// and no invisible format character, except the joiners that scripts and emoji need; nor what stands for invalid UTF-8.
  package var isShown: Bool {
    if self == "\u{200C}" || self == "\u{200D}" { return true }
    if self == "\u{FFFD}" || properties.isNoncharacterCodePoint { return false }
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: return false
    default: return true
    }
  }
}

/// The number of terminal cells that a text takes.
///
/// Control characters, combining marks, invisible format characters and the sequences of `Style` take none; wide East
/// Asian characters and emoji take two; a sequence that forms one emoji (joined, a flag, a keycap) takes two as a
/// whole. Terminals differ in how they show rare sequences.
package func displayWidth(_ text: String) -> Int {
  // Nearly all text is ASCII, in which each byte takes one cell.
  if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return text.utf8.count }
  return text.split(separator: "\u{1B}", omittingEmptySubsequences: false).enumerated().reduce(0) {
    sum, part in
    let shown =
      part.offset == 0 || part.element.first != "["
      ? part.element : part.element.drop { $0 != "m" }.dropFirst()
    return shown.reduce(sum) { $0 + displayWidth($1) }
  }
}

func displayWidth(_ character: Character) -> Int {
  let scalars = character.unicodeScalars
  guard let first = scalars.first else { return 0 }
  if scalars.count > 1, isEmojiSequence(first, scalars) { return 2 }
  return scalars.reduce(0) { $0 + displayWidth($1) }
}

private func isEmojiSequence(_ first: Unicode.Scalar, _ scalars: String.UnicodeScalarView) -> Bool {
  // U+FE0F requests the emoji form, U+FE0E the text form. The digits of keycaps have the emoji property too.
  guard first.properties.isEmoji else { return false }
  if scalars.contains("\u{FE0E}") { return false }
  return first.properties.isEmojiPresentation || scalars.contains("\u{FE0F}")
    || scalars.contains("\u{200D}") || scalars.contains("\u{20E3}")
}

private func displayWidth(_ scalar: Unicode.Scalar) -> Int {
  let value = scalar.value
  if (0x20...0x7E).contains(value) { return 1 }
  // The soft hyphen is a format character that terminals show.
  if value == 0xAD { return 1 }
  // The vowels and finals of a Hangul syllable are drawn into the cells of its first letter.
  if (0x1160...0x11FF).contains(value) || (0xD7B0...0xD7FF).contains(value) { return 0 }
  let properties = scalar.properties
  switch properties.generalCategory {
  case .control, .format, .nonspacingMark, .enclosingMark, .lineSeparator, .paragraphSeparator, .surrogate:
    return 0
  default:
    return properties.isEmojiPresentation || wideRanges.contains { $0.contains(value) } ? 2 : 1
  }
}

/// The characters of width W and F in Unicode 14.0's EastAsianWidth.txt that are no emoji; ranges are joined over
/// unassigned gaps and over emoji, which are wide, too.
///
/// Planes 2 and 3 are wide as a whole, because that file makes their unassigned code points wide.
private let wideRanges: [ClosedRange<UInt32>] = [
  0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x3247, 0x3250...0x4DBF, 0x4E00...0xA4C6,
  0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAD9, 0xFE10...0xFE19, 0xFE30...0xFE6B, 0xFF01...0xFF60,
  0xFFE0...0xFFE6, 0x16FE0...0x18D08, 0x1AFF0...0x1B2FB, 0x1F200...0x1F265, 0x1F3FB...0x1F3FF,
  0x20000...0x2FFFD, 0x30000...0x3FFFD,
]

/// How text looks on a terminal: red for what failed, green for success, yellow for what needs attention, and
/// blue for what is in progress.
///
/// The raw values are the numbers of "select graphic rendition", ECMA-48 8.3.117.
package enum Style: Int, Sendable, CaseIterable {
  case plain = 0
  case bold = 1
  case dim = 2
  case red = 31
  case green = 32
  case yellow = 33
  case blue = 34

  /// The text must be safe already: apply `printable` first to text from others.
  package func apply(_ text: String, enabled: Bool) -> String {
    enabled && self != .plain && !text.isEmpty ? "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" : text
  }
}
