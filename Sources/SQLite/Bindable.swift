/// A type with one obvious form as an SQLite value.
///
/// Lists of values have the concrete type `Value`, so that no call has to box its arguments.
package protocol Bindable {
  var sqliteValue: Value { get }
}

extension Value: Bindable {
  package var sqliteValue: Value { self }
}

extension Int64: Bindable {
  package var sqliteValue: Value { .integer(self) }
}

extension Int: Bindable {
  package var sqliteValue: Value { .integer(Int64(self)) }
}

extension Bool: Bindable {
  /// The INTEGER 1 or 0, as in SQL.
  package var sqliteValue: Value { .integer(self ? 1 : 0) }
}

extension Double: Bindable {
  package var sqliteValue: Value { .real(self) }
}

extension String: Bindable {
  package var sqliteValue: Value { .text(self) }
}

extension [UInt8]: Bindable {
  package var sqliteValue: Value { .blob(self) }
}

extension Optional: Bindable where Wrapped: Bindable {
  /// NULL, or the form of what is wrapped.
  package var sqliteValue: Value { self?.sqliteValue ?? .null }
}
