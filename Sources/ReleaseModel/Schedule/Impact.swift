package import JSON

/// What a change alters for clients, and whether someone should be asked first.
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
  /// Whether someone would be forced once a release under way is visible, which asks.
  package let forcesOnceVisible: Bool
  /// The releases, by how they are spelled, that clients would be forced to.
  package let forcedTo: Set<String>

  package var forces: Bool { lines.contains { $0.visible == nil && $0.forces } }

  package var isStricter: Bool { lines.contains { $0.visible == nil && $0.before < $0.after } }

  /// Whether some clients that were already prompted are sent to a different page.
  package var changesPage: Bool {
    lines.contains { $0.visible == nil && $0.page != nil }
  }

  /// Whom it forces among the oldest versions, of which none is recorded; not of apps whose past is whole.
  package func unrecorded(except whole: Set<String>) -> ImpactLine? {
    lines.first { $0.forcesUnrecorded && !whole.contains($0.app) }
  }

  package var json: JSON { .array(lines.map(\.json)) }

  package init(
    lines: [ImpactLine], rest: Rest = .nothing, forcesOnceVisible: Bool = false, forcedTo: Set<String> = []
  ) {
    (self.lines, self.rest, self.forcesOnceVisible, self.forcedTo) = (
      lines, rest, forcesOnceVisible, forcedTo
    )
  }

  /// A line of a case is left out where the ledger as it is has the same line.
  package init(_ parts: [Impact]) {
    var seen: Set<ImpactLine> = []
    let lines = parts.flatMap(\.lines).filter { seen.insert($0).inserted }
    let present = lines.filter { $0.visible == nil }
    // Where clients are forced now, cases say what would come after.
    let forcing = parts.contains(where: \.forces) ? parts.filter(\.forces) : parts
    self.init(
      lines: lines.filter { line in line.visible == nil || !present.contains { $0.covers(line) } },
      rest: parts.map(\.rest).max() ?? .nothing,
      forcesOnceVisible: parts.contains(where: \.forcesOnceVisible),
      forcedTo: forcing.reduce(into: []) { $0.formUnion($1.forcedTo) })
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
    var lines: [ImpactLine] = []
    var last: [Key: Int] = [:]
    for difference in compared.differences {
      for (lo, hi, hears) in difference.parts(asksSince: app.asksSince) {
        for change in difference.changes({ compared.prompt($0, namesTargets: namesTargets) }) {
          let key = Key(change: change, hears: hears)
          if let place = last[key], lines[place].hi == lo {
            lines[place].hi = hi
            continue
          }
          last[key] = lines.count
          lines.append(
            ImpactLine(
              app: app.slug, lo: lo, hi: hi, count: 0, was: change.before, willBe: change.after,
              at: change.at, until: change.until, systems: change.systems, hears: hears,
              visible: compared.visible))
        }
      }
    }
    for place in lines.indices {
      lines[place].count = try known(lines[place].lo, lines[place].hi)
      lines[place].people = usage?.part(of: lines[place].range)
    }
    self.init(
      lines: lines.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
        .map(\.element), rest: lines.isEmpty && compared.visible == nil ? compared.rest : .nothing,
      forcesOnceVisible: compared.asksPerson && compared.forces, forcedTo: compared.forcedTo)
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
