// Whether one effect goes beyond another: what a plan is held to when it is shown, applied and verified.

extension Collection<ImpactLine> {
  /// The first of the lines that forces, prompts or sends elsewhere someone of whom a plan does not say it: what is
  /// left of it once everything is taken away that the plan says; nil if nothing is.
  ///
  /// What a plan says as the ledger stands, it also says in every case. What it says in a case, it says in all that
  /// look the same to a client: a client sees of the release only whether it is newer, and in which component first.
  ///
  /// - Parameters:
  ///   - made: When the plan was made: what it says from then on, it says from now on.
  ///   - moved: The moments that the plan imagined as so long after its making: they are as long after now.
  package func beyond(
    _ plan: [ImpactLine], made: Timestamp, now: Timestamp, moved: Set<Timestamp> = []
  ) -> ImpactLine? {
    // Reminders wait for a phase that begins when a release goes live; in a case it does when that begins.
    let starts = moved.union([made])
    let moved = starts.union(starts.map { $0 + ReleasePhase.length })
    for line in self where line.isStricter || line.sendsElsewhere {
      var rest = line.regions()
      for other in plan where !rest.isEmpty && other.says(line) {
        for said in other.regions(since: made, until: { moved.contains($0) ? $0 + (now - made) : $0 }) {
          rest = rest.flatMap { region in
            said.view == nil || said.view == region.view ? region.without(said) : [region]
          }
        }
      }
      if let left = rest.first { return line.narrowed(to: left) }
    }
    return nil
  }
}

extension ImpactLine {
  /// The line with another end.
  package func lasting(until end: Timestamp) -> ImpactLine {
    var line = self
    line.until = end
    return line
  }

  fileprivate var isStricter: Bool { before < after }

  fileprivate var sendsElsewhere: Bool {
    before != .none && after != .none && (was?.url, was?.target) != (willBe?.url, willBe?.target)
  }

  /// Whether a line of a plan does to clients what another line does, or more of it.
  fileprivate func says(_ other: ImpactLine) -> Bool {
    guard app == other.app, willBe?.url == other.willBe?.url,
      other.willBe?.target == nil || willBe?.target == other.willBe?.target,
      visible == nil || visible?.isPhased == other.visible?.isPhased
    else { return false }
    return other.after <= after && (isStricter || sendsElsewhere && !other.isStricter)
  }

  fileprivate func narrowed(to region: Region) -> ImpactLine {
    var line = self
    (line.lo, line.hi) = (region.versions.lowerBound, region.versions.upperBound)
    line.at = region.moments.lowerBound
    let systems = VersionRange(from: region.systems.lowerBound, to: region.systems.upperBound) ?? .all
    // Those that it names need not be spelled anew.
    if systems != line.systems { line.systems = systems }
    return line
  }

  /// The versions, moments and systems of which the line speaks, by how clients see the releases of its case.
  ///
  /// - Parameters:
  ///   - made: A moment before which the line may as well begin.
  ///   - end: When what ends at a moment ends.
  fileprivate func regions(
    since made: Timestamp? = nil, until end: (Timestamp) -> Timestamp = { $0 }
  ) -> [Region] {
    let from = made.map { at <= $0 } ?? false ? Timestamp.distantPast : at
    let until = max(from, until.map(end) ?? Timestamp(seconds: .max))
    func region(_ versions: Range<VersionKey>, _ view: Region.View?) -> Region {
      Region(versions: versions, moments: from..<until, systems: systems.start..<systems.end, view: view)
    }
    guard let visible else { return [region(lo..<hi, nil)] }
    let others = Set(visible.versions.keys).subtracting([app])
    guard let version = visible.versions[app] else {
      return [region(lo..<hi, Region.View(component: nil, others: others))]
    }
    let bounds = (0...4).map { $0 == 0 ? .least : VersionKey(version.truncated(to: $0)) } + [.end]
    return (0...4).compactMap { component in
      let versions = (lo..<hi).clamped(to: bounds[component]..<bounds[component + 1])
      return versions.isEmpty
        ? nil : region(versions, Region.View(component: component, others: others))
    }
  }
}

private struct Region {
  /// How a client sees a case: the first component in which the app's new release is newer, 4 for none, nil where the
  /// app has no new one; and which other apps have one.
  struct View: Equatable {
    let component: Int?
    let others: Set<String>
  }

  var versions: Range<VersionKey>
  var moments: Range<Timestamp>
  var systems: Range<VersionKey>
  let view: View?

  /// What is left without another region.
  func without(_ other: Region) -> [Region] {
    guard versions.overlaps(other.versions), moments.overlaps(other.moments), systems.overlaps(other.systems)
    else { return [self] }
    var (rest, left): (Region, [Region]) = (self, [])
    func cut<Bound>(_ axis: WritableKeyPath<Region, Range<Bound>>) {
      let (own, taken) = (rest[keyPath: axis], other[keyPath: axis])
      var part = rest
      if own.lowerBound < taken.lowerBound {
        part[keyPath: axis] = own.lowerBound..<taken.lowerBound
        left.append(part)
      }
      if taken.upperBound < own.upperBound {
        part[keyPath: axis] = taken.upperBound..<own.upperBound
        left.append(part)
      }
      rest[keyPath: axis] = own.clamped(to: taken)
    }
    cut(\.versions)
    cut(\.moments)
    cut(\.systems)
    return left
  }
}
