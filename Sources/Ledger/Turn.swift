import JSON
import Platform
import ReleaseModel
import SQLite

extension Ledger {
  /// SQLite's own wait, in milliseconds: never less than a reader may take, who is no writer to be waited for.
  static func busyTimeout(_ seconds: Double) -> Int32 { Int32(min(max(0.1, seconds), 1_000_000) * 1_000) }

  /// Runs a body that changes the ledger when its turn has come.
  ///
  /// SQLite's own lock goes to whoever happens to ask when it is free, so that some of many writers wait very long.
  /// This lock in front of it has a queue. Who writes without pawl does not know of it, and meets SQLite's.
  ///
  /// - Parameter prepare: Called where somebody else has the turn, before the waiting.
  /// - Throws: `LedgerError.busy`, and what the body throws.
  func takingTurn<T>(_ recording: Recording, prepare: () -> Void, _ body: () throws -> T) throws -> T {
    // A ledger in memory has no file, and nobody else.
    guard !connection.isInMemory else { return try body() }
    let asked = secondsSinceStart()
    let lock = try openLock(connection.path + Companion.lock.rawValue)
    let isMine: Bool
    do {
      if try lock.take(waiting: 0) {
        isMine = true
      } else {
        if patience > 0 { prepare() }
        isMine = try lock.take(waiting: patience + asked - secondsSinceStart())
      }
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

  /// Opens the lock's file, made with the ledger's owner and group where it is not there yet.
  ///
  /// Whoever may open it can hold it for as long as they like, reading being enough for flock(2). So only those who may
  /// write the ledger get any right to it.
  private func openLock(_ file: String) throws -> FileLock {
    do {
      let model = try FileStatus(of: connection.path)
      if let found = try status(ofLock: file) {
        // A second name or a link would let somebody have another file written.
        guard found.kind == .regular, found.links == 1 else {
          throw LedgerError.unsafeFile(path: file, reason: "it is not a regular file with one name")
        }
        guard model.mayBeWritten(byOwnerOf: found) else {
          throw LedgerError.unsafeFile(
            path: file, reason: "it belongs to somebody who cannot write the ledger")
        }
      }
      let rights = [0o600, 0o060].filter { model.rights & $0 & 0o222 != 0 }.reduce(0, |)
      return try FileLock(file, rights: rights, like: model)
    } catch let error as SystemError {
      throw LedgerError.noLock(path: file, error)
    }
  }

  private func status(ofLock file: String) throws(SystemError) -> FileStatus? {
    do throws(SystemError) {
      return try FileStatus(of: file)
    } catch {
      if error.isMissing { return nil }
      throw error
    }
  }
}
