import TestSupport
import Testing

@Suite struct VoidTests {
  private let shell: Shell

  init() throws {
    shell = try Shell.taxi()
    try shell.tell("live taxi 7.3.0")
  }

  @Test func `what went live above it stays live, and can still be taken back`() throws {
    try shell.tell(
      """
      live taxi 7.4.0
      publish taxi 7.5.0 --yes
      mark taxi 7.5.0 live
      void taxi 7.4.0 --never-shipped --reason typing --yes → restored=missing
      releases taxi → releases.0.state=live
      unmark taxi 7.5.0 --reason wrong → restored=7.3.0 release.state=prepared
      verify
      """)
  }

  @Test func `no past release is left above everything that was ever live`() throws {
    try shell.directory.write("version,released_at\n8.0,2026-01-01\n8.0.0.1,2026-01-02\n", to: "past")
    try shell.tell(
      """
      live taxi 9.0
      import taxi @past --past --yes
      void taxi 9.0 --never-shipped --reason typing --yes → void.leaves-past details.past=8.0
      void taxi 8.0 --never-shipped --reason typing --yes
      void taxi 9.0 --never-shipped --reason typing --yes → restored=7.3.0
      verify
      """)
  }
}
