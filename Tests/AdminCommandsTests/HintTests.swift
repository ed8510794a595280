import JSON
import ReleaseModel
import TestSupport
import Testing

/// What refusals and answers say: in English, true, and with hints that work.
@Suite struct HintTests {
  /// `taxi` with 8.0, 8.1 and 8.2, all visible.
  private func shell() throws -> Shell {
    let shell = try Shell.taxi()
    for version in ["8.0", "8.1", "8.2"] {
      try shell.done("publish taxi \(version)")
      try shell.done("mark taxi \(version) live --visible-now --yes")
    }
    return shell
  }

  private func importPast(_ lines: String, into shell: Shell) throws {
    let past = Array("version,released_at\n\(lines)\n".utf8)
    let ran = shell.run(["import", "taxi", "-", "--past", "--yes"], input: past)
    try #require(ran.status == 0, "\(ran.err)")
  }

  // MARK: - Forces

  @Test(arguments: ["8.2", "8.2..9.0", "from:9.0", "below:9.0", "all", "7.0..9.0", "8.3"])
  func `a force at the newest version is answered with stop, and with no range`(range: String) throws {
    let ran = try shell().run("force taxi \(range) --reason x --yes --json")
    #expect(ran.errorID == "force.nothing-newer" && ran.error["details"]?["newest"] == "8.2")
    let hint = try #require(ran.error["hint"]?.string)
    #expect(
      hint.hasPrefix("if 8.2 is broken, 'pawl stop taxi'") && hint.contains("--when-visible"), "\(hint)")
    #expect(!hint.contains("pawl force") && !hint.contains("below:"), "\(hint)")
  }

  // MARK: - What was tried

  @Test(arguments: [
    ("setting van k v --from 5d --until 1d", "cannot set k for van: it would end at"),
    ("setting van k v", "cannot set k for van: van is retired"),
    ("setting van old --clear", "cannot clear old for van: van is retired"),
    ("stop van", "cannot stop van: van is retired"),
    ("remind van all", "cannot remind all versions of van: van is retired"),
    ("remind van 1.0", "cannot remind 1.0 for van: van is retired"),
    (
      "redirect van all --url https://apps.apple.com/app/id1",
      "cannot redirect all versions of van: van is retired"
    ),
    ("app set van --name Van", "cannot change the details of van: van is retired"),
    ("app void van", "cannot strike out van: settings are recorded under it"),
    ("revert 4", "cannot revert event 4 of van: van is retired"),
    ("publish van 1.0", "cannot publish 1.0 for van: van is retired"),
    ("app retire taxi", "cannot retire taxi: clients of bus are sent to it"),
  ])
  func `what was tried is said in English`(line: String, words: String) throws {
    let shell = try Shell.taxi()
    try shell.done("app add van --bundle-id com.example.van")
    try shell.done("setting van old value")
    try shell.done("app add bus --bundle-id com.example.bus")
    try shell.done("redirect bus all --to taxi --when-visible --yes")
    try shell.done("app retire van")
    let ran = shell.run(line)
    #expect(ran.err.contains("error: \(words)"), "\(line): \(ran.err)")
  }

  // MARK: - Apps

  @Test func `an app that is there names the options that differ, and what helps`() throws {
    let shell = try Shell.taxi()
    let add = "app add taxi --bundle-id com.example.taxi --apple-id 1524608462"
    let other = shell.run("\(add) --hold 1h --json").error
    #expect(other["details"]?["differs"] == ["--hold"])
    #expect(other["hint"]?.string?.contains("pawl app set taxi") == true)
    #expect(
      shell.run("\(add) --platform macos").err.contains("hint: platform and channel never change; choose"))
    try shell.done("stop taxi")
    let stopped = shell.run("\(add) --json").error
    #expect(stopped["message"] == "cannot add 'taxi': it is already recorded as stopped")
    #expect(stopped["hint"] == "'pawl resume taxi' lets it prompt again")
    try shell.done("app retire taxi")
    let retired = shell.run("\(add) --hold 1h --json").error
    #expect(
      retired["message"]
        == "cannot add 'taxi': it is already recorded with a different --hold, and as retired")
    #expect(retired["details"]?["differs"] == ["--hold"])
    #expect(retired["hint"]?.string?.contains("app set") == false)
    let list = try shell.done("app list").out
    #expect(list.contains("STATE") && list.contains("retired"), "\(list)")
  }

  @Test func `what keeps an app is said with a verb for each`() throws {
    let shell = try shell()
    try shell.done("app add bus --bundle-id com.example.bus")
    try shell.done("redirect bus all --to taxi --yes")
    let ran = shell.run("app void taxi")
    #expect(
      ran.err.contains(
        "cannot strike out taxi: releases are recorded under it; redirects are recorded under it or lead to it"
      ),
      "\(ran.err)")
    #expect(ran.err.contains("once no other app leads to it"), "\(ran.err)")
  }

  // MARK: - Releases

  @Test func `what was live is never said to be struck out by a plain void`() throws {
    let shell = try shell()
    let never = "pawl void taxi 8.2 --never-shipped --reason \"…\""
    for line in ["publish taxi 8.2.0", "mark taxi 8.2 void", "publish taxi 8.1.5"] {
      let err = shell.run(line).err
      #expect(err.contains(never) && !err.contains("void taxi 8.2 --reason"), "\(line): \(err)")
    }
    try shell.done("publish taxi 9.0")
    #expect(shell.run("mark taxi 9.0 void").err.contains("'pawl void taxi 9.0 --reason \"…\"'"))
    try shell.done("mark taxi 9.0 approved")
    #expect(shell.run("mark taxi 9.0 void").err.contains("pawl void taxi 9.0 --never-shipped"))
  }

  @Test func `a greater release that clients see is not said to be taken back`() throws {
    let shell = try Shell.taxi()
    try shell.done("publish taxi 1.1")
    try shell.done("publish taxi 1.2")
    try shell.done("mark taxi 1.2 live")
    let held = shell.run("mark taxi 1.1 live")
    #expect(held.err.contains("pawl unmark taxi 1.2 --reason \"…\""), "\(held.err)")
    try shell.done("mark taxi 1.2 live --visible-now --yes")
    let seen = shell.run("mark taxi 1.1 live")
    #expect(seen.err.contains("pawl void taxi 1.2 --never-shipped --reason \"…\""), "\(seen.err)")
    #expect(!seen.err.contains("unmark"), "\(seen.err)")
  }

  @Test func `a past release is not said to be marked removed`() throws {
    let shell = try shell()
    try importPast("4.54.0.0,2026-01-01T00:00:00Z", into: shell)
    let ran = shell.run("void taxi 4.54 --reason x")
    #expect(ran.err.contains("hint: if Apple never had 4.54.0.0: pawl void taxi 4.54.0.0 --never-shipped"))
    #expect(!ran.err.contains("removed"), "\(ran.err)")
  }

  @Test func `a note in a language that has none is not another note`() throws {
    let shell = try Shell.taxi()
    try shell.done("publish taxi 1.0 --note en=x")
    #expect(shell.run("publish taxi 1.0 --note de=x").err.contains("with no notes in 'de'"))
    #expect(shell.run("publish taxi 1.0 --note en=y").err.contains("with different notes in 'en'"))
  }

  @Test func `a version in the way is struck out with a reason`() throws {
    let shell = try Shell.taxi()
    try shell.done("publish taxi 1.2.3")
    let ran = shell.run("next taxi --check 1.2.2")
    #expect(ran.err.contains("pawl void taxi 1.2.3 --reason \"…\""), "\(ran.err)")
    try shell.done("void taxi 1.2.3 --reason typo")
  }

  @Test func `a release that has expired is named when it goes live, as when it is amended`() throws {
    let shell = try shell()
    let published = try shell.done("publish taxi 9.0 --expires 2027-01-01T00:00:00Z").out
    #expect(published.contains("warning: 9.0 has expired: no client is sent to it"), "\(published)")
    let marked = try shell.done("mark taxi 9.0 live --visible-now --yes --json").json
    #expect(marked["warnings"] == ["9.0 has expired: no client is sent to it"])
    #expect(try shell.done("mark taxi 9.0 removed --json").json["warnings"] == [])
  }

  // MARK: - Ranges and times

  @Test(arguments: [
    (
      "remind taxi 7.9 --until 2020-05-01 --from 2020-01-01 --yes",
      "2020-05-02T00:00:00Z, which is in the past"
    ),
    ("remind taxi 7.9 --from 5d --until 1d --yes", "before it starts"),
    ("remind taxi from:6.0 below:7.3", "hint: put the conditions in quotes: \"from:6.0 below:7.3\""),
    ("setting taxi k v --versions from:6.0 below:7.3", "hint: put the conditions in quotes: \"from:6.0"),
    ("app set taxi --hold 100000d", "no duration is that long\nhint: the longest is 36600d"),
    ("remind taxi 7.9 --until 100000d", "no duration is that long"),
    ("app set taxi --hold 5x", "not a duration"),
  ])
  func `a range or time that is refused is refused for what it is`(line: String, words: String) throws {
    let shell = try shell()
    let ran = shell.run(line)
    #expect(ran.status == 64 && ran.err.contains(words), "\(line): \(ran.err)")
  }

  @Test(arguments: [("0.1", "1.0"), ("1.0.9", "1.0"), ("1.3", "1.2"), ("9.9", "2.0"), ("12", "1.2")])
  func `the nearest version is a neighbour, or has the same digits`(typed: String, nearest: String) throws {
    let shell = try Shell.taxi()
    for version in ["1.0", "1.1", "1.2", "2.0"] { try shell.done("publish taxi \(version)") }
    let ran = try shell.done("remind taxi \(typed) --dry-run --json")
    let warning = "taxi has no release \(typed); the nearest is \(nearest)"
    #expect(ran.json["warnings"] == [.string(warning)])
  }

  @Test func `an app without releases is said to have none`() throws {
    let shell = try Shell.taxi()
    #expect(try shell.done("remind taxi all --json").json["warnings"] == ["taxi has no releases yet"])
    #expect(try shell.done("remind taxi 1.0 --json").json["warnings"] == ["taxi has no releases yet"])
  }

  @Test func `a value that is too long is not printed whole`() throws {
    let shell = try Shell.taxi()
    let ran = shell.run(["setting", "taxi", "k", String(repeating: "x", count: 20_000)])
    #expect(ran.status == 64 && ran.err.utf8.count < 300, "\(ran.err.utf8.count) bytes")
  }

  // MARK: - Trust

  @Test func `what is always trusted is said to be`() throws {
    let shell = try Shell.taxi()
    let ran = try shell.done("trust remove host apps.apple.com")
    #expect(ran.out == "apps.apple.com is Apple's store, which is always trusted; nothing to record.\n")
    #expect(try shell.done("trust remove host example.com").out == "Nothing of that name is trusted.\n")
  }

  @Test func `a secret that is too large is refused with the limit`() throws {
    let shell = try Shell.taxi()
    try shell.directory.write([UInt8](repeating: 0x61, count: 5_000), to: "secret")
    let ran = shell.run("trust webhook taxi --secret-file \(shell.directory.file("secret"))")
    #expect(ran.status == 65 && ran.err.contains("it is larger than 4 KiB\nhint: check that"), "\(ran.err)")
  }

  @Test func `a signer's end is said wherever the signer is`() throws {
    let shell = try Shell.taxi()
    let line = try Signer.three()[0].line
    let words = ["trust", "signer", "ada", line, "--until", "2027-12-24", "--zone", "Europe/Berlin"]
    let end = "2027-12-24T23:00:00Z"
    #expect(shell.run(words).out.contains("Now trusting ada until \(end) to approve plans"))
    #expect(shell.run(words).out == "Already trusted until \(end); nothing to record.\n")
    let list = try shell.done("trust list").out
    #expect(list.contains("UNTIL") && list.contains(end), "\(list)")
    #expect(try shell.done("history --limit 1").out.contains("trusts signer ada until \(end)"))
  }

  @Test func `approvals are required, not trusted, and a signer who is needed is not removed`() throws {
    let shell = try Shell.taxi()
    try #require(shell.run(["trust", "signer", "ada", try Signer.three()[0].line]).status == 0)
    try shell.done("trust approvals 1 --yes")
    #expect(try shell.done("history --limit 1").out.contains("requires 1 approval"))
    let ran = shell.run("trust remove signer ada --plan -")
    #expect(
      ran.err.contains(
        "cannot remove signer 'ada': 1 approval is required, and there would be no trusted signer"),
      "\(ran.err)")
  }

  // MARK: - The past

  @Test func `what is never reverted says what helps`() throws {
    let shell = try shell()
    try shell.done("amend taxi 8.2 --note en=x")
    let seq = try #require(shell.head())
    let ran = shell.run("revert \(seq)")
    #expect(ran.err.contains("'pawl show \(seq)' shows what was there before"), "\(ran.err)")
    #expect(!ran.err.contains("unmark"), "\(ran.err)")
  }

  @Test func `nobody is told of a reason that was not given`() throws {
    let shell = try shell()
    try shell.done("stop taxi")
    let seq = try #require(shell.head())
    try shell.done("revert \(seq) --yes")
    #expect(!(try shell.done("revert \(seq)").err.contains("the reason is not recorded")))
    #expect(try shell.done("revert \(seq) --reason x").err.contains("the reason is not recorded"))
  }

  @Test func `before the first app there was none, and the moment is said`() throws {
    let shell = try Shell.taxi()
    shell.clock = later(7_200)
    let board = try shell.done("status --as-of 2026-01-01T00:00:00Z").out
    #expect(board == "There were no apps at 2026-01-01T00:00:00Z, before the first event.\n")
    let asked = shell.run("check taxi 1.0 --as-of 2026-01-01T00:00:00Z")
    #expect(asked.err.contains("there was no app 'taxi' before the first event"), "\(asked.err)")
    #expect(shell.run("check taxi 1.0 --as-of 1").err.contains("there was no app 'taxi' yet at event 1"))
  }

  @Test func `a request that changed nothing is not said to be asked again`() throws {
    let shell = try Shell.taxi()
    try shell.done("stop taxi")
    try shell.done("stop taxi --request-id one")
    #expect(try shell.done("history --limit 1").out.contains("recorded a request that changed nothing"))
  }
}
