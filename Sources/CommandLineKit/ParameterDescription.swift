/// A parameter without its types: what help, documentation and completions need to know.
package struct ParameterDescription: Sendable, Equatable {
  /// How a parameter is written.
  package enum Kind: Sendable, Hashable {
    /// `--name VALUE`.
    case option
    /// `--name`.
    case flag
    /// A bare word, identified by its place.
    case argument
  }

  /// How it is written.
  package let kind: Kind
  /// The name as written, including dashes ("--reason"), or an argument's name in capitals ("VERSION").
  package let name: String
  /// The letter of a flag's short form.
  package let short: Character?
  /// The placeholder for the value in help: an argument's own name, nil for a flag.
  package let valueName: String?
  /// What it is for.
  package let help: String
  /// The heading for the parameter in help; "Arguments" for an argument.
  package let section: String
  /// Whether the command requires the parameter.
  package let required: Bool
  /// Whether it may be given more than once.
  package let repeatable: Bool
  /// The allowed words; empty if any word that parses is allowed.
  package let allowed: [String]
  /// What a shell offers for the value.
  package let completion: Completion
  /// Whether it affects how a command runs or reports rather than what it does, and so is left out of the
  /// canonical form.
  package let incidental: Bool
  /// Whether it only says how other words are read, or when the command may run, and so is left out where a
  /// call is written down for later.
  package let transient: Bool
  /// What its value is used for as the name of a file or directory, nil if it names none; a flag with `input`
  /// makes the command read standard input.
  package let path: PathUse?
  /// From where it may be given.
  package let reach: Reach

  /// The name with its value, as errors and help show it: "--reason TEXT".
  package var label: String {
    guard kind == .option, let valueName else { return name }
    return "\(name) \(valueName)"
  }

  /// The help text with the allowed words, and whether it is required or an option is repeatable.
  package var fullHelp: String {
    var text = help
    if !allowed.isEmpty { text += " (one of \(allowed.joined(separator: ", ")))" }
    if required { text += " (required)" }
    if kind == .option && repeatable { text += " (repeatable)" }
    return text
  }

  /// Whether it is one of the options that many commands have under a heading of their own.
  var isShared: Bool { kind != .argument && section != "Options" }

  init(
    _ kind: Kind, _ name: String, short: Character? = nil, valueName: String? = nil, help: String,
    section: String = "Options", required: Bool = false, repeatable: Bool = false, allowed: [String] = [],
    completion: Completion = .none, incidental: Bool = false, transient: Bool = false, path: PathUse? = nil,
    reach: Reach = .remote
  ) {
    self.kind = kind
    self.name = name
    self.short = short
    self.valueName = valueName
    self.help = help
    self.section = kind == .argument ? "Arguments" : section
    self.required = required
    self.repeatable = repeatable
    self.allowed = allowed
    self.completion = completion
    self.incidental = incidental
    self.transient = transient
    self.path = path
    self.reach = reach
  }
}
