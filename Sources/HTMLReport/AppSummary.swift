package import ReleaseModel

/// Where an app stands at a moment, for the top of its page and its line in the index.
package struct AppSummary: Sendable {
  package let app: App
  package let moment: Timestamp
  /// The release that clients are pointed at.
  package let target: Release?
  /// The newest release that counts.
  let newest: Release?
  let armedRules: Int
  let releases: Int
  /// The next moment at which some answer changes by itself.
  package let nextChange: Timestamp?

  /// Looks at an app.
  package init(_ snapshot: Snapshot, at moment: Timestamp) {
    let line = snapshot.line
    app = line.app
    self.moment = moment
    target = line.target(at: moment)
    newest = line.newest
    armedRules = line.rules.count { $0.phase(at: moment) == .armed }
    releases = line.releases.count
    nextChange = snapshot.momentsOfChange(after: moment).min()
  }

  /// The app's name, or else its slug.
  var name: String { app.name ?? app.slug }

  /// The newest release while it is not out yet, or held.
  var onItsWay: Markup {
    guard let newest, newest.id != target?.id else { return "nothing" }
    if newest.isHeld(at: moment), let visibleAt = newest.visibleAt {
      return "\(newest.version.text), live; clients are told from \(Markup.time(visibleAt.text))"
    }
    guard !newest.state.isReleased else { return "nothing" }
    return "\(newest.version.text), \(newest.state.rawValue) since \(Markup.time(newest.since.text))"
  }
}
