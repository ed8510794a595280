package import JSON

/// How one change alters what a range of versions is told.
package struct ImpactLine: Sendable, Equatable {
  package let app: String
  let lo: VersionKey
  var hi: VersionKey
  /// How many recorded versions the range holds.
  package fileprivate(set) var count: Int
  package let before: Action
  package let after: Action
  package let urlBefore: String?
  package let urlAfter: String?
  package let at: Timestamp
  /// When the difference ends by itself; nil if it does not.
  package let until: Timestamp?
  package let os: String?
  package let hears: Bool
  /// The case in which this is so; nil for the ledger as it stands.
  package let visible: VisibleCase?
  /// The devices that run them; nil if nobody counted them.
  package fileprivate(set) var people: Usage.Part?

  package var range: VersionRange { VersionRange(from: lo, to: hi) ?? .all }

  package var first: Version { lo.version ?? .zero }

  fileprivate var forces: Bool { after == .force && before != .force }

  /// Whether it says of more versions what another line says, in whatever case.
  fileprivate func covers(_ other: ImpactLine) -> Bool {
    app == other.app && lo <= other.lo && other.hi <= hi && hears == other.hears && os == other.os
      && (before, after, at) == (other.before, other.after, other.at) && until == other.until
      && (urlBefore, urlAfter) == (other.urlBefore, other.urlAfter)
  }

  package var json: JSON {
    var object = JSON.Object([
      ("app", .string(app)), ("versions", .string(range.text)), ("count", .integer(Int64(count))),
      ("before", .string(before.rawValue)), ("after", .string(after.rawValue)), ("at", .string(at.text)),
      ("until", .optional(until?.text)), ("when", .optional(visible?.text(in: app))),
      ("urlBefore", .optional(urlBefore)), ("urlAfter", .optional(urlAfter)), ("hears", .bool(hears)),
      ("devices", .optional(people?.devices)), ("share", people.map { .number($0.share) } ?? .null),
      ("countedAt", .optional(people?.countedAt.text)),
    ])
    if let os { object["os"] = .string(os) }
    return .object(object)
  }
}

/// The case that a recorded release under way is visible.
package struct VisibleCase: Sendable, Hashable {
  package let app: String
  package let version: Version
  /// Whether a change asks because of whom it would force in this case: below 1.0, an app's first release does not.
  package let asks: Bool

  fileprivate func text(in app: String) -> String {
    app == self.app ? version.text : "\(self.app) \(version.text)"
  }
}

