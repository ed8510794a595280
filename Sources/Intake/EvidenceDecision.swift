import Ledger
import ReleaseModel

extension EvidenceIntake {
  /// A release that is in a state moves forward, and nothing newer is undone.
  func decide(
    _ state: ReleaseState, of subject: Examined.Subject, _ judged: inout Judged, _ draft: inout ChangeSet
  ) throws {
    let kind = judged.evidence.kind
    let saidAt = min(judged.evidence.sentAt ?? now, now)
    guard let (line, release) = try bind(subject, &judged, &draft) else { return }
    judged.evidence.app = line.app.slug
    judged.evidence.version = judged.evidence.version ?? release.version
    judged.from = release.state
    switch release.move(to: state, saidAt: saidAt) {
    case .overtaken: return judged.end(.ignored, "\(kind.rawValue).overtaken")
    case .moves where try !draft.isContradicted(state, of: release.version, line.app.slug, after: saidAt):
      break
    case .older, .moves: return judged.end(.parked, "\(kind.rawValue).older")
    }
    let move = Move.mark(release.version, state, at: saidAt, notBefore: now + AppState.timeToObject)
    do {
      _ = try move.change(line, now)
    } catch {
      return judged.end(.parked, "\(kind.rawValue).law.\(error.id)")
    }
    judged.end(.applied, nil)
    judged.moves = [move]
  }

  /// Nil if no release is meant; the evidence is parked then, and says as much as is known.
  private func bind(
    _ subject: Examined.Subject, _ judged: inout Judged, _ draft: inout ChangeSet
  ) throws -> (AppState, Release)? {
    func park(_ reason: String) -> (AppState, Release)? {
      judged.end(.parked, "\(judged.evidence.kind.rawValue).\(reason)")
      return nil
    }
    switch subject {
    case .version(let version, let appleID, let platform):
      let apps = try draft.apps(appleID: appleID, platform: platform)
      guard let app = apps.first else { return park("unknown-app") }
      guard apps.count == 1 else { return park("ambiguous-app") }
      judged.evidence.app = app.slug
      let line = try draft.line(app.slug)
      guard let release = line.counted(version) else {
        return park("unknown-version")
      }
      return (line, release)
    case .storeID(let id, let app):
      guard let (slug, release) = try draft.release(storeID: id, likeApp: app) else {
        return park("unknown-id")
      }
      // The id is not unknown, so it cannot mean any other release.
      guard release.state != .void else {
        if slug == app { judged.evidence.version = release.version }
        return park("law.release.void")
      }
      return (try draft.line(slug), release)
    }
  }

  /// What the store serves ends the hold of the live release, and supplies notes if there are none.
  func decide(
    served version: Version, of slug: String, in country: String, notes: String?, _ judged: inout Judged,
    _ draft: inout ChangeSet
  ) throws {
    let line = try draft.line(slug)
    if holdsOn(line, showing: version, in: country, &judged) { return }
    guard let shown = line.counted(version) else {
      guard line.knows(version) else { return judged.end(.parked, "lookup.unknown-version") }
      judged.end(.ignored, "lookup.older")
      return try noteListing(of: version, line, in: country, &judged, &draft)
    }
    judged.from = shown.state
    func isShownEverywhere(_ release: Release) throws -> Bool {
      let wanted = Set(line.app.countries)
      if wanted.isEmpty { return true }
      return wanted.isSubset(of: try draft.ledger.countries(showing: release, of: slug).union([country]))
    }
    let isOlder = line.live.map { shown.version < $0.version } ?? false
    let mayMark =
      line.app.isLiveByLookup && !shown.state.isReleased
      && (try? line.mark(shown.version, .live, at: nil, isVisibleNow: true, now: now)) != nil
    // Serving a newer version ends the live one's hold too; the next lookup is an alarm.
    let held = line.live.flatMap { $0.isHeld(at: now) ? $0 : nil }
    let waiting = isOlder ? [] : [mayMark ? shown : nil, held].compactMap(\.self)
    var isNews = true
    if let version = try waiting.first(where: isShownEverywhere)?.version {
      judged.moves.append(.mark(version, .live, at: nil, isVisibleNow: true))
      judged.evidence.state = .live
      judged.version = version
      if version == line.live?.version { judged.from = .live }
      judged.end(.applied, nil)
    } else if !waiting.isEmpty {
      judged.end(.ignored, "lookup.other-countries")
      judged.isRecorded =
        try waiting.contains { try !draft.ledger.countries(showing: $0, of: slug).contains(country) }
        || self.isNews(version, after: lastAnswer(about: slug, in: country, draft))
      isNews = judged.isRecorded
    } else if !isOlder, !shown.state.isReleased {
      // It is an alarm: the release is not live here.
      return judged.end(.parked, "lookup.not-live")
    } else {
      judged.end(.ignored, isOlder ? "lookup.older" : line.live == nil ? "lookup.not-live" : "lookup.current")
      try noteListing(of: version, line, in: country, &judged, &draft)
      isNews = false
    }
    guard let notes, shown.notes.isEmpty, isNews || shown.state == .live else { return }
    var details = ReleaseDetails()
    details.notes = [Note(locale: Note.undetermined, text: notes)]
    judged.moves.append(.amend(shown.version, details))
    guard !isNews else { return }
    judged.end(.applied, "lookup.notes")
    judged.isRecorded = true
  }
}

/// What evidence does, and what a person would call it.
struct Move {
  let command: String
  let change: (AppState, _ now: Timestamp) throws(Refusal) -> Change?

  static func mark(
    _ version: Version, _ state: ReleaseState, at moment: Timestamp?, isVisibleNow: Bool = false,
    notBefore: Timestamp? = nil
  ) -> Move {
    Move(command: "mark \(version.text)") { line, now throws(Refusal) in
      try line.mark(
        version, state, at: moment, isVisibleNow: isVisibleNow, notBefore: notBefore, now: now)
    }
  }

  static func amend(_ version: Version, _ details: ReleaseDetails) -> Move {
    Move(command: "amend \(version.text)") { line, _ throws(Refusal) in try line.amend(version, details) }
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
    // What was learnt without a move leaves the state as it is.
    if evidence.reason == "asc.details" { result.to = from }
    if let version { result.version = version }
    if !isRecorded { result.evidence = nil }
    return result
  }
}
