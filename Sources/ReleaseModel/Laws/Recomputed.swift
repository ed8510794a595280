// Checks what was recorded against the laws: an event counts only if a command could have made it.
extension AppState {
  /// Returns the change that a command would have made where an event records one of a release.
  ///
  /// - Throws: `Refusal` if the laws would have refused the command.
  package func recomputed(_ change: Change, at now: Timestamp) throws(Refusal) -> Change? {
    switch change {
    case .published(let release):
      return try publish(release.version, ReleaseDetails(of: release), id: release.id, now: now)
    case .amended(let before, let after):
      guard let known = release(before.version) else { return nil }
      var said = ReleaseDetails()
      said.build = after.build
      // A command can also remove notes, so these and everything else it may say are taken as they are.
      _ = try amend(before.version, said)
      let made = known.withDetails(of: after)
      return made == known ? nil : .amended(before: known, after: made)
    case .marked(let before, let after) where before.isHeldOn(to: after):
      return try holdOn(before.version, now: now)
    case .marked(let before, let after):
      let isGoingLive = after.state == .live && before.state != .live
      let moment = before.state == after.state ? nil : isGoingLive ? after.liveAt : after.since
      let held = (after.liveAt ?? now) + app.hold
      let isVisibleNow = before.state == after.state || (isGoingLive && (after.visibleAt ?? held) < held)
      // Nothing may keep a release from clients for longer than its hold or the time to object.
      let notBefore = after.visibleAt.map { min($0, now + max(app.hold, AppState.timeToObject)) }
      return try mark(
        before.version, after.state, at: moment, isVisibleNow: isVisibleNow, notBefore: notBefore, now: now)
    case .unmarked(let before, _): return try unmark(before.version, now: now)
    case .voided(let before, _, let neverShipped):
      return try void(before.version, neverShipped: neverShipped, now: now)
    case .imported(let release):
      guard let releasedAt = release.liveAt else { return nil }
      let details = ReleaseDetails(of: release)
      return release.isPast
        ? try recordPast(release.version, details, releasedAt: releasedAt, id: release.id, now: now)
        : try importPast(
          release.version, details, releasedAt: releasedAt, id: release.id, now: now,
          isHeld: release.visibleAt != releasedAt)
    default: return nil
    }
  }
}

extension Change {
  /// Whether an event says the same of both, to the letter.
  package func isRecorded(as other: Change) -> Bool {
    func isSame(_ one: (any Record)?, _ other: (any Record)?) -> Bool {
      one?.isRecorded(as: other) ?? (other == nil)
    }
    return kind == other.kind && isSame(sides.before, other.sides.before)
      && isSame(sides.after, other.sides.after)
  }
}

extension App {
  /// Whether each text is one that a person could have entered.
  package var isWellFormed: Bool {
    App.isSlug(slug) && App.isBundleID(bundleID) && (appleID ?? 1) > 0 && countries.allSatisfy(App.isCountry)
      && (storeURL.map { StoreURL.isSpelled($0, for: platform) } ?? true)
      && (name?.isLine ?? true) && (sku?.isLine ?? true) && (mayBeLiveByLookup || !isLiveByLookup)
      && countries == Set(countries).sorted() && expect == Set(expect).sorted()
  }
}

extension Trust {
  /// Whether each text is one that a person could have entered.
  package var isWellFormed: Bool {
    switch kind {
    case .recipient:
      guard let at = value.lastIndex(of: "@"), at != value.startIndex else { return false }
      let domain = value[value.index(after: at)...].utf8
      return value.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        && !domain.isEmpty && !domain.contains { (0x41...0x5A).contains($0) }
    case .approvals:
      return Int(value).map { (1...Trust.mostApprovals).contains($0) && String($0) == value } ?? false
    case .signer: return Trust.isSignerName(value)
    case .webhook: return App.isSlug(value)
    case .host: return (try? StoreURL("https://\(value)/"))?.host == value
    case .dkim: return value.isLine && key != nil
    case .mx: return value.isLine
    }
  }
}

extension String {
  /// Whether it is a text on one line, not blank and of at most 1,000 bytes.
  package var isLine: Bool {
    utf8.count <= 1_000 && utf8.contains { $0 > 0x20 } && isPlain && !utf8.contains { $0 < 0x20 }
  }
}

extension Change {
  /// Whether it gives a recorded release what only evidence says: App Store Connect's id, what that says otherwise, how far
  /// its phase is, and that the store still shows less.
  package var saysWhatOnlyEvidenceSays: Bool {
    switch self {
    case .amended(let before, let after):
      (after.ascID, after.phase, after.remindAt) != (before.ascID, before.phase, before.remindAt)
        || !after.heardBuild.isSettled(from: before.heardBuild, own: after.build, ownBefore: before.build)
        || !after.heardMinOS.isSettled(
          from: before.heardMinOS, own: after.recordedMinOS, ownBefore: before.recordedMinOS)
    case .marked(let before, let after): before.isHeldOn(to: after)
    default: false
    }
  }
}

extension StoreURL {
  /// Whether a text is a URL in its stored form that a platform opens, whatever its host.
  package static func isSpelled(_ text: String, for platform: ApplePlatform) -> Bool {
    (try? StoreURL(text)).map { $0.text == text && $0.isOpened(on: platform) } ?? false
  }
}

extension Destination {
  /// Whether its text is one that a person could have entered.
  package func isWellFormed(for platform: ApplePlatform) -> Bool {
    switch self {
    case .url(let text): StoreURL.isSpelled(text, for: platform)
    case .app(let slug): App.isSlug(slug)
    }
  }
}

extension Release {
  /// Whether each text is one that a person could have entered.
  package func isWellFormed(for platform: ApplePlatform) -> Bool {
    (url.map { StoreURL.isSpelled($0, for: platform) } ?? true)
      && notes.allSatisfy { Release.isLocale($0.locale) && !$0.text.isEmpty }
      && Set(notes.map { Release.normalized($0.locale) }).count == notes.count
      && (recordedMinOS.map { $0.isOfSystem && platform.system($0) == $0 } ?? true)
      && (heardBuild.value == nil) == (heardBuild.by == nil)
      && (heardMinOS.value == nil) == (heardMinOS.by == nil)
  }
}
