package import JSON

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

  /// Some of `columns.fields`, by their indices, as events show them.
  package func members(at indices: [Int]) -> JSON.Object {
    var writer = FieldWriter(indices: indices[...])
    var record = self
    try? record.visit(&writer)
    return JSON.Object(writer.members)
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

private struct FieldWriter: FieldVisitor {
  var indices: ArraySlice<Int>
  var members: [(String, JSON)] = []
  private var index = 0

  init(indices: ArraySlice<Int>) { self.indices = indices }

  private mutating func take(_ column: String?, _ member: String?, _ value: () -> JSON) {
    guard RowField.isCompared(column, member) else { return }
    if indices.first == index, let name = member ?? column {
      indices.removeFirst()
      members.append((name, value()))
    }
    index += 1
  }

  mutating func field<Value: FieldValue>(
    _ value: inout Value, _ column: String?, _ member: String?, _ kind: FieldKind
  ) {
    take(column, member) { value.member }
  }

  mutating func owner(_ column: String, _ member: String) {}

  mutating func group<Group: Fields>(_ value: inout Group?, _ member: String) {
    take(nil, member) { value?.json ?? .null }
  }

  mutating func notes(_ notes: inout [Note], _ column: String) {
    let isAsked = indices.first == index
    take(column, column) { .object(JSON.Object(notes.map { ($0.locale, .string($0.text)) })) }
    // The members of an object have no order, but it matters which note is the first one.
    if isAsked { members.append(("locales", .array(notes.map { .string($0.locale) }))) }
  }
}
