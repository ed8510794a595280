/// Why a change needs agreement: of the person who is asked, or of several signers where approvals are required.
package enum Need: String, Sendable, Ranked {
  case forces
  case stricter
  case page
  /// Something recorded would be declared never to have happened.
  case neverShipped = "never-shipped"
  case expiring
  /// A release would force every version below it for good.
  case mandatory
  /// People would have less time to object after a release goes live.
  case hold
  /// Fewer stores would have to show a release before its hold ends.
  case countries
  case liveBy = "live-by"
  /// Released clients would get another value of a setting, or none.
  case setting
  /// Evidence about another of Apple's apps would count for this one.
  case appleID = "apple-id"
  /// Other versions would count as too old to ask.
  case asksSince = "asks-since"
  /// Versions that no one recorded would count as never shipped.
  case past
  case trust
  /// The ledger would speak where another file, or another past, speaks now.
  case takeOver = "take-over"
  /// A recorded command would be taken back, or taken back no longer.
  case undo
  /// A release that was rejected would count as live.
  case rejected
  /// Clients of an app that is retired would no longer be sent where it leads.
  case retires
}

/// Cases that are compared in the order of their declaration, whatever their raw values.
package protocol Ranked: CaseIterable, Comparable {}

extension Ranked {
  package static func < (left: Self, right: Self) -> Bool {
    guard left != right else { return false }
    return allCases.first { $0 == left || $0 == right } == left
  }
}

extension Change {
  /// The agreement that the change needs whatever it alters now, since it affects what later changes can do.
  package var needs: Set<Need> {
    switch self {
    case .appSet(let before, let after):
      var needs: Set<Need> = []
      if after.hold < before.hold { needs.insert(.hold) }
      if !Set(before.countries).isSubset(of: after.countries) { needs.insert(.countries) }
      if after.isLiveByLookup, !before.isLiveByLookup { needs.insert(.liveBy) }
      // Evidence is bound by it.
      if after.appleID != before.appleID { needs.insert(.appleID) }
      if after.asksSince != before.asksSince { needs.insert(.asksSince) }
      if after.isPastWhole, !before.isPastWhole { needs.insert(.past) }
      return needs
    case .published(let release), .imported(let release):
      // A webhook, which is proof, finds its release by this id.
      let needs: Set<Need> = release.ascID == nil ? [] : [.trust]
      return release.isMandatory ? needs.union([.mandatory]) : needs
    case .amended(let before, let after):
      var needs: Set<Need> = []
      if after.isMandatory, !before.isMandatory { needs.insert(.mandatory) }
      if after.ascID != before.ascID { needs.insert(.trust) }
      return needs
    case .voided(_, _, let neverShipped): return neverShipped ? [.neverShipped] : []
    case .trusted, .distrusted: return [.trust]
    default: return []
    }
  }

  /// Whether a person's change lets clients hear of a release before the app's hold is over.
  ///
  /// - Parameter isFirst: Whether nothing of the app was ever live, so that an import takes over its past.
  package func endsHoldEarly(_ hold: TimeSpan, isFirst: Bool, now: Timestamp) -> Bool {
    if case .imported(let release) = self {
      return !isFirst && release.visibleAt.map { $0 < now + hold } ?? false
    }
    guard case .marked(let before, let after) = self, after.state == .live, let visibleAt = after.visibleAt
    else { return false }
    if before.state == .live { return before.visibleAt.map { visibleAt < $0 } ?? false }
    return visibleAt < now + hold
  }
}
