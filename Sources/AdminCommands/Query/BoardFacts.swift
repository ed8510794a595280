import CommandLineKit
import Ledger
import ReleaseModel

/// What is in force and what waits for an app, one line per fact, below its releases.
struct BoardFacts {
  /// Whether everything is listed, however long the list is.
  let isWhole: Bool
  let width: Int?
  let styles: Bool

  /// The most lines of one kind on a board of several apps.
  private static let most = 5

  func lines(of board: Board) -> [String] {
    let slug = board.line.app.slug
    var lines = board.alarmFindings.flatMap { finding in
      styledParagraph(BoardFacts.words(of: finding), width: width.map { $0 - 2 }, indent: 2, styles: styles)
        .map { "  " + $0 }
    }
    if !board.line.releases.isEmpty { lines.append(clients(board)) }
    for release in board.line.releases where release.isVisible(at: board.now) {
      if let moment = board.line.remindsFrom(release), board.now < moment {
        let left = TimeSpan(seconds: moment.seconds - board.now.seconds).roundedText
        lines.append(
          line("phased", .plain, [Cell("the policy reminds of \(release.version.text) in \(left)", .blue)]))
      }
    }
    for finding in board.expiring where finding.weight == .note {
      lines.append(line("expires", .yellow, [Cell(finding.message)]))
    }
    if !board.sources.isEmpty { lines.append(sources(board)) }
    if let usage = board.usage { lines += devices(usage) }
    if !board.parked.isEmpty {
      lines.append(line("inbox", .yellow, [Cell(BoardFacts.reasons(board.parked))]))
    }
    // Newest first: where rules overlap, the newest counts.
    lines += some(board.rules.reversed(), "rules", "pawl rules \(slug)") { rule($0, board) }
    lines += some(board.line.redirects, "redirects", "pawl status \(slug)") { redirect($0, board) }
    lines += some(board.line.settings, "settings", "pawl status \(slug)") { setting in
      let phase = setting.phase.map { ", during \($0.rawValue)" } ?? ""
      return line(
        "setting", setting.isActive(at: board.now) ? .plain : .dim,
        [Cell("\(setting.key) = \(setting.value)"), Cell("  \(setting.range.text)\(phase)", .dim)]
          + period(setting, board))
    }
    return lines
  }

  /// Why a finding is an alarm, and what to do; the texts are separated by blanks.
  static func words(of finding: Finding) -> [Cell] {
    let hint = finding.id == "answers.altered" ? "pawl verify" : finding.hint
    return [
      Cell("ALARM", .red), Cell(finding.message + ":"),
      Cell(hint.hasPrefix("pawl ") ? BoardFacts.command(hint) : hint),
    ]
  }

  /// When each source of evidence was last heard from.
  private func sources(_ board: Board) -> String {
    let words = board.sources.map { word in
      "\(word.source.rawValue) \(word.last.map(board.ageText) ?? "never")"
    }
    return line("heard", .dim, [Cell(words.joined(separator: ", "), .dim)])
  }

  /// Where clients are sent.
  private func clients(_ board: Board) -> String {
    guard let lead = board.lead else {
      return line("clients", .plain, [Cell("are sent nowhere: \(board.whyNowhere)", .yellow)])
    }
    return line(
      "clients", .plain,
      [
        Cell("go to \(lead.place)"),
        Cell("  \(lead.url)", .dim),
      ])
  }

  /// How many devices are told what, and which of their versions the ledger lacks.
  private func devices(_ usage: UsageReport) -> [String] {
    usage.lines.enumerated().map { index, fact in
      line(
        index == 0 ? "devices" : "", index == 0 ? .plain : .yellow,
        [Cell(CommandText.unbroken(fact.text), index == 0 ? .plain : .yellow)], isCut: false)
    }
      + (isWhole
        ? usage.importLine.map { [line("", .plain, [Cell(BoardFacts.command($0), .dim)], isCut: false)] }
          ?? [] : [])
  }

