import CommandLineKit

/// What the commands of the sample tool leave behind, instead of a world to change.
struct World: Sendable {
  var fails = false
}

enum Platform: String, CaseIterable, Sendable { case ios, macos, watchos }

struct Output: Sendable {
  var json = false
  var color = "auto"

  static let table: @Sendable () -> [Parameter<Output>] = {
    [
      .flag("--json", help: "Print JSON", section: "Output", incidental: true) { $0.json = true },
      .option("--color", "WHEN", .text, help: "Use color", section: "Output", incidental: true) {
        $0.color = $1
      },
    ]
  }
}

struct AddOptions: Sendable {
  var slug = ""
  var bundle = ""
  var platforms: [Platform] = []
  var seats = 1
  var force = false
  var quiet = false
  var output = Output()
}

struct NoteOptions: Sendable {
  var version = ""
  var files: [String] = []
  var output = Output()
}

struct Nothing: Sendable {}

func leaf(_ name: String, _ summary: String, section: String? = nil) -> Command<World> {
  Command(
    name, summary: summary, section: section, options: { Nothing() }, parameters: { [] },
    run: { _, _, _ in .success })
}

let addCommand = Command<World>(
  "add", summary: "Add an app",
  discussion: """
    An app is known by its slug from then on, in every command that takes one, so choose it with care.

      kept   as it is
    """,
  examples: [.init("pawl app add demo --bundle-id com.example.demo", "Add the app 'demo'")],
  options: { AddOptions() },
  parameters: {
    [
      .argument("SLUG", .text, help: "The name to know it by") { $0.slug = $1 },
      .option("--bundle-id", "ID", .text, help: "The bundle identifier", required: true) { $0.bundle = $1 },
      .option("--platform", "P", .oneOf, help: "Where it runs", repeatable: true) { $0.platforms.append($1) },
      .option("--seats", "N", .integer(1...9), help: "How many testers") { $0.seats = $1 },
      .flag("--force", short: "f", help: "Do it anyway") { $0.force = true },
      .flag("--quiet", short: "q", help: "Say nothing") { $0.quiet = true },
    ] + Output.table().pulled(\.output)
  },
  run: { options, _, world in
    if world.fails { throw UsageError(message: "cannot add '\(options.slug)'") }
    return ExitCode(rawValue: Int32(truncatingIfNeeded: options.seats))
  })

let noteCommand = Command<World>(
  "note", summary: "Attach files to a version", section: "Writing",
  options: { NoteOptions() },
  parameters: {
    [
      .argument("VERSION", ValueType { try version($0) }, help: "The version") { $0.version = $1 },
      .argument("FILE", .path, help: "Files", required: false, repeatable: true) { $0.files.append($1) },
    ] + Output.table().pulled(\.output)
  },
  run: { _, _, _ in .success })

@Sendable func version(_ word: String) throws -> String {
  guard word.first?.isNumber == true else { throw ValueError("a version starts with a digit") }
  return word
}

struct InboxOptions: Sendable {
  var grep = ""
  var all = false
}

let inboxCommand = Command<World>(
  "inbox", summary: "List what came in",
  subcommands: [leaf("show", "Show one"), leaf("clear", "Clear it")],
  options: { InboxOptions() },
  parameters: {
    [
      .option("--grep", "TEXT", .text, help: "Only those with the text") { $0.grep = $1 },
      .flag("--all", help: "Old ones too") { $0.all = true },
    ]
  },
  run: { _, _, _ in .success })

let tool = Command<World>(
  "pawl", summary: "Keep releases in order",
  subcommands: [
    Command("app", summary: "Manage apps", subcommands: [addCommand, leaf("list", "List apps")]),
    Command(
      "build", summary: "Manage builds",
      subcommands: [leaf("list", "List builds"), leaf("upload", "Upload a build")]),
    leaf("check", "Check everything"),
    noteCommand,
    inboxCommand,
  ])

/// The error of a list of words, or nil when they are right.
func failure(_ words: String...) -> UsageError? { failure(words) }

func failure(_ words: [String]) -> UsageError? {
  do {
    _ = try tool.parse(words)
    return nil
  } catch {
    return error
  }
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
