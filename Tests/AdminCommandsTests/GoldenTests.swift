import Platform
import TestSupport
import Testing

/// What people see, held against files; UPDATE_GOLDEN=1 writes them anew.
@Suite struct GoldenTests {
  /// The life of an app of which the pages are taken.
  private func shell() throws -> Shell {
    let shell = try Shell.taxi()
    let past = "version,released_at,build\n7.2.0,2026-11-01T09:00:00Z,480\n7.3.0,2026-12-01T09:00:00Z,495\n"
    try shell.directory.write(Array(past.utf8), to: "past.csv")
    try shell.done("import taxi \(shell.directory.file("past.csv")) --yes")
    _ = shell.run([
      "publish", "taxi", "7.4.0", "--build", "512", "--note", "en=Faster start", "--reason", "sprint 40",
    ])
    try shell.done("mark taxi 7.4.0 approved --actor release-bot")
    shell.clock = later(1_800)
    try shell.done("mark taxi 7.4.0 live")
    shell.clock = later(9_000)
    return shell
  }

  @Test(arguments: ["taxi", "index"])
  func `the pages of a report are what the files say`(name: String) throws {
    let shell = try shell()
    _ = shell.run(["force", "taxi", "7.2.0", "--reason", "payment <broke> & \"lost\"", "--yes"])
    let out = shell.directory.file("out")
    try shell.done("report \(out)")
    let page = try readFile("\(out)/\(name).html", limit: 1 << 20)
    try expectGolden(String(decoding: page, as: UTF8.self), name, ending: "html")
  }
}
