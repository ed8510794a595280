import JSON
package import ReleaseModel
import SQLite

extension ChangeSet {
  /// Adds an app; returns whether it changes anything.
  ///
  /// - Throws: `Refusal`: `app.exists` if an app with this slug exists with other details.
  @discardableResult
  package mutating func add(_ app: App) throws -> Bool {
    if try hasApp(app.slug) {
      let known = try line(app.slug).app
      let differs = known.differences(from: app)
      guard differs.isEmpty else { throw known.isAlreadyRecorded(differs) }
      return false
    }
    try admit(.appAdded(app), to: app.slug, "add the app")
    return true
  }

  /// Replaces an app's details.
  @discardableResult
  package mutating func set(_ app: App) throws -> Bool {
    let known = try line(app.slug).app
    guard known != app else { return false }
    try admit(.appSet(before: known, after: app), to: app.slug, "change details")
    return true
  }

  /// Adds a change of an app, unless the app accepts no such change, another app is what it would become, or it would
  /// lead clients in a circle.
  ///
  /// - Throws: `Refusal`.
  mutating func admit(
    _ change: Change, to slug: String, _ command: String, evidence: Int64? = nil
  ) throws {
    switch change {
    case .appAdded(let app), .appSet(_, let app):
      try checkIdentity(app, in: change)
      guard app.mayBeLiveByLookup || !app.isLiveByLookup else {
        throw Refusal("app.live-by-platform", ["platform": app.platform.rawValue])
      }
    default: break
    }
    try checkGuards(change, of: slug, command)
    append(change, to: slug, evidence: evidence)
  }

  /// Refuses a change that the app never accepts, or that leads clients in a circle or to a page not trusted now.
  ///
  /// - Throws: `Refusal`, `LedgerError.noApp`.
  mutating func checkGuards(_ change: Change, of slug: String, _ command: String) throws {
    let other = try change.destination?.app.map { try line($0).app }
    try Refusal.of(command, on: slug) { () throws(Refusal) in
      try after[slug]?.admit(change, leadingTo: other, at: now)
    }
    if let page = change.newURL, let app = change.app ?? after[slug]?.app { _ = try url(page, for: app) }
    if let other { try checkNoCycle(command, from: slug, to: other.slug) }
  }

  /// Strikes out an app under which nothing was ever recorded, and returns it as it was (law 9).
  ///
  /// - Throws: `Refusal`.
  package mutating func void(_ slug: String, _ attempt: String = "strike out the app") throws -> App {
    let app: App
    do {
      app = try line(slug).app
    } catch let LedgerError.noApp(name, known) {
      guard let gone = try ledger.struckOut(slug) else { throw LedgerError.noApp(name, known: known) }
      return gone
    }
    let holds = try ledger.holdings(of: slug)
    guard holds.isEmpty else {
      throw Refusal(
        "app.in-use", details: ["holds": .array(holds.map(JSON.string))]
      ).of(attempt, on: slug)
    }
    try admit(.appVoided(app), to: slug, attempt)
    return app
  }

  /// Refuses a command about a retired app if its change does not go through `admit`, such as taking in
  /// evidence.
  ///
  /// - Throws: `Refusal`, `LedgerError.noApp`.
  package mutating func refuseRetired(_ slug: String, _ command: String) throws {
    let app = try line(slug).app
    try Refusal.of(command, on: slug) { () throws(Refusal) in try app.checkInUse() }
  }

  /// Refuses to retire an app that others lead clients to.
  ///
  /// - Throws: `Refusal`.
  package mutating func refuseLedTo(_ slug: String, _ command: String) throws {
    let now = now
    let others = try ledger.apps().map(\.slug).filter { try line($0).leads(to: slug, at: now) }
    guard others.isEmpty else {
      throw Refusal("app.led-to", details: ["apps": .array(others.map(JSON.string))]).of(command, on: slug)
    }
  }

  /// Refuses to retire an app that others lead clients to, and to take it back where it would lead them to a retired one
  /// or in a circle.
  ///
  /// - Throws: `Refusal`.
  mutating func checkRetired(from before: App, to after: App, _ command: String) throws {
    if after.isRetired, !before.isRetired { try refuseLedTo(after.slug, command) }
    guard before.isRetired, !after.isRetired else { return }
    var restored = try line(after.slug)
    restored.app = after
    for other in restored.leadsTo.sorted() where restored.leads(to: other, at: now) {
      let app = try line(other).app
      try Refusal.of(command, on: after.slug) { () throws(Refusal) in try app.checkInUse() }
      try checkNoCycle(command, from: after.slug, to: other)
    }
  }

