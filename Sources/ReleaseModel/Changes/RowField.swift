import JSON

extension Fields {
  /// The fields as `Change.also` compares them: all but the key of a version and the event that changed the row last.
  var rowFields: [RowField] {
    var writer = RowFieldWriter()
    var record = self
    try? record.visit(&writer)
    return writer.fields
  }
}

/// A field of a row, by its member in events, else by its column.
struct RowField {
  let name: String
  let value: JSON
  let isMember: Bool
  let isFixed: Bool
}

private struct RowFieldWriter: FieldVisitor {
  var fields: [RowField] = []

  mutating func field<Value: FieldValue>(
    _ value: inout Value, _ column: String?, _ member: String?, _ kind: FieldKind
  ) {
    guard let name = member ?? column, name != "event_seq", name != "key" || member != nil else { return }
    fields.append(
      RowField(name: name, value: value.member, isMember: member != nil, isFixed: kind == .fixed))
  }

  mutating func owner(_ column: String, _ member: String) {}

  mutating func group<Group: Fields>(_ value: inout Group?, _ member: String) {
    fields.append(RowField(name: member, value: value?.json ?? .null, isMember: true, isFixed: false))
  }

  mutating func notes(_ notes: inout [Note], _ column: String) {
    let texts = notes.map { ($0.locale, JSON.string($0.text)) }
    fields.append(
      RowField(name: column, value: .object(JSON.Object(texts)), isMember: true, isFixed: false))
    // The members of an object have no order, but it matters which note is the first one.
    let locales = notes.map { JSON.string($0.locale) }
    fields.append(RowField(name: "locales", value: .array(locales), isMember: true, isFixed: false))
  }
}
