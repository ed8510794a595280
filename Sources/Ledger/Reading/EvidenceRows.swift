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

  /// How many bytes of evidence are parked without proof.
  package func unprovedBytes() throws -> Int64 {
    try query(
      "SELECT coalesce(sum(size), 0) FROM evidence WHERE outcome = ? AND proof IS NULL", .text("parked")
    ) { try $0.integer(0) }.first ?? 0
  }

  /// - Throws: `Refusal`.
  package func evidence(_ id: Int64) throws -> (evidence: Evidence, body: [UInt8]?) {
    guard let found = try records(Evidence.self, where: "id = ?", .integer(id)).first else {
      throw Refusal("evidence.not-found", ["evidence": String(id)])
    }
    let body = try query("SELECT body FROM evidence WHERE id = ? AND body IS NOT NULL", .integer(id)) {
      try $0.blob(0)
    }
    return (found, body.first)
  }

  /// The evidence, proved and applied, that Apple has a version of an app, oldest first.
  func proofs(showing version: Version, of app: String) throws -> [Evidence] {
    try records(Evidence.self, where: "outcome = 'applied' AND app = ?", .text(app))
      .filter { $0.isProved && $0.version == version }
  }

  func evidence(sha256: String) throws -> [Evidence] {
    try records(Evidence.self, where: "sha256 = ?", .text(sha256))
  }

  func evidence(messageID: String) throws -> [Evidence] {
    try records(Evidence.self, where: "message_id = ?", .text(messageID))
  }

  /// The answers of stores about an app that are recorded, oldest first.
  package func lookups(of app: String) throws -> [Evidence] {
    try records(Evidence.self, where: "kind = 'lookup' AND app = ?", .text(app)).sorted { $0.id < $1.id }
  }

  /// The alarm that an app's store page is gone or behind what clients are sent to, as the last answer of each country
  /// says; nil if there is none.
  package func storeFinding(of snapshot: Snapshot, now: Timestamp) throws -> Finding? {
    let slug = snapshot.line.app.slug
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
      "SELECT evidence FROM event WHERE kind = 'app.stop' AND app = ? ORDER BY seq DESC LIMIT 1", .text(slug)
    ) { try !$0.isNull(0) }
    if isStopped, stopped == true { return Finding("store.absent/again", app: slug) }
    guard let target = snapshot.line.target(at: now), snapshot.isPrompting(at: now) else { return nil }
    let behind = last.filter { $1.reason == "lookup.behind" }.compactMapValues(\.version)
      .filter { $1 < target.version }.min { $0.key < $1.key }
    return behind.map { country, shown in
      Finding(
        "lookup.behind", app: slug,
        ["country": country, "target": target.version.text, "version": shown.text])
    }
  }

  /// The countries in whose stores a lookup has shown a version of an app, or a newer one.
  package func countries(showing version: Version, of app: String) throws -> Set<String> {
    Set(
      try records(Evidence.self, where: "kind = 'lookup' AND app = ?", .text(app))
        .filter {
          $0.outcome != .parked && $0.outcome != .dismissed && ($0.version.map { version <= $0 } ?? false)
        }
        .compactMap(\.country))
  }
}
