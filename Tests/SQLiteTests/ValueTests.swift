import SQLite
import Testing

@Suite struct ValueTests {
  private func roundTrip(_ value: Value) throws -> Value? {
    try Connection.inMemory().first("SELECT ?", value) { try $0.value(0) }
  }

  @Test(arguments: [
    Value.null, .integer(.min), .integer(.max), .integer(0), .real(-0.5), .real(.infinity), .text(""),
    .text("naïve ☃"), .blob([]), .blob([0, 255, 0]),
  ])
  func `every kind of value survives a round trip`(value: Value) throws {
    #expect(try roundTrip(value) == value)
  }

  @Test func `text with a NUL inside survives a round trip`() throws {
    let text = "a\0b\0"
    #expect(try roundTrip(.text(text)) == .text(text))
    #expect(try number(.inMemory(), "SELECT length(CAST(? AS BLOB))", .text(text)) == 4)
  }

  @Test func `empty text and an empty blob are not NULL`() throws {
    #expect(try number(.inMemory(), "SELECT ? IS NULL", "") == 0)
    #expect(try number(.inMemory(), "SELECT ? IS NULL", .blob([])) == 0)
  }

  @Test func `invalid UTF-8 reads as replacement characters and as raw bytes`() throws {
    let connection = try Connection.inMemory()
    try connection.forEach("SELECT CAST(x'61FF62' AS TEXT)") { (row) throws in
      #expect(try row.text(0) == "a\u{FFFD}b")
      #expect(try row.lend(0).text.map { [UInt8]($0) } == [0x61, 0xff, 0x62])
      return true
    }
  }

  @Test func `a long text and a long blob survive a round trip`() throws {
    let text = String(repeating: "é", count: 100_000)
    let bytes = [UInt8](repeating: 7, count: 100_000)
    #expect(try roundTrip(.text(text)) == .text(text))
    #expect(try roundTrip(.blob(bytes)) == .blob(bytes))
  }

  @Test func `optionals become values`() {
    #expect(Value(Int?.none) == .null)
    #expect(Value(Optional("x")) == .text("x"))
    #expect(Value(true) == 1)
    #expect(Value(false as Bool?) == 0)
    #expect(Value([1, 2] as [UInt8]) == .blob([1, 2]))
    #expect(Value(1.5) == .real(1.5))
  }

  @Test func `literals become values`() throws {
    let connection = try Connection.inMemory()
    let values = try connection.first("SELECT ?, ?, ?", -7, "seven", nil) { row in
      try (0..<row.columnCount).map { try row.value($0) }
    }
    #expect(values == [.integer(-7), .text("seven"), .null])
  }
}
