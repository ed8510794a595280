/// Paragraphs broken into lines of at most `width` cells.
///
/// Paragraphs stand apart by an empty line. A line that starts with a blank is kept as it is, and a word longer
/// than a line is left whole: both are things to copy.
func wrapped(_ text: String, width: Int) -> [String] {
  var lines: [String] = []
  var words: [String] = []
  for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
    let isKept = line.first == " "
    if !isKept { words += line.split(separator: " ").map(String.init) }
    if isKept || line.isEmpty {
      lines += filled(words, width: width)
      words = []
      lines.append(String(line))
    }
  }
  return lines + filled(words, width: width)
}

/// Words set into lines of at most `width` cells; a word may hold blanks that must not break.
func filled(_ words: [String], width: Int) -> [String] {
  var lines: [String] = []
  var line = ""
  var used = 0
  for word in words {
    let cells = displayWidth(word)
    if !line.isEmpty, used + 1 + cells > width {
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

/// Lines of at most `width` cells: one that is longer is broken at its blanks, with the rest indented by two more.
///
/// A no-break space keeps what it stands in on one line, and is shown as a blank; a word longer than a line is left
/// whole. What switches styles takes no cell.
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

/// The cells of a text without what switches styles.
private func visibleWidth(_ text: String) -> Int {
  guard text.contains("\u{1B}") else { return displayWidth(text) }
  return text.split(separator: "\u{1B}", omittingEmptySubsequences: false).enumerated().reduce(0) {
    $0 + displayWidth(String($1.offset == 0 ? $1.element : $1.element.drop { $0 != "m" }.dropFirst()))
  }
}

/// A text with blanks for its no-break spaces.
func breakable(_ text: String) -> String { String(text.map { $0 == "\u{A0}" ? " " : $0 }) }

/// A run of blanks; none for a negative count.
func blanks(_ count: Int) -> String {
  String(repeating: " ", count: max(count, 0))
}

/// Text that cannot drive a terminal: whatever is not shown as itself is written as an escape.
///
/// Control characters, line separators, controls of text direction, invisible format characters (but the joiners
/// that scripts and emoji need) and the replacement character of invalid UTF-8 are escaped, as `\n`, `\r`, `\t` or
/// `\u{1B}`. A backslash stays as it is, so that doing it twice changes nothing. With a limit, text of more
/// characters is cut and ends with `…`.
package func printable(_ text: String, limit: Int? = nil) -> String {
  var shown = ""
  if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) {
    shown = text
  } else {
    for scalar in text.unicodeScalars { append(scalar, to: &shown) }
  }
  guard let limit, shown.count > limit else { return shown }
  return shown.prefix(max(limit, 1) - 1) + "…"
}

private func append(_ scalar: Unicode.Scalar, to text: inout String) {
  switch scalar {
  case "\n": text += "\\n"
  case "\r": text += "\\r"
  case "\t": text += "\\t"
  case _ where isShown(scalar): text.unicodeScalars.append(scalar)
  default: text += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
  }
}

private func isShown(_ scalar: Unicode.Scalar) -> Bool {
  // The zero-width joiner and non-joiner belong to words of many scripts, and the first to emoji.
  if scalar == "\u{200C}" || scalar == "\u{200D}" { return true }
  if scalar == "\u{FFFD}" || scalar.properties.isNoncharacterCodePoint { return false }
  switch scalar.properties.generalCategory {
  case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: return false
  default: return true
  }
}
