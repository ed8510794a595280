import ReleaseModel
import SQLite

extension Partition {
  func compareReleases(_ slug: String) throws {
    let columns = Release.columns
    let names = columns.names.map { "release.\($0)" }.joined(separator: ", ")
    let key = "release.key, release.id"
    let sql = """
      SELECT \(names), note.position, note.locale, note.text, note.event_seq, \(key), release.notes
      FROM release LEFT JOIN note ON note.release_id = release.id
      WHERE release.app_id = (SELECT id FROM app WHERE slug = ?1) AND (\(key)) > (?2, ?3)
      ORDER BY \(key), note.position
      """
    var reader = RowReader(count: columns.count)
    var seen: Set<Int64> = []
    var current: FoundRelease?
    func finish() {
      if let found = current { compare(found, slug) }
      current = nil
    }
    let start: [Value] = [.text(""), .integer(.min)]
    var last = start
    var hasMore = true
    while hasMore {
      hasMore = try verifier.sliced {
        try catchUp()
        var read = 0
        var isCut = false
        try connection.forEach(sql, values: [.text(slug)] + last) { row in
          let id = try row.value(columns.count + 5)
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
            last = try (4..<6).map { try row.value(columns.count + $0) }
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
        "release \(release.id): the row made by event \(release.event) is missing")
    }
  }

  struct FoundRelease {
    let id: Value
    var release: Result<Release, FieldFault>
    let event: Int64?
    let count: Value
    var noteEvent: Int64?
    var noteFault: String?

    init(id: Value, _ row: Row, _ reader: inout RowReader, count: Int) {
      self.id = id
      do {
        release = .success(try reader.read(row))
      } catch let fault as FieldFault {
        release = .failure(fault)
      } catch {
        release = .failure(FieldFault("id"))
      }
      event = if case .integer(let seq)? = try? row.value(count - 1) { seq } else { nil }
      self.count = (try? row.value(count + 6)) ?? .null
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
      if position != Int64(release.notes.count) { noteFault = "its notes are not what the events add up to" }
      if !release.notes.isEmpty, noteEvent != event { noteFault = "its notes name several events" }
      noteEvent = event
      release.notes.append(Note(locale: locale, text: text))
      self.release = .success(release)
    }
  }

  func compare(_ found: FoundRelease, _ slug: String) {
    let number: Int64? = if case .integer(let number) = found.id { number } else { nil }
    let expected = number.flatMap { number in state.lines[slug]?.release(id: number) }
    var name: String { "release \(found.id.shown)" }
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
}
