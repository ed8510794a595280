extension CommandSearch {
  /// The names and bare words in the order they were written, options left out.
  var bareWords: [String] {
    tokens.compactMap { token in
      switch token {
      case .command(let word): word
      case .word(let word): WordShape.isOption(word) ? nil : word
      }
    }
  }
}

extension Command {
  /// The error for a word where only the name of a command can stand; this command is the tool itself.
  func unknownCommand(_ word: String, below name: CommandName, bareWords: [String]) -> UsageError {
    let place = name.path.isEmpty ? "" : " for '\(name.full)'"
    let meant = suggestedPath(for: word, below: name.path, bareWords: bareWords)
    return name.error(
      "unknown-command", "unknown command '\(quotable(word))'\(place)",
      hint: meant.map { "did you mean '\(([self.name] + $0).joined(separator: " "))'?" }
        ?? commandsHint(name))
  }

  func commandsHint(_ name: CommandName) -> String {
    "run '\(([name.root, "help"] + name.path).joined(separator: " "))' to see the commands"
  }

  /// The best guess, surest first: the right words in another order, the exact name elsewhere in the tree, a
  /// slip of the pen here, a slip of the pen elsewhere.
  func suggestedPath(for word: String, below path: [String], bareWords: [String]) -> [String]? {
    // The command `help` stands before the names, not after them.
    if word == "help" { return ["help"] + path }
    let leaves = leafPaths
    let reordered = leaves.filter { leaf in
      leaf.count > 1 && bareWords.prefix(leaf.count).sorted() == leaf.sorted()
    }
    if let only = reordered.first, reordered.count == 1 { return only }

    let exact = leaves.filter { $0.last == word }
    if let only = exact.first, exact.count == 1 { return only }

    let here = (command(at: path)?.subcommands ?? []).map(\.name) + (path.isEmpty ? ["help"] : [])
    if let name = closest(to: word, among: here) { return path + [name] }

    guard let name = closest(to: word, among: leaves.compactMap(\.last)) else { return nil }
    let near = leaves.filter { $0.last == name }
    return near.count == 1 ? near.first : nil
  }

  /// The names of all commands that do something, in the order of the tree.
  private var leafPaths: [[String]] {
    subcommands.flatMap { command in
      (command.hasAction ? [[command.name]] : []) + command.leafPaths.map { [command.name] + $0 }
    }
  }
}
