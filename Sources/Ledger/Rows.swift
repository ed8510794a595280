import ReleaseModel
import SQLite

/// Reads the rows of the ledger's tables into the model, and writes them.
///
/// What a column holds was checked by the schema when it was written, so a value that does not parse means that
/// somebody went around it; it is an error, never a guess.
extension Ledger {
  /// Reads a required value that the model must be able to parse.
  func parsed<T>(_ row: Row, _ column: Int, _ parse: (String) throws -> T?) throws -> T {
    guard let value = try? parse(try row.text(column)) else {
      throw unreadable(column)
    }
    return value
  }

  func optional<T>(_ row: Row, _ column: Int, _ parse: (String) throws -> T?) throws -> T? {
    try row.isNull(column) ? nil : parsed(row, column, parse)
  }

  // A line may have thousands of moments and versions, so that they are read without a text of their own.

  func optionalMoment(_ row: Row, _ column: Int) throws -> Timestamp? {
    try plain(row, column) { try Timestamp(bytes: $0) }
  }

  func moment(_ row: Row, _ column: Int) throws -> Timestamp {
    guard let moment = try optionalMoment(row, column) else { throw unreadable(column) }
    return moment
  }

  func optionalVersion(_ row: Row, _ column: Int) throws -> Version? {
    try plain(row, column) { try Version(bytes: $0) }
  }

  private func version(_ row: Row, _ column: Int) throws -> Version {
    guard let version = try optionalVersion(row, column) else { throw unreadable(column) }
    return version
  }

  private func plain<T>(_ row: Row, _ column: Int, _ parse: (UnsafeBufferPointer<UInt8>) throws -> T) throws
    -> T?
  {
    switch try row.lend(column) {
    case .null: return nil
    case .text(let bytes):
      guard let value = bytes.withMemoryRebound(to: UInt8.self, { try? parse($0) }) else {
        throw unreadable(column)
      }
      return value
    default: throw unreadable(column)
    }
  }

  private func unreadable(_ column: Int) -> LedgerError {
    .unreadableRow("column \(column) of a row of \(path)")
  }

  static let appColumns = """
    slug, bundle_id, platform, channel, apple_id, name, sku, store_url, policy, hold, remind_every, asks_since, \
    stopped, event_seq, countries, live_by
    """

  func app(from row: Row) throws -> App {
    var app = App(
      slug: try row.text(0), bundleID: try row.text(1),
      platform: try parsed(row, 2, ApplePlatform.init(rawValue:)),
      channel: try parsed(row, 3, Channel.init(rawValue:)))
    app.appleID = try row.optionalInteger(4)
    app.name = try row.optionalText(5)
    app.sku = try row.optionalText(6)
    app.storeURL = try row.optionalText(7)
    app.policy = try parsed(row, 8) { SegmentPolicy($0) }
    app.hold = TimeSpan(seconds: try row.integer(9))
    app.remindEvery = try parsed(row, 10, ReminderFrequency.init(rawValue:))
    app.asksSince = try optionalVersion(row, 11)
    app.isStopped = try row.integer(12) != 0
    app.event = try row.integer(13)
    app.countries = try row.text(14).split(separator: ",").map(String.init)
    app.isLiveByLookup = try row.text(15) == "lookup"
    return app
  }

