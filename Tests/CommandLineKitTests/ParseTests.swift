import CommandLineKit
import Testing

@Suite struct ParseTests {
  @Test func `a call has its words in the order of the parameter table`() throws {
    let call = try call(
      "app", "add", "--force", "--platform=macos", "demo", "--platform", "ios", "--bundle-id", "x")
    #expect(
      call
        == Call(
          path: ["app", "add"],
          words: [
            word("SLUG", "demo"), word("--bundle-id", "x"), word("--platform", "macos"),
            word("--platform", "ios"), word("--force", nil),
          ]))
  }

  @Test func `incidental parameters are not part of the call`() throws {
    #expect(try call("note", "1.0", "--json", "--color", "never")?.words == [word("VERSION", "1.0")])
  }

  @Test func `a value may hold equals signs and be empty`() throws {
    #expect(try call("inbox", "--grep=a=b=")?.words == [word("--grep", "a=b=")])
    #expect(try call("inbox", "--grep=")?.words == [word("--grep", "")])
    #expect(try call("inbox", "--grep", "")?.words == [word("--grep", "")])
    #expect(try call("inbox", "--grep=--all")?.words == [word("--grep", "--all")])
    // Even before a combining mark.
    #expect(try call("inbox", "--grep=\u{301}a")?.words == [word("--grep", "\u{301}a")])
  }

  @Test func `after two dashes every word is an argument`() throws {
    #expect(
      try call("note", "1.0", "--", "--json", "-h", "--", "--help")?.words
        == [
          word("VERSION", "1.0"), word("FILE", "--json"), word("FILE", "-h"), word("FILE", "--"),
          word("FILE", "--help"),
        ])
  }

  @Test func `one dash and negative numbers are arguments and values`() throws {
    #expect(
      try call("note", "1", "-", "-5")?.words == [
        word("VERSION", "1"), word("FILE", "-"), word("FILE", "-5"),
      ])
    #expect(try call("inbox", "--grep", "-x")?.words == [word("--grep", "-x")])
  }

  @Test func `a letter stands for its flag, and several do not share a dash`() throws {
    let call = try call("app", "add", "-q", "-f", "demo", "--bundle-id", "x")
    #expect(call?.words.suffix(2) == [word("--force", nil), word("--quiet", nil)])
    #expect(failure("app", "add", "-qf", "demo")?.message == "unknown option '-qf' for 'pawl app add'")
    #expect(failure("app", "add", "-f=1", "demo")?.id == "usage.unexpected-value")
  }

  @Test func `options may come before the command`() throws {
    #expect(try call("--json", "note", "1.0")?.path == ["note"])
    #expect(try call("--color", "never", "note", "1.0")?.words == [word("VERSION", "1.0")])
    #expect(try call("app", "--bundle-id", "x", "add", "demo") == call("app", "add", "demo", "--bundle-id=x"))
    #expect(failure("--bundle-id", "app", "add", "demo")?.id == "usage.missing-value")
  }

  @Test func `a command with an action of its own tells its options from its subcommands`() throws {
    #expect(try call("inbox")?.path == ["inbox"])
    #expect(try call("inbox", "--grep", "show") == Call(path: ["inbox"], words: [word("--grep", "show")]))
    #expect(try call("inbox", "show")?.path == ["inbox", "show"])
    #expect(failure("inbox", "--all", "show")?.message == "unknown option '--all' for 'pawl inbox show'")
  }

  @Test func `values are passed to the command, and its result or error is passed back`() throws {
    let words = ["app", "add", "demo", "--bundle-id", "x", "--seats", "7"]
    guard case .run(let invocation) = try tool.parse(words) else {
      Issue.record("nothing to run")
      return
    }
    #expect(try invocation.run(World()) == ExitCode(rawValue: 7))
    let hint = "run 'pawl app add --help'"
    #expect(throws: UsageError(message: "cannot add 'demo'", hint: hint, path: ["app", "add"])) {
      try invocation.run(World(fails: true))
    }
  }

  @Test func `parsing one command builds neither the parameters of another nor a topic`() throws {
    @Sendable func topic() -> [HelpSection] {
      Issue.record("built a topic that is only listed")
      return []
    }
    @Sendable func trap(_ name: String) -> Command<World> {
      Command(name, summary: "Never") {
        Issue.record("built the parameters of \(name)")
      } run: { _ in
        .success
      }
    }
    let tool = Command<World>(
      "t", summary: "T", discussion: "",
      groups: [
        (
          "Commands",
          { [trap("one"), leaf("two", "Two"), Command("g", summary: "G", subcommands: { [trap("three")] })] }
        )
      ], topics: { _ in [HelpTopic("exit-codes", "Codes", topic())] })
    for words in [["two"], ["two", "-h"], [], ["help"], ["g"], ["on"], ["--json", "two"], ["x"]] {
      _ = try? tool.parse(words)
    }
  }

  @Test func `a command is found without making those under later headings`() throws {
    let more: @Sendable () -> [Command<World>] = {
      Issue.record("made although the command was found")
      return []
    }
    let tool = Command<World>(
      "t", summary: "T", discussion: "", groups: [("Often", { [leaf("two", "Two")] }), ("More", more)])
    for words in [["two"], ["two", "-h"]] { _ = try tool.parse(words) }
  }
}
