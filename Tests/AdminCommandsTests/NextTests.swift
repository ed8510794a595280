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

  @Test func `formats that know no times stop forcing seven days before a build stops opening`() throws {
    let shell = try Shell()
    try shell.tell(
      """
      app add ent --bundle-id com.example.ent --channel enterprise
      trust host dl.example.com
      app set ent --store-url https://dl.example.com/ent
      live ent 1.0
      publish ent 2.0 --yes --expires 30d
      mark ent 2.0 live --yes
      """)
    let day: Int64 = 86_400
    for (seconds, wanted) in [(0, "11"), (23 * day - 1, "11"), (23 * day, "10"), (30 * day, "00")] {
      shell.clock = later(seconds)
      try shell.tell("export @out --format flags")
      let body = try shell.json("out/flags/ent/1.0.json")["body"]
      #expect(
        [body?["hasNewVersion"]?.string, body?["needUpgrade"]?.string].map { $0 ?? "-" }.joined() == wanted)
    }
  }
}
