extension Command {
  /// Finds the command that the words name and parses its parameters; this command is the tool itself.
  ///
  /// The words do not include the tool's own name. Options may stand anywhere before `--`. The command is not
  /// run.
  package func parse(_ words: [String], width: Int = 80) throws(UsageError) -> Parsed<Context> {
    let end = words.firstIndex(of: "--") ?? words.endIndex
    let trailing = words[end...].dropFirst()
    if let help = words[..<end].firstIndex(where: WordShape.isHelp) {
      let search = CommandSearch(root: self, words: words[..<help])
      return .help(path: search.path, text: helpPage(of: search.command, at: search.path, width: width))
    }

    let search = CommandSearch(root: self, words: words[..<end])
    let spoken = CommandName(root: name, path: search.path)
    let usual = search.command.usual.flatMap(search.command.subcommand)
    let command = usual ?? search.command
    if search.asksForHelp, search.path.isEmpty, trailing.isEmpty, search.tokens.count == 2,
      case .word(let word)? = search.tokens.last, let topic = topic(named: word)
    {
      return .help(path: [], text: topic.page(width: width))
    }
    guard !search.asksForHelp, let opened = command.action?.open() else {
      try refuseExtraWords(of: search, trailing: trailing, name: spoken)
      let text = helpPage(of: search.command, at: search.path, width: width)
      return search.asksForHelp
        ? .help(path: search.path, text: text) : .incomplete(path: search.path, text: text)
    }

    let isGroup = !search.command.subcommands.isEmpty
    let bare = search.bareWords
    let path = search.path + (usual.map { [$0.name] } ?? [])
    var scan = WordScan(
      name: spoken, parameters: opened.slots.map(\.description),
      unknownCommand: isGroup ? { self.unknownCommand($0, below: spoken, bareWords: bare) } : nil)
    let occurrences = try scan.occurrences(of: search.tokens, trailing: trailing)
    let call = Call(
      path: path,
      words: occurrences.compactMap { occurrence in
        let parameter = opened.slots[occurrence.parameter].description
        return parameter.incidental ? nil : Call.Word(name: parameter.name, value: occurrence.value)
      })
    let given = occurrences.map { occurrence in
      Invocation<Context>.Given(slot: opened.slots[occurrence.parameter], value: occurrence.value)
    }
    return .run(
      Invocation(
        call: call, reach: command.reach, parameters: opened.slots.map(\.description), given: given,
        run: try opened.bind(occurrences, call, spoken)))
  }

  /// Where only names of commands may stand, refuses the first other word.
  private func refuseExtraWords(
    of search: CommandSearch<Context>, trailing: ArraySlice<String>, name: CommandName
  ) throws(UsageError) {
    var option: String?
    for case .word(let word) in search.tokens {
      if WordShape.isOption(word) {
        option = option ?? word
        continue
      }
      // After an option of an unknown command, the word may be its value, unless it looks like a command.
      let bare = search.bareWords
      guard let option, hint(for: word, below: name.path, bareWords: bare) == nil else {
        throw unknownCommand(word, below: name, bareWords: bare)
      }
      throw unplacedOption(option, name: name)
    }
    if let option { throw unplacedOption(option, name: name) }
    if let word = trailing.first {
      throw name.error(
        "unexpected-argument", "unexpected argument '\(quotable(word))' for '\(name.full)'",
        hint: commandsHint(name))
    }
  }

  private func unplacedOption(_ word: String, name: CommandName) -> UsageError {
    let option = WordShape.split(word).name
    var error = WordScan(name: name, parameters: [], unknownCommand: nil).unknownOption(option)
    if error.hint == name.helpHint { error.hint = commandsHint(name) }
    return error
  }
}
