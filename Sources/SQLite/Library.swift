internal import CSQLite

/// The SQLite the program runs with, which need not be the one it was compiled with.
extension Connection {
  /// Its version, as in `3.40.1`.
  package static var libraryVersion: String { String(cString: sqlite3_libversion()) }

  /// Its version as a number, as in 3040001.
  package static var libraryVersionNumber: Int32 { sqlite3_libversion_number() }

  /// The check-in it was built from: a date, a time and a hash; a distribution may change the last digits.
  package static var sourceID: String { String(cString: sqlite3_sourceid()) }
}
