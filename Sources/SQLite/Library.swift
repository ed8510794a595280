internal import CSQLite

/// The SQLite the program runs with, which need not be the one it was compiled with.
extension Connection {
  package static var libraryVersion: String { String(cString: sqlite3_libversion()) }

  /// The check-in it was built from: a date, a time and a hash; a distribution may change the last digits.
  package static var sourceID: String { String(cString: sqlite3_sourceid()) }
}
