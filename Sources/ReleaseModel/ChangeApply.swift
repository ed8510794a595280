extension ReleaseLine {
  /// Applies a change that the laws have allowed, and stamps what it changes with the number of its event.
  package mutating func apply(_ change: Change, event: Int64) {
    switch change {
    case .appAdded(var app), .appSet(_, var app):
      app.event = event
      self.app = app
    case .published(let release), .amended(_, let release): put(release, event)
    case .voided(let before, let release, _, _):
      put(release, event)
      if before.state.isReleased { forget(before, event) }
    case .marked(_, let release, _), .imported(let release, _):
      if release.state == .live { supersede(by: release, event) }
      put(release, event)
    case .unmarked(let before, let release, _):
      restore(before.former?.superseded, supersededBy: release, event)
      put(release, event)
    case .ruleMade(var rule):
      rule.madeBy = event
      rules.put(rule, event)
    case .ruleRestored(let rule): rules.put(rule, event)
    case .ruleLifted(let rule): rules.remove(rule.number)
    case .redirectSet(let before, let after):
      if let before { redirects.remove(before.number) }
      if let after { redirects.put(after, event) }
    case .settingSet(let before, let after):
      if let before { settings.remove(before.number) }
      if let after { settings.put(after, event) }
    case .clockCorrected(let correction): correct(correction, event)
    case .ledgerMade, .appVoided, .evidenceAdded, .evidenceSettled, .trusted, .distrusted, .publicationSet,
      .planApplied, .requested:
      break
    }
  }

  private mutating func put(_ release: Release, _ event: Int64) {
    var release = release
    release.event = event
    if release.isPast { hasPast = true }
    // Rows are numbered in the order of recording, so a new one comes last.
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

  /// Relinks the releases around a struck-out release as if it had never existed.
  private mutating func forget(_ struckOut: Release, _ event: Int64) {
    for index in releases.indices {
      if releases[index].state == .superseded, releases[index].supersededBy == struckOut.id {
        let next = successor(of: releases[index])
        releases[index].state = next == nil ? .live : .superseded
        releases[index].supersededBy = next?.id
        releases[index].since = next?.liveAt ?? releases[index].liveAt ?? releases[index].since
        releases[index].event = event
      }
      if releases[index].former?.superseded == struckOut.id {
        releases[index].former?.superseded = struckOut.former?.superseded
        releases[index].event = event
      }
    }
  }

  /// The least release above a given one that was ever live on the line: the one that superseded it.
  func successor(of release: Release, without struckOut: Release? = nil) -> Release? {
    releases.filter {
      !$0.isPast && $0.liveAt != nil && release.version < $0.version && $0.id != struckOut?.id
    }.min { $0.version < $1.version }
  }

  private mutating func correct(_ correction: ClockCorrection, _ event: Int64) {
    for index in releases.indices where releases[index].event >= correction.since {
      releases[index].correct(correction, event)
    }
    for index in rules.indices { rules[index].correct(correction, event) }
    for index in redirects.indices { redirects[index].correct(correction, event) }
    for index in settings.indices { settings[index].correct(correction, event) }
  }
}

/// A row that is made once and applies until it is lifted, cleared or replaced.
package protocol Liftable: Record, Ranged, Timed {
  var isInForce: Bool { get set }
  var from: Timestamp? { get set }
  var until: Timestamp? { get set }
}

extension Rule: Liftable {}
extension Redirect: Liftable {}
extension Setting: Liftable {}

extension Liftable {
  /// Corrects the bounds that were set since a clock went wrong.
  package mutating func correct(_ correction: ClockCorrection, _ event: Int64) {
    guard self.event >= correction.since else { return }
    let (from, until) = (from.map(correction.corrected), until.map(correction.corrected))
    guard (from, until) != (self.from, self.until) else { return }
    (self.from, self.until, self.event) = (from, until, event)
  }
}

extension Release {
  /// Corrects the moments that were set since a clock went wrong.
  mutating func correct(_ correction: ClockCorrection, _ event: Int64) {
    let before = self
    since = correction.corrected(since)
    approvedAt = approvedAt.map(correction.corrected)
    liveAt = liveAt.map(correction.corrected)
    visibleAt = visibleAt.map(correction.corrected)
    removedAt = removedAt.map(correction.corrected)
    shownAt = shownAt.map(correction.corrected)
    if let former {
      self.former = Former(
        state: former.state, since: correction.corrected(former.since),
        liveAt: former.liveAt.map(correction.corrected),
        visibleAt: former.visibleAt.map(correction.corrected),
        removedAt: former.removedAt.map(correction.corrected), superseded: former.superseded)
    }
    if self != before { self.event = event }
  }
}

extension Array where Element: Liftable {
  /// The position of the element with a number, or where it would go; elements are in order of their numbers.
  private func place(of number: Int64) -> Int { firstPosition { number <= $0.number } }

  /// The element with a number.
  package func element(_ number: Int64) -> Element? {
    let place = place(of: number)
    return place < count && self[place].number == number ? self[place] : nil
  }

  /// Inserts an element at its place, in force and stamped with the event that did it.
  mutating func put(_ element: Element, _ event: Int64) {
    var element = element
    element.isInForce = true
    element.event = event
    insert(element, at: place(of: element.number))
  }

  /// Removes the element with a number.
  mutating func remove(_ number: Int64) {
    let place = place(of: number)
    if place < count, self[place].number == number { remove(at: place) }
  }
}
