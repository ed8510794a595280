import AppleIntake
package import Ledger
package import ReleaseModel

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
      case .refused(let reason): return .ends(.parked, reason)
      }
    }
    evidence.version = answer.version
    return .served(answer.version, of: slug, country: country, notes: answer.releaseNotes)
  }
}
