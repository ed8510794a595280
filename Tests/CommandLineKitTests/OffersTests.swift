import CommandLineKit
import TestSupport
import Testing

@Suite struct OffersTests {
  private static let push = Command<World>("push", summary: "Send a build") {
    (
      .argument("APP", .text.offering(.custom("app")), help: "The app"),
      .optionalArgument("BUILD", .text.offering(.custom("build")), help: "The build"),
      .arguments("FILE", .path, help: "Files", required: false),
      .option("--to", "APP", .text.offering(.custom("app")), help: "Another app"),
      .option("--store", "PATH", .path, help: "The store"),
      .option("--into", "DIR", .directory, help: "The folder"),
      .options("--platform", "P", .one(of: Platform.self), help: "Where"),
      .option("--state", "S", .one(of: Platform.self).offering(.custom("none")), help: "State"),
      .option("--text", "TEXT", .text, help: "A text"),
      .flag("--force", short: Character("f"), help: "Anyway")
    )
  } run: { _, _, _, _, _, _, _, _, _, _, _ in
    .success
  }

  private static let root = Command<World>(
    "pawl", summary: "Keep releases in order", subcommands: { tool.subcommands + [push] })

  private static func live(_ question: CompletionQuestion) -> [Candidate] {
    switch question.kind {
    case "app":
      return [Candidate("demo", "A demo"), Candidate("dune"), Candidate("x y"), Candidate("$(reboot)")]
    case "build":
      guard let app = question.value(ofKind: "app") else { return [] }
      return [Candidate("\(app)-\(question.value(of: "--store") ?? "here")")]
    default: return []
    }
  }

  private func offers(_ line: String) -> Offers {
    var words = line.split(separator: " ").map(String.init)
    var index = words.count - 1
    if let marked = words.firstIndex(where: { $0.hasSuffix("|") }) {
      words[marked].removeLast()
      index = marked
    }
    words = words.map { $0 == "_" ? "" : $0 }
    return Self.root.offers(for: words, at: index, live: Self.live)
  }

  private func words(_ line: String) -> [String] { OffersTests.words(offers(line)) }

  private static func words(_ offers: Offers) -> [String] {
    guard case .words(let words) = offers else { return [] }
    return words.map(\.word)
  }

  @Test(
    arguments: [
      // Names of commands are offered where one may stand.
      ("_", ["app", "build", "check", "inbox", "note", "push", "help"]),
      ("c", ["check"]),
      ("z", []),
      ("C", []),
      ("app _", ["add", "list"]),
      ("app l", ["list"]),
      ("wrong _", []),
      ("app wrong _", []),
      ("help _", ["app", "build", "check", "inbox", "note", "push"]),
      ("help app _", ["add", "list"]),
      ("help app a", ["add"]),
      ("help -", []),
      ("help push _", []),
      // A group with an action has both.
      ("inbox _", ["show", "clear"]),
      ("inbox --", ["--grep", "--all", "--help"]),
      ("inbox --all _", ["show", "clear"]),
      ("inbox --grep _", []),
      ("inbox --grep x s", ["show"]),
      // Before the name of a command stand the options that all commands have; here there are none.
      ("--", ["--help"]),
      ("app -", ["--help"]),
      ("--quiet app _", ["add", "list"]),
      // Options are offered after a dash, and where nothing else can stand.
      ("push -", ["--to", "--store", "--into", "--platform", "--state", "--text", "--force", "--help"]),
      ("push --t", ["--to", "--text"]),
      ("push --to", ["--to"]),
      ("push --force", ["--force"]),
      ("push --x", []),
      // Once given, an option is offered no more, unless it may be repeated.
      ("push --to demo --t", ["--text"]),
      ("push --to=demo --t", ["--text"]),
      ("push --t| --text x", ["--to"]),
      ("push --force --f", []),
      ("push -f --f", []),
      ("push --platform ios --p", ["--platform"]),
      ("push demo 1 --f", ["--force"]),
      // After `--` nothing is an option.
      ("push -- -", []),
      ("push -- --t", []),
      ("push -- _", ["demo", "dune"]),
      ("push --to -- _", ["demo", "dune"]),
      // Where no word is due an empty one becomes an option; where one is due it does not.
      ("check _", ["--help"]),
      ("check x _", ["--help"]),
      ("app add _", []),
      (
        "app add demo _",
        ["--bundle-id", "--platform", "--seats", "--force", "--quiet", "--json", "--color", "--help"]
      ),
      ("app add demo x", []),
      // Values of options are offered.
      ("push --platform _", ["ios", "macos", "watchos"]),
      ("push --platform m", ["macos"]),
      ("push --platform M", []),
      ("push --platform=", ["--platform=ios", "--platform=macos", "--platform=watchos"]),
      ("push --platform=w", ["--platform=watchos"]),
      ("push --platform=x", []),
      ("push --wrong=", []),
      ("push --force=", []),
      ("push --text _", []),
      ("push --text=", []),
      // A word with two dashes is never a value.
      ("push --platform --f", ["--force"]),
      ("push --to _", ["demo", "dune"]),
      ("push --to=d", ["--to=demo", "--to=dune"]),
      // Where the tool knows nothing, the allowed words are left.
      ("push --state w", ["watchos"]),
      // A value is known before the name of its command is.
      ("--platform i", ["ios"]),
      ("--platform ios pu", ["push"]),
      // Live values depend on the rest of the line.
      ("push _", ["demo", "dune"]),
      // A word that a shell would not leave alone is never offered.
      ("push x", []), ("push $", []),
      ("push de", ["demo"]),
      ("push demo _", ["demo-here"]),
      ("push demo demo-", ["demo-here"]),
      ("push --to dune demo _", ["demo-here"]),
      ("push demo --store a/b _", ["demo-a/b"]),
      ("push demo --store=a/b _", ["demo-a/b"]),
      ("--store a/b push demo _", ["demo-a/b"]),
      ("push demo _| --store a/b", ["demo-a/b"]),
      ("push demo d| --store a/b", ["demo-a/b"]),
      ("push --force demo -f _", ["demo-here"]),
      ("push -- demo _", ["demo-here"]),
    ] as [(String, [String])])
  func `completion offers what may come at a place in the line`(line: String, offered: [String]) {
    #expect(words(line) == offered)
  }

