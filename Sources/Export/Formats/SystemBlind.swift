import ReleaseModel

extension AnswerSheet {
  /// What a version is told in a format that cannot ask for the device's system.
  ///
  /// Nobody is forced to what their device may be too old for: a prompt that can be put off takes the place of one that
  /// cannot, where the target needs a newer system than the client's own release did.
  func decideWithoutSystem(_ release: Release) -> Decision {
    var decision = decide(release.version)
    guard decision.action == .force, let needed = decision.target?.minOS else { return decision }
    if release.minOS.map({ $0 < needed }) ?? true { decision.action = .remind }
    return decision
  }
}
