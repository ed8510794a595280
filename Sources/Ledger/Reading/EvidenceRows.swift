package import ReleaseModel
import SQLite

extension Ledger {
  /// All that is parked, oldest first, except alarms that have ended by themselves.
  package func inbox() throws -> [Evidence] { try inboxWithAlarms().map(\.evidence) }

  /// The evidence that waits for a person, each with the alarm that it is.
  package func inboxWithAlarms() throws -> [(evidence: Evidence, alarm: Finding?)] {
    var lines: [String: AppState] = [:]
    return try parked().compactMap { evidence in
      guard let app = evidence.app else { return (evidence, nil) }
      let line: AppState
      do {
        line = try lines[app] ?? self.line(app, withNotes: false)
      } catch LedgerError.noApp {
        return (evidence, nil)
      }
      lines[app] = line
      return evidence.isEnded(by: line) ? nil : (evidence, evidence.alarm(on: line))
    }
  }

  func parked() throws -> [Evidence] { try records(Evidence.self, where: "outcome = ?", .text("parked")) }

  /// How many bytes of evidence are parked that nobody vouches for.
  package func unprovedBytes() throws -> Int64 {
    try query(
      "SELECT coalesce(sum(size), 0) FROM evidence_row WHERE outcome = ? AND ifnull(proof, ?2) LIKE ?2 || '%'",
      .text("parked"), .text(Evidence.unpinned)
    ) { try $0.integer(0) }.first ?? 0
  }

  /// - Throws: `Refusal`.
  package func evidence(_ id: Int64) throws -> (evidence: Evidence, body: [UInt8]?) {
    guard let found = try records(Evidence.self, where: "id = ?", .integer(id)).first else {
      throw Refusal("evidence.not-found", ["evidence": String(id)])
    }
    let body = try query("SELECT body FROM evidence_row WHERE id = ? AND body IS NOT NULL", .integer(id)) {
      try $0.blob(0)
    }
    return (found, body.first)
  }

  /// The proofs that Apple has a version of an app, oldest first.
  func proofs(showing version: Version, of app: String) throws -> [Evidence] {
    Evidence.standing(
      try records(Evidence.self, where: "app = ?", .text(app))
        .filter { $0.version == version && $0.tellsOfVersion })
  }

  /// Whether a fetched answer showed a version of an app on sale under an id of App Store Connect's.
  package func wasOnSale(_ id: String, _ version: Version, of app: String) throws -> Bool {
    try records(Evidence.self, where: "app = ? AND kind = 'asc'", .text(app))
      .contains { $0.ascID == id && $0.version == version && $0.showsOnSale }
  }

  /// What to do about releases whose record at Apple became that of another version, until nothing is left to do.
  package func renamedFindings(of line: AppState) throws -> [Finding] {
    if line.app.isRetired { return [] }
    var renamed: [Version: Version] = [:]
    for evidence in try records(Evidence.self, where: "app = ? AND kind = 'asc'", .text(line.app.slug))
    where evidence.reason == Evidence.renamed {
      if let old = evidence.version { renamed[old] = evidence.subject.flatMap { try? Version($0) } }
    }
    return renamed.sorted { $0.key < $1.key }.compactMap { old, new in
      guard let release = line.counted(old), release.ascID == nil else { return nil }
      let isKnown = line.counted(new) != nil
      if isKnown, !release.state.isReleased, old < new { return nil }
      return Finding(
        isKnown ? "asc.renamed/known" : "asc.renamed", app: line.app.slug,
        ["version": old.text, "new": new.text, "how": release.mayBeVoid ? "" : " --never-shipped"])
    }
  }

  /// Proof, applied or found there already, that Apple had a version of an app in a state.
  func proof(of state: ReleaseState, of version: Version, _ app: String) throws -> Evidence? {
    Evidence.standing(
      try records(Evidence.self, where: "app = ?", .text(app)).filter { $0.version == version }
    ).last { [.applied, .ignored].contains($0.outcome) && $0.state == state }
  }

  /// The answers of stores about an app that are recorded, oldest first.
  package func lookups(of app: String) throws -> [Evidence] {
    try records(Evidence.self, where: "kind = 'lookup' AND app = ?", .text(app)).sorted { $0.id < $1.id }
  }

  /// The alarm that an app's store page is gone or behind what clients are sent to, as the last answer of each country
  /// says, or nil.
  package func storeFinding(of snapshot: Snapshot, now: Timestamp) throws -> Finding? {
    let slug = snapshot.line.app.slug
    // No command would settle it.
    if snapshot.line.app.isRetired { return nil }
    var last: [String: Evidence] = [:]
    for lookup in try lookups(of: slug) { last[lookup.country ?? ""] = lookup }
    let gone = last.values.filter { $0.reason == "lookup.gone" }.compactMap(\.country).sorted()
    let isStopped = snapshot.line.app.isStopped
    if !gone.isEmpty {
      return Finding(
        isStopped ? "store.absent/stopped" : "store.absent", app: slug,
        ["countries": gone.joined(separator: ", ")])
    }
    let stopped = try first(
      "SELECT evidence FROM event_row WHERE kind = 'app.stop' AND app = ? ORDER BY seq DESC LIMIT 1",
      .text(slug)
    ) { try !$0.isNull(0) }
    if isStopped, stopped == true { return Finding("store.absent/again", app: slug) }
    guard let target = snapshot.line.target(at: now), target.isMissedFrom.map({ $0 <= now }) == true,
      snapshot.isPrompting(at: now)
    else { return nil }
    // Once nothing may hold the target back any longer, what held it back is the alarm.
    let isBehind = { (reason: String?) in
      reason == "lookup.behind" || reason == "lookup.held" && target.isHoldSpent
    }
    let behind = last.filter { isBehind($1.reason) }.compactMapValues(\.version)
      .filter { $1 < target.version }.min { $0.key < $1.key }
    return behind.map { country, shown in
      Finding(
        "lookup.behind", app: slug,
        ["country": country, "target": target.version.text, "version": shown.text])
    }
  }

  /// The countries whose stores show a release of an app, or a newer one, as their last answers say, if these came since it
  /// went live.
  package func countries(showing release: Release, of app: String) throws -> Set<String> {
    var shows: [String: Bool] = [:]
    for lookup in try lookups(of: app) where release.liveAt ?? .distantPast <= lookup.receivedAt {
      let isKnown = lookup.outcome != .parked && lookup.outcome != .dismissed
      shows[lookup.country ?? ""] = isKnown && lookup.version.map { release.version <= $0 } ?? false
    }
    return Set(shows.filter(\.value).keys)
  }
}
