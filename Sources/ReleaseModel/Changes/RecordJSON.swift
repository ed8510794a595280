package import JSON

extension Fields {
  /// The values as commands and events show them; `app` is the slug of the app they belong to, if any.
  package func json(app: String) -> JSON { .object(JSON.Object(members(app: app))) }

  /// The values as events show them, for those that belong to no app.
  package var json: JSON { json(app: "") }

  /// - Throws: `FieldFault` for anything that pawl never writes.
  package static func reading(_ members: JSONMembers, at places: [Int], app: String?) throws(FieldFault)
    -> Self
  {
    var reader = MemberReader(values: members.values, places: places, app: app)
    var value = Self.blank
    try value.visit(&reader)
    return value
  }

  /// Reads values back from what `json(app:)` wrote; nil for anything else.
  package init?(json: JSON) {
    var reader = RecordReader<Self>()
    let record = json.bytes().withUnsafeBytes { reader.read($0, app: nil) }
    guard let record else { return nil }
    self = record
  }
}

extension Fields {
  fileprivate func members(app: String) -> [(String, JSON)] {
    var writer = MemberWriter(app: app)
    var record = self
    try? record.visit(&writer)
    return writer.members
  }
}

private struct MemberWriter: FieldVisitor {
  let app: String
  var members: [(String, JSON)] = []

  mutating func field<Value: FieldValue>(
    _ value: inout Value, _ column: String?, _ member: String?, _ kind: FieldKind
  ) {
    if let member { members.append((member, value.member)) }
  }

  mutating func owner(_ column: String, _ member: String) { members.append((member, .string(app))) }

  mutating func group<Group: Fields>(_ value: inout Group?, _ member: String) {
    members.append((member, value.map { .object(JSON.Object($0.members(app: app))) } ?? .null))
  }

  mutating func notes(_ notes: inout [Note], _ column: String) {
    members.append(("notes", .object(JSON.Object(notes.map { ($0.locale, .string($0.text)) }))))
    // The members of an object have no order, but it matters which note is the first one.
    members.append(("locales", .array(notes.map { .string($0.locale) })))
  }
}

/// Reads records of one kind from the bytes of JSON objects, one after the other.
package struct RecordReader<Value: Fields> {
  private var members = JSONMembers([])
  /// The positions of the members that the record asks for, in the order of asking.
  private var places: [Int] = []
  private var extra: [Int] = []
  private let extraNames: [String]
  private var isReady = false

  /// - Parameter extra: Members that are not fields but are wanted too.
  package init(extra: [String] = []) { extraNames = extra }

  /// On first use: a reader of many kinds of records needs few of them.
  private mutating func prepare() {
    var names = MemberNames()
    var blank = Value.blank
    try? blank.visit(&names)
    let keys = Set(names.names + extraNames).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    members = JSONMembers(keys)
    places = names.names.map { name in keys.firstIndex(of: name) ?? keys.count }
    extra = extraNames.map { name in keys.firstIndex(of: name) ?? keys.count }
    isReady = true
  }

  /// Reads an object; nil for what pawl never writes, and if it names another app than the given slug.
  package mutating func read(_ text: UnsafeRawBufferPointer?, app: String? = nil) -> Value? {
    guard let text else { return nil }
    if !isReady { prepare() }
    guard members.read(text) else { return nil }
    return try? Value.reading(members, at: places, app: app)
  }

  mutating func both(
    _ before: UnsafeRawBufferPointer?, _ after: UnsafeRawBufferPointer?, app: String? = nil
  ) -> (Value, Value)? {
    guard let old = read(before, app: app), let new = read(after, app: app) else { return nil }
    return (old, new)
  }

  /// What may be missing before or after, but not both; what is there must be readable.
  mutating func either(
    _ before: UnsafeRawBufferPointer?, _ after: UnsafeRawBufferPointer?, app: String? = nil
  ) -> (Value?, Value?)? {
    let (old, new) = (read(before, app: app), read(after, app: app))
    guard (old == nil) == (before == nil), (new == nil) == (after == nil), old != nil || new != nil else {
      return nil
    }
    return (old, new)
  }

  /// An extra member of the object that was read last; nil if the object lacks it.
  package func extra(_ index: Int) -> JSONMembers.Slice? { members.values[extra[index]] }
}

private struct MemberNames: FieldVisitor {
  var names: [String] = []

  mutating func field<Value: FieldValue>(
    _ value: inout Value, _ column: String?, _ member: String?, _ kind: FieldKind
  ) {
    if let member { names.append(member) }
  }
  mutating func owner(_ column: String, _ member: String) { names.append(member) }
  mutating func group<Group: Fields>(_ value: inout Group?, _ member: String) {
    names.append(member)
  }
  mutating func notes(_ notes: inout [Note], _ column: String) { names += ["notes", "locales"] }
}

private struct MemberReader: FieldVisitor {
  let values: [JSONMembers.Slice?]
  let places: [Int]
  let app: String?
  var next = 0

  private mutating func take() -> JSONMembers.Slice? {
    defer { next += 1 }
    return values[places[next]]
  }

  mutating func field<Value: FieldValue>(
    _ value: inout Value, _ column: String?, _ member: String?, _ kind: FieldKind
  ) throws(FieldFault) {
    guard let member else { return }
    guard let slice = take() else {
      if Value.isRequired, kind != .added { throw FieldFault(member) }
      return
    }
    if kind == .added, slice.isNull, Value.isRequired { return }
    guard let read = Value(member: slice) else { throw FieldFault(member) }
    value = read
  }

  mutating func owner(_ column: String, _ member: String) throws(FieldFault) {
    guard let slice = take(), let slug = String(member: slice), app == nil || slug == app else {
      throw FieldFault(member)
    }
  }

  mutating func group<Group: Fields>(_ value: inout Group?, _ member: String)
    throws(FieldFault)
  {
    guard let slice = take(), !slice.isNull else { return }
    var reader = RecordReader<Group>()
    guard let group = reader.read(slice.bytes, app: nil) else { throw FieldFault(member) }
    value = group
  }

  mutating func notes(_ notes: inout [Note], _ column: String) throws(FieldFault) {
    guard let texts = take(), let locales = take() else { throw FieldFault("notes") }
    var read: [Note] = []
    let isWhole = JSONMembers.forEachElement(of: locales) { locale in
      // Here a text has only one encoding, whether as a member's key or as an element.
      guard let text = JSONMembers.member(locale, of: texts).flatMap(String.init(member:)),
        let name = String(member: locale)
      else { return false }
      read.append(Note(locale: name, text: text))
      return true
    }
    guard isWhole else { throw FieldFault("notes") }
    notes = read
  }
}

extension JSON {
  /// The object with one more member; unchanged if there is no value to add.
  func with(_ key: String, _ value: JSON?) -> JSON {
    guard let value, var object else { return self }
    object[key] = value
    return .object(object)
  }
}
