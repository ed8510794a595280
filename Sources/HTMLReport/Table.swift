/// A table with a caption, in which the first cell of each row names the row.
struct Table {
  /// A column, and how its cells look.
  struct Column: ExpressibleByStringLiteral {
    let title: Markup
    var isNumber = false

    init(stringLiteral title: StaticString) { self.title = Markup(stringLiteral: title) }

    static func number(_ title: Column) -> Column {
      var column = title
      column.isNumber = true
      return column
    }

    fileprivate var style: Markup { isNumber ? " class=\"number\"" : "" }
  }

  private let id: Markup
  private let caption: Markup
  private let columns: [Column]
  /// The rows so far, as HTML: thousands of separate cells would take far more memory.
  private var rows: Markup = ""

  init(_ id: Markup, caption: Markup, _ columns: [Column]) {
    self.id = id
    self.caption = caption
    self.columns = columns
  }

  /// Each cell carries its column's title, which narrow screens, where a row is a card, show beside it.
  mutating func add(_ cells: [Markup], id: Markup? = nil) {
    let id: Markup = id.map { " id=\"\($0)\"" } ?? ""
    let cells = zip(columns, cells).enumerated().map { index, pair -> Markup in
      let (column, cell) = pair
      return index == 0
        ? "<th scope=\"row\" data-label=\"\(column.title)\"\(column.style)>\(cell)</th>"
        : "<td data-label=\"\(column.title)\"\(column.style)>\(cell)</td>"
    }
    rows += "<tr\(id)>\(cells)</tr>\n"
  }

  /// The table in a box that scrolls by itself, with the keyboard too, so that the page need not.
  var markup: Markup {
    let head = columns.map { column -> Markup in "<th scope=\"col\"\(column.style)>\(column.title)</th>" }
    return """
      <div class="scroll" role="region" aria-labelledby="\(id)-caption" tabindex="0">
      <table id="\(id)">
      <caption id="\(id)-caption">\(caption)</caption>
      <thead><tr>\(head)</tr></thead>
      <tbody>
      \(rows)</tbody>
      </table>
      </div>

      """
  }
}