  func insert(_ app: App, id: Int64, event: Int64) throws {
    try connection.run(
      """
      INSERT INTO app (id, slug, bundle_id, platform, channel, apple_id, name, sku, store_url, policy, hold,
        remind_every, asks_since, stopped, countries, live_by, event_seq)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      .integer(id), .text(app.slug), .text(app.bundleID), .text(app.platform.rawValue),
      .text(app.channel.rawValue), app.appleID.sqliteValue, app.name.sqliteValue, app.sku.sqliteValue,
      app.storeURL.sqliteValue, .text(app.policy.text), .integer(app.hold.seconds),
      .text(app.remindEvery.rawValue), (app.asksSince?.text).sqliteValue, .integer(app.isStopped ? 1 : 0),
      .text(app.countries.joined(separator: ",")), .text(app.isLiveByLookup ? "lookup" : "mail"),
      .integer(event))
  }

  func update(_ app: App, event: Int64) throws {
    try connection.run(
      """
      UPDATE app SET bundle_id = ?, apple_id = ?, name = ?, sku = ?, store_url = ?, policy = ?, hold = ?,
        remind_every = ?, asks_since = ?, stopped = ?, countries = ?, live_by = ?, event_seq = ? WHERE slug = ?
      """,
      .text(app.bundleID), app.appleID.sqliteValue, app.name.sqliteValue, app.sku.sqliteValue,
      app.storeURL.sqliteValue, .text(app.policy.text), .integer(app.hold.seconds),
      .text(app.remindEvery.rawValue), (app.asksSince?.text).sqliteValue, .integer(app.isStopped ? 1 : 0),
      .text(app.countries.joined(separator: ",")), .text(app.isLiveByLookup ? "lookup" : "mail"),
      .integer(event),
      .text(app.slug))
  }

  static let releaseColumns = """
    id, version, build, state, since, min_os, url, mandatory, approved_at, live_at, visible_at, removed_at, \
    former_state, former_since, former_live_at, former_visible_at, former_removed_at, superseded_by, event_seq, notes, former_superseded, \
    shown_at, past, asc_id
    """

  /// Reads a release without its notes, and how many it has.
  func release(from row: Row) throws -> (release: Release, notes: Int64) {
    var release = Release(
      id: try row.integer(0), version: try version(row, 1),
      state: try parsed(row, 3, ReleaseState.init(rawValue:)), since: try moment(row, 4)
    )
    release.build = try optionalVersion(row, 2)
    release.minOS = try optionalVersion(row, 5)
    release.url = try row.optionalText(6)
    release.isMandatory = try row.integer(7) != 0
    release.approvedAt = try optionalMoment(row, 8)
    release.liveAt = try optionalMoment(row, 9)
    release.visibleAt = try optionalMoment(row, 10)
    release.removedAt = try optionalMoment(row, 11)
    if let state = try optional(row, 12, ReleaseState.init(rawValue:)) {
      release.former = Release.Former(
        state: state, since: try moment(row, 13),
        liveAt: try optionalMoment(row, 14),
        visibleAt: try optionalMoment(row, 15),
        removedAt: try optionalMoment(row, 16), superseded: try row.optionalInteger(20))
    }
    release.supersededBy = try row.optionalInteger(17)
    release.event = try row.integer(18)
    release.shownAt = try optionalMoment(row, 21)
    release.isPast = try row.integer(22) != 0
    release.ascID = try row.optionalText(23)
    return (release, try row.integer(19))
  }

  func insert(_ release: Release, app: String, event: Int64) throws {
    let (major, minor, patch, fourth) = release.version.components
    try connection.run(
      """
      INSERT INTO release (id, app_id, version, major, minor, patch, fourth, build, state, since, notes, min_os, url,
        mandatory, live_at, visible_at, past, asc_id, event_seq)
      VALUES (?, (SELECT id FROM app WHERE slug = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      .integer(release.id), .text(app), .text(release.version.text), .integer(major), .integer(minor),
      .integer(patch), .integer(fourth), (release.build?.text).sqliteValue, .text(release.state.rawValue),
      .text(release.since.text), .integer(Int64(release.notes.count)), (release.minOS?.text).sqliteValue,
      release.url.sqliteValue, .integer(release.isMandatory ? 1 : 0), (release.liveAt?.text).sqliteValue,
      (release.visibleAt?.text).sqliteValue, .integer(release.isPast ? 1 : 0), release.ascID.sqliteValue,
      .integer(event))
    try insertNotes(of: release, event: event)
  }

  /// Writes what an event changed of a release; the schema moves along the one it supersedes or gives back.
  func update(_ release: Release, event: Int64, rewritesNotes: Bool) throws {
    let former = release.former
    try connection.run(
      """
      UPDATE release SET build = ?, state = ?, since = ?, notes = ?, min_os = ?, url = ?, mandatory = ?,
        approved_at = ?, live_at = ?, visible_at = ?, removed_at = ?, former_state = ?, former_since = ?,
        former_live_at = ?, former_visible_at = ?, former_removed_at = ?, former_superseded = ?, shown_at = ?,
        asc_id = ?, event_seq = ? WHERE id = ?
      """,
      (release.build?.text).sqliteValue, .text(release.state.rawValue), .text(release.since.text),
      .integer(Int64(release.notes.count)), (release.minOS?.text).sqliteValue, release.url.sqliteValue,
      .integer(release.isMandatory ? 1 : 0), (release.approvedAt?.text).sqliteValue,
      (release.liveAt?.text).sqliteValue, (release.visibleAt?.text).sqliteValue,
      (release.removedAt?.text).sqliteValue, (former?.state.rawValue).sqliteValue,
      (former?.since.text).sqliteValue,
      (former?.liveAt?.text).sqliteValue, (former?.visibleAt?.text).sqliteValue,
      (former?.removedAt?.text).sqliteValue, (former?.superseded).sqliteValue,
      (release.shownAt?.text).sqliteValue, release.ascID.sqliteValue, .integer(event), .integer(release.id))
    guard rewritesNotes else { return }
    try connection.run("DELETE FROM note WHERE release_id = ?", .integer(release.id))
    try insertNotes(of: release, event: event)
  }

  private func insertNotes(of release: Release, event: Int64) throws {
    for (position, note) in release.notes.enumerated() {
      try connection.run(
        "INSERT INTO note (release_id, position, locale, text, event_seq) VALUES (?, ?, ?, ?, ?)",
        .integer(release.id), .integer(Int64(position)), .text(note.locale), .text(note.text), .integer(event)
      )
    }
  }

  static let eventColumns = """
    seq, at, format, kind, app, version, subject, before, after, impact, actor, reason, evidence, request_id, \
    request, answer, hash
    """

  func event(from row: Row) throws -> EventRecord {
    EventRecord(
      seq: try row.integer(0), at: try row.text(1), format: try row.integer(2), kind: try row.text(3),
      app: try row.optionalText(4), version: try row.optionalText(5), subject: try row.optionalText(6),
      before: try row.optionalText(7), after: try row.optionalText(8), impact: try row.optionalText(9),
      actor: try row.text(10), reason: try row.optionalText(11), evidence: try row.optionalInteger(12),
      requestID: try row.optionalText(13), request: try row.optionalText(14),
      answer: try row.optionalText(15),
      hash: try row.text(16))
  }

  func insert(_ event: EventRecord) throws {
    try connection.run(
      """
      INSERT INTO event (seq, at, format, kind, app, version, subject, before, after, impact, actor, reason,
        evidence, request_id, request, answer, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      .integer(event.seq), .text(event.at), .integer(event.format), .text(event.kind), event.app.sqliteValue,
      event.version.sqliteValue, event.subject.sqliteValue, event.before.sqliteValue, event.after.sqliteValue,
      event.impact.sqliteValue, .text(event.actor), event.reason.sqliteValue, event.evidence.sqliteValue,
      event.requestID.sqliteValue, event.request.sqliteValue, event.answer.sqliteValue, .text(event.hash))
  }
}
