import CommandLineKit
import ReleaseModel

extension BoardPage {
  /// The lines of a board's releases, newest first.
  func releases(of board: Board) -> [String] {
    let table = Table(
      of: board.shown,
      [
        ("", { Cell("  " + $0.version.text, [.superseded, .void].contains($0.state) ? .dim : .plain) }),
        ("", { Cell($0.build?.text ?? "–", .dim) }),
        ("", { Cell($0.state.rawValue, Paint.style(of: $0.state)) }),
        ("", { Cell(board.ageText($0.since), board.waits($0) ? .yellow : .plain) }),
        ("", { Cell(context.text($0.since), .dim) }),
        ("", { remark(on: $0, of: board) }),
      ])
    return context.rendered(table).split(separator: "\n").map(String.init)
  }

  /// The apps with nothing to report but their live release, one line each.
  func quiet(_ boards: [Board]) -> [String] {
    let isWhole = context.lineWidth == nil
    let table = Table(
      rows: boards.map { board in
        let (app, newest, former) = (
          board.line.app, board.releases.first, board.releases.dropFirst().first
        )
        return [
          Cell(app.slug, .bold), Cell(truncated(printable(app.name ?? ""), width: isWhole ? .max : 20)),
          newest.map { Cell($0.version.text) } ?? Cell("–", .dim),
          newest.map { Cell($0.state.rawValue, Paint.style(of: $0.state)) } ?? Cell("none yet", .dim),
          Cell(newest.map { board.ageText($0.since) } ?? ""),
          Cell(isWhole ? newest.map { context.text($0.since) } ?? "" : "", .dim),
          Cell(former.map { "after \($0.version.text)" } ?? "", .dim),
        ]
      })
    return context.rendered(table).split(separator: "\n").map(String.init)
  }

  private func remark(on release: Release, of board: Board) -> Cell {
    let isFull = context.lineWidth == nil
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
    return Cell(words.joined(separator: ", "), style)
  }
}
