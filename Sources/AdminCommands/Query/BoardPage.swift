import CommandLineKit
import Ledger
import ReleaseModel

/// The board in words: what most needs attention first, and what concerns no app last.
struct BoardPage {
  /// Most urgent first.
  let boards: [Board]
  /// Alarms about apps that have no board.
  let alarms: [Finding]
  /// What concerns the ledger as a whole, such as documents that lag behind.
  let findings: [Finding]
  /// How much evidence waits, and how many apps are retired, which the board leaves out.
  let inbox, retired: Int
  let moment: String
  let context: PawlContext

  func text() -> String { (boards.map(section) + [closing()]).joined(separator: "\n") }

  private func section(_ board: Board) -> String {
    title(board) + (board.shown.isEmpty ? "  nothing published yet\n" : releases(of: board))
      + board.alarmFindings.map { "  " + alarm($0) }.joined()
      + context.rendered(Table(rows: board.facts(context)))
  }

  private func styled(_ text: String, _ style: Style) -> String {
    style.apply(printable(text), enabled: context.hasStyles)
  }

  private func title(_ board: Board) -> String {
    let (app, count) = (board.line.app, board.releaseCount)
    let parts = [
      styled(app.slug, .bold), app.silence.map { styled($0.uppercased(), .red) },
      app.name.map { printable($0) },
      styled(
        "\(app.platform.rawValue), \(app.channel.rawValue), \(count) release\(count == 1 ? "" : "s")", .dim),
    ]
    return parts.compactMap(\.self).joined(separator: "  ") + "\n"
  }

  private func alarm(_ finding: Finding) -> String {
    let hint = finding.id == "answers.altered" ? "pawl verify" : finding.hint
    return "\(styled("ALARM", .red)) \(printable("\(finding.message): \(hint)"))\n"
  }

  /// What concerns the ledger as a whole; after a long list, the eye is nearest to the end.
  private func closing() -> String {
    (retired > 0 ? styled("\(retired) retired:", .dim) + " pawl app list\n" : "")
      + alarms.map(alarm).joined()
      + findings.map { styled("\($0.message):", .yellow) + " \(printable($0.hint))\n" }.joined()
      + (inbox > 0 ? styled("\(inbox) in the inbox:", .yellow) + " pawl inbox\n" : "")
      + styled("as of \(moment)", .dim) + "\n"
  }

  /// The board's releases, newest first.
  private func releases(of board: Board) -> String {
    context.rendered(
      Table(
        of: board.shown,
        [
          ("", { Cell("  " + $0.version.text, [.superseded, .void].contains($0.state) ? .dim : .plain) }),
          ("", { Cell($0.build?.text ?? "–", .dim) }),
          ("", { Cell($0.state.rawValue, Paint.style(of: $0.state)) }),
          ("", { Cell(board.ageText($0.since), $0.waitsLong(at: board.now) ? .yellow : .plain) }),
          ("", { Cell(context.text($0.since), .dim) }),
          ("", { remark(on: $0, of: board) }),
        ]))
  }

  private func remark(on release: Release, of board: Board) -> Cell {
    var words: [String] = []
    var style = Style.plain
    if release.isHeld(at: board.now), let visibleAt = release.visibleAt {
      let toldAt = board.toldAt(release)
      if toldAt != visibleAt { words.append("hold ends " + board.time(to: visibleAt, context)) }
      words.append(toldAt.map { "told " + board.time(to: $0, context) } ?? "no one is told")
      if release.isHeldOn { words.append("later, since the store still shows less") }
      if let then = board.forced.first(where: { $0.release == release.version }),
        let now = board.forced.first, !then.ranges.isEmpty, then.ranges != now.ranges
      {
        words.append("then forces " + then.ranges.map(\.text).joined(separator: ", "))
      }
      style = .blue
    } else if board.ownTarget?.id == release.id {
      words.append("target")
    }
    if let part = board.usage?.usage.part(of: .exactly(release.version)), part.devices > 0 {
      words.append("\(part.shareText) of devices")
    }
    if release.isMandatory { words.append("mandatory") }
    if let reasons = board.rejections[release.id], !reasons.isEmpty {
      words.append(reasons.joined(separator: "; "))
      style = .yellow
    }
    return Cell(words.joined(separator: ", "), style)
  }
}

