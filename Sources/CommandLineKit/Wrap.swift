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

/// A run of blanks; none for a negative count.
func blanks(_ count: Int) -> String {
  String(repeating: " ", count: max(count, 0))
}
