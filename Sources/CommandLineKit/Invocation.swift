/// A command whose parameters are parsed, ready to run.
package struct Invocation<Context>: Sendable {
  /// One parameter that was given, with the value written for it; nil for a flag.
  package struct Given: Sendable {
    let slot: ParameterSlot
    package let value: String?

    package var parameter: ParameterDescription { slot.description }

    /// The value as the command gets it; nil for a flag.
    package var parsed: (any Sendable)? { value.flatMap(slot.parse) }

    /// Whether the value stands for standard input or output, or the flag for standard input.
    package var isStream: Bool {
      switch parameter.path {
      case .input: value == "-" || parameter.kind == .flag
      case .output: value == "-"
      case .read, .host, nil: false
      }
    }

    /// What the file or directory that the value names is used for; nil if it names none.
    package var path: PathUse? {
      value.flatMap { !isStream && slot.namesPath($0) ? parameter.path : nil }
    }
  }

  package let call: Call

  package let reach: Reach

  package let parameters: [ParameterDescription]

  package let given: [Given]

  /// Throws what the command throws; a `UsageError` without a path gets this command's path.
  package let run: @Sendable (Context) throws -> ExitCode

  /// The value written for a parameter; nil if it was not given, and for a flag.
  package func value(of name: String) -> String? {
    given.first { $0.parameter.name == name }?.value
  }
}

/// What was called, in canonical form: in the order of the command's table, then of occurrence, and without
/// incidental parameters.
package struct Call: Sendable, Equatable {
  /// One parameter that was given.
  package struct Word: Sendable, Equatable {
    /// As in "--bundle-id", "VERSION".
    package let name: String
    package let value: String?

    package init(name: String, value: String?) {
      self.name = name
      self.value = value
    }
  }

  /// Without the tool's own name: `["app", "add"]`.
  package let path: [String]

  package let words: [Word]

  package init(path: [String], words: [Word]) {
    self.path = path
    self.words = words
  }
}

/// What the words of a command line ask for.
package enum Parsed<Context>: Sendable {
  /// The help page of a command, in complete lines.
  case help(path: [String], text: String)
  case incomplete(path: [String], text: String)
  case run(Invocation<Context>)
}

/// The exit status of a process, following the conventions of `sysexits.h`.
package struct ExitCode: RawRepresentable, Sendable, Hashable {
  package let rawValue: Int32

  package init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  package static let success = ExitCode(rawValue: 0)

  package static let usage = ExitCode(rawValue: 64)
}
