internal import CSQLite
internal import Synchronization

/// Stops what a connection is doing, from any thread.
///
/// The handle may outlive the connection, and then does nothing.
package final class InterruptHandle: Sendable {
  /// The address of the connection while it is open. SQLite allows an interrupt from another thread, but not
  /// of a connection that closes meanwhile (<https://sqlite.org/c3ref/interrupt.html>), hence the lock.
  private let database: Mutex<UInt>

  init(_ database: OpaquePointer) {
    self.database = Mutex(UInt(bitPattern: database))
  }

  /// Makes the running statement of the connection fail with `.interrupt`.
  ///
  /// An interrupted write in a transaction rolls the transaction back. Between two statements it has no
  /// effect, so whoever loops over statements needs a flag of its own as well. Not for use inside a signal
  /// handler, which must not wait for a lock; a thread that waits for signals may call it.
  package func interrupt() {
    database.withLock { address in
      guard let database = OpaquePointer(bitPattern: address) else { return }
      sqlite3_interrupt(database)
    }
  }

  /// Closes the connection while no interrupt is under way; after a success, the handle does nothing.
  func close() -> Int32 {
    database.withLock { address in
      let code = sqlite3_close(OpaquePointer(bitPattern: address))
      if code == SQLITE_OK { address = 0 }
      return code
    }
  }
}
