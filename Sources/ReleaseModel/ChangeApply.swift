extension ReleaseLine {
  /// Applies a change that the laws have let through, naming the event that records it.
  package mutating func apply(_ change: Change, event: Int64) {
    switch change {
    case .appAdded(var app), .appSet(_, var app):
      app.event = event
      self.app = app
    case .published(let release), .amended(_, let release), .voided(_, let release): put(release, event)
    case .marked(_, let release, _), .imported(let release, _):
      if release.state == .live { supersede(by: release, event) }
      put(release, event)
    case .unmarked(let before, let release, _):
      restore(before.former?.superseded, supersededBy: release, event)
      put(release, event)
    case .ruleMade(var rule), .ruleRestored(var rule):
      rule.event = event
      rules.append(rule)
      rules.sort { $0.number < $1.number }
    case .ruleLifted(let rule): rules.removeAll { $0.number == rule.number }
    case .redirectSet(let before, let after):
      redirects.removeAll { $0.number == before?.number }
      if var after {
        after.event = event
        redirects.append(after)
        redirects.sort { $0.number < $1.number }
      }
    case .settingSet(let before, let after):
      settings.removeAll { $0.number == before?.number }
      if var after {
        after.event = event
        settings.append(after)
        settings.sort { $0.number < $1.number }
      }
    case .ledgerMade, .evidenceAdded, .evidenceSettled, .trusted, .distrusted, .publicationSet,
      .requested:
      break
    }
  }

  private mutating func put(_ release: Release, _ event: Int64) {
    var release = release
    release.event = event
    // Rows are numbered as they are recorded, so a new one comes last.
    if let last = releases.last, release.id <= last.id,
      let index = releases.lastIndex(where: { $0.id == release.id })
    {
      releases[index] = release
    } else {
      releases.append(release)
    }
  }

  private mutating func supersede(by newer: Release, _ event: Int64) {
    guard let older = releases.lastIndex(where: { $0.state == .live && $0.id != newer.id }) else { return }
    releases[older].state = .superseded
    releases[older].supersededBy = newer.id
    releases[older].since = newer.liveAt ?? newer.since
    releases[older].event = event
  }

  private mutating func restore(_ id: Int64?, supersededBy newer: Release, _ event: Int64) {
    guard
      let older = releases.lastIndex(where: {
        $0.id == id && $0.state == .superseded && $0.supersededBy == newer.id
      })
    else { return }
    releases[older].state = .live
    releases[older].supersededBy = nil
    releases[older].since = releases[older].liveAt ?? releases[older].since
    releases[older].event = event
  }
}
