extension ReleaseLine {
  /// The versions at which what clients are told may begin or end, as long as they do not say which system they run on:
  /// those that were read, and where the policy, a rule, a redirect, a setting or the app itself tells one version from the
  /// next.
  ///
  /// A release between two neighbours among them is told what everything between those two is told.
  ///
  /// - Parameter version: One that is about to be published or moved, and so may be pointed at.
  package func bounds(with version: Version?) -> Set<Version> {
    // From the least one on.
    var bounds = Set([.zero] + releases.map(\.version))
    for range in rules.map(\.range) + redirects.map(\.range) + settings.map(\.range) {
      bounds.formUnion([range.lower?.version, range.upper?.version].compactMap { $0 })
    }
    if let asksSince = app.asksSince { bounds.insert(asksSince) }
    let targets = releases.filter { $0.state == .live || $0.state == .superseded }.map(\.version)
    for target in targets + [version].compactMap({ $0 }) {
      bounds.insert(target)
      // Where the policy tells a component from the next.
      for count in 1...3 { bounds.insert(target.truncated(to: count)) }
    }
    return bounds
  }
}

extension Release {
  /// Whether the release is one that was superseded on the line, as nearly all of an app's are in the end.
  package var isPlain: Bool { state == .superseded && !isPast }
}
