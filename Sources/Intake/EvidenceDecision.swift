import Ledger
import ReleaseModel

extension EvidenceIntake {
  private struct Bound {
    let app: String
    let line: AppState
    let release: Release
  }

  private struct Unbound: Error {
    let reason: IntakeReason
    /// The app, if that much is known, and its version if that was struck out.
    var app: String?
    var version: Version?
  }

  /// A release that is in a state moves forward, and nothing newer is undone.
  func decide(
    _ state: ReleaseState, of subject: Claim.Subject, saidBy kind: IntakeReason.StatingKind,
    _ judged: inout Judged, _ draft: inout ChangeSet
  ) throws {
    let saidAt = min(judged.evidence.sentAt ?? now, now)
    let bound: Bound
    do {
      bound = try bind(subject, to: state, at: saidAt, saidBy: kind, &draft)
    } catch let unbound as Unbound {
      if let app = unbound.app { judged.evidence.app = app }
      if let version = unbound.version { judged.evidence.version = version }
      return judged.end(.parked, unbound.reason)
    }
    judged.evidence.app = bound.app
    judged.evidence.version = judged.evidence.version ?? bound.release.version
    judged.from = bound.release.state
    switch bound.release.move(to: state, saidAt: saidAt) {
    case .overtaken: return judged.end(.ignored, .binding(kind, .overtaken))
    case .older: return judged.end(.parked, .binding(kind, .older))
    case .moves: break
    }
    let move = Move.mark(
      bound.release.version, state, at: saidAt, isVisibleNow: false,
      notBefore: now + AppState.timeToObject)
    let change: Change?
    do throws(LawViolation) {
      change = try move.change(on: bound.line, now: now)
    } catch {
      return judged.end(.parked, .law(kind, error.id))
    }
    do throws(GuardViolation) {
      if let change { try bound.line.admit(change, leadingTo: nil, at: now) }
    } catch {
      // An app that accepts no changes is treated like an unknown one.
      return judged.end(.parked, .binding(kind, .unknownApp))
    }
    judged.end(.applied, nil)
    judged.moves = [move]
  }

  private func bind(
    _ subject: Claim.Subject, to state: ReleaseState, at saidAt: Timestamp,
    saidBy kind: IntakeReason.StatingKind, _ draft: inout ChangeSet
  ) throws -> Bound {
    switch subject {
    case .version(let version, let appleID, let platform):
      let apps = try draft.apps(appleID: appleID, platform: platform)
      guard let app = apps.first else { throw Unbound(reason: .binding(kind, .unknownApp)) }
      guard apps.count == 1 else { throw Unbound(reason: .binding(kind, .ambiguousApp)) }
      let line = try draft.line(app.slug)
      guard let release = line.release(version), release.state != .void else {
        throw Unbound(reason: .binding(kind, .unknownVersion), app: app.slug)
      }
      return Bound(app: app.slug, line: line, release: release)
    case .storeID(let id, let app):
      guard let (slug, release) = try draft.release(storeID: id, likeApp: app) else {
        throw Unbound(reason: .webhook(.unknownID), app: app)
      }
      // The id is not unknown, so it cannot mean any other release.
      guard release.state != .void else {
        throw Unbound(
          reason: .law(kind, .isVoid), app: app, version: slug == app ? release.version : nil)
      }
      return Bound(app: slug, line: try draft.line(slug), release: release)
    }
  }

  /// What it means that the store serves a version, apart from notes.
  private enum Serving {
    case ignored(IntakeReason.Lookup)
    case noted
    case live(Version)
    /// It is an alarm: the release is not live here.
    case notLive
  }

  /// What the store serves ends the hold of the live release, and supplies notes if there are none.
  func decide(
    served version: Version, of slug: String, in country: String, notes: String?, _ judged: inout Judged,
    _ draft: inout ChangeSet
  ) throws {
    let line = try draft.line(slug)
    guard let shown = line.release(version), shown.state != .void else {
      guard line.knows(version) else { return judged.end(.parked, .lookup(.unknownVersion)) }
      judged.end(.ignored, .lookup(.older))
      return try noteListing(of: version, line, in: country, &judged, &draft)
    }
    judged.from = shown.state
    func isShownEverywhere(_ version: Version) throws -> Bool {
      let wanted = Set(line.app.countries)
      if wanted.isEmpty { return true }
      return wanted.isSubset(of: try draft.ledger.countries(showing: version, of: slug).union([country]))
    }
    var isNews = true
    switch try serving(shown, line, isShownEverywhere) {
    case .live(let version):
      let mark = Move.mark(version, .live, at: nil, isVisibleNow: true, notBefore: nil)
      judged.moves.append(mark)
      judged.evidence.state = .live
      judged.version = version
      if version == line.live?.version { judged.from = .live }
      judged.end(.applied, nil)
    case .noted:
      judged.end(.ignored, .lookup(.otherCountries))
      judged.isRecorded = try !draft.ledger.countries(showing: shown.version, of: slug).contains(country)
      isNews = judged.isRecorded
    case .ignored(let reason):
      judged.end(.ignored, .lookup(reason))
      try noteListing(of: version, line, in: country, &judged, &draft)
      isNews = false
    case .notLive: return judged.end(.parked, .lookup(.notLive))
    }
    guard let notes, shown.notes.isEmpty, isNews || shown.state == .live else { return }
    judged.moves.append(.notes(shown.version, notes))
    guard !isNews else { return }
    judged.end(.applied, .lookup(.notes))
    judged.isRecorded = true
  }

  private func serving(
    _ shown: Release, _ line: AppState, _ isShownEverywhere: (Version) throws -> Bool
  ) throws -> Serving {
    let mayMark =
      line.app.isLiveByLookup && !shown.state.isReleased
      && (try? line.mark(shown.version, .live, at: nil, isVisibleNow: true, now: now)) != nil
    let isHeld = line.live?.isHeld(at: now) == true
    if let live = line.live, shown.version < live.version { return .ignored(.older) }
    if mayMark, try isShownEverywhere(shown.version) { return .live(shown.version) }
    // Serving a newer version ends the live one's hold too; the next lookup is an alarm.
    if isHeld, let live = line.live {
      return try isShownEverywhere(live.version) ? .live(live.version) : .noted
    }
    if mayMark { return .noted }
    if !shown.state.isReleased { return .notLive }
    return .ignored(line.live == nil ? .notLive : .current)
  }
}
