/// A parameter without its types: what help, documentation and completions need to know.
package struct ParameterDescription: Sendable, Equatable {
  /// How a parameter is written.
  package enum Kind: Sendable, Hashable {
    case option
    case flag
    case argument
  }

  package let kind: Kind
  /// As written, including dashes ("--reason"), or an argument's name in capitals ("VERSION").
  package let name: String
  package var short: Character?
  /// The placeholder for the value in help: an argument's own name, nil for a flag.
  package var valueName: String?
  package let help: String
  /// The heading for the parameter in help; "Arguments" for an argument.
  package var section = "Options"
  package var required = false
  package var repeatable = false
  /// The allowed words; empty if any word that parses is allowed.
  package var allowed: [String] = []
  package var completion: Completion = .none
  /// Whether it affects how a command runs or reports rather than what it does, and so is left out of the
  /// canonical form.
  package var incidental = false
  /// Whether it only says how other words are read, or when the command may run, and so is left out where a
  /// call is written down for later.
  package var transient = false
  /// What its value is used for as the name of a file or directory, nil if it names none; a flag with `input`
  /// makes the command read standard input.
  package var path: PathUse?
  /// The options any of which takes an argument's place, so that the next bare word is the next argument's.
  package var replacedBy: [String] = []
  package var reach: Reach = .remote

  /// Whether one of the options that are given takes its place.
  func isReplaced(by options: Set<String>) -> Bool { replacedBy.contains(where: options.contains) }

  /// With its value, as errors and help show it: "--reason TEXT".
  package var label: String {
    guard kind == .option, let valueName else { return name }
    return "\(name) \(valueName)"
  }

  /// The help text with the allowed words, and whether it is required or an option is repeatable.
  package var fullHelp: String {
    var text = help
    if !allowed.isEmpty { text += " (one of \(allowed.joined(separator: ", ")))" }
    if required {
      text +=
        replacedBy.isEmpty ? " (required)" : " (required without \(replacedBy.joined(separator: " or ")))"
    }
    if kind == .option && repeatable { text += " (repeatable)" }
    return text
  }

  /// Whether it is one of the options that many commands have under a heading of their own.
  var isShared: Bool { kind != .argument && section != "Options" }
}
