import JSON
import ReleaseModel

extension ReleaseLine {
  /// Warnings about a range that contains no recorded version.
  func warnings(aboutRange range: VersionRange) -> [String] {
    guard !holdsKnown(range) else { return [] }
    guard let nearest = nearest(to: range) else { return ["\(app.slug) has no releases yet"] }
    let place = range.exactVersion == nil ? "in \(range.text)" : range.text
    return ["\(app.slug) has no release \(place); the nearest is \(nearest.text)"]
  }
}

extension AppRecord {
  /// The answer of a command that sets or clears one of these for a range of versions.
  ///
  /// - Parameter record: What is set; nil once it is cleared.
  static func answer(
    _ kind: String, of app: String, _ record: Self?, cleared: Self?, warnings: [String]
  ) -> Answer {
    [(kind, (record?.of(app)).json), ("warnings", warnings.json)]
      + (cleared.map { [("cleared", $0.of(app).json)] } ?? [])
  }
}

extension Sequence where Element: Timed {
  /// Warnings about items that stay after another was to be cleared, because only their window differs; those
  /// that are over are left out.
  func warnings(left name: String, now: Timestamp) -> [String] {
    filter { $0.until.map { now < $0 } ?? true }.map { item in
      let how =
        item.hasWindow(of: Window()) ? "leave out --from and --until" : "add its --from and --until"
      return "\(name)\(item.windowText) stays: \(how) to clear it"
    }
  }
}
