import ReleaseModel

extension AnswerSheet {
  /// What a version is told in a format that cannot take the device's system into account.
  ///
  /// Nobody is forced to a release that their device may be too old for: the force becomes a reminder if the
  /// target needs a newer system than the client's own release did.
  func decideWithoutSystem(_ version: Version) -> Decision {
    var decision = withoutTimes(decide(version))
    guard decision.action == .force, let needed = decision.target?.minOS else { return decision }
    if systemNeeded(by: version).map({ $0 < needed }) ?? true { decision.action = .remind }
    return decision
  }

  /// Adapts a decision to a format that cannot state when an answer ends.
  ///
  /// Nobody is forced to a build that stops opening soon: the document may be read long after it should have
  /// been replaced.
  func withoutTimes(_ decision: Decision) -> Decision {
    guard decision.action == .force, let notice = decision.target?.expiryNotice, notice <= moment else {
      return decision
    }
    var decision = decision
    decision.action = .remind
    return decision
  }

  /// The oldest system that a version runs on; nil for any.
  ///
  /// A version that the ledger does not know is taken to need what the nearest known one below it needs, or,
  /// below the first one, what the first one needs.
  func systemNeeded(by version: Version) -> Version? {
    var (low, high) = (0, released.count)
    while low < high {
      let middle = low + (high - low) / 2
      if released[middle].version <= version { low = middle + 1 } else { high = middle }
    }
    return released.isEmpty ? nil : released[max(0, low - 1)].minOS
  }
}
