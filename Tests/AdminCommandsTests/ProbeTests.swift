import JSON
import Platform
import TestSupport
import Testing

@testable import AdminCommands

@Suite struct ProbeTests {
  /// A ledger whose documents are served from a folder as a case leaves them.
  private static func site() throws -> Shell {
    let shell = try Shell.taxi()
    try shell.tell(
      """
      live taxi 1.0 1.1
      init --export @out --format v1 --format flags --format lookup
      setting taxi map a
      """)
    let root = shell.directory.file("out")
    shell.answer = { words in
      let bytes = try? readFile("\(root)/\(words[1])", limit: 1 << 20)
      return ProgramEnd(status: bytes == nil ? 22 : 0, output: bytes ?? [])
    }
    return shell
  }

  @Test(
    arguments: [
      // As decided, a version without a document of its own, too.
      ("", 0, [:]), ("force taxi below:1.1 --reason x --yes", 0, [:]),
      ("remove @out/v1/taxi/1.0.json", 1, ["v1/taxi/1.0.json": "missing"]),
      ("file out/v1/taxi/schedule.json x", 1, ["v1/taxi/schedule.json": "unreadable"]),
      ("edit out/v1/taxi/1.0.json remind force", 1, ["v1/taxi/1.0.json": "stricter"]),
      // An old copy is no fault at once, but later.
      ("edit out/v1/taxi/1.0.json remind none", 0, ["v1/taxi/1.0.json": "behind"]),
      (#"edit out/flags/taxi/1.0.json "a" "b""#, 0, ["flags/taxi/1.0.json": "behind"]),
      ("edit out/v1/taxi/1.0.json remind none\nsleep 6m", 1, ["v1/taxi/1.0.json": "behind"]),
    ] as [(String, Int32, [String: String])])
  func `a probe says which document is not as decided`(story: String, status: Int32, found: [String: String])
    throws
  {
    let shell = try ProbeTests.site()
    try shell.tell(story)
    let ran = shell.run("probe taxi --version 1.0 --version 1.1 --version 0.9 --json -- get {}")
    let files = ran.json["files"]?.array ?? []
    let others = files.filter { $0["outcome"] != "same" }.map {
      ($0["path"]?.string ?? "", $0["outcome"]?.string ?? "")
    }
    #expect(
      ran.status == status && Dictionary(others, uniquingKeysWith: { $1 }) == found, "\(ran.out) \(ran.err)")
    #expect(files.first?["path"] == "v1/taxi/schedule.json")
  }

  @Test func `after a stop a probe asks for the versions that were prompted`() throws {
    let shell = try ProbeTests.site()
    try shell.tell("live taxi 1.2\ncopy @out/v1/taxi/1.1.json old\nstop taxi\ncopy @old out/v1/taxi/1.1.json")
    #expect(shell.run("probe taxi --json -- get {}").status == 1)
  }

  @Test func `a probe whose command always fails is no answer`() throws {
    let shell = try ProbeTests.site()
    shell.answer = { _ in ProgramEnd(status: 7, output: []) }
    #expect(shell.run("probe taxi -- get").status == 74)
  }
}
