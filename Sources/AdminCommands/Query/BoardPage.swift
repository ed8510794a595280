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
  /// The moment and the event that the board shows.
  let moment: String
  let isPast: Bool
  /// Whether one app was asked for, which is then shown in full.
  let isOfOneApp: Bool
  /// The width of a line in cells; nil if nothing is cut.
  let width: Int?
  let styles: Bool

  init(
    _ boards: [Board], inbox: [(evidence: Evidence, alarm: Finding?)], findings: [Finding], moment: String,
    isPast: Bool,
    isOfOneApp: Bool, width: Int?, styles: Bool
  ) {
    self.boards = boards.sorted { ($0.urgency, $0.line.app.slug) < ($1.urgency, $1.line.app.slug) }
    self.inbox = inbox
    self.findings = findings
    self.moment = moment
    self.isPast = isPast
    self.isOfOneApp = isOfOneApp
    self.width = width
    self.styles = styles
  }

  /// The page as whole lines.
  func text(_ context: PawlContext) -> String {
    if context.isMarkdown { return tables(context) }
    let busy = boards.filter { isOfOneApp || !$0.isQuiet }
    let rows = ReleaseRows(busy, width: width, styles: styles)
    let facts = BoardFacts(isWhole: isOfOneApp, width: width, styles: styles)
    var parts = zip(busy, rows.lines).map { board, lines in
      [title(board)] + (lines.isEmpty ? ["  nothing published yet"] : lines) + facts.lines(of: board)
    }
    let quiet = QuietApps(boards.filter { !isOfOneApp && $0.isQuiet }, width: width, styles: styles)
    if !quiet.lines.isEmpty { parts.append(quiet.lines) }
    if isPast {
      parts.insert(
        styledParagraph([Cell("as of \(moment)", .yellow)], width: width, indent: 2, styles: styles), at: 0)
    }
    parts.append(closing())
    return parts.filter { !$0.isEmpty }.map { $0.map { $0 + "\n" }.joined() }.joined(separator: "\n")
  }

  /// The page as tables; quiet apps are listed like all others.
  private func tables(_ context: PawlContext) -> String {
    var releases = Table(columns: ["APP", "VERSION", "BUILD", "STATE", "SINCE", ""])
    var facts = Table(columns: ["APP", "IN FORCE, OR WAITING"])
    let writer = BoardFacts(isWhole: isOfOneApp, width: nil, styles: false)
    for board in boards {
      let slug = board.line.app.slug
      for release in board.shown {
        releases.add([
          Cell(slug), Cell(release.version.text), Cell(release.build?.text ?? "–"),
          Cell(release.state.rawValue),
          Cell(release.since.text),
          ReleaseRows.remark(on: release, of: board, isFull: true, isExact: true) ?? "",
        ])
      }
      if board.shown.isEmpty { releases.add([Cell(slug), Cell("–"), Cell("–"), Cell("none yet")]) }
      if board.line.app.isStopped { facts.add([Cell(slug), Cell("STOPPED")]) }
      for line in writer.lines(of: board) { facts.add([Cell(slug), Cell(line)]) }
    }
    return [
      isPast ? "as of \(moment)\n" : "", context.rendered(releases),
      facts.rows.isEmpty ? "" : context.rendered(facts), closing().map { $0 + "\n" }.joined(),
    ].filter { !$0.isEmpty }.joined(separator: "\n")
  }

  private func title(_ board: Board) -> String {
    let app = board.line.app
    let count = board.line.releases.count
    let facts =
      "  \(app.platform.rawValue), \(app.channel.rawValue), \(count) release\(count == 1 ? "" : "s")"
    let start =
      [Cell(app.slug, .bold)] + (app.silence.map { [Cell("  "), Cell($0.uppercased(), .red)] } ?? [])
    let name = app.name.map { [Cell("  " + $0)] } ?? []
    let whole = styledLine(start + name + [Cell(facts, .dim)], styles: false)
    // The name is worth more than facts that seldom change.
    let isWhole = width.map { displayWidth(whole) <= $0 } ?? true
    return styledLine(start + name + (isWhole ? [Cell(facts, .dim)] : []), width: width, styles: styles)
  }

  /// What concerns the ledger as a whole; after a long list, the eye is nearest to the end.
  private func closing() -> [String] {
    var lines: [[Cell]] = []
    if boards.count > 1 { lines.append([Cell(tally(), .dim)]) }
    let slugs = Set(boards.map(\.line.app.slug))
    for alarm in inbox.compactMap(\.alarm) where !isOfOneApp && !slugs.contains(alarm.app) {
      lines.append(BoardFacts.words(of: alarm))
    }
    for finding in findings {
      let label =
        switch finding.id.prefix(while: { $0 != "." }) {
        case "export": "documents:"
        case "deliver": "messages:"
        case "mirror": "mirrors:"
        default: "evidence:"
        }
      lines.append([
        Cell(label, .yellow), Cell(finding.message + ":"), Cell(BoardFacts.command(finding.hint)),
      ])
    }
    if !inbox.isEmpty {
      lines.append([Cell("\(inbox.count) in the inbox:", .yellow), Cell(BoardFacts.command("pawl inbox"))])
    }
    if !isPast { lines.append([Cell("as of \(moment)", .dim)]) }
    return lines.flatMap { styledParagraph($0, width: width, indent: 2, styles: styles) }
  }

  /// How many apps have each urgency, naming those with the less urgent ones.
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
}

extension Board.Urgency {
  /// The words for apps of this urgency.
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

/// Compares by urgency, then by name.
private func < (left: (Board.Urgency, String), right: (Board.Urgency, String)) -> Bool {
  left.0 == right.0 ? left.1 < right.1 : left.0 < right.0
}
