import SQLite
import Testing

@Suite struct ErrorTests {
  @Test func `a duplicate gives the extended code for UNIQUE`() throws {
    let connection = try sample()
    try connection.run("INSERT INTO t (name) VALUES (?)", "hunter2")
    let error = try failure { try connection.run("INSERT INTO t (name) VALUES (?)", "hunter2") }
    #expect(error.code.rawValue == 2067)
    #expect(error.code == ResultCode(rawValue: 2067))
    #expect(error.message == "UNIQUE constraint failed: t.name")
    #expect(error.sql == "INSERT INTO t (name) VALUES (?)")
    #expect(
      error.description
        == "UNIQUE constraint failed: t.name (SQLite result 2067), in: INSERT INTO t (name) VALUES (?)")
    #expect(!error.description.contains("hunter2"))
  }

  @Test func `a primary code matches its extended ones and an extended one only itself`() {
    #expect(ResultCode.ioError ~= ResultCode(rawValue: 1034))
    #expect(ResultCode.ioError ~= .ioError)
    #expect(!(ResultCode(rawValue: 1034) ~= .ioError))
    #expect(!(ResultCode(rawValue: 1034) ~= ResultCode(rawValue: 778)))
    #expect(ResultCode(rawValue: 1034) ~= ResultCode(rawValue: 1034))
    #expect(!(ResultCode.busy ~= ResultCode(rawValue: 1034)))
    #expect(ResultCode(rawValue: 1034).primary == .ioError)
  }

  @Test func `an error in a script says what is wrong`() throws {
    let connection = try Connection.inMemory()
    let script = "CREATE TABLE t (a UNIQUE);\nINSERT INTO t VALUES (1), (1);\nSELECT 1;"
    let error = try failure { try connection.execute(script) }
    #expect(error.code == ResultCode(rawValue: 2067))
    let unknown = try failure { try connection.execute("SELECT 1; SELECT * FROM nowhere; SELECT 2") }
    #expect(unknown.code == .error)
    #expect(unknown.message == "no such table: nowhere")
  }
}
