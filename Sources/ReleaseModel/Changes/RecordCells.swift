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
  /// Their names and what stands for their values, as an INSERT lists them.
  package let list: String
  package let marks: String
  private let altered: String
  private let amended: String

  /// The columns that a list of fields has.
  package init<Value: Fields>(of type: Value.Type) {
    let all = ColumnNames(of: type).all
    func joined(_ fate: TouchedRow.Fate) -> String {
      all.filter { $0.isSet(by: fate) }.map { "\($0.name) = ?" }.joined(separator: ", ")
    }
    self.all = all
    list = all.map(\.name).joined(separator: ", ")
    marks = all.map { $0.isOwner ? "(SELECT id FROM app WHERE slug = ?)" : "?" }.joined(separator: ", ")
    (altered, amended) = (joined(.altered), joined(.amended))
  }

  package var names: [String] { all.map(\.name) }
  package var count: Int { all.count }

  /// What an UPDATE sets for an event that alters a row.
  package func settings(by fate: TouchedRow.Fate) -> String { fate == .amended ? amended : altered }
}

private struct ColumnNames: FieldVisitor {
  var all: [Columns.Column] = []

  init<Value: Fields>(of type: Value.Type) {
    var blank = Value.blank
    try? blank.visit(&self)
  }

  mutating func field<Value: FieldValue>(
    _ value: inout Value, _ column: String?, _ member: String?, _ kind: FieldKind
  ) {
    if let column { all.append(Columns.Column(name: column, kind: kind)) }
  }

  mutating func owner(_ column: String, _ member: String) {
    all.append(Columns.Column(name: column, kind: .fixed, isOwner: true))
  }

  mutating func group<Group: Fields>(_ value: inout Group?, _ member: String) { all += Group.columns.all }

  mutating func notes(_ notes: inout [Note], _ column: String) {
    all.append(Columns.Column(name: column, kind: .amended))
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
