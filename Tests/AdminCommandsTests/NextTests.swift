import JSON
import Platform
import Testing

@Suite struct NextTests {
  @Test func `a build that was uploaded counts, though no release has it, and builds grow within a version`()
    throws
  {
    let shell = try Shell.taxi()
    try shell.done("publish taxi 7.3.2 --yes --build 512")
    let heard = #"{"taxi":{"asc":"2027-01-15T08:00:00Z","uploaded":{"build":"612","version":"7.4.0"}}}"#
    try publishFile(Array(heard.utf8), as: shell.ledger + "-heard", rights: 0o640, replaces: true)
    try shell.tell(
      """
      next taxi --bump minor → version=7.4.0 build=613
      next taxi --check 7.4.0 --build 612 → 1 build.not-greater
      next taxi --check 7.4.0 --build 613
      next taxi --check 7.5.0 --build 1
      publish taxi 7.4 --yes --build 700.9
      next taxi --bump minor → version=7.5 build=700.10
      next taxi → version=7.4.1 build=700.10
      """)
  }
}
