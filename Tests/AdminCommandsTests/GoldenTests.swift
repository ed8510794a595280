import Platform
import TestSupport
import Testing

@Suite struct GoldenTests {
  private func shell() throws -> Shell {
    let shell = try Shell.taxi()
    try shell.tell("past taxi 7.2.0 7.3.0")
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
    let page = String(decoding: try readFile("\(out)/\(name).html", limit: 1 << 20), as: UTF8.self)
      .replacing(/[0-9a-f]{64}/, with: "HASH")
    let path = "\(repository)/Tests/AdminCommandsTests/Golden/\(name).html"
    if environment("UPDATE_GOLDEN") == "1" {
      try publishFile(Array(page.utf8), as: path, rights: 0o644, replaces: true)
    }
    #expect(try String(decoding: readFile(path, limit: 1 << 20), as: UTF8.self) == page)
  }
}
