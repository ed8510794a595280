package import JSON

/// Something the ledger keeps in a row and shows in its events.
///
/// A record names each of its fields once, in `visit`. Visitors of that list read and write rows, convert to
/// and from JSON, compare what is stored with what the events say, and name the columns.
package protocol Record: Fields {
  static var table: RecordTable { get }
  /// The number of the record's row; nil if the ledger assigns one that the record does not know.
  var rowID: Int64? { get }
  var event: Int64 { get set }
}

extension Record {
  package var rowID: Int64? { nil }

  /// Whether an event says the same of both, to the letter: what was recorded, while `==` is what it means.
  package func isRecorded(as other: (any Record)?) -> Bool {
    guard let other = other as? Self else { return false }
    let (fields, own, others) = (Self.columns.fields, fieldCells(), other.fieldCells())
    return fields.indices.allSatisfy { !fields[$0].isMember || own[$0] == others[$0] }
  }
}

/// A value that is no part of what a record says, such as its number or the event that last changed it: records that
/// differ in nothing else are equal (law 9).
@propertyWrapper package struct Unsaid<Value: Sendable>: Sendable, Equatable {
  package var wrappedValue: Value

  package init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

  package static func == (left: Unsaid, right: Unsaid) -> Bool { true }
}

/// Values that belong together, with the list of their fields.
package protocol Fields: Sendable, Equatable {
  /// To read fields into.
  static var blank: Self { get }
  static var columns: Columns { get }
  /// Names every field, in the order of the columns.
  ///
  /// - Throws: `FieldFault` if a visitor that reads finds something that pawl never writes.
  mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(FieldFault)

  // Requirements of the type so that the compiler optimizes what follows from the list once for each.

  static func reading(cells: [LentStoredValue]) throws(FieldFault) -> Self
  static func reading(_ members: JSON.Object, app: String?) throws(FieldFault) -> Self
  func storedValues(app: String?) -> [StoredValue]
  func fieldCells() -> [StoredValue]
}

/// What records are kept as: the first part of an event's subject, and the view that people read.
package enum RecordTable: String, Sendable, CaseIterable {
  case app, release, rule, redirect, setting, trust, evidence, publication

  /// The table behind the view.
  package var rows: String { rawValue + "_row" }

  package var key: String {
    switch self {
    case .rule, .redirect, .setting: "number"
    case .app, .release, .trust, .evidence, .publication: "id"
    }
  }
}

/// How a field behaves over time.
package enum FieldKind: Sendable {
  /// It is set when the record is made, and never changes.
  case fixed
  /// Only an amendment alters it.
  case amended
  /// An event may alter it.
  case changing
}

/// A field that holds something pawl never writes.
package struct FieldFault: Error, Sendable, Equatable {
  package let name: String

  package init(_ name: String) { self.name = name }
}

/// Visits the fields of a record.
package protocol FieldVisitor {
  /// Visits a field with its column and its member in events; nil if it has none.
  mutating func field<Value: FieldValue>(
    _ value: inout Value, _ column: String?, _ member: String?, _ kind: FieldKind
  ) throws(FieldFault)

  /// Visits the app it belongs to but does not hold: a row number as a column, a slug as a member.
  mutating func owner(_ column: String, _ member: String) throws(FieldFault)

  /// Visits fields that are all present or all missing, with columns of their own: an object as a member.
  mutating func group<Group: Fields>(_ value: inout Group?, _ member: String) throws(FieldFault)

  /// Visits the notes of a release: a column holds their count, and a table of their own holds the notes.
  mutating func notes(_ notes: inout [Note], _ column: String) throws(FieldFault)
}

extension FieldVisitor {
  /// Visits a field that an event may alter.
  @inline(__always)
  package mutating func field<Value: FieldValue>(_ value: inout Value, _ column: String?, _ member: String?)
    throws(FieldFault)
  {
    try field(&value, column, member, .changing)
  }
}
