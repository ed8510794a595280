import JSON
import ReleaseModel
import TestSupport
import Testing

/// Hints that name what helps, and answers that say what they did.
@Suite struct WordingTests {
  private func shell() throws -> Shell {
    let shell = try Shell.taxi()
    for version in ["7.2.0", "7.3.2"] {
      try shell.done("publish taxi \(version)")
      try shell.done("mark taxi \(version) live --visible-now --yes")
    }
    return shell
  }

  @Test(arguments: [
    ("force taxi belwo:7.2 --reason x", "did you mean 'below:7.2'?"),
    ("force taxi under:7.2 --reason x", "did you mean 'below:7.2'?"),
    ("force taxi 7.1-7.2 --reason x", "did you mean '7.1..7.2'?"),
    ("force taxi v7.2 --reason x", "did you mean '7.2'?"),
    ("force taxi x --reason x", "write 7.2.1, all,"),
    ("force taxi below 7.2 --reason x", "did you mean 'below:7.2'?"),
    ("mark taxi 7.5.0 in review", "did you mean 'in-review'?"),
    ("lift taxi rule 1", "did you mean 'pawl lift taxi 1'?"),
    ("redirect taxi all ha", "did you mean '--to ha'?"),
    ("redirect taxi all https://a.example/", "did you mean '--url https://a.example/'?"),
    ("publish taxi 8.0 --note en=Faster start", "put the text in quotes: --note \"en=Faster start\""),
    ("void taxi 8.0 --reason wrong one --yes", "put the text in quotes: --reason \"wrong one\""),
    ("amend taxi 7.3.2 --at 1d", "the time a release went live never changes"),
    ("publish taxi 8.0 9.0", "run 'pawl publish --help'"),
  ])
  func `a slip of the pen is named, and not executed`(line: String, hint: String) throws {
    let shell = try shell()
    let head = shell.head()
    let ran = shell.run(line)
    #expect(ran.status == 64 && ran.err.contains("hint: \(hint)"), "\(line): \(ran.err)")
    #expect(shell.head() == head)
  }

  @Test func `the second spelling of a version names the first`() throws {
    let shell = try shell()
    try shell.done("publish taxi 7.4")
    let ran = shell.run("publish taxi 7.4.0 --build 512")
    #expect(ran.status == 1 && ran.err.contains("pawl amend taxi 7.4'"), "\(ran.err)")
    #expect(ran.err.contains("pawl void taxi 7.4 --reason \"…\""), "\(ran.err)")
  }

  @Test func `what comes next is the next state`() throws {
    let shell = try shell()
    #expect(shell.run("publish taxi 7.4").out.contains("next: pawl mark taxi 7.4 waiting"))
    try shell.done("mark taxi 7.4 live --yes")
    let back = shell.run("unmark taxi 7.4 --reason x").out
    #expect(back.contains("next: pawl mark taxi 7.4 waiting"), "\(back)")
    let rejected = shell.run("mark taxi 7.4 rejected").out
    #expect(rejected.contains("or publish a greater version: pawl publish taxi VERSION"), "\(rejected)")
  }

  @Test func `what nobody reviews goes live next`() throws {
    let shell = try shell()
    try shell.done("app add fleet --bundle-id com.example.fleet --channel enterprise")
    // The second time the answer is read from where it is kept.
    for _ in 0..<2 {
      let published = shell.run("publish fleet 1.0 --request-id one").out
      #expect(published.contains("next: pawl mark fleet 1.0 live, once it can be downloaded"), "\(published)")
    }
    #expect(shell.run("mark fleet 1.0 waiting").out.contains("next: pawl mark fleet 1.0 live"))
    #expect(shell.run("mark fleet 1.0 live").out.contains("next: pawl status fleet"))
  }

