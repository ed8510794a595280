import Testing

@testable import SQLite

@Suite struct BusyWaitTests {
  @Test func `the pauses add up`() {
    #expect(BusyWait.waited(after: 0) == 0)
    #expect(BusyWait.waited(after: 20) == 20)
    #expect(BusyWait.waited(after: 100) == 180)
    #expect(BusyWait.waited(after: 102) == 190)
  }
}
