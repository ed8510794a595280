import Crypto
import JSON
import ReleaseModel
import SQLite

/// A part of the ledger that is replayed and compared by itself: one app, or what belongs to none.
///
/// The events are read once, in slices, and replayed through the laws; then every row of the part is compared with what
/// they add up to. Nothing of one part is kept when the next begins, so that a ledger of many apps needs the memory of
/// its largest.
final class Partition {
  /// The app; nil for trust, evidence and where the documents go.
  let slug: String?
  let verifier: Verifier
  private(set) var state = LedgerState()
  private var reader = ChangeReader()
  private var cells = [LentValue](repeating: .null, count: 8)
  private var seq: Int64 = 0
  /// The last event that concerns the app's answers.
  private(set) var concerned: Int64 = 0
  /// The last event that altered which hosts are trusted.
  private(set) var hostsChanged: Int64 = 0
  /// The name of the app's row.
  private var subject: String?

  var connection: Connection { verifier.connection }

  init(_ slug: String?, _ verifier: Verifier) {
    self.slug = slug
    self.verifier = verifier
  }

  // MARK: - Events

  private static let columns = "seq, at, format, kind, app, before, after, subject"

  /// Events that belong to no app alter which hosts an app's URLs may name, and when things were.
  private static let ofAnApp = """
    SELECT \(columns) FROM event WHERE app = ?1 AND seq > ?2
    UNION ALL SELECT \(columns) FROM event WHERE app IS NULL AND seq > ?2 ORDER BY 1
    """

  private static let ofNone = """
    SELECT \(columns) FROM event NOT INDEXED WHERE seq > ?2 AND (app IS ?1 OR kind GLOB 'evidence.*') ORDER BY seq
    """

  /// Replays the events that were not seen, as many as there is time for.
  ///
  /// - Returns: Whether there may be more.
  @discardableResult
  func catchUp(until deadline: Double = .infinity) throws -> Bool {
    var read = 0
    var hasMore = false
    try connection.forEach(
      slug == nil ? Partition.ofNone : Partition.ofAnApp, values: [slug.sqliteValue, .integer(seq)]
    ) { row in
      try take(row)
      read += 1
      hasMore = read & 0xFF == 0 && verifier.isPast(deadline)
      return !hasMore
    }
    return hasMore
  }

  private func take(_ row: Row) throws {
    try row.lend(into: &cells)
    guard case .integer(let seq) = cells[0] else { return }
    self.seq = seq
    func unreadable(_ why: String) {
      verifier.report(Fault("event.unreadable", seq: seq, "event \(seq) \(why)"))
    }
    guard case .text(let name) = cells[3],
      let kind = EventKind(rawValue: String(decoding: name.prefix(40), as: UTF8.self))
    else {
      // Each unknown kind is told once, by the part it belongs to.
      return unreadable("has a kind that this build does not know")
    }
    let app = cells[4].text.map { String(decoding: $0, as: UTF8.self) }
    guard isOurs(kind, app) else { return }
    guard case .integer(let format) = cells[2], (1...EventRecord.currentFormat).contains(format) else {
      return unreadable("is of a format that this build does not read")
    }
    guard let moment = cells[1].text.flatMap({ Timestamp(spelled: $0.bindMemory(to: UInt8.self)) }) else {
      // What is no time was told when the chain was read.
      return
    }
    guard let change = reader.change(kind, app: app, before: cells[5].text, after: cells[6].text),
      change.app == nil || change.app?.slug == app
    else { return unreadable("does not say what its kind, \(kind.rawValue), should say") }
    if let objection = state.objection(to: change, app: app, seq: seq, at: moment) {
      verifier.report(
        Fault(
          "law.broken", seq: seq,
          "event \(seq) (\(kind.rawValue)) is one that no command could have made: \(objection)"))
    }
    state.apply(change, app: app, seq: seq, at: moment)
    if kind.concernsAnswers { concerned = seq }
    switch change {
    case .appAdded: subject = cells[7].text.map { String(decoding: $0, as: UTF8.self) }
    case .trusted(let trust), .distrusted(let trust): if trust.kind == .host { hostsChanged = seq }
    case .clockCorrected: hostsChanged = seq
    default: break
    }
  }

