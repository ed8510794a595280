// What others tell clients, as a schedule, so that it compares with another.

/// What a kind of client is told by what is there, and by what would be, and what that differs in besides.
package typealias Replacement = (before: Schedule, after: Schedule, rest: Impact.Rest)

extension Schedule {
  /// What clients are told of an app of which there is nothing.
  package static func nothing(_ app: String, from moment: Timestamp) -> Schedule {
    Schedule(app, at: [moment]) { _ in { _, _ in .unreleased } }
  }

  /// What is told by something that cannot be read.
  package static func unknown(_ app: String, from moment: Timestamp) -> Schedule {
    Schedule(app, at: [moment]) { _ in { _, _ in Decision(nil, of: app) } }
  }

  /// Asks what answers clients, from the first of some moments on.
  ///
  /// - Parameters:
  ///   - bounds: Where the answers may change, by version.
  ///   - systems: Where they may change by system, ascending.
  ///   - told: What a version is told at the moment at an index, on a system, nil for an unknown one.
  package init(
    _ app: String, at moments: [Timestamp], bounds: [VersionKey] = [], systems: [Version] = [],
    _ told: (Version) -> (_ moment: Int, _ os: Version?) -> Decision
  ) {
    var builder = Builder(app, from: moments.first ?? .distantPast)
    var keys = [VersionKey.least] + bounds
    keys.sortUniquely()
    for key in keys {
      guard let version = key.version else { continue }
      let tell = told(version)
      let answers = moments.indices.map { index in
        let older = ([.zero] + systems.dropLast()).prefix(systems.count).map { ($0, tell(index, $0)) }
        let newest = [(systems.last ?? .zero, tell(index, nil))]
        return (moments[index], Told(older + newest, remindEvery: .once) ?? .nothing)
      }
      builder.add(answers, from: key)
    }
    self = builder.schedule()
  }
}

extension Decision {
  /// What clients of an app are told who do no more than this; nil for what cannot be read.
  package init(_ prompt: Prompt?, of app: String) {
    self.init(
      action: prompt?.action ?? .none, review: false, decidedBy: prompt == nil ? .unknown : .policy)
    guard let prompt, prompt.action != .none else { return }
    (targetApp, url) = (app, prompt.url)
    target = Release(id: 0, version: .zero, state: .live, since: .distantPast)
  }
}
