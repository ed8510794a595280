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

/// Texts in different styles on one line, without columns; a line that does not fit is cut and ends with `…`.
///
/// The texts are made printable and joined without blanks.
package func styledLine(_ parts: [Cell], width: Int? = nil, styles: Bool) -> String {
  var room = max(width ?? Int.max, 1)
  var line = ""
  var rest = parts.map { Cell(breakable(printable($0.text)), $0.style) }.filter { !$0.text.isEmpty }[...]
  while let part = rest.popFirst() {
    let cells = displayWidth(part.text)
    // The mark needs a cell of its own if anything follows.
    guard cells < room || (rest.isEmpty && cells == room) else {
      let kept = cells < room ? part.text : truncated(part.text + "…", width: room)
      return line + part.style.apply(kept.hasSuffix("…") ? kept : kept + "…", enabled: styles)
    }
    line += part.style.apply(part.text, enabled: styles)
    room -= cells
  }
  return line
}

/// Texts in different styles as words, in lines of at most `width` cells as far as words allow.
///
/// The texts are made printable and separated by blanks; all lines but the first are indented. A no-break
/// space keeps the words around it on one line, as a command requires, and is shown as a blank.
package func styledParagraph(
  _ parts: [Cell], width: Int? = nil, indent: Int = 0, styles: Bool
) -> [String] {
  var lines: [[(word: String, style: Style)]] = [[]]
  var used = 0
  for part in parts {
    for text in printable(part.text).split(separator: " ") {
      let word = breakable(String(text))
      let cells = displayWidth(word)
      let isFirst = lines.last?.isEmpty ?? true
      if let width, !isFirst, used + 1 + cells > width {
        lines.append([])
        used = indent + cells
      } else {
        used += (isFirst ? 0 : 1) + cells
      }
      lines[lines.count - 1].append((word, part.style))
    }
  }
  return lines.enumerated().map { index, words in
    var line = index == 0 ? "" : blanks(indent)
    var start = 0
    // Neighbouring words in the same style share one run of it.
    while start < words.count {
      let style = words[start].style
      let end = words[start...].firstIndex { $0.style != style } ?? words.count
      if start > 0 { line += " " }
      line += style.apply(words[start..<end].map(\.word).joined(separator: " "), enabled: styles)
      start = end
    }
    return line
  }
}
