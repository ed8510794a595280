import JSON
import Platform
import ReleaseModel
import TestSupport
import Testing

/// The next legal version and build, and builds that stop opening.
@Suite struct NextTests {
  private func check(_ shell: Shell, _ words: String) -> String {
    let ran = shell.run("next taxi --check \(words) --json")
    return ran.status == 0 ? "ok" : "\(ran.status) \(ran.errorID ?? "")"
  }

  @Test func `a build that was uploaded counts, though no release has it`() throws {
    let shell = try Shell.taxi()
    try shell.done("publish taxi 7.3.2 --build 512")
    let heard = #"{"taxi":{"asc":"2027-01-15T08:00:00Z","uploaded":{"build":"612","version":"7.4.0"}}}"#
    try publishFile(Array(heard.utf8), as: shell.ledger + "-heard", rights: 0o640, replaces: true)
    #expect(try shell.done("next taxi --bump minor").out == "7.4.0 613\n")
    #expect(check(shell, "7.4.0 --build 612") == "1 build.not-greater")
    #expect(check(shell, "7.4.0 --build 613") == "ok")
    // Builds grow within a version.
    #expect(check(shell, "7.5.0 --build 1") == "ok")
  }

  @Test func `the next version grows the number that was asked for`() throws {
    let shell = try Shell.taxi()
    func next(_ bump: String) throws -> [String?] {
      let json = try shell.done("next taxi \(bump) --json").json
      return [json["app"]?.string, json["version"]?.string, json["build"]?.string]
    }
    #expect(try next("") == ["taxi", "1.0.0", "1"])
    try shell.done("publish taxi 7.3.2 --build 512")
    #expect(try next("") == ["taxi", "7.3.3", "513"])
    #expect(try next("--bump patch") == ["taxi", "7.3.3", "513"])
    #expect(try next("--bump minor") == ["taxi", "7.4.0", "513"])
    #expect(try next("--bump major") == ["taxi", "8.0.0", "513"])
    try shell.done("publish taxi 7.4 --build 600.9")
    #expect(try next("--bump minor") == ["taxi", "7.5", "600.10"])
    #expect(try next("") == ["taxi", "7.4.1", "600.10"])
    #expect(try shell.done("next taxi").out == "7.4.1 600.10\n")
    // What is printed is what would be taken.
    #expect(check(shell, "7.4.1 --build 600.10") == "ok")
  }

  @Test func `a version that was approved closes itself and every lower one, released or not`() throws {
    let shell = try Shell.taxi()
    for (version, state) in [("7.1.0", "live"), ("7.2.0", "rejected"), ("7.3.0", "approved")] {
      try shell.done("publish taxi \(version) --build 5")
      try shell.done("mark taxi \(version) \(state)")
    }
    try shell.done("publish taxi 7.5.0 --build 5")
    let rows = [
      ("7.1.0", "1 next.not-greater"), ("7.0.9", "1 next.not-greater"), ("7.2.0", "1 next.not-greater"),
      ("7.3.0", "1 next.closed"), ("7.3.0.0", "1 version.malformed"), ("7.4.0", "1 version.not-greater"),
      ("7.5.0", "ok"), ("7.5", "1 version.not-greater"), ("7.5.0 --build 5", "1 build.not-greater"),
      ("7.5.0 --build 4", "1 build.not-greater"), ("7.5.0 --build 6", "ok"), ("7.6.0", "ok"),
      ("7.6.0 --build 1", "ok"),
    ]
    for (words, expected) in rows { #expect(check(shell, words) == expected, "\(words)") }
    let details = shell.run("next taxi --check 7.3.0 --json").error["details"]
    #expect(details?["apple"] == "ITMS-90186")
    #expect(details?["floor"] == "7.3.0")
    #expect(shell.run("next taxi --check 7.2.0 --json").error["details"]?["apple"] == "ITMS-90062")
    // What was struck out is in nobody's way.
    try shell.done("void taxi 7.5.0 --reason typo")
    #expect(check(shell, "7.4.0") == "ok")
    #expect(shell.run("next taxi --check 7.4.0 --bump minor").status == 64)
    #expect(shell.run("next taxi --build 4").status == 64)
    #expect(shell.run("next nobody").status == 66)
  }

  private func enterprise() throws -> Shell {
    let shell = try Shell()
    try shell.done("app add ent --bundle-id com.example.ent --channel enterprise")
    try shell.done("trust host dl.example.com")
    try shell.done("app set ent --store-url https://dl.example.com/ent")
    try shell.done("publish ent 1.0")
    try shell.done("mark ent 1.0 live")
    return shell
  }

  @Test func `formats that know no times stop forcing seven days before a build stops opening`() throws {
    let shell = try enterprise()
    try shell.done("publish ent 2.0 --expires 30d")
    try shell.done("mark ent 2.0 live --yes")
    let out = shell.directory.file("out")
    func action() throws -> String? {
      try shell.done("export \(out) --format flags --json")
      let bytes = try readFile("\(out)/flags/ent/1.0.json", limit: 1 << 16)
      let body = try JSON(parsing: bytes)["body"]
      return [body?["hasNewVersion"]?.string, body?["needUpgrade"]?.string].map { $0 ?? "-" }.joined()
    }
    #expect(try action() == "11")
    shell.clock = later(23 * 86_400 - 1)
    #expect(try action() == "11")
    shell.clock = later(23 * 86_400)
    #expect(try action() == "10")
    #expect(try shell.done("check ent 1.0 --json").json["action"] == "force")
    shell.clock = later(30 * 86_400)
    #expect(try action() == "00")
  }
}