  /// Whether an event is one of the part's own, or one that every part needs.
  private func isOurs(_ kind: EventKind, _ app: String?) -> Bool {
    switch kind {
    case .evidenceAdd, .evidenceSettle: slug == nil
    case .trustAdd, .trustRemove, .clockCorrect: app == nil
    default: app == slug
    }
  }

  // MARK: - Rows

  /// Compares every row of the part with what the events add up to.
  func compareRows() throws {
    guard let slug else {
      try verifier.guarded("trust") { try compareTrusts() }
      try verifier.guarded("publication") { try comparePublication() }
      return try verifier.guarded("evidence") { try compareEvidence() }
    }
    try verifier.guarded("app") { try compareApp(slug) }
    try verifier.guarded("release") { try compareReleases(slug) }
    try compareStanding(Rule.self, \.rules, \.rules)
    try compareStanding(Redirect.self, \.redirects, \.redirects)
    try compareStanding(Setting.self, \.settings, \.settings)
  }

  /// Reads the rows of a table that belong to the app in slices, each after the events recorded meanwhile.
  ///
  /// - Parameters:
  ///   - sql: Takes the app's slug and where the last slice ended.
  ///   - body: Takes a row; says where it is.
  private func slices(_ sql: String, from start: [Value], _ body: (Row) throws -> [Value]) throws {
    var last = start
    var hasMore = true
    while hasMore {
      hasMore = try verifier.sliced {
        try catchUp()
        var read = 0
        var isCut = false
        try connection.forEach(sql, values: [slug.sqliteValue] + last) { row in
          let place = try body(row)
          read += 1
          verifier.countRow()
          isCut = read & 0xFF == 0 && verifier.isTimeUp
          if isCut || read & 0xFF == 0 { last = place }
          return !isCut
        }
        return isCut
      }
    }
  }

  private func compareApp(_ slug: String) throws {
    try verifier.sliced {
      try catchUp()
      var isThere = false
      let columns = Columns(of: App.self)
      var reader = CellReader(count: columns.count)
      try connection.forEach(
        "SELECT \(columns.names.joined(separator: ", ")), id FROM app WHERE slug = ?", .text(slug)
      ) {
        row in
        isThere = true
        compare(row, &reader, state.lines[slug]?.app, id: try row.value(columns.count), app: slug)
        let name: String = if case .integer(let id) = try row.value(columns.count) { "app/\(id)" } else { "" }
        if let subject, name != subject {
          report("row.differs", state.lines[slug]?.app.event, "app \(slug): id is not that of \(subject)")
        }
        return true
      }
      if !isThere, let line = state.lines[slug] {
        report(
          "row.missing", line.app.event, "app \(slug): the row that event \(line.app.event) made is gone")
      }
    }
  }

  private func compareReleases(_ slug: String) throws {
    let columns = Columns(of: Release.self)
    let names = columns.names.map { "release.\($0)" }.joined(separator: ", ")
    let key = "release.major, release.minor, release.patch, release.fourth, release.id"
    let sql = """
      SELECT \(names), note.position, note.locale, note.text, note.event_seq, \(key), release.notes
      FROM release LEFT JOIN note ON note.release_id = release.id
      WHERE release.app_id = (SELECT id FROM app WHERE slug = ?1) AND (\(key)) > (?2, ?3, ?4, ?5, ?6)
      ORDER BY \(key), note.position
      """
    var reader = CellReader(count: columns.count)
    var seen: Set<Int64> = []
    var current: FoundRelease?
    func finish() {
      if let found = current { compare(found, slug) }
      current = nil
    }
    let start: [Value] = Array(repeating: .integer(-1), count: 4) + [.integer(.min)]
    var last = start
    var hasMore = true
    while hasMore {
      hasMore = try verifier.sliced {
        try catchUp()
        var read = 0
        var isCut = false
        try connection.forEach(sql, values: [.text(slug)] + last) { row in
          let id = try row.value(columns.count + 8)
          if current?.id != id {
            finish()
            // A slice ends between two releases, never among the notes of one.
            if read >= 0x100 {
              read = 0
              if verifier.isTimeUp {
                isCut = true
                return false
              }
            }
            read += 1
            verifier.countRow()
            if case .integer(let number) = id { seen.insert(number) }
            current = FoundRelease(id: id, row, &reader, count: columns.count)
            last = try (4..<9).map { try row.value(columns.count + $0) }
          }
          try current?.takeNote(row, from: columns.count)
          return true
        }
        finish()
        return isCut
      }
    }
    for release in state.lines[slug]?.releases ?? [] where !seen.contains(release.id) {
      report(
        "row.missing", release.event,
        "release \(release.id): the row that event \(release.event) made is gone")
    }
  }