  @Test func `names of files are left to the shell`() {
    #expect(offers("push --store _") == .files)
    #expect(offers("push --store=a") == .files)
    #expect(offers("push --into _") == .directories)
    #expect(offers("push demo 1 _") == .files)
    #expect(offers("push demo 1 a b c _") == .files)
    #expect(offers("push demo 1 -- -") == .files)
    #expect(offers("note 1.0 x") == .files)
  }

  @Test func `the answer is a line with its kind, then one line per word`() {
    func answer(_ words: String...) -> String { Self.root.completionAnswer(to: words[...], live: Self.live) }
    #expect(answer("1", "--", "push", "de") == "words\ndemo\tA demo\n")
    #expect(answer("1", "--", "push", "du") == "words\ndune\n")
    #expect(answer("2", "--", "push", "--store", "") == "files\n")
    #expect(answer("2", "--", "push", "--into") == "directories\n")
  }

  @Test(arguments: [
    [], [""], ["x"], ["0"], ["0", "push"], ["--", "0"], ["99999999999999999999", "--", ""],
  ])
  func `a malformed request gets no offers`(words: [String]) {
    #expect(Self.root.completionAnswer(to: words[...], live: Self.live) == "words\n")
  }

  @Test func `an index beyond the line means its end, and one before it its start`() {
    let names = Self.root.offers(for: ["push"], at: -5, live: Self.live)
    #expect(Self.words(names) == ["push"])
    #expect(Self.words(Self.root.offers(for: ["push"], at: Int.max, live: Self.live)) == ["demo", "dune"])
    #expect(Self.words(Self.root.offers(for: [], at: Int.min, live: Self.live)).count == 7)
  }

  @Test func `for any line each offer begins with the typed word and is made once`() {
    let parts = [
      "", "-", "--", "--=", "=", "-f", "-ff", "--to", "--to=", "--platform", "push", "app", "add", "help",
      "inbox",
      "--help", "demo", "\u{301}", "--\u{301}", "é", "a\nb", "\0", "--force=x",
    ]
    var generator = Seeded(7)
    for _ in 0..<5_000 {
      let line = (0..<Int.random(in: 0...6, using: &generator)).map { _ in
        parts.randomElement(using: &generator) ?? ""
      }
      let index = Int.random(in: -1...7, using: &generator)
      let offers = Self.words(Self.root.offers(for: line, at: index, live: Self.live))
      let word = line.indices.contains(index) ? line[index] : ""
      if index >= 0 {
        #expect(offers.allSatisfy { $0.utf8.starts(with: word.utf8) }, "\(line) at \(index)")
      }
      #expect(Set(offers).count == offers.count, "\(line) at \(index)")
    }
  }
}
