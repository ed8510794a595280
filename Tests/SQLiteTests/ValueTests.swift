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

  @Test func `invalid UTF-8 reads as replacement characters and as raw bytes`() throws {
    let connection = try Connection.inMemory()
    try connection.forEach("SELECT CAST(x'61FF62' AS TEXT)") { (row) throws in
      #expect(try row.text(0) == "a\u{FFFD}b")
      #expect(try row.lend(0).text.map { [UInt8]($0) } == [0x61, 0xff, 0x62])
      return true
    }
  }
}
