package import Ledger
package import ReleaseModel

/// Counts of the devices that run each version of an app: somebody's word, which moves no release.
package struct UsageCount: EvidenceSource {
  private let slug: String
  private let skipsRefused: Bool

  package let kind = Evidence.Kind.usage
  package var app: String? { slug }
  package let tellsOfNow = true

  /// - Parameter skipsRefused: Whether lines that say no version or number are left out.
  package init(app: String, skipsRefused: Bool) {
    slug = app
    self.skipsRefused = skipsRefused
  }

  /// - Throws: `UsageFault` for what is no count, `LedgerError.noApp`, `guarded` for a retired app.
  package func examine(_ bytes: [UInt8], _ evidence: inout Evidence, _ draft: inout ChangeSet) throws
    -> Examined
  {
    try draft.refuseRetired(slug, "ingest usage")
    _ = try Usage.reading(csv: bytes, countedAt: evidence.receivedAt, skipsRefused: skipsRefused)
    evidence.app = slug
    return .counted(of: slug)
  }
}