/// Where a change alters an app's schedule: as the ledger stands, or as if a release under way were visible.
package struct ComparedCase: Sendable {
  package let visible: VisibleCase?
  package let differences: [ScheduleDifference]
  private let every: (before: ReminderFrequency, after: ReminderFrequency)

  package init(
    _ differences: [ScheduleDifference], from before: Schedule?, to after: Schedule,
    visible: VisibleCase? = nil
  ) {
    (self.differences, self.visible) = (differences, visible)
    every = (before?.remindEvery ?? .once, after.remindEvery)
  }

  /// Whether some client is forced that was not.
  var forces: Bool {
    differences.contains { difference in
      difference.steps.contains { step in
        step.systems.contains { $0.after.action == .force && $0.before.action != .force }
      }
    }
  }

  /// What the change alters besides prompts and their pages.
  fileprivate var rest: Impact.Rest {
    let isTold =
      every.before != every.after
      || differences.contains { difference in
        difference.steps.contains {
          $0.before.tag(remindEvery: every.before) != $0.after.tag(remindEvery: every.after)
        }
      }
    return isTold ? .details : differences.isEmpty ? .nothing : .reasons
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

/// What a change alters for clients, and whether somebody should be asked first.
package struct Impact: Sendable, Equatable {
  /// What a change alters for which no line speaks.
  package enum Rest: Int, Sendable, Comparable {
    /// Both schedules are the same.
    case nothing
    /// Clients are told the same for another reason.
    case reasons
    /// Clients are told other targets, notes or settings.
    case details

    package static func < (left: Rest, right: Rest) -> Bool { left.rawValue < right.rawValue }
  }

  package let lines: [ImpactLine]
  package let rest: Rest

  package var forces: Bool { lines.contains { $0.visible == nil && $0.forces } }

  /// Whether somebody would be forced once a release under way is visible, which asks.
  package var forcesOnceVisible: Bool { lines.contains { $0.visible?.asks == true && $0.forces } }

  package var isStricter: Bool { lines.contains { $0.visible == nil && $0.before < $0.after } }

  /// Whether some clients that were already prompted are sent to a different page.
  package var changesPage: Bool {
    lines.contains { line in
      guard line.visible == nil, let before = line.urlBefore, let after = line.urlAfter else { return false }
      return before != after
    }
  }

  package var json: JSON { .array(lines.map(\.json)) }

  package init(lines: [ImpactLine], rest: Rest = .nothing) { (self.lines, self.rest) = (lines, rest) }

  /// What is so in a case is not said again where it is so as the ledger stands.
  package init(_ parts: [Impact]) {
    let lines = parts.flatMap(\.lines)
    let present = lines.filter { $0.visible == nil }
    self.init(
      lines: lines.filter { line in line.visible == nil || !present.contains { $0.covers(line) } },
      rest: parts.map(\.rest).max() ?? .nothing)
  }

  /// Folds the differences of two schedules into lines: each difference once, for as long as it lasts.
  ///
  /// - Parameter known: How many recorded versions there are between two keys.
  package init(
    _ compared: ComparedCase, app: App, usage: Usage? = nil, known: (VersionKey, VersionKey) throws -> Int
  ) rethrows {
    let audience = Audience(usage)
    var lines: [ImpactLine] = []
    var last: [Key: Int] = [:]
    for difference in compared.differences {
      for (lo, hi, hears) in difference.parts(asksSince: app.asksSince) {
        let changes = difference.changes(hears: hears)
        guard !changes.isEmpty else { continue }
        let (count, devices) = (try known(lo, hi), audience.devices(lo, hi))
        for change in changes {
          let key = Key(change: change, hears: hears)
          if let place = last[key], lines[place].hi == lo {
            lines[place].count += count
            lines[place].people = usage?.part((lines[place].people?.devices ?? 0) + devices)
            lines[place].hi = hi
            continue
          }
          last[key] = lines.count
          lines.append(
            ImpactLine(
              app: app.slug, lo: lo, hi: hi, count: count, before: change.before.action,
              after: change.after.action, urlBefore: change.before.url, urlAfter: change.after.url,
              at: change.at, until: change.until, os: change.os, hears: hears, visible: compared.visible,
              people: usage?.part(devices)))
        }
      }
    }
    self.init(
      lines: lines.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
        .map(\.element), rest: lines.isEmpty && compared.visible == nil ? compared.rest : .nothing)
  }

  /// Compares two snapshots of an app, the first nil if it did not exist, from a moment on.
  package init(before: Snapshot?, after: Snapshot, now: Timestamp, usage: Usage? = nil) {
    var known = [before?.line, after.line].compactMap(\.self).flatMap { line in
      line.knownPositions.map { line.releases[$0].version }
    }
    known.sortUniquely()
    let (was, willBe) = (before.map { Schedule($0, from: now) }, Schedule(after, from: now))
    let compared = ComparedCase(willBe.differences(from: was, since: now), from: was, to: willBe)
    self.init(compared, app: after.line.app, usage: usage) {
      KnownVersions(of: known, from: $0, to: $1)?.count ?? 0
    }
  }
}

private struct Key: Hashable {
  let change: Prompts
  let hears: Bool
}

private struct Prompts: Hashable {
  struct Prompt: Hashable {
    let action: Action
    let url: String?

    init(_ decision: Decision) { (action, url) = (decision.action, decision.url) }
  }

  let at: Timestamp
  var until: Timestamp?
  var os: String?
  let before: Prompt
  let after: Prompt

  /// Whether it is the same at another time.
  func isLike(_ other: Prompts) -> Bool { os == other.os && before == other.before && after == other.after }
}

extension ScheduleDifference {
  fileprivate func parts(asksSince: Version?) -> [(lo: VersionKey, hi: VersionKey, hears: Bool)] {
    let bound = asksSince.map { min(max(VersionKey($0), lo), hi) } ?? lo
    return [(lo, bound, false), (bound, hi, true)].filter { $0.lo < $0.hi }
  }

  /// What people notice, each difference once, for as long as it lasts.
  fileprivate func changes(hears: Bool) -> [Prompts] {
    var changes: [Prompts] = []
    for step in steps {
      var all = step.systems.map { pair in
        Prompts(
          at: step.from, until: step.until, os: pair.os, before: Prompts.Prompt(pair.before),
          after: Prompts.Prompt(pair.after))
      }
      if all.allSatisfy({ $0.before == all.first?.before && $0.after == all.first?.after }) {
        all = Array(all.prefix(1))
        if !all.isEmpty { all[0].os = nil }
      }
      for said in all where said.before != said.after {
        if let place = changes.lastIndex(where: { $0.until == said.at && $0.isLike(said) }) {
          changes[place].until = said.until
        } else {
          changes.append(said)
        }
      }
    }
    return changes
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
