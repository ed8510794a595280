package import ReleaseModel

/// Where an app stands at a moment, for the top of its page and its line in the index.
package struct AppSummary: Sendable {
  package let app: App
  package let moment: Timestamp
  package let lead: Lead?
  /// The newest release that counts.
  let newest: Release?
  let armedRules: Int
  let releases: Int
  package let nextChange: Timestamp?

  package init(_ snapshot: Snapshot, at moment: Timestamp) {
    let line = snapshot.line
    app = line.app
    self.moment = moment
    lead = snapshot.generalLead(at: moment)
    newest = line.newest
    armedRules = line.rules.count { $0.phase(at: moment) == .armed }
    releases = line.releases.count
    nextChange = Schedule(snapshot, from: moment).nextChange(after: moment)
  }

  var place: Markup { lead.map { .said($0.place) } ?? .nothing }

  var name: String { app.name ?? app.slug }

  var onItsWay: Markup {
    guard let newest, newest.id != lead?.release?.id else { return "nothing" }
    if newest.isHeld(at: moment), let visibleAt = newest.visibleAt {
      let words: Markup = app.silence != nil ? "held until" : "clients are told from"
      return "\(newest.version.text), live; \(words) \(Markup.time(visibleAt.text))"
    }
    guard !newest.state.isReleased else { return "nothing" }
    return "\(newest.version.text), \(newest.state.rawValue) since \(Markup.time(newest.since.text))"
  }
}
