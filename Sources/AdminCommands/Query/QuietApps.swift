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
    var slug = Int.max
  }

  /// From the fullest to the barest; the first that fits the width is used.
  private static let layouts = [
    Layout(name: 32, hasMoment: true, hasFormer: true), Layout(name: 20, hasMoment: true, hasFormer: true),
    Layout(name: 20, hasMoment: true), Layout(name: 32, hasFormer: true), Layout(name: 20, hasFormer: true),
    Layout(name: 20), Layout(name: 12), Layout(),
  ]

  init(_ boards: [Board], _ context: PawlContext) {
    let whole = Layout(name: .max, hasMoment: true, hasFormer: true)
    let layouts = context.lineWidth == nil ? [whole] : QuietApps.layouts
    var (table, _) = context.fitting(layouts) { QuietApps.table(boards, $0, context) }
    if let width = context.lineWidth, width < table.width {
      let longest = boards.map(\.line.app.slug.utf8.count).max() ?? 0
      let slug = max(longest - (table.width - width), 8)
      table = QuietApps.table(boards, Layout(slug: slug), context)
    }
    lines = context.lines(of: table)
  }

  private static func table(_ boards: [Board], _ layout: Layout, _ context: PawlContext) -> Table {
    Table(
      rows: boards.map { board in
        let app = board.line.app
        let newest = board.releases.first
        let former = board.releases.dropFirst().first
        let cells: [Cell?] = [
          Cell(truncated(app.slug, width: layout.slug), .bold),
          layout.name > 0 ? Cell(truncated(printable(app.name ?? ""), width: layout.name)) : nil,
          newest.map { Cell($0.version.text) } ?? Cell("–", .dim),
          newest.map { Cell($0.state.rawValue, Paint.style(of: $0.state)) } ?? Cell("none yet", .dim),
          newest.map { Cell(board.ageText($0.since)) } ?? "",
          layout.hasMoment ? newest.map { Cell(context.text($0.since), .dim) } ?? "" : nil,
          layout.hasFormer ? former.map { Cell("after \($0.version.text)", .dim) } ?? "" : nil,
        ]
        return cells.compactMap(\.self)
      })
  }
}
