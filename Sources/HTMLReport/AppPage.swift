import ReleaseModel

extension AppReport {
  package var page: [UInt8] {
    Page(
      title: "\(summary.name): releases", heading: .said(summary.name), lead: lead,
      sections: [
        ("told", "What each version is told", toldSection), ("releases", "Releases", releaseSection),
        ("rules", "Rules", ruleSection), ("redirects", "Redirects", redirectSection),
        ("settings", "Settings", settingSection), ("history", "History", historySection),
      ], up: "<li><a href=\"index.html\">All apps</a></li>", moment: moment.text, head: head,
      hasScript: !events.isEmpty
    ).bytes
  }

  private var lead: Markup {
    let app = line.app
    let stopped: Markup =
      app.silence.map { "<p><span class=\"tag force\">\($0)</span> Nobody is told anything.</p>\n" } ?? ""
    let store: Markup = app.effectiveStoreURL.map { ", \(Markup.url($0))" } ?? ""
    return """
      <p class="soft"><code>\(app.slug)</code>, \(app.platform.rawValue), \(app.channel.rawValue), <code>\(app.bundleID)</code>\(store)</p>
      \(stopped)<dl class="facts">
      <div><dt>Clients are sent to</dt><dd>\(summary.lead == nil ? "nothing" : summary.place)\(summary.lead.map { lead -> Markup in "<br>\(Markup.url(lead.url))" } ?? "")</dd></div>
      <div><dt>Under way</dt><dd>\(summary.onItsWay)</dd></div>
      <div><dt>Rules in force</dt><dd>\(summary.armedRules)</dd></div>
      <div><dt>Next scheduled change</dt><dd>\(summary.nextChange.map { Markup.time($0.text) } ?? "none")</dd></div>
      </dl>

      """
  }

  private var toldSection: Markup {
    guard !told.isEmpty else { return "<p>No version is known yet.</p>\n" }
    let people: [Table.Column] = usage == nil ? [] : [.number("Devices"), .number("Share")]
    var table = Table(
      "told-table", caption: "What clients of each known version are told, greatest first",
      ["Versions", .number("How many")] + people + ["Told", "Sent to", "Why", "Settings"])
    for range in told {
      let part = usage?.usage.part(from: range.first, to: range.last)
      table.add(
        [.said(range.versions), "\(range.count)"]
          + (part.map { ["\($0.devices)", .said($0.shareText)] } ?? []) + [
            told(range), place(range.decision), why(range), settings(range),
          ])
    }
    return """
      \(devices)
      <p>A version greater than every one that was ever live may be in review, and is told nothing.</p>
      \(table.markup)
      """
  }

  private var devices: Markup {
    guard let usage else { return "" }
    let missing: Markup =
      usage.missing.isEmpty ? "" : "<br>The ledger lacks \(Markup.said(usage.text(of: usage.missing)))."
    let ahead: Markup =
      usage.ahead.isEmpty
      ? ""
      : "<br>Not recorded, and newer than all that was live: \(Markup.said(usage.text(of: usage.ahead)))."
    return """
      <p>Of \(usage.usage.total) devices, as counted on \(usage.usage.day), are told: \(Markup.said(usage.toldText)).\(missing)\(ahead)</p>

      """
  }

  private func told(_ range: AnswerRange) -> Markup {
    let deaf: Markup = range.hears ? "" : "<br><span class=\"soft\">does not check for updates</span>"
    return "\(AppReport.tag(range.decision.action))\(deaf)"
  }

  /// The label of an action on a page; it has the word, whatever the colour.
  static func tag(_ action: Action) -> Markup {
    switch action {
    case .force: "<span class=\"tag force\">force</span>"
    case .remind: "<span class=\"tag remind\">remind</span>"
    case .none: "<span class=\"tag\">none</span>"
    }
  }

  private func place(_ decision: Decision) -> Markup {
    guard let target = decision.target else { return .nothing }
    let other: Markup = decision.targetApp.flatMap { $0 == line.app.slug ? nil : " of \($0)" } ?? ""
    let url: Markup = decision.url.map { url -> Markup in "<br>\(Markup.url(url))" } ?? ""
    return "\(target.version.text)\(other)\(url)"
  }

  private func why(_ range: AnswerRange) -> Markup {
    let rule: Markup = range.decision.rule.map { "<a href=\"#rule-\($0)\">rule \($0)</a>" } ?? ""
    switch range.decision.decidedBy {
    case .stopped: return "the app is \(line.app.silence ?? "stopped")"
    case .unreleased: return "not released: review sees nothing"
    case .rule: return rule
    case .mandatory: return "a newer release is mandatory"
    case .policy: return "the segment policy, \(line.app.policy.text)"
    case .phased: return "the phased release is not over"
    case .current: return range.decision.rule == nil ? "nothing newer" : "\(rule), but nothing newer"
    case .noTarget:
      let why: Markup = "no release or page to send it to"
      return range.decision.rule == nil ? why : "\(rule), but \(why)"
    }
  }

  private func settings(_ range: AnswerRange) -> Markup {
    guard !range.settings.isEmpty else { return .nothing }
    let pairs = range.settings.sorted { $0.key < $1.key }.map { key, value -> Markup in
      "<li><code>\(key)</code> = \(Markup.said(value))</li>"
    }
    return "<details><summary>\(pairs.count) set</summary><ul>\(pairs)</ul></details>"
  }
}
