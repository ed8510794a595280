package import AppleIntake
package import Ledger
package import ReleaseModel

/// One way in for evidence: it reads and proves bytes, and says what they claim. `EvidenceIntake` does the
/// rest.
///
/// A new source needs a conformance, a case of `Evidence.Kind`, its reasons in `IntakeReason` and a command
/// that reads the bytes.
package protocol EvidenceSource: Sendable {
  var kind: Evidence.Kind { get }
  /// The app that it is said to be about; nil if the evidence names its own.
  var app: String? { get }
  /// Whether it describes the present, so that the same bytes can be news again, and what changes nothing is
  /// not recorded.
  var tellsOfNow: Bool { get }

  /// Reads and proves bytes, and fills in what the evidence says about itself.
  ///
  /// - Parameters:
  ///   - evidence: States when it was received, and how it was proved before.
  ///   - draft: Provides what is trusted, and the app.
  /// - Throws: An error if the bytes are not evidence at all, so that nothing is recorded.
  func examine(_ bytes: [UInt8], _ evidence: inout Evidence, _ draft: inout Draft) throws -> Examined
}

/// The result of an examination.
package enum Examined: Sendable, Equatable {
  /// It moves nothing.
  case ends(Evidence.Outcome, IntakeReason, keepsBytes: Bool = true)
  /// It claims something, which has to be bound to a release and compared with what the ledger knows.
  case claims(Claim)
}

/// What evidence claims about a release.
package enum Claim: Sendable, Equatable {
  /// Apple says that a release is in a state.
  case state(ReleaseState, of: Subject, saidBy: IntakeReason.StatingKind)
  /// The store serves a version.
  case served(Version, of: String, country: String, notes: String?)
  /// App Store Connect describes a version of an app.
  case connect(ConnectVersion, of: String, isFetched: Bool)
  /// Somebody counted the devices of an app.
  case counted(of: String)

  /// How evidence names the release it is about.
  package enum Subject: Sendable, Equatable {
    /// By the app's number at Apple, its platform if one is given, and the version.
    case version(Version, appleID: Int64, platform: ApplePlatform?)
    /// By App Store Connect's own id of the version, in this app or in the same app on another platform.
    case storeID(String, app: String)
    /// By an id that no release has yet: it means the app's only release under way that leaves this state; nil
    /// for one not submitted.
    case only(id: String, app: String, leaving: ReleaseState?)
  }
}