extension Board {
  /// What is in force and what waits, each as a label with its words.
  func facts(_ context: PawlContext) -> [[Cell]] {
    var facts: [[Cell]] = []
    func add(_ label: String, _ text: String, _ style: Style = .plain) {
      facts.append([Cell("  " + label, style), Cell(text)])
    }
    if let destination {
      add("clients", "go to \(destination)  \(lead?.url ?? "")")
    } else if !line.releases.isEmpty {
      add("clients", "no prompts: \(whyNowhere)", .yellow)
    }
    for release in line.releases where release.isVisible(at: now) {
      guard let moment = line.remindsFrom(release), now < moment else { continue }
      add("phased", "the policy reminds of \(release.version.text) \(time(to: moment, context))", .blue)
    }
    if let finding = snapshot.phaseFinding { add("phased", finding.message) }
    for finding in expiring where !finding.acts { add("expires", finding.message, .yellow) }
    if !sources.isEmpty {
      let words = sources.map { "\($0.source.rawValue) \($0.last.map(ageText) ?? "never")" }
      add("heard", words.joined(separator: ", "), .dim)
    }
    for (index, fact) in (usage?.counted ?? []).enumerated() {
      add(index == 0 ? "devices" : "", fact, index == 0 ? .plain : .yellow)
    }
    if !parked.isEmpty {
      // Such as `2 mail.older, 1 mail.unclear`.
      let reasons = Dictionary(grouping: parked) { $0.reason ?? "" }.sorted { $0.key < $1.key }
      add("inbox", reasons.map { "\($0.value.count) \($0.key)" }.joined(separator: ", "), .yellow)
    }
    let overridden = line.overridden(at: now)
    // Newest first: where rules overlap, the newest counts.
    for rule in rules.reversed() {
      let overriding = rule.isActive(at: now) ? overridden[rule.number] : nil
      let isArmed = rule.isActive(at: now) && overriding == nil
      let place = rule.destination.map { " → \($0.text)" } ?? ""
      let parts = ["\(rule.range.text)\(place)", "rule \(rule.number)"] + period(rule, context)
      add(
        rule.action.rawValue,
        (parts + [overriding?.text, rule.reason].compactMap(\.self)).joined(separator: "  "),
        isArmed ? Paint.style(of: rule.action) : .dim)
    }
    for redirect in line.redirects {
      let isActive = redirect.isActive(at: now)
      var place = "\(redirect.range.text) → \(redirect.destination.text)"
      if isActive, let other = redirect.destination.app, line.app.silence == nil,
        snapshot.lead(at: now, by: redirect) == nil
      {
        place += ", which \(whyNot(other))"
      }
      add(
        "redirect", ([place] + period(redirect, context)).joined(separator: "  "), isActive ? .plain : .dim)
    }
    for setting in line.settings {
      let phase = setting.phase.map { ", during \($0.rawValue)" } ?? ""
      let parts =
        ["\(setting.key) = \(setting.value)", setting.range.text + phase] + period(setting, context)
      add("setting", parts.joined(separator: "  "), setting.isActive(at: now) ? .plain : .dim)
    }
    return facts
  }

  /// How far ahead a moment is, such as `in 19h`, and in full width also the moment.
  func time(to moment: Timestamp, _ context: PawlContext) -> String {
    "in \(TimeSpan(seconds: moment.seconds - now.seconds).roundedText)"
      + (context.lineWidth == nil ? ", at \(context.text(moment))" : "")
  }

  /// When something starts or stops counting, if that is still to come, or that it is over.
  private func period(_ timed: some Timed, _ context: PawlContext) -> [String] {
    [
      timed.from.flatMap { now < $0 ? "starts \(time(to: $0, context))" : nil },
      timed.until.map { now < $0 ? "ends \(time(to: $0, context))" : "is over" },
    ].compactMap(\.self)
  }
}
