/// Why a change needs the agreement of several people where a ledger demands it.
package enum ApprovalNeed: String, Sendable, CaseIterable, Comparable {
  /// Some client would be forced.
  case forces
  /// Some client would be told something harsher.
  case harsher
  /// Some prompted client would be sent to another page.
  case page
  /// Something recorded would never have happened.
  case neverShipped = "never-shipped"
  /// A release would force everybody below it for good.
  case mandatory
  /// People would have less time to object to a going live.
  case hold
  /// Fewer stores would have to show a release before its hold ends.
  case countries
  /// A lookup alone would mark releases live.
  case liveBy = "live-by"
  /// Released clients would get another value of a setting, or none.
  case setting
  /// Something else would be believed.
  case trust

  package static func < (left: ApprovalNeed, right: ApprovalNeed) -> Bool {
    (allCases.firstIndex(of: left) ?? 0) < (allCases.firstIndex(of: right) ?? 0)
  }
}

extension Change {
  /// What of the change needs agreement whatever it alters now: it alters what later changes can do.
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
      // By it a webhook, which is proof, finds the release that it is about.
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

  /// Whether a reminder that it brings needs agreement. A going live is not among these: there the hold is the time to
  /// object, and only becoming forced needs it.
  var needsForReminders: Bool {
    if case .clockCorrected = self { true } else { asksWhenHarsher }
  }
}
