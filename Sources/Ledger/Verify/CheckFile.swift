import Crypto
import ReleaseModel
import SQLite
import Schema

/// Checks of what is around the events and rows: the schema, and the file itself.
extension Verifier {
  /// Compares schema and recorded migrations with the built-in ones; returns whether the tables are the
  /// built-in ones, so that what is in them can be looked at.
  func checkSchema() throws -> Bool {
    var hasTables = true
    try guarded("sqlite_schema") {
      let (found, builtIn) = try (ledger.objects(), Ledger.inMemory(now: .distantPast).objects())
      for name in Set(builtIn.keys).union(found.keys).sorted() where builtIn[name] != found[name] {
        let what =
          found[name] == nil
          ? "is missing" : builtIn[name] == nil ? "is not pawl's" : "is not the built-in one"
        report("schema.altered", nil, "\(name) \(what)")
        // Reading a virtual table, or a view in the place of a table, may never end.
        let words = name.split(separator: " ", maxSplits: 1)
        let isTable = ["table", "view"].contains(words[0]) && builtIn["table \(words.last ?? "")"] != nil
        if case .text(let sql)? = found[name], isTable || sql.hasPrefix("CREATE VIRTUAL") {
          hasTables = false
        }
      }
    }
    guard hasTables else { return false }
    try guarded("migration") {
      // What is beyond the first one too many may be without an end.
      let found = try connection.query(
        "SELECT version, name, sha256 FROM migration ORDER BY version LIMIT \(Schema.steps.count + 1)"
      ) { row in [try row.value(0), try row.value(1), try row.value(2)] }
      let wanted: [[Value]] = Schema.steps.map {
        [.integer(Int64($0.version)), .text($0.name), .text(SHA256.hexadecimal(of: $0.sql))]
      }
      if found != wanted {
        report("schema.migration", nil, "table migration does not list the built-in steps")
      }
    }
    return true
  }

  /// Whether a line of `integrity_check` says that the disk failed, and the file need not be damaged: SQLite
  /// puts the error code into it, or nothing if the page belongs to no tree (sqlite.org/src/file/src/btree.c,
  /// `checkTreePage` and `checkList`).
  static func isReadFailure(_ line: String) -> Bool {
    if line.holds("failed to get page") { return true }
    guard let rest = line.rest(after: "error code") else { return false }
    let code = Int(rest.drop { !$0.isNumber }.prefix { $0.isNumber })
    let (noMemory, ioError) = (7, 10)
    return code.map { [noMemory, ioError].contains($0 & 0xFF) } ?? false
  }

  /// Lets SQLite check its own structures: pages, cells, indexes against their tables.
  ///
  /// Constraints of columns are left out: each value is read as strictly as user input, and every row is
  /// compared with one that the laws made.
  func checkStructure() throws {
    _ = try connection.setPragma("ignore_check_constraints", to: 1)
    try guarded("sqlite_schema") {
      try sliced {
        try connection.forEach("PRAGMA integrity_check") { row in
          let line = try row.text(0)
          if Verifier.isReadFailure(line) { throw SQLiteError(code: .ioError, message: line) }
          if line != "ok" { report("file.damaged", nil, line) }
          return true
        }
      }
    }
  }
}
