/// Breaks paragraphs into lines of at most `width` cells.
///
/// Paragraphs are separated by empty lines. A line that starts with a blank, and a word longer than a line,
/// are kept whole, since both are meant to be copied.
func wrapped(_ text: String, width: Int) -> [String] {
  // Most texts are one line that fits; a character takes no more cells than bytes.
  if text.utf8.count <= width, !text.utf8.contains(UInt8(ascii: "\n")) { return [text] }
  var lines: [String] = []
  var words: [String] = []
  for line in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
    let isKept = line.first == UInt8(ascii: " ")
    if !isKept { words += line.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) } }
    if isKept || line.isEmpty {
      lines += filled(words, width: width)
      words = []
      lines.append(String(Substring(line)))
    }
  }
  return lines + filled(words, width: width)
}

/// Fills lines of at most `width` cells with words; a word may contain blanks, at which it is not broken.
///
/// - Parameter first: The width of the first line, if it is another.
func filled(_ words: [String], width: Int, first: Int? = nil) -> [String] {
  var lines: [String] = []
  var line = ""
  var used = 0
  for word in words {
    let cells = displayWidth(word)
    if !line.isEmpty, used + 1 + cells > (lines.isEmpty ? first ?? width : width) {
      lines.append(line)
      line = ""
      used = 0
    }
    if !line.isEmpty {
      line += " "
      used += 1
    }
    line += word
    used += cells
  }
  if !line.isEmpty { lines.append(line) }
  return lines
}

/// Fits a text into lines of at most `width` cells: a longer line is broken at blanks, and the rest is
/// indented by two more.
///
/// A no-break space keeps the words around it on one line, and is shown as a blank; a word longer than a line
/// is left whole. Escape sequences for styles take no cells.
package func fitted(_ line: String, width: Int) -> String {
  guard visibleWidth(line) > width else { return breakable(line) }
  let start = line.prefix { $0 == " " }.count
  var text = ""
  var (used, gap, isFirst) = (0, 0, true)
  for word in line.split(separator: " ", omittingEmptySubsequences: false) {
    if word.isEmpty {
      gap += 1
      continue
    }
    let cells = visibleWidth(String(word))
    if !isFirst, used + gap + cells > width {
      text += "\n" + blanks(start + 2)
      used = start + 2
    } else {
      text += blanks(gap)
      used += gap
    }
    text += breakable(String(word))
    used += cells
    (gap, isFirst) = (1, false)
  }
  return line.last == " " ? text + " " : text
}

/// The width of a text in cells, not counting escape sequences for styles.
private func visibleWidth(_ text: String) -> Int {
  guard text.contains("\u{1B}") else { return displayWidth(text) }
  return text.split(separator: "\u{1B}", omittingEmptySubsequences: false).enumerated().reduce(0) {
    $0 + displayWidth(String($1.offset == 0 ? $1.element : $1.element.drop { $0 != "m" }.dropFirst()))
  }
}

func breakable(_ text: String) -> String { String(text.map { $0 == "\u{A0}" ? " " : $0 }) }

func blanks(_ count: Int) -> String {
  String(repeating: " ", count: max(count, 0))
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
