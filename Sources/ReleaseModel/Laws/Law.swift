import JSON

// Each function below checks a command against the laws and returns the change it makes, or nil if its effect
// is already in place (law 9). None of them changes the line; `apply` does.
extension AppState {
  /// The time to object to what evidence says, counted from when it is taken in.
  package static let timeToObject = TimeSpan(seconds: 3_600)

  /// - Throws: `Refusal` by law 1 and the channel's grammar.
  package func publish(
    _ version: Version, _ details: ReleaseDetails, id: Int64, now: Timestamp
  ) throws(Refusal) -> Change? {
    let details = details.named(on: app.platform)
    try checkGrammar(version)
    if try isRecorded(version, saying: details) { return nil }
    try checkIsGreatest(version)
    try checkBuildGrows(details.build, of: version)
    return .published(details.applied(to: Release(id: id, version: version, state: .prepared, since: now)))
  }

  /// On macOS, Apple takes no build that is not greater than those of all versions (ITMS-90061).
  private func checkBuildGrows(_ build: Build?, of version: Version) throws(Refusal) {
    guard app.platform == .macOS, let build, let known = withGreatestBuild,
      let greatest = known.greatestBuild,
      build <= greatest
    else { return }
    throw Refusal(
      "build.not-greater/app", of: version, ["known": greatest.text, "other": known.version.text],
      details: ["build": .string(build.text)])
  }

  /// The release with the greatest build that counts; of struck-out ones none does.
  var withGreatestBuild: Release? {
    releases.indices.filter { releases[$0].build != nil }.max {
      (releases[$0].greatestBuild ?? .first) < (releases[$1].greatestBuild ?? .first)
    }.map { releases[$0] }
  }

  /// - Parameter mayBeOlder: Whether someone said why an older build than a recorded one was sent.
  /// - Throws: `Refusal` if there is no such release, or the build is older and no one said why.
  package func amend(_ version: Version, _ details: ReleaseDetails, mayBeOlder: Bool = true) throws(Refusal)
    -> Change?
  {
    let (details, before) = (details.named(on: app.platform), try counting(version))
    if let build = details.build, let known = before.greatestBuild, build < known, !mayBeOlder,
      before.build.map({ !build.isSpelled(like: $0) }) ?? true
    {
      throw Refusal(
        "build.not-greater", of: before.version, ["known": known.text],
        details: ["build": .string(build.text)])
    }
    let after = details.applied(to: before)
    return after == before ? nil : .amended(before: before, after: after)
  }

  /// Returns the change that moves a release to a state.
  ///
  /// - Parameters:
  ///   - moment: When it happened, if not now; never in the future.
  ///   - isVisibleNow: Whether the release goes live without a hold, or its running hold ends.
  ///   - notBefore: The moment before which no one is told of the release, however long ago it went live; it
  ///     gives people time to object to what no person said.
  /// - Throws: `Refusal` by laws 1, 3 and 4.
  package func mark(
    _ version: Version, _ state: ReleaseState, at moment: Timestamp?, isVisibleNow: Bool,
    notBefore: Timestamp? = nil, now: Timestamp
  ) throws(Refusal) -> Change? {
    if let moment { try checkIsOver(moment, now: now) }
    let before = try counting(version)
    if before.isPast { throw Refusal("release.past", of: before.version) }
    var after = before
    if before.state == state {
      guard state == .live else { return nil }
      if let moment, moment != before.liveAt {
        throw Refusal(
          "state.live-since", of: before.version,
          details: ["liveAt": .string((before.liveAt ?? before.since).text)])
      }
      guard isVisibleNow, before.isHeld(at: now) else { return nil }
      after.visibleAt = now
      return .marked(before: before, after: after)
    }
    guard before.state.mayBecome(state) else {
      throw Refusal.illegalMove(before.version, from: before.state, to: state)
    }
    after.state = state
    after.since = moment ?? now
    switch state {
    case .live:
      try checkMayGoLive(before, now: now)
      after.former = Release.Former(
        state: before.state, since: before.since, liveAt: before.liveAt, visibleAt: before.visibleAt,
        removedAt: before.removedAt, superseded: live?.id)
      let liveAt = moment ?? now
      let held = liveAt + app.hold
      after.liveAt = liveAt
      after.visibleAt = isVisibleNow ? min(held, now) : max(held, notBefore ?? held)
      after.firstVisibleAt = nil
      after.removedAt = nil
    case .approved: after.approvedAt = moment ?? now
    case .removed:
      after.removedAt = now
      if before.shownAt == nil, before.becameVisible(by: now) { after.shownAt = before.visibleAt }
    default: break
    }
    return .marked(before: before, after: after)
  }

