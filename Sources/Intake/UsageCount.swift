package import Ledger
package import ReleaseModel

/// Counts of the devices that run each version of an app: somebody's word, which moves no release.
package struct UsageCount: EvidenceSource {
  private let slug: String

  package let kind = Evidence.Kind.usage
  package var app: String? { slug }

  package init(app: String) { slug = app }

  /// Takes the count as it was read before; throws `LedgerError.noApp`, and `guarded` for a retired app.
  package func examine(_ bytes: [UInt8], _ evidence: inout Evidence, _ draft: inout ChangeSet) throws
    -> Examined
  {
    try draft.refuseRetired(slug, "ingest usage")
    evidence.app = slug
    return .counted(of: slug)
  }
}
