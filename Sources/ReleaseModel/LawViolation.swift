/// Why a law of the ledger refuses a change.
package enum LawViolation: Error, Sendable, Equatable {
  /// One thing that a recorded release and a command say differently.
  package struct Difference: Sendable, Equatable {
    /// The member of the release's JSON.
    package let member: String
    /// What is recorded; nil for nothing.
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
    /// A release that counts is at least as great; whether it can still be struck out.
    case recorded(Version, mayBeVoid: Bool)
    /// The same version is recorded under another spelling, and whether it can still be struck out.
    case spelledOtherwise(Version, isPast: Bool, mayBeVoid: Bool = true)
    /// The same version is recorded and says something else.
    case saysOtherwise(Version, differs: [Difference])
    /// A greater release is live, and no client has been told of it.
    case live(Version)
    /// A greater release could be seen by clients.
    case visible(Version)
    /// A greater release has been live since.
    case liveSince(Version)
  }

  /// Law 1.
  case notGreater(Version, Lesser)
  /// The version does not fit the app's channel.
  case version(String, VersionFault)
  /// Law 3.
  case illegalMove(Version, from: ReleaseState, to: ReleaseState)
  /// A moment that may not be in the future is.
  case future(Timestamp, now: Timestamp)
  /// A live release's moment cannot be changed.
  case liveSince(Version, Timestamp)
  /// `unmark` of a release that is not live.
  case notLive(Version, ReleaseState)
  /// `unmark` after clients may have been told.
  case alreadyVisible(Version, since: Timestamp)
  /// A past release that is not lower than one that was live.
  case notPast(Version)
  /// A past release stays what it is.
  case isPast(Version)
  /// `void` of a release that was live or approved.
  case wasLive(Version, isPast: Bool = false)
  case wasApproved(Version)
  /// A build that does not grow within its version.
  case buildNotGreater(Version, build: Version, than: Version)
  /// A void release takes no changes.
  case isVoid(Version)
  /// No such release.
  case noRelease(Version, nearest: Version?)
}

extension LawViolation {
  /// What a violation is called, as an error of a person's command and in the reason of evidence that it stops.
  ///
  /// Stored with evidence, so that it never changes; catalogued in docs/errors.md.
  package enum ID: String, Sendable, CaseIterable {
    case notGreater = "version.not-greater"
    case version = "version.malformed"
    case illegalMove = "state.illegal"
    case future = "time.future"
    case liveSince = "state.live-since"
    case notLive = "unmark.not-live"
    case alreadyVisible = "unmark.too-late"
    case notPast = "version.not-past"
    case isPast = "release.past"
    case wasLive = "void.was-live"
    case wasApproved = "void.was-approved"
    case buildNotGreater = "build.not-greater"
    case isVoid = "release.void"
    case noRelease = "release.not-found"
  }

  /// What it is called.
  package var id: ID {
    switch self {
    case .notGreater: .notGreater
    case .version: .version
    case .illegalMove: .illegalMove
    case .future: .future
    case .liveSince: .liveSince
    case .notLive: .notLive
    case .alreadyVisible: .alreadyVisible
    case .notPast: .notPast
    case .isPast: .isPast
    case .wasLive: .wasLive
    case .wasApproved: .wasApproved
    case .buildNotGreater: .buildNotGreater
    case .isVoid: .isVoid
    case .noRelease: .noRelease
    }
  }
}
