/// One command of a tool, or the tool itself: a group, a leaf, or a group with an action of its own.
///
/// A tree of commands is cheap to build: parameters are made only for the command that is selected.
package struct Command<Context>: Sendable {
  /// A line to try, for help and documentation.
  package struct Example: Sendable {
    /// The line as typed, including the tool's name.
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
  package let examples: [Example]
  package let reach: Reach
  /// Whether it only answers a question, and changes nothing.
  package let asks: Bool
  /// What exit code 1 means, if the command ends with it.
  package let no: String?
  /// For a group: the name of the command below that runs when none is named.
  package let usual: String?
  /// The heading for the command in its parent's help; nil for "Commands".
  package let section: String?
  package let subcommands: [Command]

  /// The hints for words that are not commands ("app remove"), in lower case.
  ///
  /// Called only when a word is not a command, so that normal runs do not pay for it.
  let hints: @Sendable () -> [String: String]

  /// For the tool itself: the topics that its help has besides commands.
  let topics: HelpTopics

  let action: Action<Context>?

  /// A group: it does nothing itself; called without a subcommand, it runs the usual one, or shows its help.
  package init(
    _ name: String, summary: String, discussion: String = "", section: String? = nil, usual: String? = nil,
    subcommands: [Command], hints: @escaping @Sendable () -> [String: String] = { [:] },
    topics: HelpTopics = HelpTopics()
  ) {
    self.name = name
    self.summary = summary
    self.discussion = discussion
    self.examples = []
    self.reach = .remote
    self.asks = false
    self.no = nil
    self.usual = usual
    self.section = section
    self.subcommands = subcommands
    self.hints = hints
    self.topics = topics
    self.action = nil
  }

  /// A leaf, or a group with an action of its own.
  ///
  /// A command stays on its host unless it says otherwise.
  /// `parameters` is called only when this command is selected, or for its help. The values reach `run` in
  /// the order of the table, so the order in which options are written does not matter.
  package init<each Value: Sendable>(
    _ name: String, reach: Reach = .host, asks: Bool = false, no: String? = nil, summary: String,
    discussion: String = "", examples: [Example] = [], section: String? = nil, subcommands: [Command] = [],
    parameters: @escaping @Sendable () -> (repeat Parameter<each Value>),
    run: @escaping @Sendable (Context, repeat each Value) throws -> ExitCode
  ) {
    self.name = name
    self.summary = summary
    self.discussion = discussion
    self.examples = examples
    self.reach = reach
    self.asks = asks
    self.no = no ?? (asks ? nil : "refused, or not agreed to")
    self.usual = nil
    self.section = section
    self.subcommands = subcommands
    self.hints = { [:] }
    self.topics = HelpTopics()
    self.action = Action(parameters: parameters, run: run)
  }

  package var hasAction: Bool { action != nil }

  /// The parameters without their types, in the table's order and without `--help`.
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
