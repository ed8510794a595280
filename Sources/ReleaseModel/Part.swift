extension ReleaseLine {
  /// The versions at which answers may begin or end for clients that do not name their system: those of the
  /// releases that were read, and those where the policy, a rule, a redirect, a setting or the app itself
  /// separates one version from the next.
  ///
  /// A release between two neighbouring bounds is told the same as everything else between them.
  ///
  /// - Parameter version: A version that is about to be published or moved, and so may become a target.
  package func bounds(with version: Version?) -> Set<Version> {
    // From the least version on.
    var bounds = Set([.zero] + releases.map(\.version))
    for range in rules.map(\.range) + redirects.map(\.range) + settings.map(\.range) {
      bounds.formUnion([range.lower?.version, range.upper?.version].compactMap { $0 })
    }
    if let asksSince = app.asksSince { bounds.insert(asksSince) }
    let targets = releases.filter { $0.state == .live || $0.state == .superseded }.map(\.version)
    for target in targets + [version].compactMap({ $0 }) {
      bounds.insert(target)
      // Where the policy moves from one component to the next.
      for count in 1...3 { bounds.insert(target.truncated(to: count)) }
    }
    return bounds
  }
}

extension Release {
  /// Whether the release was superseded on the line, as nearly all releases of an app are in the end.
  package var isPlain: Bool { state == .superseded && !isPast }
}
