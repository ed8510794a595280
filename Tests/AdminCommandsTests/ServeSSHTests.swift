import JSON
import TestSupport
import Testing

@Suite struct ServeSSHTests {
  /// What a forced command answers to a line.
  private func serve(_ line: String?, _ shell: Shell, _ options: [String] = []) -> Ran {
    shell.environment["SSH_ORIGINAL_COMMAND"] = line
    return shell.run(["serve-ssh"] + options)
  }

  @Test func `a pawl command is run on the ledger of the key`() throws {
    let shell = try Shell.taxi()
    let ran = serve("pawl app show taxi --json", shell)
    #expect(ran.status == 0)
    #expect(ran.json["app"]?["slug"]?.string == "taxi" || ran.out.contains("taxi"))
    #expect(serve("/usr/bin/pawl check taxi 1.0 '--ledger=\(shell.ledger)'", shell).status == 0)
    #expect(serve("pawl check bus 1.0", shell).status == 66)
    #expect(serve("pawl chek", shell).status == 64)
  }

  @Test func `the words come out of their quotes, and the person's name out of its variable`() throws {
    let shell = try Shell.taxi()
    #expect(serve(#"PAWL_ACTOR='o'\''brien' pawl stop '--reason=$(id); it'\''s' -- taxi"#, shell).status == 0)
    let event = shell.run("history --limit 1 --json")
    #expect(event.out.contains(#""reason":"$(id); it's""#))
    #expect(event.out.contains(#""claimed":"o'brien""#))
  }

  @Test(arguments: [
    nil, "", "id", "sh -c id", "pawl status; id", "pawl $(id)", "pawl status\nid", "PATH=/x pawl status",
    "PAWL_LEDGER=/x pawl status",
    "pawl serve-ssh", "PAWL_ACTOR=x", "xpawl status", "pawl status --ledger /x",
    "pawl --ledger=ssh://other/x status",
  ])
  func `everything else is refused`(line: String?) throws {
    let shell = try Shell.taxi()
    let ran = serve(line, shell)
    #expect(ran.status == 77, "\(ran.err)")
    #expect(ran.out.isEmpty)
    #expect(ran.err.contains("cannot run the command that came over ssh"))
  }

  @Test(arguments: [
    "import taxi /etc/passwd", "export /tmp/x", "export --ledger=\u{27}x\u{27} /tmp/x",
    "ingest mail --maildir /x", "init --export /x",
    "publish taxi 1.0 --notes /etc/passwd", "backup /tmp/x", "verify --public-key /etc/passwd",
    "checkpoint --out /tmp/x",
  ])
  func `paths of the host are refused without --paths`(line: String) throws {
    let shell = try Shell.taxi()
    #expect(serve("pawl \(line)", shell).status == 77)
  }

  @Test func `paths of the host may be named with --paths`() throws {
    let shell = try Shell.taxi()
    #expect(serve("pawl import taxi \(shell.directory.file("none.csv"))", shell, ["--paths"]).status == 66)
    #expect(serve("pawl export \(shell.directory.file("documents"))", shell, ["--paths"]).status == 0)
  }
}
