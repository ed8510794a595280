import CommandLineKit
import Ledger
import ReleaseModel

extension Board {
  /// The app in words: its releases, its alarms, and what is in force.
  func text(_ context: PawlContext) -> String {
    let (app, count) = (line.app, releaseCount)
    let title = [
      context.styled(app.slug, .bold), app.silence.map { context.styled($0.uppercased(), .red) },
      app.name.map { printable($0) },
      context.styled(
        "\(app.platform.rawValue), \(app.channel.rawValue), \(count) release\(count == 1 ? "" : "s")", .dim),
    ].compactMap(\.self).joined(separator: "  ")
    return title + "\n" + (shown.isEmpty ? "  nothing published yet\n" : releaseTable(context))
      + alarmFindings.map { "  " + context.alarm($0) }.joined()
      + context.rendered(Table(rows: facts(context)))
  }

  /// The board's releases, newest first.
  private func releaseTable(_ context: PawlContext) -> String {
    context.rendered(
      Table(
        of: shown,
        [
          ("", { Cell("  " + $0.version.text, [.superseded, .void].contains($0.state) ? .dim : .plain) }),
          ("", { Cell($0.build?.text ?? "–", .dim) }),
          ("", { Cell($0.state.rawValue, Paint.style(of: $0.state)) }),
          ("", { Cell(ageText($0.since), $0.waitsLong(at: now) ? .yellow : .plain) }),
          ("", { Cell(context.text($0.since), .dim) }),
          ("", { remark(on: $0, context) }),
        ]))
  }

  private func remark(on release: Release, _ context: PawlContext) -> Cell {
    var words: [String] = []
    var style = Style.plain
    if release.isHeld(at: now), let visibleAt = release.visibleAt {
      let toldAt = self.toldAt(release)
      if toldAt != visibleAt { words.append("hold ends " + time(to: visibleAt, context)) }
      words.append(toldAt.map { "told " + time(to: $0, context) } ?? "no one is told")
      if release.isHeldOn { words.append("later, since the store still shows less") }
      if let then = forced.first(where: { $0.release == release.version }), let present = forced.first,
        !then.ranges.isEmpty, then.ranges != present.ranges
      {
        words.append("then forces " + then.ranges.map(\.text).joined(separator: ", "))
      }
      style = .blue
    } else if ownTarget?.id == release.id {
      words.append("target")
    }
    if let part = usage?.usage.part(of: .exactly(release.version)), part.devices > 0 {
      words.append("\(part.shareText) of devices")
    }
    if release.isMandatory { words.append("mandatory") }
    return Cell(words.joined(separator: ", "), style)
  }

  /// What is in force and what waits, each as a label with its words.
  private func facts(_ context: PawlContext) -> [[Cell]] {
    var facts: [[Cell]] = []
    func add(_ label: String, _ text: String, _ style: Style = .plain) {
      facts.append([Cell("  " + label, style), Cell(text)])
    }
    if let destination {
      add("clients", "go to \(destination)  \(lead?.url ?? "")")
    } else if !line.releases.isEmpty {
      add("clients", context.inZone("no prompts: \(whyNowhere)"), .yellow)
    }
    for release in line.releases where release.isVisible(at: now) {
      guard let moment = line.remindsFrom(release), now < moment else { continue }
      add("phased", "the policy reminds of \(release.version.text) \(time(to: moment, context))", .blue)
    }
    if let finding = snapshot.phaseFinding { add("phased", context.inZone(finding.message)) }
    for finding in expiring where !finding.acts { add("expires", context.inZone(finding.message), .yellow) }
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
    // Newest first: where rules overlap, the newest counts.
    for rule in rules.reversed() {
      let place = rule.destination.map { " → \($0.text)" } ?? ""
      let parts = ["\(rule.range.text)\(place)", "rule \(rule.number)"] + period(rule, context)
      add(
        rule.action.rawValue, (parts + [rule.reason].compactMap(\.self)).joined(separator: "  "),
        rule.isActive(at: now) ? Paint.style(of: rule.action) : .dim)
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
  private func time(to moment: Timestamp, _ context: PawlContext) -> String {
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

extension PawlContext {
  func styled(_ text: String, _ style: Style) -> String {
    style.apply(printable(text), enabled: hasStyles)
  }

  func alarm(_ finding: Finding) -> String {
    let hint = finding.id == "answers.altered" ? "pawl verify" : finding.hint
    return "\(styled("ALARM", .red)) \(printable("\(inZone(finding.message)): \(hint)"))\n"
  }
}
