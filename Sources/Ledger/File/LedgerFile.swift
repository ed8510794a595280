import Crypto
import JSON
import Platform
package import ReleaseModel
import SQLite
package import Schema

extension Ledger {
  /// How a ledger is opened.
  package enum Access: Sendable {
    /// For commands that answer questions; the file is written only if a crash left a journal to roll back.
    case reading
    /// The same, to look for faults in it, even if its schema was altered.
    case verifying
    /// For shell completion: never written, not even to roll back, and locks are hardly waited for.
    case glancing
    case writing
  }

  /// The rights of a ledger: its owner writes, its group reads.
  package static let rights: UInt32 = 0o640

  /// Makes a ledger where no file is, and opens it; for a group whose accounts may all write it, the folder
  /// becomes the group's, too.
  package static func create(
    _ path: String, now: Timestamp, waiting patience: Double = usualPatience, group: UInt32? = nil
  ) throws -> (ledger: Ledger, isNew: Bool) {
    if let group, (try? FileStatus(of: path))?.size ?? 0 == 0 { try prepareFolder(of: path, for: group) }
    let resolved = try resolve(path)
    if let status = try status(of: resolved, named: path) {
      if let group, status.size > 0 { try check(status, isOf: group, named: path) }
      // An empty file is what an interrupted `init` leaves.
      if status.size > 0 { return (try open(path, for: .writing, now: now, waiting: patience), false) }
    } else {
      do {
        try createFile(resolved, rights: rights)
      } catch {
        throw LedgerError.system(error)
      }
    }
    if let group {
      do {
        try share(resolved, withGroup: group, rights: groupRights)
      } catch {
        removeFile(resolved)
        throw LedgerError.system(error)
      }
    }
    let connection = try connect(resolved, mode: .readWrite, named: path, waiting: patience)
    let ledger = Ledger(connection: connection, path: path, patience: patience)
    try ledger.reading { try connection.useRollbackJournal() }
    try ledger.migrate(Schema.steps, now: now)
    return (ledger, true)
  }

  /// - Throws: `LedgerError` if none could be made.
  package static func isToBeMade(_ path: String, group: UInt32?) throws -> Bool {
    if let status = try? FileStatus(of: path), status.size > 0 { return false }
    if group == nil { _ = try resolve(path) }
    return true
  }

  /// Opens an existing ledger, and brings an older schema up to date if it may write; waits for others, here
  /// and at every change, for `patience` seconds.
  package static func open(
    _ path: String, for access: Access, now: Timestamp, waiting patience: Double = usualPatience,
    schema: [Schema.Step] = Schema.steps
  ) throws -> Ledger {
    let resolved = try resolve(path)
    guard let status = try status(of: resolved, named: path) else { throw LedgerError.noLedger(path: path) }
    guard status.size > 0 else { throw LedgerError.notALedger(path) }
    if status.isReadOnly, access == .writing { throw LedgerError.unusable("ledger.read-only", path) }
    try FileSafety(file: resolved, path: path, status: status).check()
    let connection = try connect(resolved, status, for: access, named: path, waiting: patience)
    let ledger = Ledger(connection: connection, path: path, patience: patience)
    let version = try ledger.checkIdentity(schema, for: access)
    if version < schema.version {
      guard access != .glancing else {
        throw LedgerError.schema("ledger.older-schema", path, found: version, known: schema.version)
      }
      try ledger.bringUpToDate(schema, now: now)
    }
    try ledger.reading {
      if access == .writing {
        try ledger.connection.useRollbackJournal()
      } else {
        _ = try ledger.connection.setPragma("query_only", to: 1)
      }
    }
    return ledger
  }

  /// Opens the file for writing if the account may, even to read it: a crash may have left a journal to roll
  /// back.
  private static func connect(
    _ resolved: String, _ status: FileStatus, for access: Access, named path: String, waiting patience: Double
  ) throws -> Connection {
    func opened(_ mode: Connection.Mode) throws -> Connection {
      try connect(resolved, mode: mode, named: path, waiting: patience)
    }
    // Someone is typing: no waiting.
    if access == .glancing { return try connect(resolved, mode: .readOnly, named: path, waiting: 0) }
    if access == .writing { return try opened(.readWrite) }
    if status.isReadOnly { return try opened(.readOnly) }
    do {
      return try opened(.readWrite)
    } catch LedgerError.storage(let failure, _) where failure.kind == .forbidden {
      return try opened(.readOnly)
    }
  }

  /// Makes a ledger that lives in memory, for tests and models.
  package static func inMemory(now: Timestamp, schema: [Schema.Step] = Schema.steps) throws -> Ledger {
    try empty(Connection.inMemory(), now: now, schema: schema)
  }

