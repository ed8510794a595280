import ReleaseModel

/// What every possible version is told at one moment, as a step function over the version line.
///
/// Answers change only at bounds: the ends of rules and redirects, the versions that are recorded, the
/// target, and the versions below it at which the segment policy changes. Between two neighbouring bounds,
/// one question answers for all versions. A version has four components of at most nine digits, so the line
/// is discrete and the steps cover it exactly.
struct DecisionLine: Sendable {
  /// Neighbouring versions that are told the same.
  struct Step: Sendable {
    let range: VersionRange
    /// The least version of the range; a bound is a step of its own, so this version stands for the whole
    /// step.
    let first: Version
    let decision: Decision
  }

  /// Ascending, without gaps, from the least possible version to the greatest.
  let steps: [Step]

  /// Asks once for each bound and once between each two of them.
  init(bounds: Set<Version>, decide: (Version) -> Decision) {
    let bounds = bounds.sorted()
    var starts: [(first: Version, lower: VersionRange.Bound?)] = []
    if bounds.first != .zero { starts.append((.zero, nil)) }
    for (index, bound) in bounds.enumerated() {
      starts.append((bound, bound == .zero ? nil : .init(bound, isIncluded: true)))
      let isNextBound = index + 1 < bounds.count && bounds[index + 1] == bound.next
      if let next = bound.next, !isNextBound { starts.append((next, .init(bound, isIncluded: false))) }
    }
    steps = starts.enumerated().map { index, start in
      let end = index + 1 < starts.count ? starts[index + 1].lower : nil
      let upper = end.map { VersionRange.Bound($0.version, isIncluded: !$0.isIncluded) }
      return Step(
        range: VersionRange(from: start.lower, to: upper) ?? .exactly(start.first), first: start.first,
        decision: decide(start.first))
    }
  }
}

extension AnswerSheet {
  /// What every version is told on a system, in a format that cannot state when an answer ends.
  func line(os: Version) -> DecisionLine {
    DecisionLine(bounds: bounds(os: os)) { withoutTimes(decide($0, os: os)) }
  }

  /// What every version is told, in a format that cannot take the device's system into account.
  func lineWithoutSystem() -> DecisionLine {
    DecisionLine(bounds: bounds(os: nil)) { decideWithoutSystem($0) }
  }

  /// The versions at which an answer may change on a system; nil for an unknown system, on which everything
  /// is taken to run.
  func bounds(os: Version?) -> Set<Version> {
    let line = snapshot.line
    var bounds = Set(known.map(\.version))
    for range in line.rules.map(\.range) + line.redirects.map(\.range) {
      bounds.formUnion([range.lower?.version, range.upper?.version].compactMap(\.self))
    }
    let targets = line.targets(at: moment).filter { release in
      os.flatMap { os in release.minOS.map { $0 <= os } } ?? true
    }
    // The policy compares with the newest target, and with the newest one that it may remind of.
    let reminder = targets.first { line.remindsFrom($0).map { $0 <= moment } ?? true }
    for target in [targets.first, reminder].compactMap({ $0?.version }) {
      for count in 1...4 { bounds.insert(target.cut(after: count)) }
    }
    // Apple takes three components, so no version lies between the newest that was live and the next patch.
    if let next = newestEverLive?.nextPatch { bounds.insert(next) }
    return bounds
  }

  /// Whether no client can have a version, or only testers ever ran it.
  ///
  /// These are left out of comparisons: a rejected, withdrawn or struck-out version below one that was live,
  /// which can never go live (law 1); and, in an app whose versions have three components, the versions
  /// between the newest one that was live and the next patch.
  func isNobodys(_ version: Version) -> Bool {
    if dead.contains(version) { return true }
    guard app.channel == .appStore, let newest = newestEverLive, let next = newest.nextPatch else {
      return false
    }
    return newest < version && version < next
  }
}

extension Version {
  /// The next greater version; nil for the greatest possible one.
  var next: Version? {
    var parts = (0..<4).map(component)
    for index in parts.indices.reversed() {
      if parts[index] < Version.greatestComponent {
        parts[index] += 1
        return Version(parts: parts)
      }
      parts[index] = 0
    }
    return nil
  }

  /// The next version in the third component; nil if there is no room.
  var nextPatch: Version? {
    guard component(2) < Version.greatestComponent else { return nil }
    return Version(parts: [component(0), component(1), component(2) + 1])
  }

  /// The version cut to its first components.
  func cut(after count: Int) -> Version { Version(parts: (0..<count).map(component)) ?? self }

  /// The version with as many components as it needs, and at least as many as asked for.
  func spelled(components count: Int) -> Version {
    let needed = (0..<4).last { component($0) != 0 }.map { $0 + 1 } ?? 1
    return cut(after: max(count, needed))
  }

  private static let greatestComponent: Int64 = 999_999_999

  private init?(parts: [Int64]) {
    guard let version = try? Version(parts.map(String.init).joined(separator: ".")) else { return nil }
    self = version
  }
}
