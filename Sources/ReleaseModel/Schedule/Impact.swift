package import JSON

/// How one change alters what a run of known versions is told.
package struct ImpactLine: Sendable, Equatable {
  package let app: String
  package let first: Version
  /// The last of them.
  package fileprivate(set) var last: Version
  /// How many known versions there are from the first to the last.
  package fileprivate(set) var count: Int
  package let before: Action
  package let after: Action
  package let urlBefore: String?
  package let urlAfter: String?
  package let at: Timestamp
  package let os: String?
  package let hears: Bool
  /// The devices that run them; nil if nobody counted them.
  package fileprivate(set) var people: Usage.Part?

  package var versions: String { Version.spanText(first, last) }

  package var json: JSON {
    var object = JSON.Object([
      ("app", .string(app)), ("versions", .string(versions)), ("count", .integer(Int64(count))),
      ("before", .string(before.rawValue)), ("after", .string(after.rawValue)), ("at", .string(at.text)),
      ("urlBefore", .optional(urlBefore)), ("urlAfter", .optional(urlAfter)), ("hears", .bool(hears)),
      ("devices", .optional(people?.devices)), ("share", people.map { .number($0.share) } ?? .null),
      ("countedAt", .optional(people?.countedAt.text)),
    ])
    if let os { object["os"] = .string(os) }
    return .object(object)
  }
}

/// The known versions between two keys: the first, the last, and how many there are.
package struct KnownVersions: Sendable, Equatable {
  package let first: Version
  package let last: Version
  package let count: Int

  package init(first: Version, last: Version, count: Int) {
    (self.first, self.last, self.count) = (first, last, count)
  }

  /// Those of some ascending versions; nil if there are none.
  package init?(of versions: [Version], from lo: VersionKey, to hi: VersionKey) {
    let start = versions.firstPosition { lo <= VersionKey($0) }
    let end = versions.firstPosition { hi <= VersionKey($0) }
    guard start < end else { return nil }
    self.init(first: versions[start], last: versions[end - 1], count: end - start)
  }
}

/// What a change alters for known versions, and whether somebody should be asked first.
package struct Impact: Sendable, Equatable {
  package let lines: [ImpactLine]

  package var forces: Bool { lines.contains { $0.after == .force && $0.before != .force } }

  package var isStricter: Bool { lines.contains { $0.before < $0.after } }

  /// Whether some clients that were already prompted are sent to a different page.
  package var changesPage: Bool {
    lines.contains { line in
      guard let before = line.urlBefore, let after = line.urlAfter else { return false }
      return before != after
    }
  }

  package var json: JSON { .array(lines.map(\.json)) }

  package init(lines: [ImpactLine]) { self.lines = lines }

  package init(_ parts: [Impact]) { lines = parts.flatMap(\.lines) }

  /// Folds the differences of two schedules into lines: each difference once, for as long as it lasts.
  /// Versions that somebody uses count like known ones.
  package init(
    _ differences: [ScheduleDifference], app: App, usage: Usage? = nil,
    known: (VersionKey, VersionKey) throws -> KnownVersions?
  ) rethrows {
    let audience = Audience(usage)
    func span(_ lo: VersionKey, _ hi: VersionKey) throws -> KnownVersions? {
      try known(lo, hi) ?? audience.counted(lo, hi)
    }
    var lines: [(hi: VersionKey, line: ImpactLine)] = []
    var last: [Prompts: Int] = [:]
    for difference in differences {
      for (lo, hi, hears) in difference.parts(asksSince: app.asksSince) {
        let changes = difference.changes(hears: hears)
        guard !changes.isEmpty, let versions = try span(lo, hi) else { continue }
        let devices = audience.devices(lo, hi)
        for change in changes {
          if let place = last[change], try lines[place].hi == lo || span(lines[place].hi, lo) == nil {
            lines[place].line.last = versions.last
            lines[place].line.count += versions.count
            lines[place].line.people = usage?.part((lines[place].line.people?.devices ?? 0) + devices)
            lines[place].hi = hi
            continue
          }
          last[change] = lines.count
          let line = ImpactLine(
            app: app.slug, first: versions.first, last: versions.last, count: versions.count,
            before: change.before.action, after: change.after.action, urlBefore: change.before.url,
            urlAfter: change.after.url, at: change.at, os: change.os, hears: hears,
            people: usage?.part(devices))
          lines.append((hi, line))
        }
      }
    }
    self.lines = lines.map(\.line).enumerated().sorted {
      ($0.element.at, $0.offset) < ($1.element.at, $1.offset)
    }.map(\.element)
  }

  /// Compares two snapshots of an app, the first nil if it did not exist, from a moment on.
  package init(before: Snapshot?, after: Snapshot, now: Timestamp, usage: Usage? = nil) {
    var known = [before?.line, after.line].compactMap(\.self).flatMap { line in
      line.knownPositions.map { line.releases[$0].version }
    }
    known.sortUniquely()
    let differences = Schedule(after, from: now).differences(
      from: before.map { Schedule($0, from: now) }, since: now)
    self.init(differences, app: after.line.app, usage: usage) { KnownVersions(of: known, from: $0, to: $1) }
  }
}

