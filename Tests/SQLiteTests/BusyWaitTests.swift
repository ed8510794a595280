import Testing

@testable import SQLite

@Suite struct BusyWaitTests {
  @Test func `the pauses add up`() {
    #expect(BusyWait.waited(after: 0) == 0)
    #expect(BusyWait.waited(after: 40) == 10_000)
    #expect(BusyWait.waited(after: 120) == 170_000)
    #expect(BusyWait.waited(after: 122) == 180_000)
  }
}
