package import JSON

/// One change of the ledger: what an event records, and all that replaying it needs.
package enum Change: Sendable, Equatable {
  /// The ledger was made.
  case ledgerMade(id: String)
  case appAdded(App)
  case appSet(before: App, after: App)
  case published(Release)
  case amended(before: Release, after: Release)
  /// A state was flipped; a going live names the release it supersedes.
  case marked(before: Release, after: Release, superseded: Version?)
  /// A going live was taken back; the release it had superseded is live again.
  case unmarked(before: Release, after: Release, restored: Version?)
  case voided(before: Release, after: Release)
  /// A release of the past was taken over, live at its time.
  case imported(Release, superseded: Version?)
  case hostTrusted(host: String)
  case hostDistrusted(host: String)
  /// A command with a request id changed nothing.
  case requested

  /// What an event calls the change.
  package var kind: String {
    switch self {
    case .ledgerMade: "ledger.init"
    case .appAdded: "app.add"
    case .appSet: "app.set"
    case .published: "release.publish"
    case .amended: "release.amend"
    case .marked: "release.mark"
    case .unmarked: "release.unmark"
    case .voided: "release.void"
    case .imported: "release.import"
    case .hostTrusted: "trust.add"
    case .hostDistrusted: "trust.remove"
    case .requested: "request"
    }
  }

  /// The version it is about.
  package var version: Version? {
    switch self {
    case .published(let release), .imported(let release, _): release.version
    case .amended(let before, _), .marked(let before, _, _), .unmarked(let before, _, _),
      .voided(let before, _):
      before.version
    case .ledgerMade, .appAdded, .appSet, .hostTrusted, .hostDistrusted, .requested: nil
    }
  }

  /// The release as the change leaves it.
  package var release: Release? {
    switch self {
    case .published(let release), .imported(let release, _): release
    case .amended(_, let after), .marked(_, let after, _), .unmarked(_, let after, _), .voided(_, let after):
      after
    case .ledgerMade, .appAdded, .appSet, .hostTrusted, .hostDistrusted, .requested: nil
    }
  }

  /// The app as the change leaves it, if it is the app that changes.
  package var app: App? {
    switch self {
    case .appAdded(let app), .appSet(_, let app): app
    default: nil
    }
  }

  /// What was, as the event shows it.
  package func before(app: String?) -> JSON? {
    switch self {
    case .appSet(let before, _): before.json
    case .amended(let before, _), .marked(let before, _, _), .unmarked(let before, _, _),
      .voided(let before, _):
      before.json(app: app ?? "")
    case .hostDistrusted(let host): ["kind": "host", "host": .string(host)]
    case .ledgerMade, .appAdded, .published, .imported, .hostTrusted, .requested: nil
    }
  }

  /// What is, as the event shows it.
  package func after(app: String?) -> JSON? {
    func with(_ key: String, _ version: Version?, _ release: Release) -> JSON {
      guard var object = release.json(app: app ?? "").object else { return .null }
      if let version { object[key] = .string(version.text) }
      return .object(object)
    }
    switch self {
    case .ledgerMade(let id): return ["ledger": .string(id)]
    case .appAdded(let app), .appSet(_, let app): return app.json
    case .published(let release), .amended(_, let release), .voided(_, let release):
      return release.json(app: app ?? "")
    case .marked(_, let release, let version), .imported(let release, let version):
      return with("superseded", version, release)
    case .unmarked(_, let release, let version): return with("restored", version, release)
    case .hostTrusted(let host): return ["kind": "host", "host": .string(host)]
    case .hostDistrusted, .requested: return nil
    }
  }

  /// Reads a change back from an event of format 1; nil where it says something else.
  package init?(kind: String, before: JSON?, after: JSON?) {
    func release(_ json: JSON?) -> Release? { json.flatMap(Release.init(json:)) }
    func version(_ key: String) -> Version? { after?[key]?.string.flatMap { try? Version($0) } }
    switch (kind, release(before), release(after)) {
    case ("release.publish", _, .some(let after)): self = .published(after)
    case ("release.import", _, .some(let after)): self = .imported(after, superseded: version("superseded"))
    case ("release.amend", .some(let before), .some(let after)): self = .amended(before: before, after: after)
    case ("release.mark", .some(let before), .some(let after)):
      self = .marked(before: before, after: after, superseded: version("superseded"))
    case ("release.unmark", .some(let before), .some(let after)):
      self = .unmarked(before: before, after: after, restored: version("restored"))
    case ("release.void", .some(let before), .some(let after)): self = .voided(before: before, after: after)
    default:
      switch (kind, before.flatMap(App.init(json:)), after.flatMap(App.init(json:))) {
      case ("app.add", _, .some(let after)): self = .appAdded(after)
      case ("app.set", .some(let before), .some(let after)): self = .appSet(before: before, after: after)
      default:
        switch (kind, before?["host"]?.string, after?["host"]?.string) {
        case ("trust.add", _, .some(let host)): self = .hostTrusted(host: host)
        case ("trust.remove", .some(let host), _): self = .hostDistrusted(host: host)
        case ("request", _, _): self = .requested
        case ("ledger.init", _, _):
          guard let id = after?["ledger"]?.string else { return nil }
          self = .ledgerMade(id: id)
        default: return nil
        }
      }
    }
  }
}

extension ReleaseLine {
  /// Applies a change that the laws have let through, naming the event that records it.
  package mutating func apply(_ change: Change, event: Int64) {
    if var app = change.app {
      app.event = event
      self.app = app
      return
    }
    guard var release = change.release else { return }
    release.event = event
    // Where another release moves along, it is found by its link, not by its position.
    switch change {
    case .marked, .imported:
      if release.state == .live,
        let older = releases.lastIndex(where: { $0.state == .live && $0.id != release.id })
      {
        releases[older].state = .superseded
        releases[older].supersededBy = release.id
        releases[older].since = release.liveAt ?? release.since
        releases[older].event = event
      }
    case .unmarked:
      if let older = releases.lastIndex(where: { $0.state == .superseded && $0.supersededBy == release.id }) {
        releases[older].state = .live
        releases[older].supersededBy = nil
        releases[older].since = releases[older].liveAt ?? releases[older].since
        releases[older].event = event
      }
    default: break
    }
    if let index = releases.lastIndex(where: { $0.id == release.id }) {
      releases[index] = release
    } else {
      releases.append(release)
    }
  }
}
