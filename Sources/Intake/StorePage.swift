import Ledger
import ReleaseModel

// Whether an app's page is there, and shows what clients are sent to.
extension EvidenceIntake {
  /// How long after an answer without the app a second one counts, and how long the first one does.
  private static let apart = TimeSpan(seconds: 3_600)
  private static let together = TimeSpan(seconds: 7 * 86_400)
  static let absent = "lookup.absent"
  private static let gone = "lookup.gone"
  private static let held = "lookup.held"
  private static let behind = "lookup.behind"

  /// The second answer in a row without an app that a country listed before says that its page is gone there. Where it
  /// is gone in every country, and clients are sent to that page and nowhere else, the app is stopped.
  func decideAbsence(
    of slug: String, in country: String, _ judged: inout Judged, _ draft: inout ChangeSet
  ) throws {
    judged.end(.parked, Self.absent)
    let lookups = try draft.ledger.lookups(of: slug)
    let own = lookups.filter { $0.country == country }
    guard let last = own.last, last.version == nil else { return }
    let wasGone = last.reason == Self.gone
    guard wasGone || last.reason == Self.absent && now <= last.receivedAt + Self.together else { return }
    guard wasGone || last.receivedAt + Self.apart <= now else {
      judged.earlier = last
      return
    }
    judged.end(.ignored, Self.gone)
    func isGone(_ other: String) -> Bool {
      let own = lookups.filter { $0.country == other }
      return own.contains(where: \.listsApp) && (other == country || own.last?.reason == Self.gone)
    }
    let line = try draft.line(slug)
    let asked = try draft.ledger.countriesAsked(about: slug, since: now - Self.together)
    let countries = line.app.countries.isEmpty ? asked.union([country]) : Set(line.app.countries)
    // What stopped the app once does not stop it again: a person may have resumed it.
    let stopped = Dictionary(grouping: lookups, by: \.country).values.contains {
      $0.last?.reason == Self.gone && $0.last?.outcome == .applied
    }
    if !line.app.isStopped, !stopped, countries.allSatisfy(isGone), try draft.isOnlyStorePageTold(of: slug) {
      judged.end(.applied, Self.gone)
      judged.moves = [Move(command: "stop") { line, _ in line.set { $0.isStopped = true } }]
    } else if wasGone {
      judged.earlier = last
    }
  }

  /// Moves the ends of holds on where a country that counts lists less in their last quarter, that of a release which a
  /// newer one has superseded, too; returns whether it does.
  func holdsOn(_ line: AppState, showing version: Version, in country: String, _ judged: inout Judged) -> Bool
  {
    let held = line.releases.filter { version < $0.version && $0.holdEnd(behindAt: now) != nil }
    guard let newest = held.last, line.app.countries.isEmpty || line.app.countries.contains(country) else {
      return false
    }
    judged.moves = held.map { release in
      Move(command: "hold \(release.version.text)") { line, now throws(Refusal) in
        try line.holdOn(release.version, now: now)
      }
    }
    judged.evidence.state = .live
    (judged.version, judged.from) = (newest.version, .live)
    judged.end(.applied, Self.held)
    return true
  }

  /// Records a listing that changes nothing only where it says something: after an answer without the app, or first of a
  /// country, or that the store is behind what clients are sent to, or shows a held release no more.
  func noteListing(
    of version: Version, _ line: AppState, in country: String, _ judged: inout Judged,
    _ draft: inout ChangeSet
  ) throws {
    let slug = line.app.slug
    let last = try lastAnswer(about: slug, in: country, draft)
    if let target = line.target(at: now), version < target.version,
      target.isMissedFrom.map({ $0 <= now }) == true,
      try draft.isPrompted(slug)
    {
      judged.end(.ignored, Self.behind)
      judged.isRecorded = last?.reason != Self.behind || last?.version != version
    } else {
      let held = line.live.flatMap { version < $0.version && $0.isHeld(at: now) ? $0 : nil }
      judged.isRecorded =
        try isNews(version, after: last)
        || held.map { try draft.ledger.countries(showing: $0, of: slug).contains(country) } ?? false
    }
  }

  /// The last recorded answer of a country's store about an app.
  func lastAnswer(about slug: String, in country: String?, _ draft: ChangeSet) throws -> Evidence? {
    try draft.ledger.lookups(of: slug).last { $0.country == country }
  }

  /// Whether it says something that a country lists a version, after its last recorded answer: after one without the app,
  /// after one that was behind, or as its first.
  func isNews(_ version: Version, after last: Evidence?) -> Bool {
    last.map { $0.version == nil || isAlarm($0) || $0.reason == Self.held && $0.version != version } ?? true
  }

  /// Whether a listing ends what an answer said: that the app is absent, or that the store is behind.
  private func isAlarm(_ answer: Evidence) -> Bool {
    [Self.absent, Self.gone, Self.behind].contains(answer.reason)
  }

  /// Whether an answer is of a store that lists an app after an alarm of its.
  func endsAlarm(_ answer: Evidence, _ draft: ChangeSet) throws -> Bool {
    guard answer.listsApp, let app = answer.app else { return false }
    return try lastAnswer(about: app, in: answer.country, draft).map(isAlarm) ?? false
  }

  /// Settles the parked answers of a country without the app, once a later one says more.
  func settleAbsence(_ evidence: Evidence, _ draft: inout ChangeSet) throws {
    let reason = evidence.listsApp ? "lookup.known" : evidence.reason ?? ""
    guard evidence.listsApp || reason == Self.gone || reason == Self.absent else { return }
    try settle(.lookup, of: evidence.app, reason, &draft) {
      $0.reason == Self.absent && $0.country == evidence.country
        && $0.id != evidence.id
    }
  }
}

extension Evidence {
  /// Whether it is an answer of a store that lists the app, be the version readable or not.
  fileprivate var listsApp: Bool { kind == .lookup && (version != nil || reason == "lookup.version") }
}
