import JSON

/// A field of a row, by its member in events, else by its column.
package struct RowField: Sendable {
  let name: String
  let isMember: Bool
  let isFixed: Bool

  init?(_ column: String?, _ member: String?, isFixed: Bool) {
    guard RowField.isCompared(column, member), let name = member ?? column else { return nil }
    (self.name, isMember, self.isFixed) = (name, member != nil, isFixed)
  }

  /// Whether it is more than the key of a version or the event that changed the row last, which follow from the others.
  static func isCompared(_ column: String?, _ member: String?) -> Bool {
    member != nil || column.map { $0 != "event_seq" && $0 != "key" } ?? false
  }
}

extension Fields {
  /// What each of `columns.fields` holds, to be compared with another row's.
  package func fieldCells() -> [StoredValue] {
    var writer = FieldCellWriter()
    var record = self
    try? record.visit(&writer)
    return writer.cells
  }
}

private struct FieldCellWriter: FieldVisitor {
  var cells: [StoredValue] = []

  mutating func field<Value: FieldValue>(
    _ value: inout Value, _ column: String?, _ member: String?, _ kind: FieldKind
  ) {
    if RowField.isCompared(column, member) { cells.append(value.letter) }
  }

  mutating func owner(_ column: String, _ member: String) {}

  mutating func group<Group: Fields>(_ value: inout Group?, _ member: String) {
    cells.append(value.map { .text($0.json.text()) } ?? .null)
  }

  mutating func notes(_ notes: inout [Note], _ column: String) {
    // No text holds a NUL.
    cells.append(.text(notes.map { "\($0.locale)\0\($0.text)\0" }.joined()))
  }
}
