/// One command of a tool, or the tool itself: a group, a leaf, or a group with an action of its own.
///
/// A tree of commands is cheap to build: parameters are made only for the command that is selected.
package struct Command<Context>: Sendable {
  /// A line to try, for help and documentation.
  package struct Example: Sendable {
    package let line: String
    package let caption: String

    package init(_ line: String, _ caption: String) {
      self.line = line
      self.caption = caption
    }
  }

  package let name: String
  /// What it does, in the imperative and without a full stop: "Add an app".
  package let summary: String
  /// Further paragraphs, separated by empty lines; a line that starts with a blank is kept as it is.
  package let discussion: String
  package private(set) var examples: [Example] = []
  package private(set) var reach = Reach.remote
  package private(set) var asks = false
  /// What exit code 1 means, if the command ends with it.
  package private(set) var no: String?
  /// For a group: the name of the command below that runs when none is named.
  package private(set) var usual: String?
  /// The heading for the command in its parent's help.
  package private(set) var section = "Commands"
  package let subcommands: [Command]

  /// The hints for words that are not commands ("app remove"), in lower case; called only for such a word.
  private(set) var hints: @Sendable () -> [String: String] = { [:] }

  /// For the tool itself: the topics that its help has besides commands.
  private(set) var topics = HelpTopics()

  private(set) var action: Action<Context>?

  /// A group: it does nothing itself; called without a subcommand, it runs the usual one, or shows its help.
  package init(
    _ name: String, summary: String, discussion: String = "", usual: String? = nil, subcommands: [Command],
    hints: @escaping @Sendable () -> [String: String] = { [:] },
    topics: HelpTopics = HelpTopics()
  ) {
    self.name = name
    self.summary = summary
    self.discussion = discussion
    self.usual = usual
    self.subcommands = subcommands
    self.hints = hints
    self.topics = topics
  }

  /// The tool itself, whose commands stand under headings in its help.
  package init(
    _ name: String, summary: String, discussion: String, groups: [(heading: String, commands: [Command])],
    hints: @escaping @Sendable () -> [String: String] = { [:] }, topics: HelpTopics = HelpTopics()
  ) {
    let commands = groups.flatMap { heading, commands in
      commands.map { command in
        var command = command
        command.section = heading
        return command
      }
    }
    self.init(
      name, summary: summary, discussion: discussion, subcommands: commands, hints: hints, topics: topics)
  }

  /// A leaf, or a group with an action of its own; it stays on its host unless it says otherwise.
  ///
  /// The values reach `run` in the order of the table, whatever the order in which options are written.
  package init<each Value: Sendable>(
    _ name: String, reach: Reach = .host, asks: Bool = false, no: String? = nil, summary: String,
    discussion: String = "", examples: [Example] = [], subcommands: [Command] = [],
    parameters: @escaping @Sendable () -> (repeat Parameter<each Value>),
    run: @escaping @Sendable (Context, repeat each Value) throws -> ExitCode
  ) {
    self.name = name
    self.summary = summary
    self.discussion = discussion
    self.examples = examples
    self.reach = reach
    self.asks = asks
    self.no = no ?? (asks ? nil : "refused, or not confirmed")
    self.subcommands = subcommands
    self.action = Action(parameters: parameters, run: run)
  }

  package var hasAction: Bool { action != nil }

  /// Without their types, in the table's order and without `--help`.
  package var parameterDescriptions: [ParameterDescription] { action?.open().slots.map(\.description) ?? [] }

  /// The command at a path below this one; itself for an empty path, nil if there is none.
  package func command(at path: [String]) -> Command? {
    var command = self
    for name in path {
      guard let next = command.subcommand(named: name) else { return nil }
      command = next
    }
    return command
  }

  func subcommand(named name: String) -> Command? {
    subcommands.first { $0.name == name }
  }
}
