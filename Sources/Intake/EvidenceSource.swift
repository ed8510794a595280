package import AppleIntake
package import Ledger
package import ReleaseModel

/// One way in for evidence: reads and proves bytes, and says what they claim to `EvidenceIntake`.
package protocol EvidenceSource: Sendable {
  var kind: Evidence.Kind { get }
  /// The app that it is said to be about; nil if the evidence names its own.
  var app: String? { get }
  /// Fills in what the evidence says about itself; throws if the bytes are not evidence at all.
  func examine(_ bytes: [UInt8], _ evidence: inout Evidence, _ draft: inout ChangeSet) throws -> Examined
}

extension Evidence.Kind {
  /// Whether it describes the present, so that the same bytes can be news again, and what changes nothing is
  /// not recorded.
  var tellsOfNow: Bool { self != .mail && self != .webhook }
}

/// The result of an examination.
package enum Examined: Sendable, Equatable {
  /// With the reason in docs/reasons.md, as it is stored and printed.
  case ends(Evidence.Outcome, String)
  /// The others are claims about a release.
  case state(ReleaseState, of: Subject)
  case served(Version, of: String, country: String, notes: String?)
  /// A country's store does not list the app.
  case absent(of: String, country: String)
  case connect(ConnectVersion, of: String)
  /// App Store Connect's id of a version became that of another one, so that the version may be withdrawn.
  case renamed(Version, of: String, isWithdrawn: Bool)
  case counted(of: String)

  /// How evidence names the release it is about.
  package enum Subject: Sendable, Equatable {
    /// By the app's number at Apple, its platform if one is given, and the version.
    case version(Version, appleID: Int64, platform: ApplePlatform?)
    /// By App Store Connect's own id of the version, in this app or in the same app on another platform.
    case storeID(String, app: String)
  }
}

/// Answers of the store's lookup.
package struct StoreLookup: EvidenceSource {
  private let slug: String
  private let country: String

  package let kind = Evidence.Kind.lookup
  package var app: String? { slug }

  package init(app: String, country: String) {
    slug = app
    self.country = country
  }

  /// - Throws: `LookupFault.malformed` for what is not an answer at all, `LedgerError.noApp`.
  package func examine(_ bytes: [UInt8], _ evidence: inout Evidence, _ draft: inout ChangeSet) throws
    -> Examined
  {
    let line = try draft.line(slug)
    evidence.app = slug
    evidence.country = country
    evidence.proof = "lookup \(country)"
    let answer: LookupAnswer
    do {
      answer = try LookupAnswer(bytes, for: line.app)
    } catch {
      switch error {
      case .malformed: throw error
      case .absent: return .absent(of: slug, country: country)
      case .refused(LookupAnswer.isOfOtherPlatform, _): return .ends(.ignored, LookupAnswer.isOfOtherPlatform)
      case .refused(let reason, let said):
        evidence.subject = String(said.prefix(100))
        return .ends(.parked, reason)
      }
    }
    evidence.version = answer.version
    return .served(answer.version, of: slug, country: country, notes: answer.releaseNotes)
  }
}

/// Counts of the devices that run each version of an app: someone's word, which moves no release.
package struct UsageCount: EvidenceSource {
  private let slug: String

  package let kind = Evidence.Kind.usage
  package var app: String? { slug }

  package init(app: String) { slug = app }

  /// Takes the count as it was read before.
  package func examine(_ bytes: [UInt8], _ evidence: inout Evidence, _ draft: inout ChangeSet) throws
    -> Examined
  {
    evidence.app = slug
    return .counted(of: slug)
  }
}
