import ReleaseModel

extension AppAnswers {
  /// What a version is told in a format that cannot take the device's system into account.
  ///
  /// Nobody is forced to a release that their device may be too old for: the force becomes a reminder if the
  /// target needs a newer system than the client's own release did.
  func decideWithoutSystem(_ version: Version, _ answer: Answer) -> Decision {
    var decision = withoutTimes(answer.decision)
    if decision.action == .force, mayBeTooOld(version, for: decision.target) { decision.action = .remind }
    return decision
  }

  func mayBeTooOld(_ version: Version, for target: Release?) -> Bool {
    guard let needed = target?.minOS else { return false }
    return systemNeeded(by: version).map { $0 < needed } ?? true
  }

  /// Adapts a decision to a format that cannot state when an answer ends.
  ///
  /// Nobody is forced to a build that stops opening soon: the document may be read long after it should have
  /// been replaced.
  func withoutTimes(_ decision: Decision) -> Decision {
    var decision = decision
    if decision.action == .force, stopsSoon(decision.target) { decision.action = .remind }
    return decision
  }

  func stopsSoon(_ target: Release?) -> Bool { target?.expiryNotice.map { $0 <= moment } ?? false }

  /// The oldest system that a version runs on; nil for any.
  ///
  /// A version that the ledger does not know is taken to need what the nearest known one below it needs, or,
  /// below the first one, what the first one needs.
  func systemNeeded(by version: Version) -> Version? {
    let key = VersionKey(version)
    let place = needs.firstPosition { key < $0.from } - 1
    return needs.indices.contains(place) ? needs[place].minOS : nil
  }
}
