import CommandLineKit
import ReleaseModel

/// The releases of several boards in shared columns.
struct ReleaseRows {
  let lines: [[String]]

  /// What a row shows, from the fullest to the barest; the first layout that fits the width is used.
  private enum Layout: CaseIterable, Comparable {
    case full
    /// Moments to come only as durations.
    case short
    /// Without the moment when the release reached its state; the age stays.
    case withoutMoment
    case withoutBuild
    /// The remark on a line of its own.
    case narrow
  }

  init(_ boards: [Board], _ context: PawlContext) {
    let (table, layout) = context.fitting(Layout.allCases) { ReleaseRows.table(boards, $0, context) }
    var rows = context.lines(of: table)[...]
    lines = boards.map { board in
      board.shown.flatMap { release in
        let remark = layout == .narrow ? ReleaseRows.remark(on: release, of: board, context) : nil
        return [rows.popFirst() ?? ""] + (remark.map { [context.line([Cell("    "), $0])] } ?? [])
      }
    }
  }

  private static func table(_ boards: [Board], _ layout: Layout, _ context: PawlContext) -> Table {
    Table(
      rows: boards.flatMap { board in
        board.shown.map { release in
          let remark = remark(on: release, of: board, context, isFull: layout == .full)
          let age = TimeSpan(seconds: board.now.seconds - release.since.seconds)
          let waits =
            [.waiting, .inReview, .approved].contains(release.state) && Snapshot.longReview < age
          let isPast = release.state == .superseded || release.state == .void
          let cells: [Cell?] = [
            Cell("  " + release.version.text, isPast ? .dim : .plain),
            layout < .withoutBuild ? Cell(release.build?.text ?? "–", .dim) : nil,
            Cell(release.state.rawValue, Paint.style(of: release.state)),
            Cell(board.ageText(release.since), waits ? .yellow : .plain),
            layout < .withoutMoment ? Cell(context.text(release.since), .dim) : nil,
            layout == .narrow ? "" : remark ?? "",
          ]
          return cells.compactMap(\.self)
        }
      })
  }

  static func remark(
    on release: Release, of board: Board, _ context: PawlContext, isFull: Bool = false
  ) -> Cell? {
    var words: [String] = []
    var style = Style.plain
    if let left = board.holdLeft(release) {
      let moment = isFull ? release.visibleAt.map { ", at \(context.text($0))" } ?? "" : ""
      // While the app is stopped, clients are not told when the hold ends.
      let told = board.line.app.silence != nil ? "hold ends" : isFull ? "clients are told" : "told"
      words.append("\(told) in \(left.roundedText)\(moment)")
      if let then = board.forced.first(where: { $0.release == release.version }),
        let now = board.forced.first,
        !then.ranges.isEmpty, then.ranges != now.ranges
      {
        words.append("then forces " + then.ranges.map(\.text).joined(separator: ", "))
      }
      style = .blue
    } else if board.lead?.release?.id == release.id {
      words.append("clients go here")
    }
    if let part = board.usage?.usage.part(of: release.version), part.devices > 0 {
      words.append("on \(part.shareText) of devices")
    }
    if release.isMandatory { words.append("mandatory") }
    if let reasons = board.rejections[release.id], !reasons.isEmpty {
      words.append(reasons.joined(separator: "; "))
      style = .yellow
    }
    return words.isEmpty ? nil : Cell(words.joined(separator: ", "), style)
  }
}
