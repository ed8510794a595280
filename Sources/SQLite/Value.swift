/// A value as SQLite stores it.
///
/// See <https://sqlite.org/datatype3.html>. Literals stand for themselves in a list of values:
/// `connection.run("INSERT INTO t VALUES (?, ?, ?)", 1, "one", nil)`.
package enum Value: Sendable, Equatable {
  /// NULL.
  case null
  /// A whole number.
  case integer(Int64)
  /// A floating-point number. NaN is stored as NULL, by a rule of SQLite.
  case real(Double)
  /// Text, which may hold NUL characters.
  case text(String)
  /// Bytes.
  case blob([UInt8])

  /// Takes anything that can be bound, optionals among it.
  package init(_ bindable: some Bindable) {
    self = bindable.sqliteValue
  }
}

extension Value: ExpressibleByIntegerLiteral {
  /// An INTEGER.
  package init(integerLiteral value: Int64) {
    self = .integer(value)
  }
}

extension Value: ExpressibleByStringLiteral {
  /// A TEXT.
  package init(stringLiteral value: String) {
    self = .text(value)
  }
}

extension Value: ExpressibleByNilLiteral {
  /// NULL.
  ///
  /// Beware of a `nil` beside a `Value` where a `Value?` is wanted, as in `found ? value : nil`: it is this one.
  package init(nilLiteral: ()) {
    self = .null
  }
}
