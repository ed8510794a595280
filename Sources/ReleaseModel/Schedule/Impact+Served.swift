extension Impact {
  /// Compares what an app's versions, in any order, are told and which page they open now with what they
  /// would be.
  package init(
    on app: String, _ versions: [Version], at moment: Timestamp,
    before: (Version) -> (action: Action, url: String?), after: (Version) -> (action: Action, url: String?)
  ) {
    var versions = versions
    versions.sortUniquely()
    var lines: [ImpactLine] = []
    var isRun = false
    for version in versions {
      let (old, new) = (before(version), after(version))
      guard old != new else {
        isRun = false
        continue
      }
      let last = isRun ? lines.last : nil
      let isSame = last.map { line in
        old == (line.before, line.urlBefore) && new == (line.after, line.urlAfter)
      }
      let start = isSame == true ? lines.popLast() : nil
      isRun = true
      lines.append(
        ImpactLine(
          app: app, lo: start?.lo ?? VersionKey(version), hi: .after(version),
          count: (start?.count ?? 0) + 1, before: old.action, after: new.action, urlBefore: old.url,
          urlAfter: new.url, at: moment, until: nil, os: nil, hears: true, visible: nil))
    }
    self.init(lines: lines)
  }
}
