package import JSON
package import ReleaseModel

/// Which ledger a report is about, and where its record ended when the report was made.
package struct ReportHead: Sendable, Equatable {
  package let ledger: String
  package let seq: Int64
  package let hash: String

  package init(ledger: String, seq: Int64, hash: String) {
    self.ledger = ledger
    self.seq = seq
    self.hash = hash
  }

  package var json: JSON { ["hash": .string(hash), "seq": .integer(seq)] }
}

/// Everything a report says about one app; its page and its JSON are made from this alone.
package struct AppReport: Sendable {
  let snapshot: Snapshot
  package let summary: AppSummary
  package let head: ReportHead
  let told: [AnswerRange]
  let rules: [Attributed<Rule>]
  let redirects: [Attributed<Redirect>]
  let settings: [Attributed<Setting>]
  /// Newest first.
  let releases: [Release]
  let reviews: ReviewLog
  /// Newest first.
  let events: [ReportEvent]
  let eventCount: Int
  let usage: UsageReport?

  /// - Parameter event: Finds, by its number, the event that made something.
  package init(
    _ snapshot: Snapshot, at moment: Timestamp, head: ReportHead, past: ReportPast,
    usage: Usage? = nil, event: (Int64) throws -> ReportEvent
  ) rethrows {
    self.snapshot = snapshot
    self.head = head
    summary = AppSummary(snapshot, at: moment)
    releases = past.releases
    reviews = past.reviews
    events = past.events
    eventCount = past.eventCount
    self.usage = usage.map { UsageReport($0, of: snapshot, at: moment) }
    told = snapshot.knownRanges(at: moment)
    let line = snapshot.line
    rules = try line.rules.reversed().map { Attributed(value: $0, event: try event($0.event)) }
    redirects = try line.redirects.reversed().map { Attributed(value: $0, event: try event($0.event)) }
    settings = try line.settings.sorted { ($0.key, $1.number) < ($1.key, $0.number) }.map {
      Attributed(value: $0, event: try event($0.event))
    }
  }

  var line: AppState { snapshot.line }
  var moment: Timestamp { summary.moment }

  /// The file name of the app's page; a slug never contains a `_`.
  package static func fileName(_ slug: String) -> String {
    slug == "index" ? "index_.html" : "\(slug).html"
  }

  package var json: JSON {
    let slug = line.app.slug
    let overridden = line.overridden(at: moment)
    return [
      "app": line.app.json, "at": .string(moment.text), "eventCount": .integer(Int64(eventCount)),
      "events": .array(events.map(\.json)), "head": head.json,
      "nextChange": .optional(summary.nextChange?.text), "page": .string(AppReport.fileName(slug)),
      "redirects": .array(redirects.map { $0.json($0.value.json(app: slug)) }),
      "releaseCount": .integer(Int64(line.releases.count)),
      "releases": .array(
        releases.map { release in
          guard var object = release.shown.json(app: slug).object else { return .null }
          object["reviews"] = .array(reviews.reviews(of: release.id).map { $0.json(at: moment) })
          return .object(object)
        }),
      "rules": .array(
        rules.map { rule in
          let overriding = rule.value.isActive(at: moment) ? overridden[rule.value.number] : nil
          return rule.json(
            rule.value.json(app: slug),
            [
              ("overriddenBy", .array((overriding?.rules ?? []).map(JSON.integer))),
              ("overriddenUntil", .optional(overriding?.until?.text)),
              ("phase", .string(rule.value.phase(at: moment).rawValue)),
              ("versionsNow", .integer(Int64(told.count(saidBy: rule.value)))),
            ])
        }),
      "settings": .array(settings.map { $0.json($0.value.json(app: slug)) }),
      "target": .optional(summary.lead?.release?.version.text), "targetApp": .optional(summary.lead?.app),
      "url": .optional(summary.lead?.url), "told": .array(told.map(json(of:))),
      "usage": usage?.json ?? .null,
    ]
  }

  private func json(of range: AnswerRange) -> JSON {
    var object = snapshot.answer(to: range)
    object["versions"] = .string(range.versions)
    let people = usage?.usage.part(from: range.first, to: range.last)
    object["devices"] = .optional(people?.devices)
    object["share"] = people.map { .number($0.share) } ?? .null
    object["hears"] = .bool(range.hears)
    return .object(object)
  }
}
