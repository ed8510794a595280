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

  package init(_ text: String, _ style: Style = .plain) { (self.text, self.style) = (text, style) }

  package init(stringLiteral text: String) { self.init(text) }
}

/// Texts arranged in aligned columns.
package struct Table: Sendable {
  package private(set) var columns: [Column]
  /// The rows from top to bottom; missing cells are empty, and cells without a column are not shown.
  package var rows: [[Cell]]
  /// Complete lines above some rows, by the row; those above the first row stand above the heading.
  package var above: [Int: String] = [:]

  package init(columns: [Column], rows: [[Cell]] = []) { (self.columns, self.rows) = (columns, rows) }

  /// Makes a table with a row for each item, from columns that say what their cells are.
  package init<Item>(of items: [Item], _ columns: [(Column, (Item) -> Cell)]) {
    self.init(columns: columns.map(\.0), rows: items.map { item in columns.map { $0.1(item) } })
  }

  /// Makes a table without headings.
  package init(rows: [[Cell]]) {
    self.init(columns: Array(repeating: "", count: rows.map(\.count).max() ?? 0), rows: rows)
  }

  /// The table as complete lines, without trailing blanks.
  ///
  /// Texts are made printable, so that none can drive the terminal. The heading is left out if all titles are empty. A
  /// no-break space keeps the words around it on one line, and is shown as a blank. Without a width, every row is one
  /// line and nothing is cut, so that scripts find all texts in full. With one, the widest columns are wrapped at blanks,
  /// but no title is. What has no room
  /// in its column, and the last columns if they do not fit, stand below their row, each after its title; the first
  /// two columns always have room, and a word is never broken.
  package func render(width: Int? = nil, styles: Bool = false) -> String {
    let rows = printableRows
    let headings = rows.count - self.rows.count
    var widths = widths(of: rows)
    guard let room = width.map({ max($0, 1) }), let end = columns.indices.last else {
      return rows.enumerated().map { index, row in
        before(index, headings) + line(row, widths: widths, styles: styles) + "\n"
      }.joined()
    }
    func words(_ text: String) -> [Int] { text.split(separator: " ").map { displayWidth(String($0)) } }
    let least = columns.indices.map { column in
      let longest = rows.flatMap { words($0[column].text) }.filter { $0 <= Table.longWord }.max() ?? 0
      return min(widths[column], max(displayWidth(columns[column].title), longest, Table.leastWidth))
    }
    let last = columns.indices.last { $0 < 2 || Table.sum(least[...$0]) <= room } ?? end
    widths.removeSubrange((last + 1)...)
    Table.narrow(&widths, to: room, least)
    let below = rows.map { row in
      columns.indices.filter { $0 > last || $0 < last && widths[$0] < words(row[$0].text).max() ?? 0 }
    }
    let wrapped = zip(rows, below).map { row, below -> [[Cell]] in
      let cells = widths.indices.map { column in
        below.contains(column)
          ? [] : filled([Cell(row[column].text)], width: widths[column]).map { Cell($0, row[column].style) }
      }
      return (0..<(cells.map(\.count).max() ?? 1)).map { index in
        cells.map { index < $0.count ? $0[index] : Cell("") }
      }
    }
    widths = self.widths(of: wrapped.joined())
    return rows.indices.map { index in
      let row = rows[index]
      let rest = below[index].filter { headings <= index && !["", "–"].contains(row[$0].text) }
        .flatMap { [Cell("  " + columns[$0].title, .bold), row[$0]] }
      let texts = rest.isEmpty ? [] : filled(rest, width: max(room - 2, 1), indent: 2, styles: styles)
      return before(index, headings)
        + wrapped[index].map { line($0, widths: widths, styles: styles) + "\n" }.joined()
        + texts.map { "  \($0)\n" }.joined()
    }.joined()
  }

  /// What stands above a line, which is a heading or a row.
  private func before(_ index: Int, _ headings: Int) -> String {
    (index == 0 || index > headings ? above[max(0, index - headings)] : nil) ?? ""
  }

  /// The heading and rows with their texts made printable, one cell a column.
  private var printableRows: [[Cell]] {
    let heading =
      columns.allSatisfy(\.title.isEmpty)
      ? [] : [columns.map { Cell(String($0.title.map { $0 == " " ? "\u{A0}" : $0 }), .bold) }]
    return (heading + rows).map { row in
      columns.indices.map { row.indices.contains($0) ? Table.shown(row[$0]) : Cell("") }
    }
  }

  private func widths(of rows: some Sequence<[Cell]>) -> [Int] {
    rows.reduce(into: columns.map { _ in 0 }) { widths, row in
      for (column, cell) in row.enumerated() { widths[column] = max(widths[column], displayWidth(cell.text)) }
    }
  }

  /// How far a column is narrowed at most, and the longest word that is always kept whole.
  private static let (leastWidth, longWord) = (12, 24)

  /// Narrows the widest columns until the table fits, but none below its least width.
  private static func narrow(_ widths: inout [Int], to width: Int, _ least: [Int]) {
    while sum(widths[...]) > width,
      let widest = widths.indices.filter({ least[$0] < widths[$0] }).max(by: { widths[$0] < widths[$1] })
    {
      widths[widest] -= 1
    }
  }

  private static func sum(_ widths: ArraySlice<Int>) -> Int { widths.reduce(-gap) { $0 + $1 + gap } }

  package var withoutNamelessColumns: Table {
    columns { column in
      !columns[column].title.isEmpty
        || rows.contains { $0.indices.contains(column) && !$0[column].text.isEmpty }
    }
  }

  /// The table with those of its columns that are asked for by their place.
  package func columns(where isKept: (Int) -> Bool) -> Table {
    let kept = columns.indices.filter(isKept)
    guard kept.count < columns.count else { return self }
    var table = self
    table.columns = kept.map { columns[$0] }
    table.rows = rows.map { row in kept.filter(row.indices.contains).map { row[$0] } }
    return table
  }

  package var width: Int { Table.sum(widths(of: printableRows)[...]) }

  private static let gap = 2

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