  /// Makes a ledger without events in an empty database that ends with its connection.
  static func empty(
    _ connection: Connection, now: Timestamp = .distantPast, schema: [Schema.Step] = Schema.steps
  ) throws -> Ledger {
    let ledger = Ledger(connection: connection, path: ":memory:")
    try ledger.reading { try connection.harden() }
    try ledger.migrate(schema, now: now)
    return ledger
  }

  static func resolve(_ path: String) throws -> String {
    // SQLite refuses a path with a symbolic link anywhere in it. Links among the folders are the user's own
    // and are resolved.
    let slash = path.lastIndex(of: "/")
    let folder = folder(of: path)
    let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
    do {
      let resolved = try resolvedPath(folder)
      return resolved == "/" ? "/" + name : resolved + "/" + name
    } catch {
      throw error.isMissing ? LedgerError.unusable("ledger.no-folder", folder) : LedgerError.system(error)
    }
  }

  private static func status(of resolved: String, named path: String) throws -> FileStatus? {
    let found: FileStatus?
    do { found = try FileStatus.found(at: resolved) } catch { throw LedgerError.system(error) }
    guard let status = found else { return nil }
    switch status.kind {
    case .regular: break
    case .symbolicLink: throw LedgerError.unsafeFile(path, "it is a symbolic link")
    case .directory: throw LedgerError.notALedger(path)
    case .other: throw LedgerError.unsafeFile(path, "it is not a regular file")
    }
    // Two names mean two journals: a crash under one name is not noticed under the other
    // (sqlite.org/howtocorrupt.html, "Multiple links to the same file").
    if status.links > 1 {
      throw LedgerError.unsafeFile(path, "it has \(status.links) names (hard links)")
    }
    if status.isWorldWritable { throw LedgerError.unusable("ledger.world-writable", path) }
    return status
  }

  private static func connect(
    _ resolved: String, mode: Connection.Mode, named path: String, waiting patience: Double
  ) throws -> Connection {
    do {
      let connection = try Connection(path: resolved, mode: mode, busyTimeout: busyTimeout(patience))
      try connection.harden()
      return connection
    } catch {
      throw LedgerError.storage(StorageFailure(error), path: path)
    }
  }

  /// Applies the steps above the version that the file has reached; an empty one has reached 0.
  ///
  /// The application id says which program the file belongs to, `user_version` which version it has reached, and the
  /// table `migration` what was applied when. All three change in the same transaction as the schema, one for each step,
  /// so that a step which fails leaves those before it applied and nothing of itself behind.
  private func migrate(_ schema: [Schema.Step], now: Timestamp) throws {
    for step in schema {
      try reading {
        try connection.transaction(.immediate) {
          // Someone else may have migrated before this lock was taken.
          let version = try connection.userVersion()
          guard version < step.version else { return }
          if version == 0 {
            try connection.run(Ledger.migrations)
            try connection.setPragma("application_id", to: Int64(Schema.applicationID))
          }
          try connection.execute(String(decoding: step.sql, as: UTF8.self))
          try connection.run(
            "INSERT INTO migration (version, name, sha256, at) VALUES (?, ?, ?, ?)",
            .integer(Int64(step.version)), .text(step.name), .text(SHA256.hexadecimal(of: step.sql)),
            .text(now.text))
          try connection.setPragma("user_version", to: Int64(step.version))
        }
      }
    }
  }

  /// Checks application id, schema version and schema text before anything else is read; returns the version.
  private func checkIdentity(_ schema: [Schema.Step], for access: Access) throws -> Int {
    do {
      guard try connection.applicationID() == Schema.applicationID else {
        throw LedgerError.notALedger(path)
      }
      let version = Int(try connection.userVersion())
      guard version > 0 else { throw LedgerError.notALedger(path) }
      guard let first = schema.first?.version, version >= first else {
        throw LedgerError.unusable(
          "ledger.too-old", path, details: ["found": .integer(Int64(version))])
      }
      guard version <= schema.version else {
        throw LedgerError.schema("ledger.newer-schema", path, found: version, known: schema.version)
      }
      guard try access == .verifying || hasSchema(of: schema.filter { $0.version <= version }) else {
        throw LedgerError.alteredSchema(path: path)
      }
      return version
    } catch let error as SQLiteError {
      switch error.code.primary {
      case .notADatabase, .corrupt: throw LedgerError.notALedger(path)
      default: throw LedgerError.storage(StorageFailure(error), path: path)
      }
    }
  }

  /// Runs the migrations an older ledger lacks; its schema was already checked to be that of its version.
  private func bringUpToDate(_ schema: [Schema.Step], now: Timestamp) throws {
    let found = Int(try reading { try connection.userVersion() })
    do {
      try reading { try connection.useRollbackJournal() }
      try migrate(schema, now: now)
    } catch LedgerError.storage(let failure, _) where failure.kind == .forbidden {
      throw LedgerError.schema("ledger.older-schema", path, found: found, known: schema.version)
    }
    guard try hasSchema(of: schema) else { throw LedgerError.alteredSchema(path: path) }
  }
}
