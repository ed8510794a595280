package import JSON

/// How one change alters what a run of known versions is told.
package struct ImpactLine: Sendable, Equatable {
  /// The app whose clients are meant.
  package let app: String
  package let first: Version
  package let last: Version
  package let count: Int
  package let before: Action
  package let after: Action
  /// The URL, where it changes.
  package let urlBefore: String?
  package let urlAfter: String?
  /// From when.
  package let at: Timestamp
  /// Whether these versions ask at all.
  package let hears: Bool

  /// The versions as people write them: `1.2.0–1.4.9`, or one version.
  package var versions: String { Version.spanText(first, last) }

  /// The line as a change shows it.
  package var json: JSON {
    [
      "app": .string(app), "versions": .string(versions), "count": .integer(Int64(count)),
      "before": .string(before.rawValue), "after": .string(after.rawValue), "at": .string(at.text),
      "urlBefore": .optional(urlBefore), "urlAfter": .optional(urlAfter), "hears": .bool(hears),
    ]
  }
}

/// What a change alters, and whether somebody should be asked first.
package struct Impact: Sendable, Equatable {
  package let lines: [ImpactLine]

  /// Some answer becomes `force`.
  package var forces: Bool { lines.contains { $0.after == .force && $0.before != .force } }

  /// Some answer becomes harsher than it was.
  package var isHarsher: Bool { lines.contains { $0.before < $0.after } }

  /// Some prompt leads to another host than before.
  package var changesHost: Bool {
    lines.contains { line in
      guard let before = line.urlBefore.flatMap({ try? StoreURL($0) }),
        let after = line.urlAfter.flatMap({ try? StoreURL($0) })
      else { return false }
      return before.host != after.host
    }
  }

  /// The lines as a change shows them.
  package var json: JSON { .array(lines.map(\.json)) }

  /// Compares the answers of two snapshots of an app, now and at every later moment at which they change.
  ///
  /// - Parameters:
  ///   - before: The app as it was; nil where it was not there.
  ///   - after: The app as it will be.
  package init(before: Snapshot?, after: Snapshot, now: Timestamp) {
    let versions = Set((before?.line.releases ?? []).map(\.version) + after.line.releases.map(\.version))
      .sorted()
    var moments = [now]
    for case let snapshot? in [before, after] { moments += snapshot.momentsOfChange(after: now) }
    // Mostly there is one, and a set of a type that no other part of a command uses takes long to come by.
    if moments.count > 1 { moments = Set(moments).sorted() }

    var lines: [ImpactLine] = []
    var said: [Version: Difference] = [:]
    for moment in moments {
      let earlier = before.map { Decider($0, at: moment) }
      let later = Decider(after, at: moment)
      var run: [(Version, Difference)] = []
      func flush() {
        guard let first = run.first, let last = run.last else { return }
        lines.append(
          ImpactLine(
            app: after.line.app.slug, first: first.0, last: last.0, count: run.count,
            before: first.1.before, after: first.1.after, urlBefore: first.1.urlBefore,
            urlAfter: first.1.urlAfter, at: moment, hears: first.1.hears))
        run = []
      }
      for version in versions {
        let difference = Difference(
          earlier?.decide(Client(version: version)), later.decide(Client(version: version)),
          hears: after.line.app.asksSince.map { $0 <= version } ?? true)
        guard difference.isOne, said[version] != difference else {
          if !difference.isOne { said[version] = nil }
          flush()
          continue
        }
        said[version] = difference
        if let last = run.last, last.1 != difference { flush() }
        run.append((version, difference))
      }
      flush()
    }
    self.lines = lines
  }

  /// Puts several apps' impacts together.
  package init(_ parts: [Impact]) { lines = parts.flatMap(\.lines) }

  private struct Difference: Equatable {
    let before: Action
    let after: Action
    let urlBefore: String?
    let urlAfter: String?
    let hears: Bool

    init(_ before: Decision?, _ after: Decision, hears: Bool) {
      self.before = before?.action ?? .none
      self.after = after.action
      urlBefore = before?.url
      urlAfter = after.url
      self.hears = hears
    }

    var isOne: Bool { before != after || urlBefore != urlAfter }
  }
}

extension Snapshot {
  /// The moments after one at which some answer may change by itself.
  package func momentsOfChange(after now: Timestamp) -> Set<Timestamp> {
    var moments: Set<Timestamp> = []
    for line in [line] + others.values {
      for release in line.releases where release.state == .live || release.state == .superseded {
        if let visibleAt = release.visibleAt, visibleAt > now { moments.insert(visibleAt) }
      }
    }
    let timed: [any Timed] = line.rules + line.redirects + line.settings
    for window in timed {
      if let from = window.from, from > now { moments.insert(from) }
      if let until = window.until, until > now { moments.insert(until) }
    }
    return moments
  }
}

extension Version {
  /// Versions from one to another as people write them: `1.2.0–1.4.9`, or one version.
  static func spanText(_ first: Version, _ last: Version) -> String {
    first == last ? first.text : "\(first.text)–\(last.text)"
  }
}
