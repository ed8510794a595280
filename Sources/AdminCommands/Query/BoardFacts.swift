import CommandLineKit
import ReleaseModel

/// What is in force and what waits for an app, a line each below its releases.
struct BoardFacts {
  /// Whether everything is listed, however much it is.
  let isWhole: Bool
  let width: Int?
  let styles: Bool

  /// The most lines of a kind on a board of several apps.
  private static let most = 5

  func lines(of board: Board) -> [String] {
    let slug = board.line.app.slug
    var lines = board.alarms.flatMap { alarm in
      styledParagraph(BoardFacts.words(of: alarm), width: width.map { $0 - 2 }, indent: 2, styles: styles)
        .map { "  " + $0 }
    }
    let waiting = board.parked.filter { !$0.isAlarm }
    if !waiting.isEmpty {
      lines.append(line("inbox", .yellow, [Cell(BoardFacts.reasons(waiting))]))
    }
    // Newest first: of rules that overlap the newest counts.
    lines += some(board.rules.reversed(), "rules", "pawl rules \(slug)") { rule($0, board) }
    lines += some(board.line.redirects, "redirects", "pawl status \(slug)") { redirect in
      line(
        "redirect", .plain,
        [
          Cell("\(redirect.range.text) → \(redirect.destination.text)"), Cell(redirect.windowText, .dim),
        ])
    }
    lines += some(board.line.settings, "settings", "pawl status \(slug)") { setting in
      let phase = setting.phase.map { ", during \($0.rawValue)" } ?? ""
      return line(
        "setting", .plain,
        [
          Cell("\(setting.key) = \(setting.value)"),
          Cell("  \(setting.range.text)\(phase)\(setting.windowText)", .dim),
        ])
    }
    return lines
  }

  /// Why an alarm is one, and what to do; the words stand apart by a blank.
  static func words(of alarm: Evidence) -> [Cell] {
    [
      Cell("ALARM", .red),
      Cell(
        "the store shows \(alarm.app ?? "") \(alarm.version?.text ?? ""), which the ledger does not know:"),
      Cell(BoardFacts.command("pawl inbox show \(alarm.id)")),
    ]
  }

  /// A command that stays on one line of a paragraph.
  static func command(_ text: String) -> String { String(text.map { $0 == " " ? "\u{A0}" : $0 }) }

  /// How many pieces of evidence wait for which reason: `2 mail.older, 1 mail.unclear`.
  private static func reasons(_ waiting: [Evidence]) -> String {
    Dictionary(grouping: waiting) { $0.reason ?? "" }.sorted { $0.key < $1.key }
      .map { "\($0.value.count) \($0.key)" }.joined(separator: ", ")
  }

  private func rule(_ rule: Rule, _ board: Board) -> String {
    let isArmed = rule.isActive(at: board.now)
    let place = rule.destination.map { " → \($0.app ?? $0.url ?? "")" } ?? ""
    var parts = [Cell("\(rule.range.text)\(place)"), Cell("  rule \(rule.number)", .dim)]
    func when(_ words: String, _ moment: Timestamp) {
      let left = TimeSpan(seconds: moment.seconds - board.now.seconds).roundedText
      parts.append(Cell("  \(words) in \(left)" + (width == nil ? ", at \(moment.text)" : ""), .blue))
    }
    if let from = rule.from, board.now < from { when("starts", from) }
    if let until = rule.until { when("ends", until) }
    if let reason = rule.reason { parts.append(Cell("  \(reason)", .dim)) }
    return line(rule.action.rawValue, isArmed ? Paint.style(of: rule.action) : .dim, parts)
  }

  private func line(_ label: String, _ style: Style, _ parts: [Cell]) -> String {
    let gap = String(repeating: " ", count: max(0, 8 - label.utf8.count) + 2)
    return styledLine([Cell("  "), Cell(label, style), Cell(gap)] + parts, width: width, styles: styles)
  }

  /// The lines of one kind; on a board of several apps only the first few, and where the others are.
  private func some<Items: Collection>(
    _ items: Items, _ name: String, _ command: String, _ line: (Items.Element) -> String
  ) -> [String] {
    guard !isWhole, items.count > BoardFacts.most else { return items.map(line) }
    let rest = items.count - BoardFacts.most + 1
    return items.prefix(BoardFacts.most - 1).map(line)
      + [self.line("", .plain, [Cell("and \(rest) more \(name): \(command)", .dim)])]
  }
}