  /// Moves the end of a release's hold on, since the store still shows less; nil where nothing moves it.
  package func holdOn(_ version: Version, now: Timestamp) throws(Refusal) -> Change? {
    let before = try counting(version)
    guard let end = before.holdEnd(behindAt: now) else { return nil }
    var after = before
    after.firstVisibleAt = before.firstVisibleAt ?? before.visibleAt
    after.visibleAt = end
    return .marked(before: before, after: after)
  }

  /// - Throws: `Refusal` once clients may have been told of the release.
  package func unmark(_ version: Version, now: Timestamp) throws(Refusal) -> Change? {
    let before = try counting(version)
    let notLive = Refusal("unmark.not-live", of: before.version, ["state": before.state.rawValue])
    guard before.state == .live else { throw notLive }
    if let visibleAt = before.visibleAt, visibleAt <= now {
      throw Refusal(
        "unmark.too-late", of: before.version, details: ["visibleAt": .string(visibleAt.text)])
    }
    guard let former = before.former else { throw notLive }
    var after = before
    after.state = former.state
    after.since = former.since
    after.liveAt = former.liveAt
    after.visibleAt = former.visibleAt
    after.firstVisibleAt = nil
    after.removedAt = former.removedAt
    after.former = nil
    return .unmarked(before: before, after: after)
  }

  /// Returns a release to the state that it had before it was marked by mistake: a step before `live`, or a removal.
  ///
  /// - Throws: `Refusal` for any other mark, for a release that moved on, and by law 1 where it would be live again.
  package func takeBack(_ marked: (before: Release, after: Release), now: Timestamp) throws(Refusal)
    -> Change?
  {
    let known = try counting(marked.before.version)
    let after = known.returned(to: marked.before)
    if after == known { return nil }
    let isMistake = marked.after.state == .removed || !marked.after.state.isReleased
    // What superseded it was unmarked since, and only going live supersedes.
    let isAlone = after.state == .superseded && greatestEverLive.map { known.version < $0 } != true
    guard isMistake, !isAlone, marked.before.state != marked.after.state, known.isStill(marked.after) else {
      throw Refusal.illegalMove(known.version, from: known.state, to: marked.before.state)
    }
    if after.state == .live {
      if live != nil { throw Refusal.illegalMove(known.version, from: known.state, to: .live) }
      try checkMayGoLive(known, now: now)
    }
    return .returned(before: known, after: after)
  }

  /// Strikes out a release that was a mistake.
  ///
  /// - Throws: `Refusal` for one that was ever approved or live, unless Apple is said never to have had
  /// it, and for one without which a past release would lie above everything that was ever live.
  package func void(_ version: Version, neverShipped: Bool = false, now: Timestamp) throws(Refusal)
    -> Change?
  {
    guard let before = release(version) else {
      throw Refusal.noRelease(version, nearest: nearest(to: version))
    }
    if before.state == .void { return nil }
    if !neverShipped, before.liveAt != nil {
      throw Refusal(before.isPast ? "void.was-live/past" : "void.was-live", of: before.version)
    }
    if !neverShipped, before.approvedAt != nil { throw Refusal("void.was-approved", of: before.version) }
    if neverShipped, !before.isPast,
      let past = releases.last(where: { $0.liveAt != nil && $0.id != before.id && isInTheWay(of: $0) }),
      past.isPast
    {
      throw Refusal("void.leaves-past", of: before.version, details: ["past": .string(past.version.text)])
    }
    var after = before.returned(to: Release(id: before.id, version: version, state: .void, since: now))
    after.firstVisibleAt = nil
    return .voided(before: before, after: after, neverShipped: neverShipped)
  }

