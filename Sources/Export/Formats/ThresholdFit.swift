import ReleaseModel

/// How far what versions are told is from two bounds and one page.
struct ThresholdFit {
  /// What a version is told, and whether by a rule for it alone, which makes it the exception among equals.
  struct Told {
    let version: Version
    let decision: Decision
    let isAlone: Bool
  }

  /// The fewest versions without which the rest, ascending, is: first force, then remind, then none, to one page.
  static func misfits(_ told: [Told]) -> [Version] {
    let pages = Set(told.compactMap(\.decision.url)).sorted()
    let ways = pages.map { way(told, page: $0) }
    return ways.min { $0.cost < $1.cost }?.misfits ?? []
  }

  private var misfits: [Version] = []
  private var cost = 0

  private mutating func add(_ told: Told) {
    misfits.append(told.version)
    cost += told.isAlone ? 1_000_000 : 1_000_001
  }

  private static func way(_ told: [Told], page: String) -> ThresholdFit {
    // What is in the way so far, where the last versions looked at should be forced, reminded, told nothing.
    var forced = ThresholdFit()
    var reminded = ThresholdFit()
    var silent = ThresholdFit()
    for one in told {
      // It may become milder from any version on, and never harsher again.
      if forced.cost <= reminded.cost { reminded = forced }
      if reminded.cost <= silent.cost { silent = reminded }
      let action = one.decision.action
      let isOtherPage = action != .none && one.decision.url != page
      if isOtherPage || action != .force { forced.add(one) }
      if isOtherPage || action != .remind { reminded.add(one) }
      if action != .none { silent.add(one) }
    }
    return [forced, reminded, silent].min { $0.cost < $1.cost } ?? ThresholdFit()
  }
}
