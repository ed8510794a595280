import CommandLineKit
import Ledger
import ReleaseModel

extension BoardPage {
  private static let most = 5

  /// What is in force and what waits for an app, one line per fact, below its releases.
  func facts(of board: Board) -> [String] {
    let slug = board.line.app.slug
    var lines = board.alarmFindings.flatMap { finding in
      context.paragraph(
        BoardPage.words(of: finding), width: context.lineWidth.map { $0 - 2 }, indent: 2
      ).map { "  " + $0 }
    }
    if !board.line.releases.isEmpty {
      let lead = board.lead.map { [Cell("go to \($0.place)"), Cell("  \($0.url)", .dim)] }
      lines.append(
        line("clients", .plain, lead ?? [Cell("no prompts: \(board.whyNowhere)", .yellow)]))
    }
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
    if !board.sources.isEmpty {
      let words = board.sources.map { "\($0.source.rawValue) \($0.last.map(board.ageText) ?? "never")" }
      lines.append(line("heard", .dim, [Cell(words.joined(separator: ", "), .dim)]))
    }
    if let usage = board.usage { lines += devices(usage) }
    if !board.parked.isEmpty {
      // Such as `2 mail.older, 1 mail.unclear`.
      let reasons = Dictionary(grouping: board.parked) { $0.reason ?? "" }.sorted { $0.key < $1.key }
        .map { "\($0.value.count) \($0.key)" }
      lines.append(line("inbox", .yellow, [Cell(reasons.joined(separator: ", "))]))
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

  static func words(of finding: Finding) -> [Cell] {
    let hint = finding.id == "answers.altered" ? "pawl verify" : finding.hint
    return [
      Cell("ALARM", .red), Cell(finding.message + ":"),
      Cell(hint.hasPrefix("pawl ") ? BoardPage.command(hint) : hint),
    ]
  }

  /// How many devices are told what, and which of their versions the ledger lacks.
  private func devices(_ usage: UsageReport) -> [String] {
    let facts = usage.lines.enumerated().map { index, fact in
      let style = index == 0 ? Style.plain : .yellow
      return line(
        index == 0 ? "devices" : "", style, [Cell(CommandText.unbroken(fact.text), style)], isCut: false)
    }
    guard isOfOneApp, let command = usage.importLine else { return facts }
    return facts + [line("", .plain, [Cell(BoardPage.command(command), .dim)], isCut: false)]
  }

  private func redirect(_ redirect: Redirect, _ board: Board) -> String {
    let isActive = redirect.isActive(at: board.now)
    let place = redirect.destination.app ?? redirect.destination.url ?? ""
    var parts = [Cell("\(redirect.range.text) → \(place)")]
    if isActive, let other = redirect.destination.app, board.line.app.silence == nil,
      board.snapshot.lead(at: board.now, by: redirect) == nil
    {
      parts = [Cell("\(redirect.range.text) → \(place),"), Cell(" which \(board.whyNot(other))", .yellow)]
    }
    return line("redirect", isActive ? .plain : .dim, parts + period(redirect, board))
  }

  /// When something starts or stops counting, if that is still to come, or that it is over.
  private func period(_ timed: some Timed, _ board: Board) -> [Cell] {
    func when(_ words: String, _ moment: Timestamp) -> Cell {
      let left = TimeSpan(seconds: moment.seconds - board.now.seconds).roundedText
      return Cell(
        "  \(words) in \(left)" + (context.lineWidth == nil ? ", at \(context.text(moment))" : ""), .blue)
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
    let start =
      "  " + style.apply(label, enabled: context.hasStyles)
      + String(repeating: " ", count: max(2, BoardPage.indent - 2 - label.utf8.count))
    let room = context.lineWidth.map { max($0 - BoardPage.indent, 1) }
    guard isOfOneApp || !isCut else {
      return start + styledLine(parts, width: room, styles: context.hasStyles)
    }
    return start
      + context.paragraph(parts, width: room)
      .joined(separator: "\n" + String(repeating: " ", count: BoardPage.indent))
  }

  private static let indent = 12

  /// The lines of one kind; on a board of several apps only the first few, and where to find the rest.
  private func some<Items: Collection>(
    _ items: Items, _ name: String, _ command: String, _ line: (Items.Element) -> String
  ) -> [String] {
    guard !isOfOneApp, items.count > BoardPage.most else { return items.map(line) }
    let rest = items.count - BoardPage.most + 1
    return items.prefix(BoardPage.most - 1).map(line)
      + [self.line("", .plain, [Cell("and \(rest) more \(name): \(command)", .dim)])]
  }
}