  /// Which versions a redirect applies to, and where it leads now.
  private func redirect(_ redirect: Redirect, _ board: Board) -> String {
    let isActive = redirect.isActive(at: board.now)
    let place = redirect.destination.app ?? redirect.destination.url ?? ""
    var parts = [Cell("\(redirect.range.text) → \(place)")]
    if isActive, let other = redirect.destination.app, board.line.app.silence == nil,
      board.snapshot.lead(at: board.now, by: redirect) == nil
    {
      let why =
        board.snapshot.others[other]?.app.silence.map { "is \($0)" } ?? "has no release to send them to"
      parts.append(Cell(", which \(why)", .yellow))
    }
    return line("redirect", isActive ? .plain : .dim, parts + period(redirect, board))
  }

  /// When something starts or stops counting, if that is still to come, or that it is over.
  private func period(_ timed: some Timed, _ board: Board) -> [Cell] {
    func when(_ words: String, _ moment: Timestamp) -> Cell {
      let left = TimeSpan(seconds: moment.seconds - board.now.seconds).roundedText
      return Cell("  \(words) in \(left)" + (width == nil ? ", at \(moment.text)" : ""), .blue)
    }
    var parts: [Cell] = []
    if let from = timed.from, board.now < from { parts.append(when("starts", from)) }
    if let until = timed.until {
      parts.append(board.now < until ? when("ends", until) : Cell("  is over", .dim))
    }
    return parts
  }

  /// A command that stays on one line of a paragraph.
  static func command(_ text: String) -> String { String(text.map { $0 == " " ? "\u{A0}" : $0 }) }

  /// How many pieces of evidence wait, by reason: `2 mail.older, 1 mail.unclear`.
  private static func reasons(_ waiting: [Evidence]) -> String {
    Dictionary(grouping: waiting) { $0.reason ?? "" }.sorted { $0.key < $1.key }
      .map { "\($0.value.count) \($0.key)" }.joined(separator: ", ")
  }

  private func rule(_ rule: Rule, _ board: Board) -> String {
    let overriding = rule.isActive(at: board.now) ? board.overridden[rule.number] : nil
    let isArmed = rule.isActive(at: board.now) && overriding == nil
    let place = rule.destination.map { " → \($0.app ?? $0.url ?? "")" } ?? ""
    var parts = [Cell("\(rule.range.text)\(place)"), Cell("  rule \(rule.number)", .dim)]
    parts += period(rule, board)
    if let overriding { parts.append(Cell("  \(overriding.text)", .blue)) }
    if let reason = rule.reason { parts.append(Cell("  \(reason)", .dim)) }
    return line(rule.action.rawValue, isArmed ? Paint.style(of: rule.action) : .dim, parts)
  }

  /// A fact after its label; on a board of several apps cut to one line, unless `isCut` is false, and in full
  /// on a board of one app.
  private func line(_ label: String, _ style: Style, _ parts: [Cell], isCut: Bool = true) -> String {
    let start = [
      Cell("  "), Cell(label, style), Cell(String(repeating: " ", count: max(0, 8 - label.utf8.count) + 2)),
    ]
    let whole = styledLine(parts, styles: false)
    guard let width, !(isCut && !isWhole), width < BoardFacts.indent + displayWidth(whole) else {
      return styledLine(start + parts, width: width, styles: styles)
    }
    let lines = styledParagraph(parts, width: max(width - BoardFacts.indent, 1), styles: styles)
    return styledLine(start, styles: styles)
      + lines.joined(separator: "\n" + String(repeating: " ", count: BoardFacts.indent))
  }

  /// The width of what precedes a fact.
  private static let indent = 12

  /// The lines of one kind; on a board of several apps only the first few, and where to find the rest.
  private func some<Items: Collection>(
    _ items: Items, _ name: String, _ command: String, _ line: (Items.Element) -> String
  ) -> [String] {
    guard !isWhole, items.count > BoardFacts.most else { return items.map(line) }
    let rest = items.count - BoardFacts.most + 1
    return items.prefix(BoardFacts.most - 1).map(line)
      + [self.line("", .plain, [Cell("and \(rest) more \(name): \(command)", .dim)])]
  }
}
