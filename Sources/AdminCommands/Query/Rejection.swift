import AppleIntake
import Ledger
import ReleaseModel

/// Why a release was rejected, as far as the ledger knows: the guidelines that Apple's mail names, or else
/// the reason that somebody gave.
extension Ledger {
  /// The rejected release that the board shows, by its number, with the reasons.
  func rejections(of line: AppState) throws -> [Int64: [String]] {
    guard let release = line.releases.last(where: { $0.state == .rejected }) else { return [:] }
    var reasons: [String] = []
    // Usually the last event that touched the release rejected it; otherwise something was amended since.
    try eachEvent(HistoryFilter(subject: "release/\(release.id)")) { event in
      let after = try event.change().release
      guard event.kind == EventKind.releaseMark.rawValue, after?.state == .rejected else { return true }
      reasons = try rejection(in: event)
      return false
    }
    return reasons.isEmpty ? [:] : [release.id: reasons]
  }

  func rejection(in event: EventRecord) throws -> [String] {
    if let number = event.evidence, let (evidence, body) = try? evidence(number), evidence.kind == .mail,
      let letter = body.flatMap(ReadableMail.init), !letter.guidelines.isEmpty
    {
      return letter.guidelines
    }
    return event.reason.map { [$0] } ?? []
  }
}
