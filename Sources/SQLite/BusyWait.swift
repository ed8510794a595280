internal import CSQLite

/// How a connection waits for another's lock.
///
/// SQLite's own wait tries again after ever longer pauses, up to a tenth of a second, so that one of many
/// processes may often miss a lock that was free. This one tries often, for as long as it may.
enum BusyWait {
  /// Makes a connection wait at most this many milliseconds.
  static func set(_ milliseconds: Int32, on database: OpaquePointer) {
    // The number is passed as a pointer that is never dereferenced; nil is 0.
    let limit = UnsafeMutableRawPointer(bitPattern: Int(max(0, milliseconds)))
    sqlite3_busy_handler(database, { limit, tries in BusyWait.wait(Int(bitPattern: limit), tries) }, limit)
  }

  /// Returns 0 to give up.
  private static func wait(_ limit: Int, _ tries: Int32) -> Int32 {
    let waited = BusyWait.waited(after: Int(tries))
    guard waited < limit * 1_000 else { return 0 }
    csqlite_pause(UInt32(clamping: min(BusyWait.pause(Int(tries)), limit * 1_000 - waited)))
    return 1
  }

  /// How long to pause before a try, in microseconds: briefly at first, since a commit takes a few
  /// milliseconds, and a reader that it has to wait for takes less than one.
  private static func pause(_ tries: Int) -> Int { tries < 40 ? 250 : tries < 120 ? 2_000 : 5_000 }

  /// The sum of the pauses before a try, counted from 0, in microseconds.
  static func waited(after tries: Int) -> Int {
    min(tries, 40) * 250 + max(0, min(tries, 120) - 40) * 2_000 + max(0, tries - 120) * 5_000
  }
}
