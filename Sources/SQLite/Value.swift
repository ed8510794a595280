/// A value as SQLite stores it.
///
/// See <https://sqlite.org/datatype3.html>. Literals stand for themselves in a list of values:
/// `connection.run("INSERT INTO t VALUES (?, ?, ?)", 1, "one", nil)`.
package enum Value: Sendable {
  case null
  case integer(Int64)
  /// NaN is stored as NULL, by a rule of SQLite.
  case real(Double)
  /// Text, which may hold NUL characters.
  case text(String)
  case blob([UInt8])
}

extension Value: Equatable {
  /// Whether both are the same to SQLite, which compares texts by their bytes.
  package static func == (left: Value, right: Value) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.integer(let one), .integer(let other)): one == other
    case (.real(let one), .real(let other)): one == other
    case (.text(let one), .text(let other)): one.utf8.elementsEqual(other.utf8)
    case (.blob(let one), .blob(let other)): one == other
    case (.null, _), (.integer, _), (.real, _), (.text, _), (.blob, _): false
    }
  }
}

extension Value: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByNilLiteral {
  package init(integerLiteral value: Int64) { self = .integer(value) }
  package init(stringLiteral value: String) { self = .text(value) }

  /// Beware of a `nil` beside a `Value` where a `Value?` is wanted, as in `found ? value : nil`: it is this
  /// one.
  package init(nilLiteral: ()) { self = .null }
}
