import ReleaseModel

enum Move: Sendable, Equatable {
  case mark(Version, ReleaseState, at: Timestamp?, isVisibleNow: Bool, notBefore: Timestamp?)
  case amend(Version, ReleaseDetails)
  case stop

  var command: String {
    switch self {
    case .mark(let version, _, _, _, _): "mark \(version.text)"
    case .amend(let version, _): "amend \(version.text)"
    case .stop: "stop"
    }
  }

  func change(on line: AppState, now: Timestamp) throws(Refusal) -> Change? {
    switch self {
    case .mark(let version, let state, let moment, let isVisibleNow, let notBefore):
      return try line.mark(
        version, state, at: moment, isVisibleNow: isVisibleNow, notBefore: notBefore, now: now)
    case .amend(let version, let details): return try line.amend(version, details)
    case .stop: return line.stop(true)
    }
  }
}

struct Judged {
  var evidence: Evidence
  var earlier: Evidence?
  var isRecorded = true
  var moves: [Move] = []
  /// The release's state before, and the version to report if it is not the one that is stored.
  var from: ReleaseState?
  var version: Version?

  mutating func end(_ outcome: Evidence.Outcome, _ reason: String?) {
    evidence.outcome = outcome
    evidence.reason = reason
    if outcome == .parked { moves = [] }
  }

  func result(_ name: String) -> IntakeResult {
    var result = IntakeResult(evidence, source: name, from: from)
    if let version { result.version = version }
    if !isRecorded { result.evidence = nil }
    return result
  }
}
