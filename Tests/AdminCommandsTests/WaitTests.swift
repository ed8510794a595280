import Testing

@Suite struct WaitTests {
  @Test func `wait asks every minute, and at the end of its timeout`() throws {
    let shell = try Shell.taxi()
    shell.tick = 1
    try shell.tell(
      """
      publish taxi 1.0 --yes
      wait taxi 1.0 prepared
      wait taxi 1.0 approved --timeout 90s → 75
      """)
    #expect(shell.slept == [60, 28])
    shell.onSleep = { shell.run("mark taxi 1.0 live --yes") }
    try shell.tell("wait taxi 1.0 approved --timeout 90s")
  }
}