  @Test func `a release that Apple never had is named, and so is the one that is live again`() throws {
    let shell = try shell()
    try shell.done("publish taxi 70.6.0")
    try shell.done("mark taxi 70.6.0 live --visible-now --yes")
    let asked = shell.run("void taxi 70.6.0 --never-shipped --reason typo")
    #expect(asked.err.contains("this declares that Apple never had 70.6.0"), "\(asked.err)")
    let done = shell.run("void taxi 70.6.0 --never-shipped --reason typo --yes")
    #expect(done.out.contains("7.3.2 is live again"), "\(done.out)")
    #expect(shell.run("check taxi 70.6.0").out.contains("because: 70.6.0 was struck out"))
    // The newer of two of a number stands first, and the page of a release names the other.
    try shell.done("publish taxi 70.6.0 --build 2")
    try shell.done("void taxi 70.6.0 --reason again")
    let builds = shell.run("releases taxi --json").json["releases"]?.array?.map { $0["build"]?.string }
    #expect(builds == ["2", nil, nil, nil])
    #expect(shell.run("show taxi 70.6.0").out.contains("(another 70.6.0 was struck out: event "))
  }

  @Test func `a dry run says what it would do, and heads are written as verify takes them`() throws {
    let shell = try shell()
    try shell.directory.write(Array("version,released_at\n8.0,\(noon.text)\n".utf8), to: "p.csv")
    let tried = shell.run("import taxi \(shell.directory.file("p.csv")) --dry-run").out
    #expect(tried.contains("Would import 1 release into taxi.") && !tried.contains("next:"), "\(tried)")
    #expect(shell.run("publish taxi 8.0").out.contains("What clients would be told if it went live now:"))
    let verified = shell.run("verify").out
    let head = verified.split(separator: " ").last.map { $0.dropLast() } ?? ""
    #expect(shell.run("verify --head \(head)").status == 0, "\(verified)")
  }

  @Test func `a file with one mail is no mbox`() throws {
    let shell = try shell()
    try shell.directory.write(Array("Subject: x\n\nFrom a body\n".utf8), to: "one.eml")
    let ran = shell.run("ingest mail --mbox \(shell.directory.file("one.eml")) --json")
    #expect(ran.status == 65 && ran.errorID == "ingest.not-an-mbox", "\(ran.err)")
    try shell.directory.write([], to: "empty")
    #expect(shell.run("ingest mail --mbox \(shell.directory.file("empty"))").status == 0)
  }

  @Test func `history says what changed, and a revert what holds again`() throws {
    let shell = try shell()
    try shell.done("app set taxi --hold 1h")
    try shell.done("amend taxi 7.3.2 --min-os 15.0 --note en=x")
    let history = shell.run("history --limit 2").out
    #expect(history.contains("changed app taxi: hold 1h"), "\(history)")
    #expect(history.contains("amended taxi 7.3.2: minimum OS 15.0, notes"), "\(history)")
    try shell.done("stop taxi")
    try shell.done("resume taxi --yes")
    let seq = shell.head() ?? 0
    let reverted = shell.run("revert \(seq)").out
    #expect(reverted.contains("Reverted event \(seq) as event \(seq + 1): stopped taxi."), "\(reverted)")
    #expect(shell.run("history --from-seq 9 --to-seq 3").err.contains("--to-seq is before --from-seq"))
    #expect(shell.run("blame taxi").out.contains("live by"))
    #expect(shell.run("show rule 1").err.contains("'pawl rules APP' lists the rules"))
  }

  @Test func `what a change leaves as it is, or breaks, is said`() throws {
    let shell = try shell()
    try shell.done("publish taxi 7.4")
    try shell.done("mark taxi 7.4 live --yes")
    let held = shell.run("app set taxi --hold 1h")
    #expect(
      held.out.contains("warning: the running hold of 7.4 still ends at 2027-01-16T12:00:00Z"), "\(held.out)")
    #expect(!shell.run("app set taxi --name Taxi").out.contains("running hold"))
    try shell.done("setting taxi map-key a")
    try shell.done("setting taxi map-key b --during review")
    let cleared = shell.run("setting taxi map-key --clear").out
    #expect(cleared.contains("warning: 'map-key' during review is still set"), "\(cleared)")
    let expired = shell.run("amend taxi 7.3.2 --expires 2027-01-01T00:00:00Z --yes").out
    #expect(expired.contains("warning: 7.3.2 has expired"), "\(expired)")
    let system = shell.run("amend taxi 7.2.0 --min-os 99 --yes").out
    #expect(system.contains("clients on a system older than 99"), "\(system)")
    try shell.done("app add van --bundle-id com.example.van --channel enterprise")
    let moved = shell.run("redirect van all --to taxi --yes --when-visible").out
    #expect(moved.contains("next: pawl force van all --reason \"…\""), "\(moved)")
  }
}
