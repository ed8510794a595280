package import AppleIntake
package import Ledger
package import ReleaseModel

/// One way in for evidence: it reads and proves bytes, and says what they claim. All the rest is `EvidenceIntake`'s.
///
/// A new source is a conformance, a case of `Evidence.Kind`, its reasons in `IntakeReason` and a command that reads
/// the bytes.
package protocol EvidenceSource: Sendable {
  var kind: Evidence.Kind { get }
  /// The app that somebody says it is about; nil where the evidence names its own.
  var app: String? { get }
  /// Whether it tells of the present, so that the same bytes are news again, and what changes nothing leaves nothing.
  var tellsOfNow: Bool { get }

  /// Reads and proves bytes, and fills in what the evidence says of itself.
  ///
  /// - Parameters:
  ///   - evidence: Says when it was received, and how it was proved before.
  ///   - draft: Asked for what is trusted, and for the app.
  /// - Throws: What makes the bytes no evidence at all, so that nothing of them is recorded.
  func examine(_ bytes: [UInt8], _ evidence: inout Evidence, _ draft: inout Draft) throws -> Examined
}

/// What an examination comes to.
package enum Examined: Sendable, Equatable {
  /// It moves nothing.
  case ends(Evidence.Outcome, IntakeReason, keepsBytes: Bool = true)
  /// It claims something, to be bound to a release and held against what the ledger knows.
  case claims(Claim)
}

/// What evidence claims of a release.
package enum Claim: Sendable, Equatable {
  /// Apple says that a release is in a state.
  case state(ReleaseState, of: Subject, saidBy: IntakeReason.StatingKind)
  /// The store serves a version.
  case served(Version, of: String, country: String, notes: String?)
  /// App Store Connect has a version of an app so.
  case connect(ConnectVersion, of: String, isFetched: Bool)
  /// Somebody counted the devices of an app.
  case counted(of: String)

  /// How evidence names the release it is about.
  package enum Subject: Sendable, Equatable {
    /// By the app's number at Apple, its platform where one is said, and the version.
    case version(Version, appleID: Int64, platform: ApplePlatform?)
    /// By App Store Connect's own id of the version, of an app or of the same app on another platform.
    case storeID(String, app: String)
    /// Not at all: the only release of the app on its way that leaves this state; nil for one not submitted.
    case only(app: String, leaving: ReleaseState?)
  }
}
