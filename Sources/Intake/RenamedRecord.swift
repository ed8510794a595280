import AppleIntake
package import Ledger
package import ReleaseModel

/// A record of App Store Connect's that is another version now: an unsent or rejected one is given another number, and
/// keeps its id.
package struct RenamedRecord: EvidenceSource {
  private let answer: StoreConnect
  private let slug: String
  private let (old, new): (Version, Version)
  /// Whether Apple has the old version no more.
  private let isWithdrawn: Bool

  package let kind = Evidence.Kind.asc
  package var app: String? { slug }

  init(answer: StoreConnect, app: String, old: Version, new: Version, isWithdrawn: Bool) {
    (self.answer, slug, self.old, self.new, self.isWithdrawn) = (answer, app, old, new, isWithdrawn)
  }

  /// - Throws: `ConnectFault`.
  package func examine(_ bytes: [UInt8], _ evidence: inout Evidence, _ draft: inout ChangeSet) throws
    -> Examined
  {
    if let version = try ConnectAnswer(bytes, appleID: nil).versions.first {
      answer.prove(&evidence, version)
    }
    (evidence.app, evidence.version, evidence.subject) = (slug, old, new.text)
    return .renamed(old, of: slug, isWithdrawn: isWithdrawn)
  }
}

extension EvidenceIntake {
  /// Takes App Store Connect's id away from a version that Apple has no more.
  func decideRenaming(
    of version: Version, in slug: String, _ isWithdrawn: Bool, _ judged: inout Judged,
    _ draft: inout ChangeSet
  ) throws {
    guard let release = try draft.line(slug).counted(version) else { return }
    judged.from = release.state
    judged.end(.applied, "asc.renamed")
    var details = ReleaseDetails()
    details.ascID = ""
    judged.moves = [.amend(version, details)]
    guard isWithdrawn else { return }
    judged.evidence.state = .withdrawn
    judged.moves.append(.mark(version, .withdrawn, at: nil, isVisibleNow: false, notBefore: nil))
  }
}
