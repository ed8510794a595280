/// What the words of a command line ask for.
package enum Parsed<Context>: Sendable {
  /// The help page of a command, in complete lines.
  case help(path: [String], text: String)
  /// The name of a group alone, with the page to show for it.
  case incomplete(path: [String], text: String)
  case run(Invocation<Context>)
}

/// A command whose parameters are parsed, ready to run.
package struct Invocation<Context>: Sendable {
  package let call: Call

  package let reach: Reach
  package let isReadOnly: Bool

  package let parameters: [ParameterDescription]

  package let given: [Given]

  /// Throws what the command throws; a `UsageError` without a path gets this command's path.
  package let run: @Sendable (Context) throws -> ExitCode

  /// The value written for a parameter; nil if it was not given, and for a flag.
  package func value(of name: String) -> String? {
    given.first { $0.parameter.name == name }?.value
  }
}

/// One parameter that is on the line, with the value written for it; nil for a flag.
package struct Given: Sendable {
  package let parameter: ParameterDescription
  package let value: String?

  /// The value as the command gets it; nil for a flag.
  package var parsed: (any Sendable)? { value.flatMap(parameter.parse) }

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
    value.flatMap { !isStream && parameter.namesPath($0) ? parameter.path : nil }
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

    package init(name: String, value: String?) { (self.name, self.value) = (name, value) }
  }

  /// Without the tool's own name: `["app", "add"]`.
  package let path: [String]

  package let words: [Word]

  package init(path: [String], words: [Word]) { (self.path, self.words) = (path, words) }
}

/// From where a command, or one of its options, may be used.
package enum Reach: Sendable, Hashable {
  /// Only on the host that runs it, never at the request of another one.
  case host
  /// Only where the caller is, even if the data is on another host.
  case caller
  /// At the request of another host, too.
  case remote
  /// At the request of another host, for keys that may run the command that this one then runs.
  case relay
  /// At the request of another host, which asks again until the answer is the one it waits for.
  case repeated

  package var isServed: Bool { self != .host && self != .caller }
}

/// What a command does with a file or directory whose name it is given.
package enum PathUse: Sendable, Equatable {
  case read
  /// It reads the file, or standard input for `-`.
  case input
  /// It writes the file for whoever calls it, or standard output for `-`.
  case output
  /// It uses the file or directory of the host that runs it.
  case host
}

/// The exit status of a process, following the conventions of `sysexits.h`.
package struct ExitCode: RawRepresentable, Sendable, Hashable {
  package let rawValue: Int32

  package init(rawValue: Int32) { self.rawValue = rawValue }

  package static let success = ExitCode(rawValue: 0)
  package static let usage = ExitCode(rawValue: 64)
}