  /// A release's row with its notes, as they are found.
  private struct FoundRelease {
    let id: Value
    var release: Result<Release, FieldFault>
    let event: Int64?
    let count: Value
    /// The event that all notes name so far; nil where they differ.
    var noteEvent: Int64?
    var noteFault: String?

    init(id: Value, _ row: Row, _ reader: inout CellReader, count: Int) {
      self.id = id
      do {
        release = .success(try reader.read(row))
      } catch let fault as FieldFault {
        release = .failure(fault)
      } catch {
        release = .failure(FieldFault("id"))
      }
      event = if case .integer(let seq)? = try? row.value(count - 1) { seq } else { nil }
      self.count = (try? row.value(count + 9)) ?? .null
    }

    mutating func takeNote(_ row: Row, from column: Int) throws {
      guard case .integer(let position) = try row.value(column) else { return }
      guard case .success(var release) = release else { return }
      guard case .text(let locale) = try row.lend(column + 1),
        let locale = String(validating: locale, as: UTF8.self),
        case .text(let text) = try row.lend(column + 2), let text = String(validating: text, as: UTF8.self),
        case .integer(let event) = try row.lend(column + 3)
      else {
        noteFault = "a note is of a type that pawl never writes"
        return
      }
      if position != Int64(release.notes.count) { noteFault = "its notes are not what the events say" }
      if !release.notes.isEmpty, noteEvent != event { noteFault = "its notes name several events" }
      noteEvent = event
      release.notes.append(Note(locale: locale, text: text))
      self.release = .success(release)
    }
  }

  private func compare(_ found: FoundRelease, _ slug: String) {
    let number: Int64? = if case .integer(let number) = found.id { number } else { nil }
    let expected = number.flatMap { number in state.lines[slug]?.release(id: number) }
    let name = "release \(found.id.shown)"
    guard let expected else {
      return report("row.unexpected", found.event, "\(name): no event made this row")
    }
    let release: Release
    switch found.release {
    case .failure(let fault):
      return report("row.differs", expected.event, "\(name): \(fault.name) holds what pawl never writes")
    case .success(let read): release = read
    }
    if found.count != .integer(Int64(expected.notes.count)) {
      report(
        "row.differs", expected.event,
        "\(name): notes is \(found.count.shown), the events say \(expected.notes.count)")
    }
    let wrote = state.noteEvents[expected.id]
    if expected.notes.isEmpty, !release.notes.isEmpty {
      report("row.unexpected", found.noteEvent, "note of \(name): no event made it")
    } else if release.notes.isEmpty, !expected.notes.isEmpty {
      report("row.missing", wrote, "note of \(name): the notes that event \(wrote ?? 0) made are gone")
    } else if found.noteFault != nil || release.notes != expected.notes {
      report(
        "row.differs", wrote,
        "note of \(name): \(found.noteFault ?? "its notes are not what event \(wrote ?? 0) says")")
    } else if let wrote, found.noteEvent != wrote {
      report("row.differs", wrote, "note of \(name): event_seq is not \(wrote)")
    }
    var plain = release
    plain.notes = expected.notes
    explain(plain, expected, name, app: slug)
  }

