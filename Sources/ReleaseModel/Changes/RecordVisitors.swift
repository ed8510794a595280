package import JSON

// What is derived from each record's list of fields: columns written and read.
extension Fields {
  /// Reads values from columns; the notes of a release are in another table.
  ///
  /// - Throws: `FieldFault` for anything that pawl never writes.
  package static func reading(cells: [LentStoredValue]) throws(FieldFault) -> Self {
    var reader = CellReader(cells)
    var value = Self.blank
    try value.visit(&reader)
    return value
  }

  /// The values of the columns, in the order of the fields.
  package func storedValues(app: String?) -> [StoredValue] {
    var writer = CellWriter(app: app)
    var value = self
    // A visitor that writes does not meet anything it cannot read.
    try? value.visit(&writer)
    return writer.values
  }
}

/// The columns of a record, in order.
package struct Columns: Sendable {
  /// One column.
  package struct Column: Sendable {
    package let name: String
    package let kind: FieldKind
    package var isOwner = false

    /// Whether an event that alters a row sets it.
    package func isSet(by fate: TouchedRow.Fate) -> Bool {
      kind != .fixed && (kind != .amended || fate == .amended)
    }
  }

  package let all: [Column]
  /// The fields of a row, in order: what of it is compared.
  let fields: [RowField]
  /// Their names and what stands for their values, as an INSERT lists them.
  package let list: String
  package let marks: String
  private let altered: String
  private let amended: String

  /// The columns that a list of fields has.
  package init<Value: Fields>(of type: Value.Type) {
    let names = ColumnNames(of: type)
    let all = names.all
    fields = names.fields
    func joined(_ fate: TouchedRow.Fate) -> String {
      all.filter { $0.isSet(by: fate) }.map { "\($0.name) = ?" }.joined(separator: ", ")
    }
    self.all = all
    list = all.map(\.name).joined(separator: ", ")
    marks = all.map { $0.isOwner ? "(SELECT id FROM app_row WHERE slug = ?)" : "?" }.joined(separator: ", ")
    (altered, amended) = (joined(.altered), joined(.amended))
  }

  package var names: [String] { all.map(\.name) }
  package var count: Int { all.count }

  /// What an UPDATE sets for an event that alters a row.
  package func settings(by fate: TouchedRow.Fate) -> String { fate == .amended ? amended : altered }
}

private struct ColumnNames: FieldVisitor {
  var all: [Columns.Column] = []
  var fields: [RowField] = []

  private mutating func add(_ column: String?, _ member: String?, _ kind: FieldKind) {
    if let field = RowField(column, member, isFixed: kind == .fixed) { fields.append(field) }
  }

  init<Value: Fields>(of type: Value.Type) {
    var blank = Value.blank
    try? blank.visit(&self)
  }

  mutating func field<Value: FieldValue>(
    _ value: inout Value, _ column: String?, _ member: String?, _ kind: FieldKind
  ) {
    if let column { all.append(Columns.Column(name: column, kind: kind)) }
    add(column, member, kind)
  }

  mutating func owner(_ column: String, _ member: String) {
    all.append(Columns.Column(name: column, kind: .fixed, isOwner: true))
  }

  mutating func group<Group: Fields>(_ value: inout Group?, _ member: String) {
    all += Group.columns.all
    add(nil, member, .changing)
  }

  mutating func notes(_ notes: inout [Note], _ column: String) {
    all.append(Columns.Column(name: column, kind: .amended))
    add(column, column, .amended)
  }
}

private struct CellWriter: FieldVisitor {
  let app: String?
  var values: [StoredValue] = []

  init(app: String?) { self.app = app }

  mutating func field<Value: FieldValue>(
    _ value: inout Value, _ column: String?, _ member: String?, _ kind: FieldKind
  ) {
    if column != nil { values.append(value.cell) }
  }

  mutating func owner(_ column: String, _ member: String) {
    values.append(app.map(StoredValue.text) ?? .null)
  }

