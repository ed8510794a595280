struct CommandSearch<Context> {
  /// A word before `--`: either a name that helps select the command, or any other word.
  enum Token {
    case command(String)
    case word(String)
  }

  private(set) var command: Command<Context>
  private(set) var path: [String] = []
  private(set) var tokens: [Token] = []

  /// Whether the words start with `help`, so that the rest name the command to explain.
  private(set) var asksForHelp = false

  /// Follows the words as deep as they name commands; nothing is an error here.
  ///
  /// Options may stand before a name, when their table is not known yet. So a word after an option counts as
  /// its value unless it names a command; if the command at that point has an action, its own table decides.
  init(root: Command<Context>, words: ArraySlice<String>) {
    command = root
    var rest = words
    var own: [ParameterDescription]?
    while let word = rest.popFirst() {
      if command.subcommands.isEmpty {
        // No names can follow, and a leaf's table must not be built twice.
        tokens.append(.word(word))
      } else if WordShape.isOption(word) {
        tokens.append(.word(word))
        let known = own ?? command.parameterDescriptions
        own = known
        if let next = rest.first, takesValue(word, next: next, known: known) {
          tokens.append(.word(next))
          rest = rest.dropFirst()
        }
      } else if let next = command.subcommand(named: word) {
        command = next
        own = nil
        path.append(word)
        tokens.append(.command(word))
      } else if word == "help", path.isEmpty {
        asksForHelp = true
        tokens.append(.command(word))
      } else {
        tokens.append(.word(word))
        tokens += rest.map(Token.word)
        return
      }
    }
  }

  private func takesValue(_ word: String, next: String, known: [ParameterDescription]) -> Bool {
    let (name, value) = WordShape.split(word)
    guard value == nil, WordShape.isLong(word), !WordShape.isLong(next) else { return false }
    if let parameter = known.first(where: { $0.name == name }) { return parameter.kind == .option }
    let namesCommand = command.subcommand(named: next) != nil || (path.isEmpty && next == "help")
    return !WordShape.isOption(next) && !namesCommand
  }
}
