package import JSON

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
  package enum Rest: String, Sendable, Ranked {
    /// Both schedules are the same.
    case nothing
    /// Clients are told the same for another reason.
    case reasons
    /// Clients are told other targets, notes or settings.
    case details
  }

  package let lines: [ImpactLine]
  package let rest: Rest
  /// Whether somebody would be forced once a release under way is visible, which asks.
  package let forcesOnceVisible: Bool

  package var forces: Bool { lines.contains { $0.visible == nil && $0.forces } }

  package var isStricter: Bool { lines.contains { $0.visible == nil && $0.before < $0.after } }

  /// Whether some clients that were already prompted are sent to a different page.
  package var changesPage: Bool {
    lines.contains { $0.visible == nil && $0.page != nil }
  }

  package var json: JSON { .array(lines.map(\.json)) }

  package init(lines: [ImpactLine], rest: Rest = .nothing, forcesOnceVisible: Bool = false) {
    (self.lines, self.rest, self.forcesOnceVisible) = (lines, rest, forcesOnceVisible)
  }

  /// What is so in a case is not said again where it is so as the ledger stands.
  package init(_ parts: [Impact]) {
    var seen: Set<ImpactLine> = []
    let lines = parts.flatMap(\.lines).filter { seen.insert($0).inserted }
    let present = lines.filter { $0.visible == nil }
    self.init(
      lines: lines.filter { line in line.visible == nil || !present.contains { $0.covers(line) } },
      rest: parts.map(\.rest).max() ?? .nothing, forcesOnceVisible: parts.contains(where: \.forcesOnceVisible)
    )
  }

  /// Folds the differences of two schedules into lines: each difference once, for as long as it lasts.
  ///
  /// - Parameters:
  ///   - namesTargets: Whether what points clients at another release counts, although people do not notice it.
  ///   - known: How many recorded versions there are between two keys.
  package init(
    _ compared: ComparedCase, app: App, usage: Usage? = nil, namesTargets: Bool = false,
    known: (VersionKey, VersionKey) throws -> Int
  ) rethrows {
    let audience = Audience(usage)
    var lines: [ImpactLine] = []
    var last: [Key: Int] = [:]
    for difference in compared.differences {
      for (lo, hi, hears) in difference.parts(asksSince: app.asksSince) {
        let changes = difference.changes { compared.prompt($0, namesTargets: namesTargets) }
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
              app: app.slug, lo: lo, hi: hi, count: count, was: change.before, willBe: change.after,
              at: change.at, until: change.until, systems: change.systems, hears: hears,
              visible: compared.visible, people: usage?.part(devices)))
        }
      }
    }
    self.init(
      lines: lines.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
        .map(\.element), rest: lines.isEmpty && compared.visible == nil ? compared.rest : .nothing,
      forcesOnceVisible: compared.asks && compared.forces)
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

  /// Compares what an app's versions, in any order, are told and which page they open now with what they
  /// would be.
  package init(
    on app: String, _ versions: [Version], at moment: Timestamp,
    before: (Version) -> (action: Action, url: String?), after: (Version) -> (action: Action, url: String?)
  ) {
    func prompt(_ told: (action: Action, url: String?)) -> ImpactLine.Prompt {
      ImpactLine.Prompt(action: told.action, url: told.url, target: nil)
    }
    var versions = versions
    versions.sortUniquely()
    var lines: [ImpactLine] = []
    var last: Version?
    for version in versions {
      let line = ImpactLine(
        app: app, lo: VersionKey(version), hi: .after(version), count: 1, was: prompt(before(version)),
        willBe: prompt(after(version)), at: moment)
      let isNext = last.map { lines.last?.hi == .after($0) } ?? false
      last = version
      guard line.isNoticed else { continue }
      if isNext, let run = lines.last, run.was == line.was, run.willBe == line.willBe {
        lines[lines.count - 1].hi = line.hi
        lines[lines.count - 1].count += 1
      } else {
        lines.append(line)
      }
    }
    self.init(lines: lines)
  }
}

private struct Key: Hashable {
  let change: Prompts
  let hears: Bool
}

private struct Prompts: Hashable {
  let at: Timestamp
  var until: Timestamp?
  var systems: VersionRange
  let before: ImpactLine.Prompt
  let after: ImpactLine.Prompt

  /// Whether it is the same at another time.
  func isLike(_ other: Prompts) -> Bool {
    systems == other.systems && before == other.before && after == other.after
  }
}

extension ScheduleDifference {
  fileprivate func parts(asksSince: Version?) -> [(lo: VersionKey, hi: VersionKey, hears: Bool)] {
    let bound = asksSince.map { min(max(VersionKey($0), lo), hi) } ?? lo
    return [(lo, bound, false), (bound, hi, true)].filter { $0.lo < $0.hi }
  }

  /// Each difference of prompts once, for as long as it lasts.
  fileprivate func changes(_ prompt: (Decision) -> ImpactLine.Prompt) -> [Prompts] {
    var changes: [Prompts] = []
    for step in steps {
      var all = step.systems.map { pair in
        Prompts(
          at: step.from, until: step.until, systems: pair.systems, before: prompt(pair.before),
          after: prompt(pair.after))
      }
      if all.allSatisfy({ $0.before == all.first?.before && $0.after == all.first?.after }) {
        all = Array(all.prefix(1))
        if !all.isEmpty { all[0].systems = .all }
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
