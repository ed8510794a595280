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
    _ compared: ComparedCase, usage: Usage? = nil, namesTargets: Bool = false,
    known: (VersionKey, VersionKey) throws -> Int
  ) rethrows {
    var lines: [ImpactLine] = []
    // The last line for each difference, whatever its versions are.
    var last: [ImpactLine: Int] = [:]
    let asksSince = compared.after.line.app.asksSince.map { VersionKey($0) } ?? .least
    for difference in compared.differences {
      let (lo, hi) = (difference.lo, difference.hi)
      let bound = min(max(asksSince, lo), hi)
      for (part, hears) in [(lo..<bound, false), (bound..<hi, true)] where !part.isEmpty {
        for said in compared.lines(difference, hears: hears, namesTargets: namesTargets) {
          if let index = last[said], lines[index].hi == part.lowerBound {
            lines[index].hi = part.upperBound
            continue
          }
          last[said] = lines.count
          lines.append(said)
          (lines[lines.count - 1].lo, lines[lines.count - 1].hi) = (part.lowerBound, part.upperBound)
        }
      }
    }
    for index in lines.indices {
      lines[index].count = try known(lines[index].lo, lines[index].hi)
      lines[index].people = usage?.part(of: lines[index].range)
    }
    self.init(
      lines: lines.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
        .map(\.element), rest: compared.visible == nil ? compared.rest(namesTargets: namesTargets) : .nothing,
      forcesOnceVisible: compared.asksPerson && compared.forces, forcedTo: compared.forcedTo)
  }
}

extension ComparedCase {
  /// Each difference of prompts once, for as long as it lasts, said of all versions.
  fileprivate func lines(
    _ difference: ScheduleDifference, hears: Bool, namesTargets: Bool
  ) -> [ImpactLine] {
    var lines: [ImpactLine] = []
    for step in difference.steps {
      var all = step.systems.map { systems, before, after in
        ImpactLine(
          app: self.after.line.app.slug, lo: .least, hi: .end, count: 0,
          was: prompt(before, namesTargets: namesTargets),
          willBe: prompt(after, namesTargets: namesTargets), at: step.from, until: step.until,
          systems: systems, hears: hears, visible: visible)
      }
      if let first = all.first, all.allSatisfy({ $0.was == first.was && $0.willBe == first.willBe }) {
        all = [first]
        all[0].systems = .all
      }
      for line in all where line.was != line.willBe {
        let goesOn = lines.lastIndex {
          $0.until == line.at && $0.systems == line.systems && $0.was == line.was && $0.willBe == line.willBe
        }
        if let goesOn { lines[goesOn].until = line.until } else { lines.append(line) }
      }
    }
    return lines
  }
}
