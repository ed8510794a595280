import CommandLineKit
import Testing

@Suite struct HelpTests {
  @Test func `help anywhere shows the deepest command named before it`() throws {
    #expect(try helpPath("--help") == [])
    #expect(try helpPath("-h", "app") == [])
    #expect(try helpPath("app", "--help", "add") == ["app"])
    #expect(try helpPath("app", "add", "--nonsense", "--bundle-id", "-h") == ["app", "add"])
    #expect(try helpPath("app", "nonsense", "--help") == ["app"])
    #expect(try helpPath("inbox", "show", "a", "b", "-h") == ["inbox", "show"])
    #expect(try helpPath("note", "1.0", "--", "--help") == nil)
  }

  @Test func `the command help shows any page`() throws {
    #expect(try helpPath("help") == [])
    #expect(try helpPath("help", "help") == [])
    #expect(try helpPath("help", "app", "add") == ["app", "add"])
    #expect(try helpPath("help", "app", "--help") == ["app"])
    #expect(failure("help", "chekc")?.hint == "did you mean 'pawl check'?")
    #expect(failure("help", "app", "add", "demo")?.id == "usage.unknown-command")
    #expect(failure("help", "--json")?.id == "usage.unknown-option")
    #expect(failure("help", "--", "app")?.id == "usage.unexpected-argument")
  }

  @Test func `without a word there is one screen`() throws {
    guard case .incomplete(let path, let text) = try tool.parse([]) else {
      Issue.record("nothing is complete")
      return
    }
    #expect(path.isEmpty && text.split(separator: "\n").count <= 24)
    #expect(text.hasPrefix("Usage: ") && text.contains(" help COMMAND"))
  }

  @Test(arguments: [["--"], ["app"]])
  func `a group without a subcommand is incomplete and shows its help`(words: [String]) throws {
    guard case .incomplete(let path, let text) = try tool.parse(words) else {
      Issue.record("\(words) is complete")
      return
    }
    #expect(try text == page(path + ["--help"]))
  }

  @Test func `a topic is shown by its name, the common options among them`() throws {
    #expect(try page(["help", "files"]) == "The files it reads\n\nFiles:\n  ./x-y  A file\n")
    #expect(try page(["help", "a.b"]) == "An error\n\nError:\n  means  so\n")
    let options = try #require(try page(["help", "options"]))
    #expect(options.contains("Output:\n      --json        Print JSON\n") && options.contains("-h, --help"))
    #expect(failure("help", "a.c")?.id == "usage.unknown-command")
  }

  private func page(_ words: [String], width: Int = 80, of tool: Command<World> = tool) throws -> String? {
    guard case .help(_, let text) = try tool.parse(words, width: width) else { return nil }
    return text
  }

  @Test func `pages keep to the width`() throws {
    for width in [Int.min, 0, 40, 57, 80, 100, Int.max] {
      for path in [[], ["app"], ["app", "add"], ["inbox"], ["note"]] {
        let page = try #require(try page(path + ["--help"], width: width))
        for line in page.split(separator: "\n") where !line.hasPrefix("  pawl") {
          #expect(displayWidth(String(line)) <= min(max(width, 40), 100), "\(line)")
          #expect(line.last != " ")
        }
      }
    }
  }

  @Test func `a long usage line is broken between its parts`() throws {
    let tool = Command<World>("t", summary: "T") {
      .list((1...6).map { Parameter<String>.requiredOption("--option-\($0)", "VALUE", .text, help: "h") })
    } run: { _, _ in
      .success
    }
    #expect(
      try page(["--help"], width: 45, of: tool)?.hasPrefix(
        """
        Usage: t --option-1 VALUE --option-2 VALUE
                 --option-3 VALUE --option-4 VALUE
                 --option-5 VALUE --option-6 VALUE

        """) == true)
  }
}