  private mutating func checkNoCycle(_ command: String, from slug: String, to other: String) throws {
    var paths = [[slug, other]]
    var seen: Set<String> = [other]
    while let path = paths.popLast() {
      let last = try line(path[path.count - 1])
      for step in last.leadsTo.sorted() where last.leads(to: step, at: now) {
        guard step != slug else {
          throw Refusal(
            "redirect.cycle",
            ["circle": (path + [slug]).joined(separator: " → "), "back": path[path.count - 1]],
            details: ["path": .array((path + [slug]).map(JSON.string))]
          ).of(command, on: slug)
        }
        if seen.insert(step).inserted { paths.append(path + [step]) }
      }
    }
  }

  /// A URL as clients of an app get it.
  ///
  /// - Throws: `Refusal`.
  package func url(_ text: String, for app: App) throws -> String {
    do throws(Refusal) {
      let url = try StoreURL(text)
      try url.check(hosts: hosts, for: app.platform)
      return url.text
    } catch {
      throw Refusal(error.key, error.values, details: ["url": .string(text)])
    }
  }

  /// Refuses an Apple ID that another app of the platform has, and a bundle id that another app of the platform and
  /// channel has, its letters' case ignored.
  private func checkIdentity(_ app: App, in change: Change) throws {
    // All apps are read, which a stop of all would do for each of them.
    if case .appSet(let was, _) = change,
      (was.appleID, was.bundleID, was.platform, was.channel)
        == (app.appleID, app.bundleID, app.platform, app.channel)
    {
      return
    }
    let recorded = try ledger.apps().filter { after[$0.slug] == nil && !voided.contains($0.slug) }
    for other in recorded + after.values.map(\.app)
    where other.slug != app.slug && other.platform == app.platform {
      let owner = JSON.string(other.slug)
      if let id = app.appleID, other.appleID == id {
        throw Refusal("app.apple-id-taken", details: ["appleID": .integer(id), "app": owner])
      }
      if other.channel == app.channel, other.bundleID.lowercased() == app.bundleID.lowercased() {
        throw Refusal("app.bundle-taken", ["bundleID": app.bundleID], details: ["app": owner])
      }
    }
  }
}

extension App {
  /// Refuses to add an app that exists with other options, or with other switches: `stop`, `retire`.
  func isAlreadyRecorded(_ differs: [String]) -> Refusal {
    let options = differs.filter { $0.hasPrefix("--") }
    let isRetired = differs.contains("retire")
    let state = isRetired ? "as retired" : differs.contains("stop") ? "as stopped" : nil
    let how = [options.isEmpty ? nil : "with a different \(options.joined(separator: ", "))", state]
    return Refusal(
      isRetired ? "app.exists/retired" : options.isEmpty ? "app.exists/stopped" : "app.exists",
      ["how": how.compactMap(\.self).joined(separator: ", and ")],
      details: ["app": .string(slug), "differs": .array(options.map(JSON.string))])
  }

  /// The names of the options in which another app's details differ from this one's.
  func differences(from other: App) -> [String] {
    // Switches have commands of their own instead of options.
    let switches = ["stopped": "stop", "retired": "retire"]
    var other = other
    // Another spelling of a version is the same version.
    if other.asksSince == asksSince { other.asksSince = asksSince }
    let (values, others) = (storedValues(app: nil), other.storedValues(app: nil))
    return App.columns.names.enumerated().compactMap { place, column in
      guard column != "event_seq", values[place] != others[place] else { return nil }
      return switches[column] ?? "--" + column.split(separator: "_").joined(separator: "-")
    }
  }
}

extension Ledger {
  /// What is recorded about an app; evidence and a webhook's secret would speak for the next app of that name.
  func holdings(of slug: String) throws -> [String] {
    let own = "app_id = (SELECT id FROM app_row WHERE slug = ?1)"
    return try [
      ("releases", "release_row WHERE \(own)"), ("rules", "rule_row WHERE \(own) OR to_app = ?1"),
      ("redirects", "redirect_row WHERE \(own) OR to_app = ?1"), ("settings", "setting_row WHERE \(own)"),
      ("evidence", "evidence_row WHERE app = ?1"),
      ("a webhook's secret", "trust_row WHERE kind = 'webhook' AND value = ?1"),
    ].filter { _, rows in
      try connection.first("SELECT 1 FROM \(rows) LIMIT 1", .text(slug), row: { _ in true }) != nil
    }.map(\.0)
  }
}