private struct Prompts: Hashable {
  struct Prompt: Hashable {
    let action: Action
    let url: String?

    init(_ decision: Decision) { (action, url) = (decision.action, decision.url) }
  }

  var at: Timestamp
  var os: String?
  let before: Prompt
  let after: Prompt
  let hears: Bool
}

extension ScheduleDifference {
  fileprivate func parts(asksSince: Version?) -> [(lo: VersionKey, hi: VersionKey, hears: Bool)] {
    let bound = asksSince.map { min(max(VersionKey($0), lo), hi) } ?? lo
    return [(lo, bound, false), (bound, hi, true)].filter { $0.lo < $0.hi }
  }

  /// What people notice, each difference once, for as long as it lasts.
  fileprivate func changes(hears: Bool) -> [Prompts] {
    var changes: [Prompts] = []
    var last: (until: Timestamp?, said: [Prompts]) = (nil, [])
    for step in steps {
      let all = step.systems.map { pair in
        Prompts(
          at: step.from, os: pair.os, before: Prompts.Prompt(pair.before), after: Prompts.Prompt(pair.after),
          hears: hears)
      }
      let isAlike = all.allSatisfy { $0.before == all.first?.before && $0.after == all.first?.after }
      let said = (isAlike ? all.prefix(1).map { $0.with(os: nil) } : all).filter { $0.before != $0.after }
      let known = last.until == step.from ? last.said : []
      changes += said.filter { one in !known.contains { $0.with(at: one.at) == one } }
      last = (step.until, said)
    }
    return changes
  }
}

extension Prompts {
  fileprivate func with(os: String?) -> Prompts {
    var other = self
    other.os = os
    return other
  }

  fileprivate func with(at moment: Timestamp) -> Prompts {
    var other = self
    other.at = moment
    return other
  }
}

private struct Audience {
  private let versions: [Version]
  private let devices: [Int64]

  init(_ usage: Usage?) {
    let counts = (usage?.counts ?? []).sorted { $0.version < $1.version }
    versions = counts.map(\.version)
    devices = counts.map(\.devices)
  }

  /// The versions that somebody runs, although none of them may be recorded; nil if there are none.
  func counted(_ lo: VersionKey, _ hi: VersionKey) -> KnownVersions? {
    KnownVersions(of: versions, from: lo, to: hi).map {
      KnownVersions(first: $0.first, last: $0.last, count: 0)
    }
  }

  func devices(_ lo: VersionKey, _ hi: VersionKey) -> Int64 {
    let start = versions.firstPosition { lo <= VersionKey($0) }
    return devices[start..<max(start, versions.firstPosition { hi <= VersionKey($0) })].reduce(0, +)
  }
}

extension Version {
  /// A span of versions as people write it: `1.2.0–1.4.9`, or one version.
  package static func spanText(_ first: Version, _ last: Version) -> String {
    first == last ? first.text : "\(first.text)–\(last.text)"
  }
}
