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
    for words: [String], at index: Int, live: @escaping (CompletionQuestion) -> [Candidate]
  ) -> Offers {
    let index = min(max(index, 0), words.count)
    let word = index < words.count ? words[index] : ""
    let before = words[..<index]
    let end = before.firstIndex(of: "--") ?? before.endIndex
    let search = CommandSearch(root: self, words: before[..<end])
    let command = search.command
    let table = command.hasAction ? command.parameterDescriptions : command.optionsBelow
    var scan = CompletionScan(parameters: table)
    for case .word(let word) in search.tokens { scan.take(word) }
    for word in before[end...] { scan.take(word) }
    var whole = scan
    whole.takeUnfinished(word)
    for word in words[index...].dropFirst() { whole.take(word) }

    let line = UnfinishedLine(word: word, given: whole.given, live: live)
    if let option = scan.pending, !WordShape.isLong(word) { return line.values(of: option) }
    if WordShape.isLong(word), !scan.isOver {
      let (name, value) = WordShape.split(word)
      if let value {
        guard let option = scan.option(named: name), option.kind == .option else { return Offers() }
        return UnfinishedLine(word: value, given: whole.given, live: live).values(
          of: option, after: name + "=")
      }
    }
    if search.asksForHelp { return scan.argumentCount == 0 ? line.commands(of: command) : Offers() }
    let options = command.hasAction ? table : command.optionsOfAllBelow
    if word.utf8.first == UInt8(ascii: "-"), !scan.isOver { return line.options(options) }

    var offers = Offers()
    if !scan.isOver, scan.argumentCount == 0 {
      offers = line.commands(of: command)
      if search.path.isEmpty { offers.candidates += line.help }
    }
    if let argument = scan.nextArgument {
      let values = line.values(of: argument)
      offers.candidates += values.candidates
      offers.names = values.names
    }
    // If no other word can follow, an empty word may become an option; a required argument must not turn into
    // dashes.
    let isUnknown = !command.hasAction && scan.argumentCount > 0
    guard offers == Offers(), word.isEmpty, !scan.isOver, !isUnknown, !scan.needsArgument else {
      return offers
    }
    return line.options(options)
  }

  var optionsBelow: [ParameterDescription] {
    var known: Set<String> = []
    return leaves.flatMap(\.parameterDescriptions).filter {
      $0.kind != .argument && known.insert($0.name).inserted
    }
  }

  /// The options that every command below has, and that may therefore stand before the command's name.
  private var optionsOfAllBelow: [ParameterDescription] {
    let tables = leaves.map(\.parameterDescriptions)
    return optionsBelow.filter { option in tables.allSatisfy { $0.contains { $0.name == option.name } } }
  }

  private var leaves: [Command] {
    subcommands.flatMap { ($0.hasAction ? [$0] : []) + $0.leaves }
  }
}

extension Command {
  /// The words of a line, however wrong it is, that are neither options nor their values: first the verb. This command
  /// is the tool itself.
  package func bareWords(in words: [String]) -> [String] {
    let options = leaves.flatMap(\.parameterDescriptions).filter { $0.kind != .argument }
    var rest = words.prefix { $0 != "--" }
    var bare: [String] = []
    while let word = rest.popFirst() {
      guard WordShape.isOption(word) else {
        bare.append(word)
        continue
      }
      let (name, value) = WordShape.split(word)
      guard value == nil, let next = rest.first, !WordShape.isOption(next) else { continue }
      let kinds = options.filter { $0.name == name }.map(\.kind)
      // What an unknown option is followed by is its value, unless it names a command.
      if kinds.contains(.option) || kinds.isEmpty && bare.isEmpty && subcommand(named: next) == nil {
        rest = rest.dropFirst()
      }
    }
    return bare
  }
}

private struct UnfinishedLine {
  let word: String
  let given: [CompletionQuestion.Given]
  let live: (CompletionQuestion) -> [Candidate]

  /// The values of a parameter; `head` precedes each value in the same word.
  func values(of parameter: ParameterDescription, after head: String = "") -> Offers {
    switch parameter.completion {
    case .file: return Offers(names: .files)
    case .directory: return Offers(names: .directories)
    case .none, .values: return Offers(fitting(parameter.allowed.map { Candidate($0) }, after: head))
    case .custom(let kind):
      let known = live(CompletionQuestion(kind: kind, word: word, given: given))
      return Offers(fitting(known.isEmpty ? parameter.allowed.map { Candidate($0) } : known, after: head))
    }
  }

  func options(_ parameters: [ParameterDescription]) -> Offers {
    let open = parameters.filter { parameter in
      parameter.kind != .argument
        && (parameter.repeatable || !given.contains { $0.parameter.name == parameter.name })
    }
    return Offers(fitting(open.map { Candidate($0.name, $0.help) } + [Candidate("--help", "Show this help")]))
  }

  func commands<Context>(of command: Command<Context>) -> Offers {
    Offers(fitting(command.subcommands.map { Candidate($0.name, $0.summary) }))
  }

  /// The name `help`, which is in no table of commands.
  var help: [Candidate] { fitting([Candidate("help", "Show the help of a command")]) }

  private func fitting(_ candidates: [Candidate], after head: String = "") -> [Candidate] {
    candidates.filter { $0.isPlain && $0.word.utf8.starts(with: word.utf8) }
      .map { head.isEmpty ? $0 : Candidate(head + $0.word, $0.help) }
  }
}
