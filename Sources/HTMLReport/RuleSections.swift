import ReleaseModel

extension AppReport {
  /// The rules that were not lifted, newest first, which is their order of precedence.
  var ruleSection: Markup {
    guard !rules.isEmpty else { return "<p>There are no rules; the segment policy decides.</p>\n" }
    var table = Table(
      "rule-table", caption: "Rules that were not lifted, newest first",
      ["Rule", "Versions", "Told", "From (UTC)", "Until (UTC)", "Now", "Reason", "By (UTC)"])
    for rule in rules {
      let value = rule.value
      let place: Markup = value.destination.map { "<br>to \(destination($0))" } ?? ""
      let phase = value.phase(at: moment)
      let count = told.count(saidBy: value)
      let reach: Markup = count == 1 ? "1 known version" : "\(count) known versions"
      let now: Markup = phase == .armed ? "in force, for \(reach)" : "\(phase.rawValue)"
      table.add(
        [
          "\(value.number)", .said(value.range.text), "\(AppReport.tag(value.action))\(place)",
          value.from.map { .time($0.text) } ?? "since made",
          value.until.map { .time($0.text) } ?? "until lifted",
          now, value.reason.map { .said($0) } ?? .nothing, author(rule.event),
        ], id: "rule-\(value.number)")
    }
    return table.markup
  }

  var redirectSection: Markup {
    guard !redirects.isEmpty else { return "<p>No version is sent elsewhere.</p>\n" }
    var table = Table(
      "redirect-table", caption: "Redirects, newest first; an exact version comes before a range",
      ["Versions", "Sent to", "From (UTC)", "Until (UTC)", "Reason", "By (UTC)"])
    for redirect in redirects {
      table.add([
        .said(redirect.value.range.text), destination(redirect.value.destination),
        redirect.value.from.map { .time($0.text) } ?? "since set",
        redirect.value.until.map { .time($0.text) } ?? "until cleared",
        redirect.event.reason.map { .said($0) } ?? .nothing, author(redirect.event),
      ])
    }
    return table.markup
  }

  var settingSection: Markup {
    guard !settings.isEmpty else { return "<p>There are no settings.</p>\n" }
    var table = Table(
      "setting-table", caption: "Settings, by key",
      ["Key", "Value", "Versions", "During", "From (UTC)", "Until (UTC)", "Reason", "By (UTC)"])
    for setting in settings {
      table.add([
        "<code>\(setting.value.key)</code>", .said(setting.value.value), .said(setting.value.range.text),
        setting.value.phase.map { "\($0.rawValue)" } ?? "always",
        setting.value.from.map { .time($0.text) } ?? "since set",
        setting.value.until.map { .time($0.text) } ?? "until cleared",
        setting.event.reason.map { .said($0) } ?? .nothing, author(setting.event),
      ])
    }
    return table.markup
  }

  var historySection: Markup {
    guard !events.isEmpty else { return "<p>There are no events.</p>\n" }
    let isAll = events.count == eventCount
    let caption: Markup =
      isAll
      ? "All \(eventCount) events, newest first"
      : "The newest \(events.count) of \(eventCount) events, newest first"
    var table = Table(
      "events", caption: caption,
      ["Event", "At (UTC)", "Who", "What", "Reason"])
    for event in events {
      table.add(
        [
          "\(event.seq)", .time(event.at), .said(event.who), .said(event.what),
          event.reason.map { .said($0) } ?? .nothing,
        ], id: "event-\(event.seq)")
    }
    let rest: Markup =
      isAll
      ? ""
      : "<p>Older events are not on this page: <code>pawl history \(line.app.slug)</code> shows all of them, and a greater <code>--limit</code> includes more.</p>\n"
    return """
      \(rest)<div class="find" id="find" role="search" hidden>
      <label for="words">Search the history</label>
      <input id="words" type="search" autocomplete="off" spellcheck="false">
      <output for="words" aria-live="polite"></output>
      </div>
      \(table.markup)
      """
  }

  private func destination(_ place: Destination) -> Markup {
    place.url.map { .url($0) } ?? "app <code>\(place.app ?? "")</code>"
  }

  private func author(_ event: ReportEvent) -> Markup {
    let number: Markup =
      (events.last?.seq).map { $0 <= event.seq } == true
      ? "<a href=\"#event-\(event.seq)\">event \(event.seq)</a>" : "event \(event.seq)"
    return "\(Markup.said(event.who))<br><span class=\"soft\">\(Markup.time(event.at)), \(number)</span>"
  }
}