  mutating func group<Group: Fields>(_ value: inout Group?, _ member: String) {
    values += value?.storedValues(app: nil) ?? Group.columns.all.map { _ in .null }
  }

  mutating func notes(_ notes: inout [Note], _ column: String) { values.append(.integer(Int64(notes.count))) }
}

private struct CellReader: FieldVisitor {
  let cells: [LentStoredValue]
  private var next = 0

  init(_ cells: [LentStoredValue]) { self.cells = cells }

  private mutating func take() -> LentStoredValue {
    defer { next += 1 }
    return cells[next]
  }

  mutating func field<Value: FieldValue>(
    _ value: inout Value, _ column: String?, _ member: String?, _ kind: FieldKind
  ) throws(FieldFault) {
    guard let column else { return }
    guard let read = Value(cell: take()) else { throw FieldFault(column) }
    value = read
  }

  mutating func owner(_ column: String, _ member: String) { next += 1 }

  mutating func group<Group: Fields>(_ value: inout Group?, _ member: String) throws(FieldFault) {
    value = nil
    // The first field of a group is always there.
    if case .null = cells[next] {
      for column in Group.columns.all {
        guard case .null = take() else { throw FieldFault(column.name) }
      }
      return
    }
    var group = Group.blank
    try group.visit(&self)
    value = group
  }

  mutating func notes(_ notes: inout [Note], _ column: String) throws(FieldFault) {
    guard case .integer(0...) = take() else { throw FieldFault(column) }
  }
}

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
  /// Some of `columns.fields`, by their names, as events show them.
  func json(of fields: Set<String>) -> JSON { .object(JSON.Object(members(app: "", fields))) }

  fileprivate func members(app: String, _ fields: Set<String>? = nil) -> [(String, JSON)] {
    var writer = MemberWriter(app: app, fields: fields)
    var record = self
    try? record.visit(&writer)
    return writer.members
  }
}

private struct MemberWriter: FieldVisitor {
  let app: String
  /// Nil for every field that is a member.
  let fields: Set<String>?
  var members: [(String, JSON)] = []

  private mutating func add(_ column: String?, _ member: String?, _ value: () -> JSON) {
    guard let name = fields == nil ? member : member ?? column, fields?.contains(name) ?? true else { return }
    members.append((name, value()))
  }

  mutating func field<Value: FieldValue>(
    _ value: inout Value, _ column: String?, _ member: String?, _ kind: FieldKind
  ) {
    add(column, member) { value.member }
  }

  mutating func owner(_ column: String, _ member: String) { add(nil, member) { [app] in .string(app) } }

  mutating func group<Group: Fields>(_ value: inout Group?, _ member: String) {
    add(nil, member) { value?.json ?? .null }
  }

  mutating func notes(_ notes: inout [Note], _ column: String) {
    add(nil, column) { .object(JSON.Object(notes.map { ($0.locale, .string($0.text)) })) }
    // The members of an object have no order, but it matters which note is the first one.
    if fields?.contains(column) ?? true {
      members.append(("locales", .array(notes.map { .string($0.locale) })))
    }
  }
}

private struct MemberReader: FieldVisitor {
  let members: JSON.Object
  let app: String?

  mutating func field<Value: FieldValue>(
    _ value: inout Value, _ column: String?, _ member: String?, _ kind: FieldKind
  ) throws(FieldFault) {
    guard let member else { return }
    guard let json = members[member], let read = Value(member: json) else { throw FieldFault(member) }
    value = read
  }

  mutating func owner(_ column: String, _ member: String) throws(FieldFault) {
    guard let slug = members[member]?.string, app == nil || slug == app else { throw FieldFault(member) }
  }

  mutating func group<Group: Fields>(_ value: inout Group?, _ member: String) throws(FieldFault) {
    guard let json = members[member] else { throw FieldFault(member) }
    value = json == .null ? nil : Group(json: json)
    if json != .null, value == nil { throw FieldFault(member) }
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
