import JSON
import ReleaseModel

/// The object that an event says of its row, read into cells.
///
/// Kept for a whole verification, so that reading the next object makes nothing new.
final class EventObject {
  let table: Table
  private var members: JSONMembers
  /// How each column is made, and from which members, by their places.
  private let plan: [Step]
  /// Where members that replaying looks at are among `Table.members`.
  let places: Places
  /// The version of the object being given out: each of its components is a column.
  private var version: Version?
  private var former = JSONMembers(["liveAt", "removedAt", "since", "state", "superseded", "visibleAt"])

  /// The places of members; past the end where the table's objects do not have one.
  struct Places {
    let app, id, former, liveAt, locales, notes, since, slug, state, supersededBy: Int

    init(_ keys: [String], id: String) {
      func place(_ key: String) -> Int { keys.firstIndex(of: key) ?? keys.count }
      app = place("app")
      self.id = place(id)
      former = place("former")
      liveAt = place("liveAt")
      locales = place("locales")
      notes = place("notes")
      since = place("since")
      slug = place("slug")
      state = place("state")
      supersededBy = place("supersededBy")
    }
  }

  /// How a column is made; plain numbers, since copying them costs nothing.
  private struct Step {
    enum Kind {
      case text, integer, flag, flagOr, app, component, count, given, span, joined, formerText, formerInteger
    }

    let kind: Kind
    let place: Int
    /// The place of a second member, or the index of a component.
    var other = 0
    /// What null stands for.
    var standard: StaticString?
    /// What a flag that is null stands for.
    var standardFlag: Bool?
    /// Whether the member may be null or not there.
    var isOptional = false
  }

  init(of table: Table) {
    self.table = table
    places = Places(table.members, id: table.key)
    let members = JSONMembers(table.members)
    func place(_ key: String) -> Int { members.keys.firstIndex(of: key) ?? 0 }
    let former = self.former
    plan = table.content.map { _, source in
      switch source {
      case .text(let key): Step(kind: .text, place: place(key), isOptional: true)
      case .textOr(let key, let standard):
        Step(kind: .text, place: place(key), standard: standard, isOptional: true)
      case .integer(let key): Step(kind: .integer, place: place(key), isOptional: true)
      case .flag(let key): Step(kind: .flag, place: place(key))
      case .flagOr(let key, let standard):
        Step(kind: .flagOr, place: place(key), standardFlag: standard, isOptional: true)
      case .app(let key): Step(kind: .app, place: place(key))
      case .component(let key, let index): Step(kind: .component, place: place(key), other: index)
      case .count(let key): Step(kind: .count, place: place(key))
      case .given(let key, let flag):
        Step(kind: .given, place: place(key), other: place(flag), isOptional: true)
      case .span(let key): Step(kind: .span, place: place(key))
      case .joined(let key): Step(kind: .joined, place: place(key), standard: "", isOptional: true)
      case .joinedOrNull(let key): Step(kind: .joined, place: place(key), isOptional: true)
      case .formerText(let key):
        Step(
          kind: .formerText, place: place("former"), other: former.keys.firstIndex(of: key) ?? 0,
          isOptional: true)
      case .formerInteger(let key):
        Step(
          kind: .formerInteger, place: place("former"), other: former.keys.firstIndex(of: key) ?? 0,
          isOptional: true)
      }
    }
    self.members = members
  }

  /// Reads an object; false where it is none.
  func read(_ text: UnsafeRawBufferPointer) -> Bool {
    guard members.read(text) else { return false }
    guard table == .release, let slice = slice(places.former), !slice.isNull else { return true }
    return former.read(slice.bytes)
  }

  /// A member that is wanted, by its place in `Table.members`.
  func slice(_ place: Int) -> JSONMembers.Slice? {
    place < members.values.count ? members.values[place] : nil
  }

  /// A member as a string.
  func string(_ key: String) -> String? {
    guard let place = members.keys.firstIndex(of: key), let slice = members.values[place] else { return nil }
    return EventObject.string(slice)
  }

