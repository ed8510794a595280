import CommandLineKit

struct World: Sendable {
  var fails = false
}

enum Platform: String, CaseIterable, Sendable { case ios, macos, watchos }

struct Output: Sendable {
  let json: Bool
  let color: String

  static var parameter: Parameter<Output> {
    .group(
      .flag("--json", help: "Print JSON", section: "Output", incidental: true),
      .option("--color", "WHEN", .text, help: "Use color", section: "Output", incidental: true)
    ) { Output(json: $0, color: $1 ?? "auto") }
  }
}

func leaf(_ name: String, _ summary: String) -> Command<World> {
  Command(name, isReadOnly: true, summary: summary) {
    ()
  } run: { _ in
    .success
  }
}

let addCommand = Command<World>(
  "add", summary: "Add an app",
  discussion: """
    An app is known by its slug from then on, in every command that takes one, so choose it with care.

      kept   as it is
    """,
  examples: [.init("pawl app add demo --bundle-id com.example.demo", "Add the app 'demo'")]
) {
  (
    .argument("SLUG", .text, help: "The name to know it by"),
    .requiredOption("--bundle-id", "ID", .text, help: "The bundle identifier"),
    .options("--platform", "P", .one(of: Platform.self), help: "Where it runs"),
    .option("--seats", "N", .integer(1...9), help: "How many testers"),
    .flag("--force", short: Character("f"), help: "Do it anyway"),
    .flag("--quiet", short: Character("q"), help: "Say nothing"),
    Output.parameter
  )
} run: { world, slug, _, _, seats, _, _, _ in
  if world.fails { throw UsageError(message: "cannot add '\(slug)'") }
  return ExitCode(rawValue: Int32(truncatingIfNeeded: seats ?? 1))
}

let noteCommand = Command<World>("note", summary: "Attach files to a version") {
  (
    .argument("VERSION", ValueType { try version($0) }, help: "The version"),
    .arguments("FILE", .path, help: "Files", required: false), Output.parameter
  )
} run: { _, _, _, _ in
  .success
}

@Sendable func version(_ word: String) throws -> String {
  guard word.first?.isNumber == true else {
    throw UsageError(id: "usage.invalid-value", message: "a version starts with a digit")
  }
  return word
}

let inboxCommand = Command<World>(
  "inbox", summary: "List what came in",
  subcommands: { [leaf("show", "Show one"), leaf("clear", "Clear it")] }
) {
  (.option("--grep", "TEXT", .text, help: "Only those with the text"), .flag("--all", help: "Old ones too"))
} run: { _, _, _ in
  .success
}

let tool = Command<World>(
  "pawl", summary: "Keep releases in order",
  discussion: "",
  groups: [
    (
      "Commands",
      {
        [
          Command("app", summary: "Manage apps", subcommands: { [addCommand, leaf("list", "List apps")] }),
          Command(
            "build", summary: "Manage builds",
            subcommands: { [leaf("list", "List builds"), leaf("upload", "Upload a build")] }),
          leaf("check", "Check everything"), inboxCommand,
        ]
      }
    ), ("Writing", { [noteCommand] }),
  ],
  topics: { name in
    let files = HelpTopic("files", "The files it reads", [HelpSection("Files", [HelpRow("./x-y", "A file")])])
    let error = HelpTopic("a.b", "An error", [HelpSection("Error", [HelpRow("means", "so")])])
    return name == nil ? [files] : [files, error].filter { $0.name == name }
  })

/// The error of a list of words, or nil when they are right.
func failure(_ words: String...) -> UsageError? { failure(words) }

func failure(_ words: [String]) -> UsageError? {
  do { _ = try tool.parse(words) } catch { return error }
  return nil
}

func call(_ words: String...) throws -> Call? { try call(words) }

func call(_ words: [String]) throws -> Call? {
  guard case .run(let invocation) = try tool.parse(words) else { return nil }
  return invocation.call
}

/// The path of the help that words ask for, or nil when they do not.
func helpPath(_ words: String...) throws -> [String]? {
  guard case .help(let path, _) = try tool.parse(words) else { return nil }
  return path
}

func word(_ name: String, _ value: String?) -> Call.Word { Call.Word(name: name, value: value) }
