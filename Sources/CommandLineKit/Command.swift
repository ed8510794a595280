/// One command of a tool, or the tool itself: a group, a leaf, or a group with an action of its own.
///
/// A tree of commands is cheap to build: commands are made heading by heading until the named one is there, and
/// parameters only for that one.
package struct Command<Context>: Sendable {
  package let name: String
  /// What it does, in the imperative and without a full stop: "Add an app".
  package let summary: String
  /// Further paragraphs, separated by empty lines; a line that starts with a blank is kept as it is.
  package let discussion: String
  /// Lines to try, each with what it does.
  package fileprivate(set) var examples: [HelpRow] = []
  /// From where it may be used.
  package fileprivate(set) var reach = Reach.remote
  /// Whether it changes nothing.
  package fileprivate(set) var isReadOnly = false
  /// What exit code 1 means, if the command ends with it.
  package fileprivate(set) var no: String?
  /// For a group: the name of the command below that runs when none is named. For a command without such a one: the word
  /// that may follow it all the same, such as `list`.
  package fileprivate(set) var usual: String?
  /// The commands below it, by the headings of its help.
  let groups: [Group]

  /// A heading, and what makes its commands.
  package typealias Group = (heading: String, commands: @Sendable () -> [Command])

  /// The hints for words that are not commands ("app remove"), in lower case; called only for such a word.
  private(set) var hints: @Sendable () -> [String: String] = { [:] }

  /// For the tool itself: the topics that its help lists besides commands, or those of a name.
  package private(set) var topics: @Sendable (String?) -> [HelpTopic] = { _ in [] }

  fileprivate var body: (@Sendable () -> Body)?

  /// A group: it does nothing itself; called without a subcommand, it runs the usual one, or shows its help.
  package init(
    _ name: String, summary: String, discussion: String = "", usual: String? = nil,
    subcommands: @escaping @Sendable () -> [Command]
  ) {
    self.init(name, summary: summary, discussion: discussion, groups: [("Commands", subcommands)])
    self.usual = usual
  }

  /// The tool itself, whose commands stand under headings in its help; those used most come first.
  package init(
    _ name: String, summary: String, discussion: String, groups: [Group],
    hints: @escaping @Sendable () -> [String: String] = { [:] },
    topics: @escaping @Sendable (String?) -> [HelpTopic] = { _ in [] }
  ) {
    (self.name, self.summary, self.discussion, self.groups) = (name, summary, discussion, groups)
    (self.hints, self.topics) = (hints, topics)
  }

  /// A leaf, or a group with an action of its own; it stays on its host unless it says otherwise.
  ///
  /// The values reach `run` in the order of the table, whatever the order in which options are written.
  package init<each Value: Sendable>(
    _ name: String, reach: Reach = .host, isReadOnly: Bool = false, no: String? = nil, summary: String,
    discussion: String = "", examples: [HelpRow] = [],
    subcommands: (@Sendable () -> [Command])? = nil,
    parameters: @escaping @Sendable () -> (repeat Parameter<each Value>),
    run: @escaping @Sendable (Context, repeat each Value) throws -> ExitCode
  ) {
    (self.name, self.summary, self.discussion, self.examples) = (name, summary, discussion, examples)
    (self.reach, self.isReadOnly) = (reach, isReadOnly)
    groups = subcommands.map { [("Commands", $0)] } ?? []
    self.no = no ?? (isReadOnly ? nil : "refused, or not confirmed")
    body = {
      let table = parameters()
      var known: [ParameterDescription] = []
      for parameter in repeat each table { known += parameter.descriptions }
      return Body(parameters: known) { [known] given, call, name throws(UsageError) in
        let reader = ParameterReader(parameters: known, given: given, call: call, name: name)
        let values = (repeat try (each table).read(reader))
        return { context in try run(context, repeat each values) }
      }
    }
  }

  /// The command for another context, from which its own is made; the parameters that this takes come last.
  package func with<Outer, Shared: Sendable>(
    usual: String? = nil, subcommands: (@Sendable () -> [Command<Outer>])? = nil,
    _ shared: @escaping @Sendable () -> Parameter<Shared>,
    make: @escaping @Sendable (Outer, Shared) throws -> Context
  ) -> Command<Outer> {
    var command = Command<Outer>(
      name, summary: summary, discussion: discussion, groups: subcommands.map { [("Commands", $0)] } ?? [])
    (command.examples, command.reach, command.isReadOnly, command.no) = (examples, reach, isReadOnly, no)
    command.usual = usual
    guard let body else { return command }
    command.body = {
      let (inner, last) = (body(), shared())
      let known = inner.parameters + last.descriptions
      return Command<Outer>.Body(parameters: known) { given, call, name throws(UsageError) in
        let run = try inner.bind(given, call, name)
        let shared = try last.read(
          ParameterReader(parameters: known, given: given, call: call, name: name))
        return { outer in try run(make(outer, shared)) }
      }
    }
    return command
  }

  /// The parameters of a command, and what makes it ready to run with the values that are given for them.
  struct Body: Sendable {
    let parameters: [ParameterDescription]
    let bind:
      @Sendable ([Given], Call, CommandName) throws(UsageError) -> @Sendable (Context) throws -> ExitCode
  }

  /// Builds the parameters, hence called only for the selected command, or for its help; nil for a group.
  func open() -> Body? { body?() }

  /// Whether it does something itself, as a group does not.
  package var isRunnable: Bool { body != nil }

  /// Without their types, in the table's order and without `--help`.
  package var parameterDescriptions: [ParameterDescription] { open()?.parameters ?? [] }

  /// The command at a path below this one; itself for an empty path, nil for an unknown one.
  package func command(at path: [String]) -> Command? {
    path.reduce(self as Command?) { $0?.subcommand(named: $1) }
  }

  func subcommand(named name: String) -> Command? {
    for group in groups {
      if let found = group.commands().first(where: { $0.name == name }) { return found }
    }
    return nil
  }

  package var subcommands: [Command] { groups.flatMap { $0.commands() } }

  package var hasSubcommands: Bool { !groups.isEmpty }

  /// The runnable commands below this one, each with its path from here.
  package var leaves: [(path: [String], command: Command)] {
    subcommands.flatMap { below in
      (below.isRunnable ? [([below.name], below)] : [])
        + below.leaves.map { ([below.name] + $0.path, $0.command) }
    }
  }

  /// The options of the commands below, each name once.
  package var optionsBelow: [ParameterDescription] {
    var known: Set<String> = []
    return leaves.flatMap(\.command.parameterDescriptions).filter {
      $0.kind != .argument && known.insert($0.name).inserted
    }
  }
}
