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

  @Test(arguments: [
    ("app-add", "app add van --bundle-id com.example.van --channel enterprise"),
    ("app-list", "app list"),
    ("app-show", "app show taxi"),
    ("publish", "publish taxi 8.0.0 --build 600 --mandatory"),
    ("mark", "mark taxi 7.4.0 live --visible-now"),
    ("unmark", "unmark taxi 7.4.0 --reason wrong"),
    ("check", "check taxi 7.3.0 --at 2027-01-17T00:00:00Z"),
    ("check-explain", "check taxi 7.3.0 --explain"),
    ("status", "status"),
    ("history", "history"),
    ("show", "show 7"),
    ("blame", "blame taxi"),
    ("blame-version", "blame taxi 7.3.0 --limit 2"),
    ("refused", "publish taxi 7.3.1"),
    ("confirm", "app set taxi --policy force"),
    ("unknown", "publihs taxi 7.3.1"),
    ("help-mark", "mark --help"),
    ("completions-bash", "completions bash"),
    ("completions-zsh", "completions zsh"),
    ("completions-fish", "completions fish"),
  ])
  func `what people see is what the file says`(name: String, line: String) throws {
    let ran = try shell().run(line)
    // Of all that is said of an app the first lines show how it is said.
    let out = name == "blame" ? ran.out.split(separator: "\n").prefix(6).map { $0 + "\n" }.joined() : ran.out
    var text = "$ pawl \(line)\n\(out)"
    if !ran.err.isEmpty { text += "--- standard error\n\(ran.err)" }
    text += "--- exit \(ran.status)\n"
    try expectGolden(text, name)
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
