/// A column of a table.
package struct Column: Sendable {
  /// The side of the column its texts keep to.
  package enum Alignment: Sendable {
    /// For words.
    case left
    /// For numbers.
    case right
  }

  /// The heading.
  package let title: String
  /// The side its texts keep to.
  package let alignment: Alignment

  /// Heads a column.
  package init(_ title: String, _ alignment: Alignment = .left) {
    self.title = title
    self.alignment = alignment
  }
}

/// A text of a table with its look.
package struct Cell: Sendable, Equatable, ExpressibleByStringInterpolation {
  /// The text, as it came.
  package let text: String
  /// How it looks when styles are on.
  package let style: Style

  /// Pairs a text with its look; the table makes the text printable.
  package init(_ text: String, _ style: Style = .plain) {
    self.text = text
    self.style = style
  }

  /// A plain text.
  package init(stringLiteral text: String) {
    self.init(text)
  }
}

/// Texts in aligned columns.
package struct Table: Sendable {
  /// The columns from left to right.
  package let columns: [Column]
  /// The rows from top to bottom; a short row ends in empty cells, cells without a column are not shown.
  package var rows: [[Cell]]

  /// Makes a table, empty at first unless rows are given.
  package init(columns: [Column], rows: [[Cell]] = []) {
    self.columns = columns
    self.rows = rows
  }

  /// Adds a row at the bottom.
  package mutating func add(_ row: [Cell]) {
    rows.append(row)
  }

  /// What happens to texts for which there is no room.
  package enum Overflow: Sendable {
    /// The last column is cut and ends with `…`; the others are never cut, so that a row is a line.
    case cut
    /// The widest columns are set into several lines, of which the third ends with `…` where there are more.
    case wrapped
  }

  /// The table as whole lines, without blanks at their ends.
  ///
  /// Texts are made printable, so no text drives the terminal. Without a width every row is one line with nothing
  /// cut, so that what scripts look for is there in full. The heading is left out when all titles are empty.
  ///
  /// - Parameter width: The cells of a line.
  package func render(width: Int? = nil, overflow: Overflow = .cut, styles: Bool = false) -> String {
    var lines = rows.map { row in
      columns.indices.map { row.indices.contains($0) ? Table.shown(row[$0]) : Cell("") }
    }
    if columns.contains(where: { !$0.title.isEmpty }) {
      lines.insert(columns.map { Table.shown(Cell($0.title, .bold)) }, at: 0)
    }
    var widths = columns.indices.map { column in
      lines.map { displayWidth($0[column].text) }.max() ?? 0
    }
    if let width, let last = columns.indices.last {
      if overflow == .wrapped { Table.narrow(&widths, to: width) }
      let used = widths.dropLast().reduce(0) { $0 + $1 + Table.gap }
      widths[last] = min(widths[last], max(max(width, 0) - used, 1))
    }
    return lines.flatMap { Table.broken($0, widths: widths, overflow: overflow) }
      .map { line($0, widths: widths, styles: styles) + "\n" }.joined()
  }

  /// The least width that a column is narrowed to, and the most lines of a row.
  private static let (leastWidth, mostLines) = (12, 3)

  /// Takes from the widest columns until the table fits, or none is wide any longer.
  private static func narrow(_ widths: inout [Int], to width: Int) {
    while true {
      let excess = widths.reduce(-gap) { $0 + $1 + gap } - max(width, 0)
      guard excess > 0, let widest = widths.indices.max(by: { widths[$0] < widths[$1] }),
        widths[widest] > leastWidth
      else { return }
      let next = widths.indices.filter { $0 != widest }.map { widths[$0] }.max() ?? 0
      // Down to the next widest at most, which then gives with it.
      let step = max(1, min(excess, widths[widest] - max(next, leastWidth)))
      widths[widest] -= step
    }
  }

  /// A row as the lines it takes.
  private static func broken(_ row: [Cell], widths: [Int], overflow: Overflow) -> [[Cell]] {
    let cells = zip(row, widths).map { cell, width -> [Cell] in
      guard displayWidth(cell.text) > width else { return [cell] }
      guard overflow == .wrapped, width >= leastWidth else {
        return [Cell(truncated(cell.text, width: width), cell.style)]
      }
      var lines = filled(pieces(of: cell.text, width: width), width: width)
      if lines.count > mostLines {
        lines[mostLines - 1] = truncated(lines[mostLines - 1] + " …", width: width)
        lines.removeSubrange(mostLines...)
      }
      return lines.map { Cell($0, cell.style) }
    }
    return (0..<(cells.map(\.count).max() ?? 1)).map { line in
      cells.map { line < $0.count ? $0[line] : Cell("") }
    }
  }

  /// The words of a text, those that are longer than a line in pieces.
  private static func pieces(of text: String, width: Int) -> [String] {
    text.split(separator: " ").flatMap { word -> [String] in
      var pieces = [""]
      var used = 0
      for character in word {
        let cells = displayWidth(character)
        if used + cells > width {
          pieces.append("")
          used = 0
        }
        pieces[pieces.count - 1].append(character)
        used += cells
      }
      return pieces
    }
  }

  /// The cells that the table takes with nothing cut.
  package var width: Int {
    render().split(separator: "\n").map { displayWidth(String($0)) }.max() ?? 0
  }

  private static let gap = 2

  private func line(_ cells: [Cell], widths: [Int], styles: Bool) -> String {
    var line = ""
    // Padding is written only before a text, which leaves none at the end.
    var padding = 0
    for ((column, cell), width) in zip(zip(columns, cells), widths) {
      let empty = width - displayWidth(cell.text)
      if column.alignment == .right { padding += empty }
      if !cell.text.isEmpty {
        line += blanks(padding) + cell.style.apply(cell.text, enabled: styles)
        padding = 0
      }
      if column.alignment == .left { padding += empty }
      padding += Table.gap
    }
    return line
  }

  private static func shown(_ cell: Cell) -> Cell {
    var text = printable(cell.text)
    while text.last == " " { text.removeLast() }
    return Cell(text, cell.style)
  }
}

/// Text cut to a number of cells, with `…` in the last when something was cut.
///
/// A wide character is never halved, so the text may take one cell less. Text that fits is unchanged; the least
/// width is that of the mark, 1.
package func truncated(_ text: String, width: Int) -> String {
  guard displayWidth(text) > width else { return text }
  var kept = ""
  var used = 1
  for character in text {
    used += displayWidth(character)
    if used > width { break }
    kept.append(character)
  }
  while kept.last == " " { kept.removeLast() }
  return kept + "…"
}
