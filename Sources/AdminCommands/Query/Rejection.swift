import AppleIntake
import Ledger
import ReleaseModel

/// Why a release was rejected, as far as the ledger knows: the guidelines that Apple's mail names, or else
/// the reason that somebody gave.
extension Ledger {
  /// The rejected release that the board shows, by its number, with the reasons.
  ///
  /// - Parameter last: The last event to read.
  func rejections(of line: ReleaseLine, until last: Int64) throws -> [Int64: [String]] {
    guard let release = line.releases.last(where: { $0.state == .rejected }) else { return [:] }
    let reasons = try rejection(of: release, until: last)
    return reasons.isEmpty ? [:] : [release.id: reasons]
  }

  /// Why a release is rejected.
  private func rejection(of release: Release, until last: Int64) throws -> [String] {
    func reasons(_ event: EventRecord) throws -> [String]? {
      let after = try event.change().release
      guard event.kind == EventKind.releaseMark.rawValue, after?.state == .rejected else { return nil }
      return try rejection(in: event)
    }
    // Usually the last event that touched the release rejected it; otherwise something was amended since.
    if release.event <= last, let found = try reasons(event(release.event)) { return found }
    var filter = HistoryFilter()
    filter.subject = "release/\(release.id)"
    filter.last = last
    var found: [String] = []
    try eachEvent(filter) { event in
      guard let reasons = try reasons(event) else { return true }
      found = reasons
      return false
    }
    return found
  }

  /// The reasons given by an event that rejects a release.
  func rejection(in event: EventRecord) throws -> [String] {
    if let number = event.evidence, let (evidence, body) = try? evidence(number), evidence.kind == .mail,
      let letter = body.flatMap(ReadableMail.init), !letter.guidelines.isEmpty
    {
      return letter.guidelines
    }
    return event.reason.map { [$0] } ?? []
  }
}
