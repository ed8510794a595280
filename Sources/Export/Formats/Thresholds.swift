import ReleaseModel

/// The bounds for clients that know just two: they force below one, remind below the other, and do nothing
/// from there up.
///
/// The bounds are where the decision changes, whether or not a version of that number is recorded. If the
/// decisions do not have this form, the bounds are the greatest below which nobody is told more than was
/// decided, or sent elsewhere. Both have at most three components, since clients do not agree on a fourth.
///
/// The upper bound is what such a format announces as the newest version. It is not the target: by the
/// policy, a client may be below the target and be told nothing, while these clients prompt everybody below
/// the announced version.
struct Thresholds: Sendable, Equatable {
  let forced: Version?
  /// The lowest version that is not prompted.
  let announced: Version
  let url: String
  let target: Release

  static let limit = "has one bound to force below and one to remind below"

  init?(_ line: [FormatStep], _ answers: AppAnswers) {
    let steps = line.filter { !answers.isNobodys($0.first) }
    guard let oldest = steps.first?.decision, oldest.action != .none, let url = oldest.url,
      let target = oldest.target
    else { return nil }
    func isPrompted(_ decision: Decision) -> Bool {
      // While a release is phased, some are forced to it and others reminded of the one before it, on the
      // same page.
      decision.action != .none && decision.url == url && decision.target?.minOS == target.minOS
        && decision.targetApp == oldest.targetApp
    }
    // Below a bound, all versions are told at least as much, from the least possible version on.
    func bound(_ isTold: (Decision) -> Bool) -> Version? {
      steps.first { !isTold($0.decision) }.flatMap { answers.nameable(upTo: $0.first) }
    }
    let forced = bound { isPrompted($0) && $0.action == .force }
    guard let announced = [bound(isPrompted), forced].compactMap(\.self).max() else { return nil }
    self.forced = forced.map(answers.spelled)
    self.announced = answers.spelled(announced)
    self.url = url
    self.target = target
  }
}

extension AppAnswers {
  /// The greatest bound of at most three components that is not above another and that documents may name.
  ///
  /// - Returns: Nil if nothing is below it.
  fileprivate func nameable(upTo end: Version) -> Version? {
    var bound = end.truncated(to: 3)
    if underWay.contains(bound) {
      guard let last = released.last(where: { $0.version < bound })?.version else { return nil }
      let others = [last.nextPatch, last.truncated(to: 3)].compactMap(\.self)
      guard let lower = others.first(where: { $0 < bound && !underWay.contains($0) }) else { return nil }
      bound = lower
    }
    return bound == .zero ? nil : bound
  }

  /// A bound spelled like the app's versions, since clients do not agree on whether 1.0 is 1.0.0.
  fileprivate func spelled(_ bound: Version) -> Version {
    if let known = known.first(where: { $0.version == bound })?.version, known.count <= 3 { return known }
    return bound.spelled(components: min(3, usualComponents ?? 3))
  }

  /// How many components most versions of the app have; nil if none was released.
  var usualComponents: Int? {
    Dictionary(grouping: released, by: \.version.count).mapValues(\.count)
      .max { ($0.value, $0.key) < ($1.value, $1.key) }?.key
  }

  func nameable(above version: Version) -> Version? {
    [version.nextPatch, version.after].compactMap(\.self).first { !underWay.contains($0) }
  }
}
