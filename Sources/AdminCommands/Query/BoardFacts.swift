import CommandLineKit
import Ledger
import ReleaseModel

extension Board {
  /// What is in force and what waits, each as a label with its words.
  func facts(_ context: PawlContext) -> [[Cell]] {
    var facts: [[Cell]] = []
    func add(_ label: String, _ text: String, _ style: Style = .plain) {
      facts.append([Cell("  " + label, style), Cell(text)])
    }
    if let lead {
      add("clients", "go to \(lead.place)  \(lead.url)")
    } else if !line.releases.isEmpty {
      add("clients", "no prompts: \(whyNowhere)", .yellow)
    }
    for release in line.releases where release.isVisible(at: now) {
      guard let moment = line.remindsFrom(release), now < moment else { continue }
      add("phased", "the policy reminds of \(release.version.text) \(time(to: moment, context))", .blue)
    }
    for finding in expiring where !finding.acts { add("expires", finding.message, .yellow) }
    if !sources.isEmpty {
      let words = sources.map { "\($0.source.rawValue) \($0.last.map(ageText) ?? "never")" }
      add("heard", words.joined(separator: ", "), .dim)
    }
    for (index, fact) in (usage?.lines ?? []).enumerated() {
      add(index == 0 ? "devices" : "", fact, index == 0 ? .plain : .yellow)
    }
    if let command = usage?.importLine { add("", command) }
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
