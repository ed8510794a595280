internal import CSQLite

/// Goes through the statements of a text, by the tail pointer that `sqlite3_prepare_v3` gives.
///
/// Valid only as long as the buffer it was made with.
struct ScriptCursor {
  /// What has not been compiled yet, with the NUL at its end: given a text without one, SQLite copies all of
  /// it for each statement.
  private var rest: UnsafeBufferPointer<CChar>

  /// Takes the UTF-8 of a text with its final NUL. Refuses a text that SQLite would read only in part: it
  /// stops at a NUL inside, and counts in 32 bits.
  init(_ text: UnsafeBufferPointer<CChar>) throws(SQLiteError) {
    guard Int32(exactly: text.count) != nil else {
      throw SQLiteError(code: .tooBig, message: "the text of the statements is too long")
    }
    guard !text.dropLast().contains(0) else {
      throw .misuse("there is a NUL in the text of the statements")
    }
    rest = text
  }

  /// Compiles the next statement; nil after the last. The caller finalizes it.
  mutating func next(flags: UInt32, on database: OpaquePointer) throws(SQLiteError) -> OpaquePointer? {
    // A blank or a comment compiles to no statement, though more text may follow.
    while rest.count > 1, let start = rest.baseAddress {
      var handle: OpaquePointer?
      var tail: UnsafePointer<CChar>?
      // The initializer has checked that the count fits.
      let length = Int32(truncatingIfNeeded: rest.count)
      let code = sqlite3_prepare_v3(database, start, length, flags, &handle, &tail)
      let used = min(max(tail.map { $0 - start } ?? 0, 0), rest.count)
      guard code == SQLITE_OK else {
        // The tail of a text that does not compile is where the compiler gave up.
        let text = UnsafeRawBufferPointer(.init(rebasing: used == 0 ? rest.dropLast() : rest[..<used]))
        throw SQLiteError(code, on: database, sql: String(decoding: text, as: UTF8.self))
      }
      // If nothing was read, this can only be the end; stopping here keeps the loop finite.
      rest = UnsafeBufferPointer(rebasing: rest[(used == 0 ? rest.count : used)...])
      if let handle { return handle }
    }
    return nil
  }
}
