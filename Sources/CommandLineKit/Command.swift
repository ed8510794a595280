/// One command of a tool, the tool itself included: a group, a leaf, or a group with an action of its own.
///
/// A tree of commands is cheap to build: parameters are made only for the command that is selected.
package struct Command<Context>: Sendable {
  /// A line to try, for help and documentation.
  package struct Example: Sendable {
    /// The line as typed, the tool's name included.
    package let line: String
    /// What it does.
    package let caption: String

    /// Pairs a line with what it does.
    package init(_ line: String, _ caption: String) {
      self.line = line
      self.caption = caption
    }
  }

  /// The word that selects it.
  package let name: String
  /// What it does, as an order without a full stop: "Add an app".
  package let summary: String
  /// More of it: paragraphs apart by an empty line; a line that starts with a blank is kept as it is.
  package let discussion: String
  /// Lines to try.
  package let examples: [Example]
  /// The heading it stands under in its parent's help; nil for "Commands".
  package let section: String?
  /// The commands below it, in the order of the help.
  package let subcommands: [Command]

  /// The lines that are meant by words people may say where a command stands ("app remove"): for hints alone.
  ///
  /// Asked for only where a word is no command, so that no start pays for it.
  let synonyms: @Sendable () -> [String: String]

  let action: Action<Context>?

  /// A group: it does nothing itself, and called with nothing shows its help.
  package init(
    _ name: String, summary: String, discussion: String = "", section: String? = nil, subcommands: [Command],
    synonyms: @escaping @Sendable () -> [String: String] = { [:] }
  ) {
    self.name = name
    self.summary = summary
    self.discussion = discussion
    self.examples = []
    self.section = section
    self.subcommands = subcommands
    self.synonyms = synonyms
    self.action = nil
  }

  /// A leaf, or a group with an action of its own.
  ///
  /// `parameters` is called only when this command is selected, or for its help. The values reach `run` in the order
  /// of the table, so the order in which options were written cannot matter.
  package init<each Value: Sendable>(
    _ name: String, summary: String, discussion: String = "", examples: [Example] = [],
    section: String? = nil, subcommands: [Command] = [],
    parameters: @escaping @Sendable () -> (repeat Parameter<each Value>),
    run: @escaping @Sendable (Context, repeat each Value) throws -> ExitCode
  ) {
    self.name = name
    self.summary = summary
    self.discussion = discussion
    self.examples = examples
    self.section = section
    self.subcommands = subcommands
    self.synonyms = { [:] }
    self.action = Action(parameters: parameters, run: run)
  }

  /// Whether it does something itself.
  package var hasAction: Bool { action != nil }

  /// The parameters without their types, in the table's order; `--help` is not among them.
  package var parameterDescriptions: [ParameterDescription] { action?.open().descriptions ?? [] }

  /// The command below this one by its names; itself for no names, nil if there is none.
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
