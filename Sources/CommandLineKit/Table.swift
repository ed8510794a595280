/// A column of a table.
package struct Column: Sendable, ExpressibleByStringLiteral {
  package let title: String
  /// Whether its texts are numbers, which end at the same place.
  package let isRight: Bool

  package init(_ title: String, isRight: Bool = false) { (self.title, self.isRight) = (title, isRight) }

  package init(stringLiteral title: String) { self.init(title) }

  /// A column of numbers.
  package static func right(_ title: String) -> Column { Column(title, isRight: true) }
}

/// A text in a table, with its style.
package struct Cell: Sendable, Equatable, ExpressibleByStringInterpolation {
  package let text: String
  package let style: Style

  package init(_ text: String, _ style: Style = .plain) {
    self.text = text
    self.style = style
  }

  package init(stringLiteral text: String) {
    self.init(text)
  }
}

/// Texts arranged in aligned columns.
package struct Table: Sendable {
  package let columns: [Column]
  /// The rows from top to bottom; missing cells are empty, and cells without a column are not shown.
  package var rows: [[Cell]]

  package init(columns: [Column], rows: [[Cell]] = []) {
    self.columns = columns
    self.rows = rows
  }

  /// Makes a table with a row for each item, from columns that say what their cells are.
  package init<Item>(of items: [Item], _ columns: [(Column, (Item) -> Cell)]) {
    self.init(columns: columns.map(\.0), rows: items.map { item in columns.map { $0.1(item) } })
  }

  /// Makes a table without headings.
  package init(rows: [[Cell]]) {
    self.init(columns: Array(repeating: "", count: rows.map(\.count).max() ?? 0), rows: rows)
  }

  /// Adds a row at the bottom.
  package mutating func add(_ row: [Cell]) {
    rows.append(row)
  }

  /// What happens to texts that do not fit.
  package enum Overflow: Sendable {
    /// The last column is cut and ends with `…`; the others are never cut, so that each row is one line.
    case cut
    /// The widest columns are wrapped at blanks. A text with a word too long for that moves below its row,
    /// and so do the last columns if there is still no room. Nothing is cut, and a word is broken only if it
    /// is longer than a line.
    case wrapped
  }

  /// The table as complete lines, without trailing blanks.
  ///
  /// Texts are made printable, so that none can drive the terminal. Without a width, every row is one line
  /// and nothing is cut, so that scripts find all texts in full. The heading is left out if all titles are
  /// empty. A no-break space keeps the words around it on one line, and is shown as a blank.
  package func render(width: Int? = nil, overflow: Overflow = .cut, styles: Bool = false) -> String {
    guard let width, let last = columns.indices.last else { return lines(rows, styles: styles).joined() }
    let rows = Array(printableRows(rows))
    var widths = widths(of: rows)
    if overflow == .cut {
      let used = widths.dropLast().reduce(0) { $0 + $1 + Table.gap }
      widths[last] = min(widths[last], max(max(width, 0) - used, 1))
      let cut = rows.map { row in
        zip(row, widths).map { Cell(truncated($0.text, width: $1), $0.style) }
      }
      return text(cut, widths, styles: styles)
    }
    let room = max(width, 1)
    let least = columns.indices.map { column in
      let words = rows.map { Table.longestWord(of: $0[column].text) }
      let longest = words.filter { column == 0 || $0 <= Table.longWord }.max() ?? 0
      return max(longest, min(widths[column], Table.leastWidth))
    }
    var beside = widths.count
    while beside > 1, Table.sum(least.prefix(beside)) > room { beside -= 1 }
    widths.removeSubrange(beside...)
    Table.narrow(&widths, to: room, least)
    return rows.map { row in
      let isBeside = row.indices.map { column in
        column == 0 || (column < beside && Table.longestWord(of: row[column].text) <= widths[column])
      }
      let cells = zip(row, isBeside).prefix(beside).map { $1 ? $0 : Cell("") }
      let rest = zip(row, isBeside).compactMap { $1 || $0.text.isEmpty ? nil : $0 }
      return text(Table.broken(cells, widths: widths), widths, styles: styles)
        + Table.below(rest, width: room, styles: styles)
    }.joined()
  }

  /// The heading and rows of the same columns as lines of any width, each made when it is asked for: there may
  /// be more of them than memory should hold.
  package func lines(_ rows: some Sequence<[Cell]>, styles: Bool = false) -> some Sequence<String> {
    let shown = printableRows(rows)
    let widths = widths(of: shown)
    return shown.lazy.map { line($0, widths: widths, styles: styles) + "\n" }
  }

  /// The heading and rows with their texts made printable, one cell a column.
  private func printableRows(_ rows: some Sequence<[Cell]>) -> some Sequence<[Cell]> {
    let heading =
      columns.allSatisfy(\.title.isEmpty)
      ? [] : [columns.map { Cell(String($0.title.map { $0 == " " ? "\u{A0}" : $0 }), .bold) }]
    return [AnySequence(heading), AnySequence(rows)].lazy.joined().map { row in
      columns.indices.map { row.indices.contains($0) ? Table.shown(row[$0]) : Cell("") }
    }
  }

  private func widths(of rows: some Sequence<[Cell]>) -> [Int] {
    rows.reduce(into: columns.map { _ in 0 }) { widths, row in
      for (column, cell) in row.enumerated() { widths[column] = max(widths[column], displayWidth(cell.text)) }
    }
  }

  /// How far a wider column is narrowed before others move below their row, and the longest word for which a
  /// column other than the first is kept wide.
  private static let (leastWidth, longWord) = (12, 24)

  /// Narrows the widest columns until the table fits, but none below its longest word; a single column gives
  /// up all it must.
  private static func narrow(_ widths: inout [Int], to width: Int, _ least: [Int]) {
    if widths.count == 1 { widths[0] = min(widths[0], width) }
    while true {
      let excess = sum(widths[...]) - width
      let open = widths.indices.filter { least[$0] < widths[$0] }
      guard excess > 0, let widest = open.max(by: { widths[$0] < widths[$1] }) else { return }
      let next = open.filter { $0 != widest }.map { widths[$0] }.max() ?? 0
      // Narrow it at most to the next widest column, which is then narrowed with it.
      widths[widest] -= max(1, min(excess, widths[widest] - max(next, least[widest])))
    }
  }

  private static func sum(_ widths: ArraySlice<Int>) -> Int { widths.reduce(-gap) { $0 + $1 + gap } }

  private static func longestWord(of text: String) -> Int {
    text.split(separator: " ").map { displayWidth(String($0)) }.max() ?? 0
  }

  private static func broken(_ row: [Cell], widths: [Int]) -> [[Cell]] {
    let cells = zip(row, widths).map { cell, width -> [Cell] in
      guard displayWidth(cell.text) > width else { return [cell] }
      return filled(pieces(of: cell.text, width: width), width: width).map { Cell($0, cell.style) }
    }
    return (0..<(cells.map(\.count).max() ?? 1)).map { line in
      cells.map { line < $0.count ? $0[line] : Cell("") }
    }
  }

  private static func below(_ cells: [Cell], width: Int, styles: Bool) -> String {
    guard let first = cells.first else { return "" }
    // An extra blank separates one text from the next.
    let parts = [first] + cells.dropFirst().map { Cell("\u{A0}" + $0.text, $0.style) }
    return styledParagraph(parts, width: width - 4, styles: styles).map { "    \($0)\n" }.joined()
  }

  private static func pieces(of text: String, width: Int) -> [String] {
    text.split(separator: " ").flatMap { word -> [String] in
      var pieces = [""]
      var used = 0
      for character in word {
        let cells = displayWidth(character)
        if used > 0, used + cells > width {
          pieces.append("")
          used = 0
        }
        pieces[pieces.count - 1].append(character)
        used += cells
      }
      return pieces
    }
  }

  package var withoutNamelessColumns: Table {
    let kept = columns.indices.filter { column in
      !columns[column].title.isEmpty
        || rows.contains { $0.indices.contains(column) && !$0[column].text.isEmpty }
    }
    guard kept.count < columns.count else { return self }
    return Table(
      columns: kept.map { columns[$0] },
      rows: rows.map { row in kept.filter(row.indices.contains).map { row[$0] } })
  }

  package var width: Int {
    render().split(separator: "\n").map { displayWidth(String($0)) }.max() ?? 0
  }

  private static let gap = 2

  private func text(_ lines: [[Cell]], _ widths: [Int], styles: Bool) -> String {
    lines.map { line($0, widths: widths, styles: styles) + "\n" }.joined()
  }

  private func line(_ cells: [Cell], widths: [Int], styles: Bool) -> String {
    var line = ""
    // Padding is written only before a text, so that none is left at the end of a line.
    var padding = 0
    for ((column, cell), width) in zip(zip(columns, cells), widths) {
      let empty = width - displayWidth(cell.text)
      if column.isRight { padding += empty }
      if !cell.text.isEmpty {
        line += blanks(padding) + cell.style.apply(breakable(cell.text), enabled: styles)
        padding = 0
      }
      if !column.isRight { padding += empty }
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

/// Text cut to a number of cells, with `…` in the last cell if something was cut.
///
/// A wide character is never halved, so the text may take one cell less. Text that fits is unchanged; the
/// least width is that of the mark, 1.
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
