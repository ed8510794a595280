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

  /// The table as whole lines, without blanks at their ends.
  ///
  /// Texts are made printable, so no row takes two lines and no text drives the terminal. With a width, the last
  /// column is cut to it and ends with `…`; the others are never cut, so that what scripts and eyes look for is
  /// there in full. The heading is left out when all titles are empty.
  package func render(width: Int? = nil, styles: Bool = false) -> String {
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
      let used = widths.dropLast().reduce(0) { $0 + $1 + Table.gap }
      let room = max(max(width, 0) - used, 1)
      widths[last] = min(widths[last], room)
      for row in lines.indices {
        let cell = lines[row][last]
        lines[row][last] = Cell(truncated(cell.text, width: room), cell.style)
      }
    }
    return lines.map { line($0, widths: widths, styles: styles) + "\n" }.joined()
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
