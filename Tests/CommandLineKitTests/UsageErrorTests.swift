import CommandLineKit
import Testing

@Suite struct UsageErrorTests {
  @Test func `the hint for an unknown command is looked for in the whole command tree`() {
    #expect(failure("add")?.hint == "did you mean 'pawl app add'?")
    #expect(failure("uplaod")?.hint == "did you mean 'pawl build upload'?")
    #expect(failure("list", "build", "--json")?.hint == "did you mean 'pawl build list'?")
    #expect(failure("add", "app")?.hint == "did you mean 'pawl app add'?")
  }

  @Test func `two equally good commands are not suggested`() {
    #expect(failure("list")?.hint == "run 'pawl help' to see the commands")
    #expect(failure("app", "xyzzy")?.hint == "run 'pawl help app' to see the commands")
  }

  @Test func `a mistyped command is found after an option, unless the option is unknown`() {
    #expect(failure("--json", "chekc")?.hint == "did you mean 'pawl check'?")
    #expect(failure("--jsno", "qqqqqq")?.id == "usage.unknown-option")
  }

  @Test func `the error for a missing value says how to give one`() {
    #expect(failure("inbox", "--grep")?.id == "usage.missing-value")
    #expect(failure("inbox", "--grep")?.message == "missing value for '--grep TEXT'")
    let error = failure("inbox", "--grep", "--all")
    #expect(error?.message == "missing value for '--grep TEXT': the next word is '--all'")
    #expect(error?.hint?.hasPrefix("use '--grep=VALUE'") == true)
    #expect(failure("inbox", "--grep", "--")?.id == "usage.missing-value")
    #expect(failure("app", "add", "x", "--platform")?.hint == "use one of ios, macos, watchos")
  }

  @Test func `a flag takes no value`() {
    let error = failure("inbox", "--all=yes")
    #expect(error?.id == "usage.unexpected-value")
    #expect(error?.message == "unexpected value 'yes': '--all' takes none")
    #expect(failure("inbox", "--all=")?.id == "usage.unexpected-value")
    #expect(failure("inbox", "--help=x")?.id == "usage.unexpected-value")
  }

  @Test func `an option given twice is an error`() {
    #expect(failure("inbox", "--grep", "a", "--grep=b")?.id == "usage.repeated-option")
    #expect(
      failure("inbox", "--grep", "a", "--grep=b")?.message == "option '--grep' is given twice: 'a' and 'b'")
    #expect(failure("inbox", "--all", "--all")?.id == "usage.repeated-option")
    #expect(failure("app", "add", "-f", "--force", "x")?.id == "usage.repeated-option")
  }

  @Test func `the error for a wrong value says what is allowed`() {
    #expect(
      failure("app", "add", "demo", "--bundle-id", "x", "--platform", "iso")
        == UsageError(
          id: "usage.invalid-value",
          message: "invalid value 'iso' for '--platform P': not one of ios, macos, watchos",
          hint: "did you mean 'ios'?", path: ["app", "add"]))
    #expect(failure("note", "x")?.message == "invalid value 'x' for 'VERSION': a version starts with a digit")
    func seats(_ word: String) -> String? {
      failure("app", "add", "demo", "--bundle-id", "x", "--seats", word)?.message
    }
    #expect(seats("ten") == "invalid value 'ten' for '--seats N': not a whole number from 1 to 9")
    #expect(seats("10") == "invalid value '10' for '--seats N': not a whole number from 1 to 9")
    #expect(seats("+5") != nil)
    #expect(seats("99999999999999999999") != nil)
    #expect(failure("note", "1", "")?.message == "invalid value '' for 'FILE': a path cannot be empty")
  }

  @Test func `words in messages are printable and short`() {
    #expect(failure("\u{1B}[2J\n")?.message == "unknown command '\\u{1B}[2J\\n'")
    #expect(failure("check", "--\u{202E}x")?.message == "unknown option '--\\u{202E}x' for 'pawl check'")
    let message = failure("note", String(repeating: "x", count: 100_000))?.message ?? ""
    #expect(message.count < 200)
    #expect(message.contains("xxx…'"))
  }

  @Test func `any other error of a value is reported as a wrong value without explanation`() {
    struct Odd: Error {}
    let tool = Command<World>("t", summary: "T") {
      .argument("A", ValueType<Int> { _ in throw Odd() }, help: "a")
    } run: { _, _ in
      .success
    }
    #expect(
      throws: UsageError(
        id: "usage.invalid-value", message: "invalid value 'x' for 'A'", hint: "run 't --help'")
    ) {
      try tool.parse(["x"])
    }
  }

  @Test func `an error of a parameter group gets the path and hint of its command`() {
    let pair = Parameter<Bool>.group(.flag("--a", help: "a"), .flag("--b", help: "b")) {
      isA, isB throws(UsageError) in
      guard !isA || !isB else { throw UsageError(message: "not both") }
      return isA
    }
    let tool = Command<World>(
      "t", summary: "T",
      subcommands: { [Command("x", summary: "X", parameters: { pair }, run: { _, _ in .success })] })
    #expect(throws: UsageError(message: "not both", hint: "run 't x --help'", path: ["x"])) {
      try tool.parse(["x", "--b", "--a"])
    }
    #expect(throws: Never.self) { try tool.parse(["x", "--b"]) }
  }
}
