package import JSON

extension Fields {
  /// The values as commands and events show them; `app` is the slug of the app they belong to, if any.
  package func json(app: String) -> JSON { .object(JSON.Object(members(app: app))) }

  /// The values as events show them, for those that belong to no app.
  package var json: JSON { json(app: "") }

  /// - Throws: `FieldFault` for anything that pawl never writes.
  package static func reading(_ members: JSON.Object, app: String?) throws(FieldFault) -> Self {
    var reader = MemberReader(members: members, app: app)
    var value = Self.blank
    try value.visit(&reader)
    return value
  }

  /// Reads values back from what `json(app:)` wrote; nil for anything that pawl never writes, and if they name
  /// another app than the given slug.
  package init?(json: JSON, app: String?) {
    guard let members = json.object, let value = try? Self.reading(members, app: app) else { return nil }
    self = value
  }

  /// Reads values of any app.
  package init?(json: JSON) { self.init(json: json, app: nil) }
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

private struct MemberReader: FieldVisitor {
  let members: JSON.Object
  let app: String?

  mutating func field<Value: FieldValue>(
    _ value: inout Value, _ column: String?, _ member: String?, _ kind: FieldKind
  ) throws(FieldFault) {
    guard let member else { return }
    guard let json = members[member] else {
      if Value.isRequired, kind != .added { throw FieldFault(member) }
      return
    }
    if kind == .added, json == .null, Value.isRequired { return }
    guard let read = Value(member: json) else { throw FieldFault(member) }
    value = read
  }

  mutating func owner(_ column: String, _ member: String) throws(FieldFault) {
    guard let slug = members[member]?.string, app == nil || slug == app else { throw FieldFault(member) }
  }

  mutating func group<Group: Fields>(_ value: inout Group?, _ member: String) throws(FieldFault) {
    guard let json = members[member], json != .null else { return }
    guard let group = Group(json: json) else { throw FieldFault(member) }
    value = group
  }

  mutating func notes(_ notes: inout [Note], _ column: String) throws(FieldFault) {
    guard let texts = members["notes"]?.object, let locales = members["locales"]?.array else {
      throw FieldFault("notes")
    }
    let read = locales.compactMap { locale -> Note? in
      guard let name = locale.string, let text = texts[name]?.string else { return nil }
      return Note(locale: name, text: text)
    }
    guard read.count == locales.count else { throw FieldFault("notes") }
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