  /// Imports a release from the past, live and visible at its time.
  ///
  /// - Parameter isHeld: Whether it gets the app's hold from now, since no one knows when it went on sale.
  /// - Throws: `Refusal` by law 1, and for a moment in the future or before another release went live.
  package func importPast(
    _ version: Version, _ details: ReleaseDetails, releasedAt: Timestamp, id: Int64, now: Timestamp,
    isHeld: Bool = false
  ) throws(Refusal) -> Change? {
    let details = details.named(on: app.platform)
    try checkGrammar(version)
    try checkIsOver(releasedAt, now: now)
    if try isRecorded(version, saying: details, releasedAt: releasedAt) { return nil }
    try checkIsGreatest(version)
    try checkIsNewest(version, at: releasedAt)
    var release = details.applied(to: Release(id: id, version: version, state: .live, since: releasedAt))
    release.liveAt = releasedAt
    release.visibleAt = isHeld ? now + app.hold : releasedAt
    return .imported(release)
  }

  /// Records a release that shipped before the ledger's time, or beside its line.
  ///
  /// - Throws: `Refusal` for a version that could still go live, and for a moment in the future.
  package func recordPast(
    _ version: Version, _ details: ReleaseDetails, releasedAt: Timestamp, id: Int64, now: Timestamp
  ) throws(Refusal) -> Change? {
    let details = details.named(on: app.platform)
    try checkIsOver(releasedAt, now: now)
    if try isRecorded(version, saying: details, releasedAt: releasedAt) { return nil }
    // A version with more components than the channel allows cannot conflict with the line.
    let isBesideTheLine = version.count > app.channel.versionComponents
    guard isBesideTheLine || greatestEverLive.map({ version < $0 }) == true else {
      throw Refusal("version.not-past", of: version)
    }
    var release = details.applied(
      to: Release(id: id, version: version, state: .superseded, since: releasedAt))
    release.liveAt = releasedAt
    release.isPast = true
    return .imported(release)
  }

  /// - Throws: `Refusal` if it is spelled differently or recorded with other details.
  private func isRecorded(
    _ version: Version, saying details: ReleaseDetails, releasedAt: Timestamp? = nil
  ) throws(Refusal) -> Bool {
    guard let known = counted(version) else { return false }
    guard known.version.isSpelled(like: version) else {
      throw Refusal.notGreater(
        known.isPast
          ? "version.not-greater/past-spelling"
          : known.mayBeVoid ? "version.not-greater/spelling" : "version.not-greater/uploaded-spelling",
        version, than: known.version)
    }
    var differs = details.differences(from: known)
    let isAtAnotherTime = releasedAt.map { known.liveAt != $0 } ?? false
    if let releasedAt, isAtAnotherTime {
      differs.append(
        known.liveAt.map { "a release time of \($0.text), not \(releasedAt.text)" }
          ?? "no release time, since it has not gone live")
    }
    if differs.isEmpty { return true }
    throw Refusal.notGreater(
      isAtAnotherTime ? "version.not-greater/live-at" : "version.not-greater/details", version,
      than: known.version, ["differs": differs.joined(separator: "; ")])
  }

  private func checkIsGreatest(_ version: Version) throws(Refusal) {
    guard let greatest, version <= greatest.version else { return }
    if version == greatest.version { throw Refusal.notGreater("version.not-greater", version, than: version) }
    throw Refusal.notGreater(
      greatest.mayBeVoid ? "version.not-greater/typo" : "version.not-greater/uploaded", version,
      than: greatest.version)
  }

  /// Refuses a time before another release that counts went live, if a person says it; evidence comes in any
  /// order.
  ///
  /// - Throws: `Refusal`: `mark.before-newest`.
  package func checkIsNewest(_ version: Version, at moment: Timestamp) throws(Refusal) {
    guard let latestLive, moment < latestLive else { return }
    let others = releases.filter { $0.isOnLine && $0.version != version }
    guard let newest = others.max(by: { ($0.liveAt ?? .distantPast) < ($1.liveAt ?? .distantPast) }),
      let liveAt = newest.liveAt, moment < liveAt
    else { return }
    throw Refusal(
      "mark.before-newest", of: version,
      details: [
        "at": .string(moment.text), "newest": .string(newest.version.text), "liveAt": .string(liveAt.text),
      ])
  }
}
