import CommandLineKit
import ReleaseModel

/// The board in words: what most needs attention first, quiet apps on one line each, and what concerns no app
/// last.
struct BoardPage {
  /// Most urgent first.
  let boards: [Board]
  let inbox: [(evidence: Evidence, alarm: Finding?)]
  /// What concerns the ledger as a whole, such as documents that lag behind or a full inbox.
  let findings: [Finding]
  let moment: String
  /// Whether one app was asked for, which is then shown in full.
  let isOfOneApp: Bool
  /// How many apps are retired, which the board leaves out.
  let retired: Int
  let context: PawlContext

  func text() -> String {
    let busy = boards.filter { isOfOneApp || !$0.isQuiet }
    var parts = busy.map { board in
      [title(board)] + (board.shown.isEmpty ? ["  nothing published yet"] : releases(of: board))
        + facts(of: board)
    }
    parts.append(quiet(boards.filter { !isOfOneApp && $0.isQuiet }))
    parts.append(closing())
    return parts.filter { !$0.isEmpty }.map { $0.map { $0 + "\n" }.joined() }.joined(separator: "\n")
  }

  private func title(_ board: Board) -> String {
    let app = board.line.app
    let count = board.releaseCount
    let facts =
      "  \(app.platform.rawValue), \(app.channel.rawValue), \(count) release\(count == 1 ? "" : "s")"
    let start =
      [Cell(app.slug, .bold)] + (app.silence.map { [Cell("  "), Cell($0.uppercased(), .red)] } ?? [])
    let name = app.name.map { [Cell("  " + $0)] } ?? []
    // The name is worth more than facts that seldom change, which are cut first.
    return styledLine(
      start + name + [Cell(facts, .dim)], width: context.lineWidth, styles: context.hasStyles)
  }

  /// What concerns the ledger as a whole; after a long list, the eye is nearest to the end.
  private func closing() -> [String] {
    var lines: [[Cell]] = []
    if boards.count > 1 { lines.append([Cell(tally(), .dim)]) }
    if retired > 0, !isOfOneApp {
      lines.append([Cell("\(retired) retired:", .dim), Cell(BoardPage.command("pawl app list"))])
    }
    let slugs = Set(boards.map(\.line.app.slug))
    for alarm in inbox.compactMap(\.alarm) where !isOfOneApp && !slugs.contains(alarm.app) {
      lines.append(BoardPage.words(of: alarm))
    }
    for finding in findings {
      let label =
        switch finding.id.prefix(while: { $0 != "." }) {
        case "clock": "clock:"
        case "export": "documents:"
        case "deliver": "messages:"
        case "mirror": "mirrors:"
        default: "evidence:"
        }
      lines.append([
        Cell(label, .yellow), Cell(finding.message + ":"), Cell(BoardPage.command(finding.hint)),
      ])
    }
    if !inbox.isEmpty {
      lines.append([Cell("\(inbox.count) in the inbox:", .yellow), Cell(BoardPage.command("pawl inbox"))])
    }
    lines.append([Cell("as of \(moment)", .dim)])
    return lines.flatMap { context.paragraph($0) }
  }

  private func tally() -> String {
    let groups = Dictionary(grouping: boards, by: \.urgency)
    let parts = Board.Urgency.allCases.compactMap { urgency -> String? in
      guard let group = groups[urgency] else { return nil }
      guard urgency < .held else { return "\(group.count) \(urgency.words)" }
      let names = group.prefix(3).map(\.line.app.slug) + (group.count > 3 ? ["…"] : [])
      return "\(group.count) \(urgency.words) (\(names.joined(separator: ", ")))"
    }
    return "\(boards.count) apps: " + parts.joined(separator: ", ")
  }

  /// The lines of a board's releases, newest first.
  private func releases(of board: Board) -> [String] {
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
  private func quiet(_ boards: [Board]) -> [String] {
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

extension Board.Urgency {
  fileprivate var words: String {
    switch self {
    case .alarm: "with an alarm"
    case .stopped: "stopped"
    case .setBack: "rejected or removed"
    case .inbox: "with evidence in the inbox"
    case .held: "held"
    case .underWay: "under way"
    case .armed: "with rules in force"
    case .quiet: "quiet"
    }
  }
}
