import JSON

// What several laws check.
extension AppState {
  func checkIsOver(_ moment: Timestamp, now: Timestamp) throws(Refusal) {
    guard moment > now else { return }
    throw Refusal("time.future", ["now": now.text], details: ["at": .string(moment.text)])
  }

  func checkGrammar(_ version: Version) throws(Refusal) {
    let allowed = app.channel.versionComponents
    guard version.count > allowed else { return }
    throw Refusal("version.malformed", of: version, ["reason": "more than \(allowed) segments"])
  }

  func counting(_ version: Version) throws(Refusal) -> Release {
    guard let release = release(version) else {
      throw Refusal.noRelease(version, nearest: nearest(to: version))
    }
    guard release.state != .void else { throw Refusal("release.void", of: release.version) }
    return release
  }

  func checkMayGoLive(_ release: Release, now: Timestamp) throws(Refusal) {
    if let live, live.id != release.id, release.version <= live.version {
      throw Refusal.notGreater(
        live.isVisible(at: now) ? "version.not-greater/visible" : "version.not-greater/live",
        release.version, than: live.version)
    }
    for other in releases.reversed() where other.isOnLine {
      // Releases that count are in order of version.
      if other.version <= release.version { break }
      if other.becameVisible(by: now) {
        throw Refusal.notGreater("version.not-greater/visible", release.version, than: other.version)
      }
      if release.state == .removed, other.liveAt != nil {
        throw Refusal.notGreater("version.not-greater/live-since", release.version, than: other.version)
      }
    }
  }
}
