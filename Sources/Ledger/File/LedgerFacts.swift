package import Platform
package import ReleaseModel
import SQLite

/// Facts about a ledger's file and about what reads it.
package struct LedgerFacts: Sendable, Equatable {
  package let sqliteVersion: String
  package let sqliteSource: String
  package let journalMode: String
  package let schemaVersion: Int
  package let status: FileStatus
  package let folder: FileStatus
  package let fileSystem: FileSystem
  package let head: Head
  package let events: Int64
  package let recentEvents: Int64
  package let inbox: Int64
  /// How many force rules are in effect now, or will be.
  package let armedForces: Int64
}

extension Ledger {
  /// When the first event beyond a checkpoint of this many events was recorded; nil if there is none.
  package func moment(afterEvents count: Int64) throws -> Timestamp? {
    try first("SELECT at FROM event ORDER BY seq LIMIT 1 OFFSET ?", .integer(count)) {
      try? Timestamp(try $0.text(0))
    } ?? nil
  }

  /// Looks at the ledger's file.
  package func facts(now: Timestamp) throws -> LedgerFacts {
    let folder = folder(of: path)
    func count(_ sql: String, _ values: Value...) throws -> Int64 {
      try connection.query(sql, values: values) { try $0.integer(0) }.first ?? 0
    }
    let head = try head()
    let month = try firstEvent(
      notBefore: now - TimeSpan(seconds: 30 * 86_400), in: SeqRange(first: 1, last: head.seq))
    do {
      return try reading {
        LedgerFacts(
          sqliteVersion: Connection.libraryVersion, sqliteSource: Connection.sourceID,
          journalMode: try connection.first("PRAGMA journal_mode") { try $0.text(0) } ?? "",
          schemaVersion: Int(try connection.userVersion()), status: try FileStatus(of: path),
          folder: try FileStatus(of: folder), fileSystem: try FileSystem(holding: path), head: head,
          events: try count("SELECT count(*) FROM event"),
          recentEvents: try count("SELECT count(*) FROM event WHERE seq >= ?", .integer(month)),
          inbox: Int64(try inbox().count),
          armedForces: try count(
            "SELECT count(*) FROM rule WHERE active = 1 AND action = 'force' AND (until_at IS NULL OR until_at > ?)",
            .text(now.text)))
      }
    } catch let error as SystemError {
      throw LedgerError.system(error)
    }
  }
}
