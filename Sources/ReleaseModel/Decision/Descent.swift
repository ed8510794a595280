/// Walks down an app's versions from the newest, and tells when no older release can affect one client's
/// answer.
///
/// A decision looks at the greatest version that was ever live, at removals above the visible releases, and
/// at the newest visible release that runs on the client's system and may be reminded of (docs/decision.md).
/// The client's own release and the newest visible mandatory release may be older.
package struct Descent {
  private let os: Version?
  private let moment: Timestamp

  package init(os: Version?, at moment: Timestamp) {
    self.os = os
    self.moment = moment
  }

  /// Whether no release older than this one matters.
  package func ends(with release: Release) -> Bool {
    release.isVisible(at: moment) && release.runs(on: os) && (release.phaseEnd.map { $0 <= moment } ?? true)
  }
}
