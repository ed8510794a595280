import CommandLineKit
import ReleaseModel

/// The releases of several boards in shared columns.
struct ReleaseRows {
  /// The lines of each board, in the boards' order.
  let lines: [[String]]

  /// What a row shows, from the fullest to the barest; the first layout that fits the width is used.
  private enum Layout: CaseIterable {
    /// Everything.
    case full
    /// Moments to come only as durations.
    case short
    /// Without the moment when the release reached its state; the age stays.
    case withoutMoment
    /// Without the build.
    case withoutBuild
    /// The remark on a line of its own.
    case narrow
  }

  init(_ boards: [Board], width: Int?, styles: Bool) {
    var layouts = Layout.allCases[...]
    var (table, remarks) = ReleaseRows.table(boards, .full, isExact: width == nil)
    while let layout = layouts.popFirst() {
      (table, remarks) = ReleaseRows.table(boards, layout, isExact: width == nil)
      guard let width else { break }
      if table.width <= width { break }
    }
    var rendered = table.render(width: width, styles: styles).split(separator: "\n").map(String.init)[...]
    lines = zip(boards, remarks).map { board, remarks in
      zip(board.shown, remarks).flatMap { _, remark in
        [rendered.popFirst() ?? ""]
          + (remark.map { [styledLine([Cell("    "), $0], width: width, styles: styles)] } ?? [])
      }
    }
  }

  /// One row per release, and the remarks that go below the rows.
  private static func table(
    _ boards: [Board], _ layout: Layout, isExact: Bool
  ) -> (Table, [[Cell?]]) {
    let hasBuild = layout != .withoutBuild && layout != .narrow
    let hasMoment = layout == .full || layout == .short
    let columns = 4 + (hasBuild ? 1 : 0) + (hasMoment ? 1 : 0)
    var table = Table(columns: Array(repeating: "", count: columns))
    var remarks: [[Cell?]] = []
    for board in boards {
      var below: [Cell?] = []
      for release in board.shown {
        let remark = remark(on: release, of: board, isFull: layout == .full, isExact: isExact)
        var row = [Cell("  " + release.version.text, release.state.isPast ? .dim : .plain)]
        if hasBuild { row.append(Cell(release.build?.text ?? "–", .dim)) }
        row.append(Cell(release.state.rawValue, Paint.style(of: release.state)))
        row.append(age(of: release, board))
        if hasMoment {
          row.append(Cell(Board.text(release.since, isExact: isExact), .dim))
        }
        row.append(layout == .narrow ? Cell("") : remark ?? Cell(""))
        table.add(row)
        below.append(layout == .narrow ? remark : nil)
      }
      remarks.append(below)
    }
    return (table, remarks)
  }

  private static func age(of release: Release, _ board: Board) -> Cell {
    let age = board.age(release.since)
    let waits = [.waiting, .inReview, .approved].contains(release.state) && Snapshot.longReview < age
    return Cell(board.ageText(release.since), waits ? .yellow : .plain)
  }

  /// What there is to say about a release besides its state; nil if there is nothing.
  static func remark(on release: Release, of board: Board, isFull: Bool, isExact: Bool) -> Cell? {
    var words: [String] = []
    var style = Style.plain
    if let left = board.holdLeft(release) {
      let moment = isFull ? release.visibleAt.map { ", at \(Board.text($0, isExact: isExact))" } ?? "" : ""
      // While the app is stopped, clients are not told when the hold ends.
      let told = board.line.app.silence != nil ? "hold ends" : isFull ? "clients are told" : "told"
      words.append("\(told) in \(left.roundedText)\(moment)")
      style = .blue
    } else if board.leads(to: release) {
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

extension ReleaseState {
  /// Whether a release in this state is over.
  fileprivate var isPast: Bool { self == .superseded || self == .void }
}
