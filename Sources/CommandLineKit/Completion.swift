/// A word that a shell offers.
package struct Candidate: Sendable, Equatable {
  /// The word as it goes into the line.
  package let word: String
  /// What it is, for shells that show it; empty where there is nothing to say.
  package let help: String

  /// Pairs a word with what it is.
  package init(_ word: String, _ help: String = "") {
    self.word = word
    self.help = help
  }

  /// Whether every shell reads the word as nothing but itself, so that it needs no quotes.
  ///
  /// A completed word stands in a command line: one that a shell would read otherwise is never offered.
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
  /// Which of its own names the shell offers.
  package enum Names: String, Sendable {
    /// None; the candidates are all there is.
    case words
    /// Files.
    case files
    /// Directories.
    case directories
  }

  /// The words, best first.
  package var candidates: [Candidate]
  /// The names of files that the shell is to find by itself.
  package var names: Names

  /// Puts offers together; nothing at all when nothing is said.
  package init(_ candidates: [Candidate] = [], names: Names = .words) {
    self.candidates = candidates
    self.names = names
  }

  /// The lines that a completion script reads: which names, then a word a line, with a tab before what it is.
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

/// What the tool is asked when the words for a value are not in the table.
package struct CompletionQuestion: Sendable {
  /// A parameter that stands on the line with its value; nil for a flag.
  package struct Given: Sendable, Equatable {
    package let parameter: ParameterDescription
    package let value: String?

    /// Pairs a parameter with what was written for it.
    package init(_ parameter: ParameterDescription, _ value: String?) {
      self.parameter = parameter
      self.value = value
    }
  }

  /// The name of `Completion.custom`.
  package let kind: String
  /// What is written of the value.
  package let word: String
  /// What else is on the line, in its order, before the value or after it.
  package let given: [Given]

  /// The value of an option by its name, dashes included.
  package func value(of option: String) -> String? {
    given.last { $0.parameter.name == option }?.value
  }

  /// The value of a kind: that of an argument before that of an option.
  package func value(ofKind kind: String) -> String? {
    let found = given.filter { $0.parameter.completion == .custom(kind) && $0.value != nil }
    return (found.first { $0.parameter.kind == .argument } ?? found.first)?.value
  }
}

/// What a shell offers for a value.
package enum Completion: Sendable, Equatable {
  /// Nothing: the value is free text.
  case none
  /// Names of files.
  case file
  /// Names of directories.
  case directory
  /// The allowed words of the type.
  case values
  /// Whatever the tool's own completion script knows by this name, such as "versions".
  case custom(String)
}
