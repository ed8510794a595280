import ReleaseModel

extension AnswerSheet {
  /// What a version is told in a format that cannot ask for the device's system.
  ///
  /// Nobody is forced to what their device may be too old for: a prompt that can be put off takes the place of one that
  /// cannot, where the target needs a newer system than the client's own release did.
  func decideWithoutSystem(_ version: Version) -> Decision {
    var decision = withoutTimes(decide(version))
    guard decision.action == .force, let needed = decision.target?.minOS else { return decision }
    if systemNeeded(by: version).map({ $0 < needed }) ?? true { decision.action = .remind }
    return decision
  }

  /// What is said in a format that cannot say until when it holds.
  ///
  /// Nobody is forced to what stops opening soon: the document may be read long after it should have been replaced.
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
  /// A version that the ledger does not know is taken to need what the nearest one below it does, and below the first
  /// what the first one does.
  func systemNeeded(by version: Version) -> Version? {
    var (low, high) = (0, released.count)
    while low < high {
      let middle = low + (high - low) / 2
      if released[middle].version <= version { low = middle + 1 } else { high = middle }
    }
    return released.isEmpty ? nil : released[max(0, low - 1)].minOS
  }
}
