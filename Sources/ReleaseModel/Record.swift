package import JSON

/// Something the ledger keeps in a row and shows in its events.
///
/// A record names each of its fields once, in `visit`. Reading and writing rows, JSON both ways, comparing what is stored
/// with what the events say, and the names of columns are visitors of that list.
package protocol Record: Fields {
  /// The table that holds such records.
  static var table: RecordTable { get }
  /// The number of the record's row; nil where the ledger gives one that the record does not know.
  var rowID: Int64? { get }
  /// The number of the event that last changed the record.
  var event: Int64 { get set }
}

extension Record {
  package var rowID: Int64? { nil }
}

/// Values that belong together, and the list of them.
package protocol Fields: Sendable, Equatable {
  /// An instance to read fields into; what an event of an older build does not say stays as it is here.
  static var blank: Self { get }
  /// Names every field, in the order of the columns.
  ///
  /// - Throws: `FieldFault` where a visitor that reads finds something that pawl never writes.
  mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(FieldFault)

  // What follows from the list; asked of the type, so that the compiler sees through it once for each.

  /// Reads values from columns.
  static func reading(cells: [LentStoredValue]) throws(FieldFault) -> Self
  /// Reads values from the members of an object.
  static func reading(_ members: JSONMembers, at places: [Int], app: String?) throws(FieldFault) -> Self
  /// The values of the columns.
  func storedValues(app: String?) -> [StoredValue]
  /// A number that stands for the columns.
  var digest: Int { get }
}

/// The tables that records are kept in.
package enum RecordTable: String, Sendable, CaseIterable {
  case app, release, rule, redirect, setting, trust, evidence, publication

  /// The column that tells rows apart.
  package var key: String {
    switch self {
    case .rule, .redirect, .setting: "number"
    case .app, .release, .trust, .evidence, .publication: "id"
    }
  }
}

/// How a field behaves over time.
package enum FieldKind: Sendable {
  /// It is said when the record is made, and stays.
  case fixed
  /// An event may alter it.
  case changing
  /// An event may alter it, and events of older builds do not say it.
  case added
}

/// A field that holds something pawl never writes.
package struct FieldFault: Error, Sendable, Equatable {
  /// The column or member.
  package let name: String

  package init(_ name: String) { self.name = name }
}

/// Goes through the fields of a record.
package protocol FieldVisitor {
  /// A field, with its column and its member in events; nil where it has none.
  mutating func field<Value: FieldValue>(
    _ value: inout Value, _ column: String?, _ member: String?, _ kind: FieldKind
  ) throws(FieldFault)

  /// The app the record belongs to, which the record itself does not hold: its row's number, and its slug.
  mutating func owner(_ column: String, _ member: String) throws(FieldFault)

  /// Fields that are all there or all missing: columns with a prefix, and an object of its own.
  mutating func group<Group: Fields>(_ value: inout Group?, _ prefix: String, _ member: String)
    throws(FieldFault)

  /// The notes of a release: their count is a column, they are rows of a table of their own.
  mutating func notes(_ notes: inout [Note], _ column: String) throws(FieldFault)
}

extension FieldVisitor {
  /// A field that an event may alter.
  @inline(__always)
  package mutating func field<Value: FieldValue>(_ value: inout Value, _ column: String?, _ member: String?)
    throws(FieldFault)
  {
    try field(&value, column, member, .changing)
  }
}
