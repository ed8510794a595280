import JSON
import ReleaseModel

/// Replaying what happens to releases: the one kind of row that other rows' events move in more than one way.
extension ExpectedTables {
  mutating func release(_ kind: LentEvent.ReleaseKind, _ event: LentEvent) throws -> Bool {
    let object = objects[Table.release.rawValue]
    var notes: Int?
    var status = 0
    var link: Int64 = 0
    var isLive = false
    var since: [UInt8] = []
    var appID: Int64 = 0
    var number: Int64 = 0
    let isRead = put(.release, event, id: nil) { _, object, id in
      guard let state = object.slice(object.places.state), let moment = object.slice(object.places.since)
      else { return false }
      number = id
      link = object.integer(object.places.supersededBy) ?? 0
      status = ExpectedTables.status(state.bytes, moment.bytes)
      isLive = state.bytes.elementsEqual("live".utf8)
      // What a going live supersedes is superseded from its moment on.
      if isLive {
        since = Array((object.slice(object.places.liveAt).flatMap { $0.isNull ? nil : $0 } ?? moment).bytes)
      }
      return true
    }
    guard isRead, let app = app(of: object) else { return false }
    appID = app
    let table = Table.release.rawValue
    rows[table][number]?.status = status
    rows[table][number]?.link = link
    if kind.writesNotes {
      guard let slice = object.slice(object.places.locales) else { return false }
      if JSONMembers.count(slice) != 0 {
        notes = ExpectedTables.notes(of: object)?.digest
        guard let notes else { return false }
        self.notes[number] = ExpectedNotes(content: notes, own: event.seq)
      } else {
        self.notes[number] = nil
      }
    }
    if kind == .unmark { return try giveBack(supersededBy: number, event, app: appID) }
    let former = live[appID]
    if isLive {
      if kind.goesLive, let former, former != number {
        rows[table][former]?.status = since.withUnsafeBytes { since in
          ExpectedTables.status("superseded", since)
        }
        rows[table][former]?.link = number
        rows[table][former]?.seq = event.seq
      }
      live[appID] = number
    } else if former == number {
      live[appID] = nil
    }
    return true
  }

  /// The release that a going live had superseded is live again, from its own moment on.
  private mutating func giveBack(supersededBy number: Int64, _ event: LentEvent, app: Int64) throws -> Bool {
    if live[app] == number { live[app] = nil }
    guard let before = event.before, let json = try? JSON(parsing: before) else { return false }
    let table = Table.release.rawValue
    guard let id = json["former"]?["superseded"]?.integer, let row = rows[table][id], row.link == number
    else {
      return true
    }
    guard let texts = try lookUp(row.own), let after = texts.after,
      let release = (try? JSON(parsing: after)).flatMap(Release.init(json:))
    else { return false }
    // One that was removed since keeps the name of its successor, and stays what it is.
    guard row.seq != row.own || release.state == .superseded else { return true }
    let since = release.liveAt ?? release.since
    rows[table][id]?.status = Array(since.text.utf8).withUnsafeBytes { ExpectedTables.status("live", $0) }
    rows[table][id]?.link = 0
    rows[table][id]?.seq = event.seq
    live[app] = id
    return true
  }

  private static func status(_ state: StaticString, _ since: UnsafeRawBufferPointer) -> Int {
    status(UnsafeRawBufferPointer(start: state.utf8Start, count: state.utf8CodeUnitCount), since)
  }

  /// The digest of a release's state and moment.
  static func status(_ state: UnsafeRawBufferPointer, _ since: UnsafeRawBufferPointer) -> Int {
    var digest = CellDigest()
    digest.text(state)
    digest.text(since)
    return digest.finish()
  }

  /// The notes that a release's object says, in order, and their digest.
  static func notes(of object: EventObject) -> (digest: Int, notes: [Note])? {
    guard let locales = object.slice(object.places.locales).flatMap({ try? JSON(parsing: $0.bytes) })?.array,
      let texts = object.slice(object.places.notes).flatMap({ try? JSON(parsing: $0.bytes) })
    else { return nil }
    var digest = CellDigest()
    var notes: [Note] = []
    for (position, locale) in locales.enumerated() {
      guard let locale = locale.string, let text = texts[locale]?.string else { return nil }
      digest.integer(Int64(position))
      digest.text(locale)
      digest.text(text)
      notes.append(Note(locale: locale, text: text))
    }
    return (digest.finish(), notes)
  }
}