  /// A member as an integer.
  func integer(_ place: Int) -> Int64? { slice(place).flatMap(EventObject.integer) }

  /// The number of the row.
  var id: Int64? { integer(places.id) }

  /// Gives out the content, column by column.
  ///
  /// - Returns: Whether every member was of its kind.
  func emit<Sink: CellSink>(into sink: inout Sink, app: Int64?) -> Bool {
    for step in plan {
      // What an older event did not say yet is what nobody had set.
      guard let slice = members.values[step.place], !slice.isNull else {
        guard step.isOptional else { return false }
        if let standard = step.standard {
          sink.text(standard)
        } else if let flag = step.standardFlag {
          sink.integer(flag ? 1 : 0)
        } else {
          sink.null()
        }
        continue
      }
      guard emit(step, slice, into: &sink, app: app) else { return false }
    }
    return true
  }

  private func emit<Sink: CellSink>(
    _ step: Step, _ slice: JSONMembers.Slice, into sink: inout Sink, app: Int64?
  ) -> Bool {
    switch step.kind {
    case .text: return EventObject.text(slice, into: &sink)
    case .integer:
      guard let value = EventObject.integer(slice) else { return false }
      sink.integer(value)
    case .flag, .flagOr:
      guard slice.first == UInt8(ascii: "t") || slice.first == UInt8(ascii: "f") else { return false }
      sink.integer(slice.first == UInt8(ascii: "t") ? 1 : 0)
    case .app:
      guard let app else { return false }
      sink.integer(app)
    case .component:
      if step.other == 0 { version = EventObject.version(slice) }
      guard let version else { return false }
      sink.integer(version.component(step.other))
    case .count:
      guard let count = JSONMembers.count(slice) else { return false }
      sink.integer(count)
    case .given:
      guard let flag = members.values[step.other] else { return false }
      if flag.first == UInt8(ascii: "t") { return EventObject.text(slice, into: &sink) }
      sink.null()
    case .span:
      guard let span = EventObject.string(slice).flatMap(TimeSpan.init) else { return false }
      sink.integer(span.seconds)
    case .joined:
      guard let array = (try? JSON(parsing: slice.bytes))?.array else { return false }
      sink.text(array.compactMap(\.string).joined(separator: ","))
    case .formerText:
      guard let slice = former.values[step.other], !slice.isNull else {
        sink.null()
        return true
      }
      return EventObject.text(slice, into: &sink)
    case .formerInteger:
      guard let slice = former.values[step.other], !slice.isNull else {
        sink.null()
        return true
      }
      guard let value = EventObject.integer(slice) else { return false }
      sink.integer(value)
    }
    return true
  }

  static func text<Sink: CellSink>(_ slice: JSONMembers.Slice, into sink: inout Sink) -> Bool {
    guard slice.first == UInt8(ascii: "\"") else { return false }
    guard slice.isEscaped else {
      sink.text(slice.bytes)
      return true
    }
    guard let string = string(slice) else { return false }
    sink.text(string)
    return true
  }

  static func string(_ slice: JSONMembers.Slice) -> String? {
    guard slice.first == UInt8(ascii: "\"") else { return nil }
    guard slice.isEscaped else { return String(decoding: slice.bytes, as: UTF8.self) }
    return (try? JSON(parsing: [UInt8(ascii: "\"")] + slice.bytes + [UInt8(ascii: "\"")]))?.string
  }

  static func integer(_ slice: JSONMembers.Slice) -> Int64? {
    guard slice.first == UInt8(ascii: "-") || (0x30...0x39).contains(slice.first) else { return nil }
    return Int64(String(decoding: slice.bytes, as: UTF8.self))
  }

  private static func version(_ slice: JSONMembers.Slice) -> Version? {
    guard slice.first == UInt8(ascii: "\""), !slice.isEscaped else { return nil }
    return slice.bytes.withMemoryRebound(to: UInt8.self) { try? Version(bytes: $0) }
  }
}
