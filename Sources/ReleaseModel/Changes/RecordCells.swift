// What is derived from each record's list of fields: columns written and read, and a digest of them.
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

  /// A number that stands for everything a row should hold, including spelling: `Hasher` has a new key in
  /// each process, so nobody can construct another row with the same number in advance.
  package var digest: Int {
    var digest = FieldDigest()
    var value = self
    try? value.visit(&digest)
    return digest.hasher.finalize()
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

  init<Value: Fields>(of type: Value.Type) {
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

  mutating func group<Group: Fields>(_ value: inout Group?, _ column: String, _ member: String) {
    all.append(Columns.Column(name: column, kind: .changing))
    all += Group.columns.all
  }

  mutating func notes(_ notes: inout [Note], _ column: String) {
    all.append(Columns.Column(name: column, kind: .amended))
  }
}

private struct CellWriter: FieldVisitor {
  let app: String?
  var values: [StoredValue] = []
  /// The fields of a group that share its column.
  private var parts: [String] = []

  init(app: String?) { self.app = app }

  mutating func field<Value: FieldValue>(
    _ value: inout Value, _ column: String?, _ member: String?, _ kind: FieldKind
  ) {
    let cell = value.cell
    if column != nil {
      values.append(cell)
    } else if case .text(let text) = cell {
      parts.append(text)
    } else {
      parts.append("")
    }
  }

  mutating func owner(_ column: String, _ member: String) {
    values.append(app.map(StoredValue.text) ?? .null)
  }

  mutating func group<Group: Fields>(_ value: inout Group?, _ column: String, _ member: String) {
    let place = values.count
    values.append(.null)
    guard var group = value else {
      values += Group.columns.all.map { _ in .null }
      return
    }
    parts = []
    try? group.visit(&self)
    values[place] = .text(parts.joined(separator: ","))
  }

  mutating func notes(_ notes: inout [Note], _ column: String) { values.append(.integer(Int64(notes.count))) }
}

private struct CellReader: FieldVisitor {
  let cells: [LentStoredValue]
  private var next = 0
  private var isPassing = false
  /// The fields of a group that share its column, still to be read.
  private var parts: [LentStoredValue]?

  init(_ cells: [LentStoredValue]) { self.cells = cells }

  private mutating func take() -> LentStoredValue {
    defer { next += 1 }
    return cells[next]
  }

  mutating func field<Value: FieldValue>(
    _ value: inout Value, _ column: String?, _ member: String?, _ kind: FieldKind
  ) throws(FieldFault) {
    guard let column else { return try part(&value, member) }
    let cell = take()
    if isPassing {
      if case .null = cell { return }
      throw FieldFault(column)
    }
    guard let read = Value(cell: cell) else { throw FieldFault(column) }
    value = read
  }

  private mutating func part<Value: FieldValue>(_ value: inout Value, _ member: String?) throws(FieldFault) {
    guard let cell = parts?.first else { return }
    guard let read = Value(cell: cell) else { throw FieldFault(member ?? "") }
    parts?.removeFirst()
    value = read
  }

  mutating func owner(_ column: String, _ member: String) { next += 1 }

  mutating func group<Group: Fields>(_ value: inout Group?, _ column: String, _ member: String)
    throws(FieldFault)
  {
    switch take() {
    case .null: isPassing = true
    case .text(let bytes):
      parts = bytes.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map {
        $0.isEmpty ? .null : .text(UnsafeBufferPointer(rebasing: $0))
      }
    case .integer, .other: throw FieldFault(column)
    }
    var group = Group.blank
    try group.visit(&self)
    guard isPassing || parts?.isEmpty == true else { throw FieldFault(column) }
    value = isPassing ? nil : group
    (isPassing, parts) = (false, nil)
  }

  mutating func notes(_ notes: inout [Note], _ column: String) throws(FieldFault) {
    guard case .integer(0...) = take() else { throw FieldFault(column) }
  }
}

private struct FieldDigest: FieldVisitor {
  var hasher = Hasher()
  private var isInGroup = false

  mutating func field<Value: FieldValue>(
    _ value: inout Value, _ column: String?, _ member: String?, _ kind: FieldKind
  ) {
    if column != nil || isInGroup { value.hash(spelled: &hasher) }
  }

  mutating func owner(_ column: String, _ member: String) {}

  mutating func group<Group: Fields>(_ value: inout Group?, _ column: String, _ member: String) {
    hasher.combine(value == nil)
    isInGroup = true
    if var group = value { try? group.visit(&self) }
    isInGroup = false
  }

  mutating func notes(_ notes: inout [Note], _ column: String) {
    for note in notes {
      note.locale.hash(spelled: &hasher)
      note.text.hash(spelled: &hasher)
    }
    hasher.combine(notes.count)
  }
}
