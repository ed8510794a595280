import CommandLineKit
import ReleaseModel

/// Apps with nothing to report but their live release, one line each.
struct QuietApps {
  let lines: [String]

  /// What a line shows besides slug, version, state and age: the most cells of the name, and further columns.
  private struct Layout {
    var name = 0
    var hasMoment = false
    var hasFormer = false
    /// The most cells of the slug; nil if it is not cut.
    var slug: Int?
  }

  /// From the fullest to the barest; the first that fits the width is used.
  private static let layouts = [
    Layout(name: 32, hasMoment: true, hasFormer: true), Layout(name: 20, hasMoment: true, hasFormer: true),
    Layout(name: 20, hasMoment: true), Layout(name: 32, hasFormer: true), Layout(name: 20, hasFormer: true),
    Layout(name: 20), Layout(name: 12), Layout(),
  ]

  init(_ boards: [Board], width: Int?, styles: Bool) {
    guard !boards.isEmpty else {
      lines = []
      return
    }
    var table = QuietApps.table(
      boards, Layout(name: .max, hasMoment: true, hasFormer: true), isExact: width == nil)
    if let width {
      for layout in QuietApps.layouts {
        table = QuietApps.table(boards, layout, isExact: false)
        if table.width <= width { break }
      }
      let excess = table.width - width
      if excess > 0 {
        let longest = boards.map(\.line.app.slug.utf8.count).max() ?? 0
        table = QuietApps.table(boards, Layout(slug: max(longest - excess, 8)), isExact: false)
      }
    }
    lines = table.render(width: width, styles: styles).split(separator: "\n").map(String.init)
  }

  private static func table(_ boards: [Board], _ layout: Layout, isExact: Bool) -> Table {
    let columns = 4 + (layout.name > 0 ? 1 : 0) + (layout.hasMoment ? 1 : 0) + (layout.hasFormer ? 1 : 0)
    var table = Table(columns: Array(repeating: "", count: columns))
    for board in boards {
      let app = board.line.app
      var row = [Cell(layout.slug.map { truncated(app.slug, width: $0) } ?? app.slug, .bold)]
      if layout.name > 0 { row.append(Cell(truncated(printable(app.name ?? ""), width: layout.name))) }
      if let newest = board.releases.first {
        row += [Cell(newest.version.text), Cell(newest.state.rawValue, Paint.style(of: newest.state))]
        row.append(Cell(board.ageText(newest.since)))
        if layout.hasMoment {
          row.append(Cell(Board.text(newest.since, isExact: isExact), .dim))
        }
        let former = board.releases.dropFirst().first
        if layout.hasFormer { row.append(Cell(former.map { "after \($0.version.text)" } ?? "", .dim)) }
      } else {
        row += [Cell("–", .dim), Cell("none yet", .dim)]
      }
      table.add(row)
    }
    return table
  }
}
