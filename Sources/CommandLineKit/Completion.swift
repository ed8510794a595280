/// A word that a shell offers.
package struct Candidate: Sendable, Equatable {
  package let word: String
  /// For shells that show it; may be empty.
  package let help: String

  package init(_ word: String, _ help: String = "") {
    self.word = word
    self.help = help
  }

  /// Whether every shell reads the word literally: one that a shell would interpret is never offered.
  var isPlain: Bool {
    !word.isEmpty
      && word.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "-._:=/+,@%".utf8.contains(byte)
        }
      }
  }
}

/// What a shell offers for one word of a line.
package struct Offers: Sendable, Equatable {
  /// The names that the shell itself adds to the candidates.
  package enum Names: String, Sendable {
    case words
    case files
    case directories
  }

  package var candidates: [Candidate]
  package var names: Names

  package init(_ candidates: [Candidate] = [], names: Names = .words) {
    self.candidates = candidates
    self.names = names
  }

  /// The lines that a completion script reads: the kind of names, then one word per line, with a tab before
  /// its description.
  package var text: String {
    var text = names.rawValue + "\n"
    for candidate in candidates {
      text += candidate.word
      if !candidate.help.isEmpty { text += "\t" + printable(candidate.help, limit: 80) }
      text += "\n"
    }
    return text
  }
}

/// The question to the tool when the words for a value are not in the table.
package struct CompletionQuestion: Sendable {
  /// A parameter on the line with its value, which is nil for a flag.
  package struct Given: Sendable, Equatable {
    package let parameter: ParameterDescription
    package let value: String?
  }

  package let kind: String
  package let word: String
  /// The other parameters on the line in their order, before and after the value.
  package let given: [Given]

  /// The value of an option by its name, including the dashes.
  package func value(of option: String) -> String? {
    given.last { $0.parameter.name == option }?.value
  }

  /// The value of a kind; an argument takes precedence over an option.
  package func value(ofKind kind: String) -> String? {
    let found = given.filter { $0.parameter.completion == .custom(kind) && $0.value != nil }
    return (found.first { $0.parameter.kind == .argument } ?? found.first)?.value
  }
}

/// What a shell offers for a value.
package enum Completion: Sendable, Equatable {
  case none
  case file
  case directory
  case values
  /// Whatever the tool itself offers under this name, such as "versions".
  case custom(String)
}
