import JSON
import Platform
package import ReleaseModel
import SQLite

extension Ledger {
  /// In milliseconds: at least as long as a reader may take, since readers take no turns.
  static func busyTimeout(_ seconds: Double) -> Int32 { Int32(min(max(0.1, seconds), 1_000_000) * 1_000) }

  /// Waits for this process's turn and runs a body that changes the ledger.
  ///
  /// SQLite's own lock goes to whoever happens to ask when it is free, so that with many writers some wait
  /// very long. This lock in front of it has a queue. Whoever writes without pawl knows only SQLite's lock.
  ///
  /// - Throws: `LedgerError.busy`, and what the body throws.
  func holdingWriteLock<T>(_ recording: Recording, _ body: () throws -> T) throws -> T {
    // A ledger in memory has no file, and no one else uses it.
    guard !connection.isInMemory else { return try body() }
    let asked = secondsSinceStart()
    let lock = try openLock(connection.path + Companion.lock.rawValue)
    let isMine: Bool
    do {
      isMine = try lock.take(waiting: patience)
    } catch {
      throw LedgerError.noLock(path: connection.path + Companion.lock.rawValue, error)
    }
    guard isMine else {
      throw LedgerError.busy(path: path, holder: LockHolder(lock.said(limit: LockHolder.limit)))
    }
    defer { lock.release() }
    lock.say(holder(recording).line)
    try reading { try connection.setBusyTimeout(Ledger.busyTimeout(patience + asked - secondsSinceStart())) }
    return try body()
  }

  private func holder(_ recording: Recording) -> LockHolder {
    LockHolder(
      pid: Int64(processID), user: recording.actor["user"]?.string ?? "",
      host: recording.actor["host"]?.string ?? "", command: recording.command,
      since: Timestamp(seconds: secondsNow()))
  }

  /// Opens the lock file, and makes it with the ledger's owner and group if it is missing.
  ///
  /// Whoever may open the file, even just for reading, can hold the lock for as long as they like (flock(2)).
  /// So only accounts that may write the ledger get any right to it.
  private func openLock(_ file: String) throws -> FileLock {
    do {
      let model = try FileStatus(of: connection.path)
      if let found = try FileStatus.found(at: file) {
        // With a second name or a link, someone could have another file written to.
        guard found.kind == .regular, found.links == 1 else {
          throw LedgerError.unsafeFile(file, "it is not a regular file with one name")
        }
        guard model.mayBeWritten(byOwnerOf: found) else {
          throw LedgerError.unsafeFile(file, "it belongs to an account that cannot write the ledger")
        }
      }
      let rights = [0o600, 0o060].filter { model.rights & $0 & 0o222 != 0 }.reduce(0, |)
      return try FileLock(file, rights: rights, like: model)
    } catch let error as SystemError {
      throw LedgerError.noLock(path: file, error)
    }
  }
}

/// Who holds a ledger's lock, as the holder wrote it: a help for those who wait, not a proof.
package struct LockHolder: Sendable, Equatable {
  package let pid: Int64
  package let user: String
  package let host: String
  package let command: String
  package let since: Timestamp

  /// The most bytes that are read; nothing longer was written by a holder.
  static let limit = 1_024
}

extension LockHolder {
  init?(_ text: String) {
    guard let json = try? JSON(parsing: text.utf8), let pid = json["pid"]?.integer,
      let user = json["user"]?.string, let host = json["host"]?.string,
      let command = json["command"]?.string,
      let since = json["since"]?.string.flatMap({ try? Timestamp($0) })
    else { return nil }
    self.init(pid: pid, user: user, host: host, command: command, since: since)
  }

  var line: String {
    let json: JSON = [
      "pid": .integer(pid), "user": .string(user), "host": .string(host), "command": .string(command),
      "since": .string(since.text),
    ]
    return json.text() + "\n"
  }
}
