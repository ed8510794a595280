/// Why a change needs the agreement of several people, in a ledger that demands it.
package enum ApprovalNeed: String, Sendable, CaseIterable, Comparable {
  /// Some client would be forced.
  case forces
  /// Some client would be told something harsher.
  case harsher
  /// Some prompted client would be sent to another page.
  case page
  /// Something recorded would be declared never to have happened.
  case neverShipped = "never-shipped"
  /// A release would force everybody below it for good.
  case mandatory
  /// People would have less time to object after a release goes live.
  case hold
  /// Fewer stores would have to show a release before its hold ends.
  case countries
  /// A lookup alone would mark releases live.
  case liveBy = "live-by"
  /// Released clients would get another value of a setting, or none.
  case setting
  /// What the ledger trusts would change.
  case trust

  package static func < (left: ApprovalNeed, right: ApprovalNeed) -> Bool {
    (allCases.firstIndex(of: left) ?? 0) < (allCases.firstIndex(of: right) ?? 0)
  }
}

extension Change {
  /// The agreement that the change needs whatever it alters now, since it affects what later changes can do.
  package var needs: Set<ApprovalNeed> {
    switch self {
    case .appSet(let before, let after):
      var needs: Set<ApprovalNeed> = []
      if after.hold < before.hold { needs.insert(.hold) }
      if !Set(before.countries).isSubset(of: after.countries) { needs.insert(.countries) }
      if after.isLiveByLookup, !before.isLiveByLookup { needs.insert(.liveBy) }
      return needs
    case .published(let release): return release.isMandatory ? [.mandatory] : []
    case .amended(let before, let after):
      var needs: Set<ApprovalNeed> = []
      if after.isMandatory, !before.isMandatory { needs.insert(.mandatory) }
      // A webhook, which is proof, finds its release by this id.
      if after.ascID != before.ascID { needs.insert(.trust) }
      return needs
    case .voided: return contradictsRecord ? [.neverShipped] : []
    case .trusted, .distrusted: return [.trust]
    case .ledgerMade, .appAdded, .appVoided, .marked, .unmarked, .imported, .ruleMade, .ruleLifted,
      .ruleRestored,
      .redirectSet, .settingSet, .evidenceAdded, .evidenceSettled, .publicationSet, .clockCorrected,
      .planApplied, .requested:
      return []
    }
  }

  /// Whether a reminder that the change brings needs agreement.
  ///
  /// Marking a release live is not included: the hold gives time to object, and only a force needs agreement.
  var needsForReminders: Bool {
    if case .clockCorrected = self { true } else { asksWhenHarsher }
  }
}
