/// Why a law of the ledger refuses a change.
package enum LawViolation: Error, Sendable, Equatable {
  /// One detail on which a recorded release and a command disagree.
  package struct Difference: Sendable, Equatable {
    package let member: String
    package let recorded: String?
    package let said: String

    package init(member: String, recorded: String?, said: String) {
      self.member = member
      self.recorded = recorded
      self.said = said
    }
  }

  /// Why a version is not great enough.
  package enum Lesser: Sendable, Equatable {
    /// A release that counts is at least as great; says whether it can still be struck out.
    case recorded(Version, mayBeVoid: Bool)
    /// The same version is recorded under another spelling; says whether it can still be struck out.
    case spelledOtherwise(Version, isPast: Bool, mayBeVoid: Bool = true)
    case saysOtherwise(Version, differs: [Difference])
    /// A greater release is live, and no client has been told of it.
    case live(Version)
    /// Clients could have seen a greater release.
    case visible(Version)
    case liveSince(Version)
  }

  /// Law 1.
  case notGreater(Version, Lesser)
  case version(String, VersionFault)
  /// Law 3.
  case illegalMove(Version, from: ReleaseState, to: ReleaseState)
  case future(Timestamp, now: Timestamp)
  case liveSince(Version, Timestamp)
  case beforeNewest(Version, at: Timestamp, newest: Version, liveAt: Timestamp)
  case notLive(Version, ReleaseState)
  case alreadyVisible(Version, since: Timestamp)
  /// A release to be recorded as past is not lower than one that was live.
  case notPast(Version)
  case isPast(Version)
  case wasLive(Version, isPast: Bool = false)
  case wasApproved(Version)
  /// Without the release a past one, the second, would be above everything that was ever live.
  case leavesPast(Version, Version)
  case buildNotGreater(Version, build: Version, than: Version)
  case isVoid(Version)
  case noRelease(Version, nearest: Version?)
}

extension LawViolation {
  /// The id of a violation: of the error if a person's command is refused, and in the reason if evidence is.
  ///
  /// It is stored with evidence, so it never changes; listed in docs/errors.md.
  package enum ID: String, Sendable, CaseIterable {
    case notGreater = "version.not-greater"
    case version = "version.malformed"
    case illegalMove = "state.illegal"
    case future = "time.future"
    case liveSince = "state.live-since"
    case beforeNewest = "mark.before-newest"
    case notLive = "unmark.not-live"
    case alreadyVisible = "unmark.too-late"
    case notPast = "version.not-past"
    case isPast = "release.past"
    case wasLive = "void.was-live"
    case wasApproved = "void.was-approved"
    case leavesPast = "void.leaves-past"
    case buildNotGreater = "build.not-greater"
    case isVoid = "release.void"
    case noRelease = "release.not-found"
  }

  package var id: ID {
    switch self {
    case .notGreater: .notGreater
    case .version: .version
    case .illegalMove: .illegalMove
    case .future: .future
    case .liveSince: .liveSince
    case .beforeNewest: .beforeNewest
    case .notLive: .notLive
    case .alreadyVisible: .alreadyVisible
    case .notPast: .notPast
    case .isPast: .isPast
    case .wasLive: .wasLive
    case .wasApproved: .wasApproved
    case .leavesPast: .leavesPast
    case .buildNotGreater: .buildNotGreater
    case .isVoid: .isVoid
    case .noRelease: .noRelease
    }
  }
}
