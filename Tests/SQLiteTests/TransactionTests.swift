import SQLite
import TestSupport
import Testing

@Suite struct TransactionTests {
  private struct Stop: Error {}

  @Test(arguments: [TransactionKind.deferred, .immediate])
  func `a transaction commits and returns what its body returns`(kind: TransactionKind) throws {
    let connection = try sample()
    let result = try connection.transaction(kind) { () throws in
      #expect(connection.isInTransaction)
      try connection.run("INSERT INTO t (n) VALUES (1)")
      return "done"
    }
    #expect(result == "done")
    #expect(!connection.isInTransaction)
    #expect(try number(connection, "SELECT count(*) FROM t") == 1)
  }

  @Test(arguments: [false, true])
  func `an error rolls back and is rethrown, even in the middle of a query`(isInQuery: Bool) throws {
    let connection = try sample()
    try connection.run("INSERT INTO t (n) VALUES (1), (2)")
    #expect(throws: Stop.self) {
      try connection.transaction(.immediate) { () throws in
        try connection.run("DELETE FROM t WHERE n = 1")
        if isInQuery { try connection.forEach("SELECT n FROM t") { _ in throw Stop() } }
        throw Stop()
      }
    }
    #expect(!connection.isInTransaction)
    #expect(try number(connection, "SELECT count(*) FROM t") == 2)
  }

  @Test func `a transaction within a transaction is an error and the outer one goes on`() throws {
    let connection = try sample()
    try connection.transaction(.deferred) { () throws in
      try connection.run("INSERT INTO t (n) VALUES (1)")
      #expect(try failure { try connection.transaction(.deferred) {} }.code == .misuse)
      #expect(connection.isInTransaction)
    }
    #expect(try number(connection, "SELECT count(*) FROM t") == 1)
  }

  @Test func `a commit that fails rolls back`() throws {
    let connection = try sample()
    try connection.execute("CREATE TABLE s (r REFERENCES t DEFERRABLE INITIALLY DEFERRED)")
    let error = try failure {
      try connection.transaction(.immediate) { try connection.run("INSERT INTO s VALUES (5)") }
    }
    #expect(error.code == ResultCode(rawValue: 787))
    #expect(error.sql == "COMMIT")
    #expect(!connection.isInTransaction)
    #expect(try number(connection, "SELECT count(*) FROM s") == 0)
  }

  @Test func `a commit that readers block rolls back`() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("db")
    let writer = try Connection(path: path, mode: .create, busyTimeout: 0)
    try writer.execute("CREATE TABLE t (n); INSERT INTO t VALUES (1)")
    let reader = try Connection(path: path, mode: .readOnly)
    try reader.transaction(.deferred) { () throws in
      #expect(try number(reader, "SELECT count(*) FROM t") == 1)
      let error = try failure {
        try writer.transaction(.immediate) { try writer.run("INSERT INTO t VALUES (2)") }
      }
      #expect(error.code == .busy)
      #expect(!writer.isInTransaction)
    }
    #expect(try number(writer, "SELECT count(*) FROM t") == 1)
  }

  @Test func `a transaction SQLite has ended itself does not pass for committed`() throws {
    let connection = try sample()
    try connection.run("INSERT INTO t (id) VALUES (1)")
    let error = try failure {
      try connection.transaction(.immediate) { () throws in
        try connection.run("INSERT INTO t (id) VALUES (2)")
        try? connection.run("INSERT OR ROLLBACK INTO t (id) VALUES (1)")
      }
    }
    #expect(error.sql == "COMMIT")
    #expect(try number(connection, "SELECT count(*) FROM t") == 1)
  }

  @Test func `closing a connection in its transaction is an error and loses the changes`() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("db")
    let connection = try Connection(path: path, mode: .create)
    try connection.execute("CREATE TABLE t (n)")
    #expect(throws: SQLiteError.self) {
      try connection.transaction(.immediate) { () throws in
        try connection.run("INSERT INTO t VALUES (1)")
        try connection.close()
      }
    }
    #expect(try number(Connection(path: path, mode: .readOnly), "SELECT count(*) FROM t") == 0)
  }
}
