import ReleaseModel
import SQLite

/// A piece of evidence about an app: what it came to, and the changes it has made to the app since.
///
/// Evidence makes its changes at once: they follow the event that took it in or settled it.
struct CitedEvidence {
  let evidence: Evidence
  private var last: Int64
  private var made: Set<EventKind> = []

  /// Whether its changes need no one's agreement.
  var isProof: Bool { evidence.isProved }

  init(_ evidence: Evidence, event: Int64) {
    self.evidence = evidence
    last = event
  }

  func isSpeaking(_ id: Int64, at seq: Int64) -> Bool {
    evidence.id == id && last == seq &- 1 && evidence.outcome != .parked
  }

  /// Takes in an event that the evidence made; returns whether it supports the change of the app as it was.
  mutating func takes(_ change: Change, event: Int64, of app: App?) -> Bool {
    last = event
    if isReturn(change) { return made.isEmpty || made == [.releaseAmend] }
    if case .marked(let before, let after) = change, isHeldOn(before, after) {
      return marks(before, after, app)
    }
    guard made.insert(change.kind).inserted else { return false }
    return switch change {
    case .marked(let before, let after): marks(before, after, app)
    case .amended(let before, let after): amends(before, after)
    // A store that does not list the app any more stops it.
    case .appSet: evidence.kind == .lookup && evidence.outcome == .applied && evidence.reason == "lookup.gone"
    default: false
    }
  }

  /// Whether it moves on the end of a hold; one answer may move several.
  private func isHeldOn(_ before: Release, _ after: Release) -> Bool {
    evidence.kind == .lookup && before.isHeldOn(to: after)
  }

  /// Whether it is the first of two moves: what was approved and waits again was withdrawn in between.
  private func isReturn(_ change: Change) -> Bool {
    guard case .marked(let before, let after) = change else { return false }
    return evidence.kind == .asc && isProof && evidence.outcome == .applied && evidence.state == .waiting
      && before.state == .approved && after.state == .withdrawn && after.version == evidence.version
  }

  private func marks(_ before: Release, _ after: Release, _ app: App?) -> Bool {
    guard evidence.outcome == .applied, isHeldOn(before, after) || after.state == evidence.state,
      let version = evidence.version
    else { return false }
    switch evidence.kind {
    // A store that shows less holds on, and one that shows a newer version ends the hold of the live one, too.
    case .lookup where isHeldOn(before, after): return version < after.version
    case .lookup where before.state == .live: return after.version <= version
    // Only where lookups mark releases live.
    case .lookup: return after.version == version && after.state == .live && app?.isLiveByLookup == true
    case .mail, .webhook, .asc:
      guard after.version == version, before.state != after.state,
        evidence.kind != .webhook || before.ascID != nil
      else { return false }
      guard after.state == .live else { return true }
      // Evidence shortens no one's time to object.
      guard let liveAt = after.liveAt, let visibleAt = after.visibleAt else { return false }
      return liveAt + (app?.hold ?? .zero) <= visibleAt
    case .usage: return false
    }
  }

  private func amends(_ before: Release, _ after: Release) -> Bool {
    guard evidence.version == after.version else { return false }
    var rest = after
    switch evidence.kind {
    case .lookup:
      // A lookup without other news may still bring notes.
      guard [.applied, .ignored].contains(evidence.outcome), before.notes.isEmpty else { return false }
      rest.notes = []
    case .asc:
      guard evidence.outcome == .applied else { return false }
      (rest.ascID, rest.phase, rest.remindAt) = (before.ascID, before.phase, before.remindAt)
      if before.build == nil { rest.build = nil }
      if before.recordedMinOS == nil { rest.recordedMinOS = nil }
      guard
        isProof || ![rest.heardBuild.by, rest.heardMinOS.by].contains(.fetched) || rest.hasHeard(as: before)
      else { return false }
      (rest.heardBuild, rest.heardMinOS) = (before.heardBuild, before.heardMinOS)
    case .mail, .webhook, .usage: return false
    }
    return rest == before
  }
}

extension Release {
  /// Whether what was fetched about it is the same as before.
  fileprivate func hasHeard(as before: Release) -> Bool {
    (heardBuild.by != .fetched || heardBuild == before.heardBuild)
      && (heardMinOS.by != .fetched || heardMinOS == before.heardMinOS)
  }
}

extension Evidence {
  /// Whether a person settled it by saying that it marks a release in this way.
  func isApplied(as change: Change, to app: String?) -> Bool {
    guard case .marked(_, let after) = change else { return false }
    return outcome == .applied && self.app == app && version == after.version && state == after.state
  }
}
