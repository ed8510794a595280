import Testing

@Suite struct WaitTests {
  @Test func `wait ends when it is so, when it can no longer be, and at the timeout`() throws {
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
    shell.onSleep = nil
    try shell.tell(
      """
      wait taxi 1.0 live
      wait taxi 1.0 visible --timeout 90s → 75
      wait taxi 1.0 live → state=live
      sleep 1d
      wait taxi 1.0 visible
      publish taxi 1.1 --yes
      live taxi 1.2
      wait taxi 1.1 live → 1
      wait taxi 1.0 live
      mark taxi 1.2 removed
      wait taxi 1.2 visible → 1 app=taxi version=1.2 state=removed reached=false
      wait taxi 9.9 live → 66
      """)
    #expect(
      shell.run("wait taxi 1.0 visible").out
        == "taxi 1.0 is superseded, visible since 2027-01-16T12:00:00Z.\n")
  }
}