  private func compareStanding<Value: Liftable>(
    _ type: Value.Type, _ standing: KeyPath<ReleaseLine, [Value]>,
    _ down: WritableKeyPath<LedgerState.TakenDown, [Int64: Value]>
  ) throws {
    guard let slug else { return }
    func expected(_ number: Int64) -> Value? {
      state.lines[slug]?[keyPath: standing].element(number) ?? state.down[slug]?[keyPath: down][number]
    }
    let table = Value.table.rawValue
    var seen: Set<Int64> = []
    try verifier.guarded(table) {
      let columns = Columns(of: type)
      var reader = CellReader(count: columns.count)
      try slices(
        """
        SELECT \(columns.names.joined(separator: ", ")) FROM \(table)
        WHERE app_id = (SELECT id FROM app WHERE slug = ?1) AND number > ?2 ORDER BY number
        """, from: [.integer(.min)]
      ) { row in
        let number = try row.integer(0)
        seen.insert(number)
        compare(row, &reader, expected(number), id: .integer(number), app: slug)
        return [.integer(number)]
      }
    }
    let all =
      (state.lines[slug]?[keyPath: standing] ?? [])
      + (state.down[slug]?[keyPath: down].values.map { $0 } ?? [])
    for element in all.sorted(by: { $0.number < $1.number }) where !seen.contains(element.number) {
      report(
        "row.missing", element.event,
        "\(table) \(element.number): the row that event \(element.event) made is gone")
    }
  }

  private func comparePublication() throws {
    try verifier.sliced {
      try catchUp()
      let columns = Columns(of: Publication.self)
      var reader = CellReader(count: columns.count)
      var isThere = false
      try connection.forEach("SELECT \(columns.names.joined(separator: ", ")), id FROM publication") { row in
        let id = try row.value(columns.count)
        compare(row, &reader, isThere || id != .integer(1) ? nil : state.publication, id: id, app: nil)
        isThere = true
        return true
      }
      if !isThere, let publication = state.publication {
        report(
          "row.missing", publication.event,
          "publication 1: the row that event \(publication.event) made is gone")
      }
    }
  }

  private func compareTrusts() throws {
    try verifier.sliced {
      try catchUp()
      let columns = Columns(of: Trust.self)
      var reader = CellReader(count: columns.count)
      var seen: Set<Int64> = []
      let names = columns.names.map { "trust.\($0)" }.joined(separator: ", ")
      try connection.forEach(
        "SELECT \(names), id, event.subject FROM trust LEFT JOIN event ON seq = event_seq"
      ) { row in
        let id = try row.value(columns.count)
        // The number of the row is said by the name of its event's subject alone.
        var expected: Trust?
        if case .integer(let seq) = try row.value(columns.count - 1),
          try row.value(columns.count + 1) == .text("trust/\(id.shown)"), seen.insert(seq).inserted
        {
          expected = state.trusts.first { $0.event == seq }
        }
        compare(row, &reader, expected, id: id, app: nil)
        return true
      }
      for trust in state.trusts where !seen.contains(trust.event) {
        report(
          "row.missing", trust.event,
          "trust of \(trust.value): the row that event \(trust.event) made is gone")
      }
    }
  }

  private func compareEvidence() throws {
    let columns = Columns(of: Evidence.self)
    var reader = CellReader(count: columns.count)
    var next: Int64 = 1
    func missing(upTo last: Int64) {
      while next < last {
        if let trace = state.trace(next) {
          report(
            "row.missing", trace.event, "evidence \(next): the row that event \(trace.event) made is gone")
        }
        next += 1
      }
    }
    try slices(
      "SELECT \(columns.names.joined(separator: ", ")), body FROM evidence WHERE ?1 IS NULL AND id > ?2 ORDER BY id",
      from: [.integer(.min)]
    ) { row in
      let id = try row.integer(0)
      if id > 0, id <= Int64(state.evidence.count) + 1 { missing(upTo: id) }
      next = max(next, id &+ 1)
      guard let trace = state.trace(id) else {
        report(
          "row.unexpected", try row.optionalInteger(columns.count - 1),
          "evidence \(id): no event made this row")
        return [.integer(id)]
      }
      let found: Evidence? = try? reader.read(row)
      if found?.digest != trace.digest { try explainEvidence(row, found, trace, id) }
      try checkBody(row, columns.count, id, trace)
      return [.integer(id)]
    }
    missing(upTo: Int64(state.evidence.count) + 1)
  }

