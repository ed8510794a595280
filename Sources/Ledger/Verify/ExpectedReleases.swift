import JSON
import ReleaseModel

/// Replaying what happens to releases: the one kind of row that other rows' events move in more than one way.
extension ExpectedTables {
  mutating func release(_ kind: LentEvent.ReleaseKind, _ event: LentEvent) throws -> Bool {
    let object = objects[Table.release.rawValue]
    guard let (number, row) = read(.release, event, id: nil), let app = app(of: object),
      let state = object.slice(object.places.state), let moment = object.slice(object.places.since)
    else { return false }
    var release = row
    release.link = object.integer(object.places.supersededBy) ?? 0
    release.status = ExpectedTables.status(state.bytes, moment.bytes)
    let table = Table.release.rawValue
    rows[table][number] = release
    if kind.writesNotes {
      guard let locales = object.slice(object.places.locales), let count = JSONMembers.count(locales) else {
        return false
      }
      if count == 0 {
        notes[number] = nil
      } else {
        guard let digest = ExpectedTables.notes(of: object, locales) else { return false }
        notes[number] = ExpectedNotes(content: digest, own: event.seq)
      }
    }
    if kind == .unmark { return try giveBack(supersededBy: number, event, app: app) }
    let former = live[app]
    if state.bytes.isSame(as: "live") {
      if kind.goesLive, let former, former != number {
        // What a going live supersedes is superseded from its moment on.
        let since = object.slice(object.places.liveAt).flatMap { $0.isNull ? nil : $0 } ?? moment
        rows[table][former]?.status = ExpectedTables.status("superseded", since.bytes)
        rows[table][former]?.link = number
        rows[table][former]?.seq = event.seq
      }
      live[app] = number
    } else if former == number {
      live[app] = nil
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
    status(UnsafeRawBufferPointer(state), since)
  }

  /// The digest of a release's state and moment.
  static func status(_ state: UnsafeRawBufferPointer, _ since: UnsafeRawBufferPointer) -> Int {
    var digest = CellDigest()
    digest.text(state)
    digest.text(since)
    return digest.finish()
  }

  /// The digest of the notes that a release's object says, in the order of its locales.
  private static func notes(of object: EventObject, _ locales: JSONMembers.Slice) -> Int? {
    guard let texts = object.slice(object.places.notes) else { return nil }
    var digest = CellDigest()
    var position: Int64 = 0
    let isWhole = JSONMembers.forEachElement(of: locales) { locale in
      digest.integer(position)
      position += 1
      // One text is written in one way here: as a member's key and as an element.
      guard let text = JSONMembers.member(locale, of: texts) else { return false }
      return EventObject.text(locale, into: &digest) && EventObject.text(text, into: &digest)
    }
    return isWhole ? digest.finish() : nil
  }
}
