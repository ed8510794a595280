/// Going down an app's versions from the newest: tells from when on one client's answer depends on no older one.
///
/// A decision looks at the greatest version that was ever live, at what was taken off the store above what is visible, and
/// at the newest visible release that runs on the client's system and may be reminded of (docs/decision.md). The client's
/// own release, and the newest visible mandatory one, may lie lower.
package struct Descent {
  private let os: Version?
  private let moment: Timestamp

  /// Starts above the newest version.
  ///
  /// - Parameter os: The client's system; nil where it is not known.
  package init(os: Version?, at moment: Timestamp) {
    self.os = os
    self.moment = moment
  }

  /// Whether no older release counts.
  package func ends(with release: Release) -> Bool {
    release.isVisible(at: moment) && release.runs(on: os) && (release.phaseEnd.map { $0 <= moment } ?? true)
  }
}

extension Release {
  /// Whether the release runs on a system; where nobody says which, it does.
  package func runs(on os: Version?) -> Bool {
    guard let os, let minOS else { return true }
    return minOS <= os
  }
}