  private func explainEvidence(
    _ row: Row, _ found: Evidence?, _ trace: LedgerState.EvidenceTrace, _ id: Int64
  ) throws {
    guard let found else {
      return report("row.differs", trace.event, "evidence \(id): a column holds what pawl never writes")
    }
    guard var expected = (try? verifier.ledger.event(trace.event).change())?.evidence else { return }
    expected.event = trace.event
    explain(found, expected, "evidence \(id)", app: nil)
  }

  /// Evidence whose bytes were kept is what its hash says.
  private func checkBody(_ row: Row, _ column: Int, _ id: Int64, _ trace: LedgerState.EvidenceTrace) throws {
    let names = Columns(of: Evidence.self).names
    guard let hash = names.firstIndex(of: "sha256"), let size = names.firstIndex(of: "size") else { return }
    let fault: String
    switch try row.lend(column) {
    case .null:
      guard trace.hasBody else { return }
      fault = "its bytes are gone"
    case .blob where !trace.hasBody: fault = "it has bytes, and came without"
    case .blob(let bytes):
      var digest = SHA256()
      digest.update(bytes)
      let found = hexadecimalText(digest.finish())
      if try row.value(hash) != .text(found) {
        fault = "its bytes have the SHA-256 \(found), not the one recorded"
      } else if try row.value(size) != .integer(Int64(bytes.count)) {
        fault = "it has \(bytes.count) bytes, not as many as were recorded"
      } else {
        return
      }
    default: fault = "its bytes are not bytes"
    }
    report("evidence.hash", trace.event, "evidence \(id): \(fault)")
  }

  // MARK: - Differences

  private func report(_ id: String, _ seq: Int64?, _ message: String) {
    verifier.report(Fault(id, seq: seq, message))
  }

  /// Compares a row with the record that it should hold.
  private func compare<Value: Record>(
    _ row: Row, _ reader: inout CellReader, _ expected: Value?, id: SQLite.Value, app: String?
  ) {
    let name = "\(Value.table.rawValue) \(id.shown)"
    let columns = Columns(of: Value.self)
    guard let expected else {
      let event: Int64? =
        if let place = columns.names.firstIndex(of: "event_seq"),
          case .integer(let seq)? = try? row.value(place)
        {
          seq
        } else { nil }
      return report("row.unexpected", event, "\(name): no event made this row")
    }
    do {
      let found: Value = try reader.read(row)
      if found.digest != expected.digest { explain(found, expected, name, app: app) }
    } catch {
      let column = (error as? FieldFault)?.name ?? "a column"
      let value = columns.names.firstIndex(of: column).flatMap { try? row.value($0) }
      report(
        "row.differs", expected.event,
        "\(name): \(column) is \((value ?? .null).shown), which pawl never writes")
    }
  }

  /// Says which columns of a row differ, and from what.
  private func explain<Value: Record>(_ found: Value, _ expected: Value, _ name: String, app: String?) {
    guard found.digest != expected.digest else { return }
    let (cells, wanted) = (found.cells(app: app), expected.cells(app: app))
    for (place, column) in Columns(of: Value.self).names.enumerated() where cells[place] != wanted[place] {
      report(
        "row.differs", expected.event,
        "\(name): \(column) is \(cells[place].shown), the events say \(wanted[place].shown)")
    }
  }
}

extension Value {
  /// The value as a message shows it, cut where it is long.
  var shown: String {
    switch self {
    case .null: "NULL"
    case .integer(let value): String(value)
    case .real(let value): String(value)
    case .text(let text): "'\(text.count > 60 ? text.prefix(60) + "…" : text[...])'"
    case .blob(let bytes): "\(bytes.count) bytes"
    }
  }
}
