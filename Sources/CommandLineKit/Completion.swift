/// A word that a shell offers.
package struct Candidate: Sendable, Equatable {
  package let word: String
  /// For shells that show it; may be empty.
  package let help: String

  package init(_ word: String, _ help: String = "") { (self.word, self.help) = (word, help) }

  /// Whether every shell reads the word literally: one that a shell would interpret is never offered.
  var isPlain: Bool {
    !word.isEmpty
      && word.utf8.allSatisfy { byte in
        "-._:=/+,@%".utf8.contains(byte)
          || [0x30...0x39, 0x41...0x5A, 0x61...0x7A].contains { $0.contains(byte) }
      }
  }
}

/// What a shell offers for one word of a line.
package enum Offers: Sendable, Equatable {
  case words([Candidate])
  /// The names of files, which the shell itself knows.
  case files
  case directories

  /// The lines that a completion script reads: the kind of names, then one word per line, with a tab before
  /// its description.
  package var text: String {
    switch self {
    case .files: "files\n"
    case .directories: "directories\n"
    case .words(let words):
      (["words"] + words.map { $0.word + ($0.help.isEmpty ? "" : "\t" + printable($0.help, limit: 80)) })
        .map { $0 + "\n" }.joined()
    }
  }
}

/// What a shell offers for a value.
package enum Completion: Sendable, Equatable {
  case none, file, directory, values
  /// Whatever the tool itself offers under this name, such as "versions".
  case custom(String)
}

/// The question to the tool when the words for a value are not in the table.
package struct CompletionQuestion: Sendable {
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

extension Command {
  /// What a shell offers for one word of an unfinished line; this command is the tool itself.
  ///
  /// It reads the line by the rules of `parse`; every unfinished line breaks some of them, so nothing is an
  /// error here. The word, and what is offered for it, end at the cursor.
  ///
  /// - Parameters:
  ///   - words: The line without the tool's own name.
  ///   - index: Of the word being written; the number of words means a new one.
  ///   - live: Finds the candidates for values that are not in the table.
  package func offers(
    for words: [String], at index: Int, live: (CompletionQuestion) -> [Candidate]
  ) -> Offers {
    let index = min(max(index, 0), words.count)
    let word = index < words.count ? words[index] : ""
    let line = Line(self, words[..<index])
    let command = line.command
    let table = command.isRunnable ? command.parameterDescriptions : command.optionsBelow
    let match = line.matched(with: table, name: CommandName(root: name, path: line.path))
    var whole = match
    whole.takeUnfinished(word)
    for word in words[index...].dropFirst() { whole.take(word) }

    func fitting(_ candidates: [Candidate], _ word: String = word, after head: String = "") -> [Candidate] {
      candidates.filter { $0.isPlain && $0.word.utf8.starts(with: word.utf8) }
        .map { Candidate(head + $0.word, $0.help) }
    }
    // The head precedes each value in the same word.
    func values(of parameter: ParameterDescription, _ word: String = word, after head: String = "") -> Offers
    {
      var known: [Candidate] = []
      switch parameter.completion {
      case .file: return .files
      case .directory: return .directories
      case .none, .values: break
      case .custom(let kind): known = live(CompletionQuestion(kind: kind, word: word, given: whole.given))
      }
      return .words(
        fitting(known.isEmpty ? parameter.allowed.map { Candidate($0) } : known, word, after: head))
    }

    if let option = match.pending, !WordShape.isLong(word) { return values(of: option) }
    if WordShape.isLong(word), !match.isOver, case (let name, let value?) = WordShape.split(word) {
      guard let option = match.option(named: name), option.kind == .option else { return .words([]) }
      return values(of: option, value, after: name + "=")
    }
    var candidates: [Candidate] = []
    if !match.isOver, match.argumentCount == 0 {
      candidates = command.subcommands.map { Candidate($0.name, $0.summary) }
      if line.path.isEmpty, !line.asksForHelp {
        candidates.append(Candidate("help", "Show the help of a command"))
      }
    }
    if line.asksForHelp { return .words(fitting(candidates)) }

    // Before the name of a command stand the options that all commands have.
    let options = (command.isRunnable ? table : command.optionsOfAllBelow).filter { parameter in
      parameter.kind != .argument
        && (parameter.repeatable || !whole.given.contains { $0.parameter.name == parameter.name })
    }
    let open = fitting(options.map { Candidate($0.name, $0.help) } + [Candidate("--help", "Show this help")])
    if word.utf8.first == UInt8(ascii: "-"), !match.isOver { return .words(open) }
    candidates = fitting(candidates)
    if let argument = match.nextArgument {
      guard case .words(let values) = values(of: argument) else { return values(of: argument) }
      candidates += values
    }
    // If no other word can follow, an empty word may become an option; a required argument must not turn into
    // dashes.
    let isUnknown = !command.isRunnable && match.argumentCount > 0
    let mayBeOption = word.isEmpty && !match.isOver && !isUnknown && !match.needsArgument
    return .words(candidates.isEmpty && mayBeOption ? open : candidates)
  }

  /// The options that every command below has, and that may therefore stand before the command's name.
  private var optionsOfAllBelow: [ParameterDescription] {
    let tables = leaves.map(\.command.parameterDescriptions)
    return optionsBelow.filter { option in tables.allSatisfy { $0.contains { $0.name == option.name } } }
  }
}

/// A shell whose command lines can be completed.
package enum CompletionShell: String, CaseIterable, Sendable {
  case bash, zsh, fish
}

extension Command {
  /// The word with which a completion script asks the tool; it is not a command, and not mentioned in help.
  package static var completionEntry: String { "--complete" }

  /// The completion script for a shell; this command is the tool itself.
  ///
  /// They only pass words on: the tool answers `TOOL --complete INDEX -- WORDS…`. Bash splits words at `=` and `:`, which
  /// its script joins again, and drops quotes and backslashes, which no offered word contains.
  package func completionScript(for shell: CompletionShell) -> String {
    let script =
      switch shell {
      case .bash: PackageResources.bash_completion
      case .zsh: PackageResources.zsh_completion
      case .fish: PackageResources.fish_completion
      }
    // A character stands for the name: a search for a word would link the library of regular expressions, a megabyte.
    return String(decoding: script, as: UTF8.self).split(separator: "§", omittingEmptySubsequences: false)
      .joined(separator: name)
  }

  /// - Parameter request: The words after `completionEntry`; a malformed request gets no offers.
  package func completionAnswer(
    to request: ArraySlice<String>, live: (CompletionQuestion) -> [Candidate]
  ) -> String {
    guard let index = request.first.flatMap({ Int($0) }), request.dropFirst().first == "--" else {
      return Offers.words([]).text
    }
    return offers(for: Array(request.dropFirst(2)), at: index, live: live).text
  }
}
