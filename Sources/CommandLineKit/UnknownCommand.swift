extension CommandSearch {
  /// The names and bare words in the order in which they were written, without options.
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
  /// The error for a word where only a command's name can stand; this command is the tool itself.
  func unknownCommand(_ word: String, below name: CommandName, bareWords: [String]) -> UsageError {
    let place = name.path.isEmpty ? "" : " for '\(name.full)'"
    let meant = suggestion(for: word, below: name.path, bareWords: bareWords)
    return name.error(
      "unknown-command", "unknown command '\(quotable(word))'\(place)",
      hint: meant.map { "did you mean '\(self.name) \($0)'?" } ?? commandsHint(name))
  }

  func commandsHint(_ name: CommandName) -> String {
    "run '\(([name.root, "help"] + name.path).joined(separator: " "))' to see the commands"
  }

  /// The best guess, surest first: the right words in another order, a known meaning of the words, the exact
  /// name elsewhere in the tree, a typing error here, a typing error elsewhere.
  ///
  /// Below a group, a command of another group is never suggested: what removes one thing does not remove
  /// another.
  func suggestion(for word: String, below path: [String], bareWords: [String]) -> String? {
    // The command `help` precedes the names; it does not follow them.
    if word == "help" { return (["help"] + path).joined(separator: " ") }
    let leaves = leafPaths
    let synonyms = synonyms()
    let reordered = leaves.filter { leaf in
      leaf.count > 1 && bareWords.prefix(leaf.count).sorted() == leaf.sorted()
    }
    if let only = reordered.first, reordered.count == 1 { return only.joined(separator: " ") }
    func said(_ word: String) -> String { (path + [word]).joined(separator: " ") }
    if let meant = synonyms[said(word.lowercased())] { return known(meant) }

    let others = leaves.filter { path.isEmpty || $0.count == 1 }
    let exact = others.filter { $0.last == word }
    if let only = exact.first, exact.count == 1 { return only.joined(separator: " ") }

    // Synonyms are among the candidates too, so that a misspelled synonym is not taken for another word.
    let head = path.isEmpty ? "" : path.joined(separator: " ") + " "
    let spoken = synonyms.keys.filter { $0.hasPrefix(head) }.map { String($0.dropFirst(head.count)) }
      .filter { !$0.contains(" ") }.sorted()
    let here = (command(at: path)?.subcommands ?? []).map(\.name) + (path.isEmpty ? ["help"] : [])
    if let name = closest(to: word, among: here + spoken) {
      return here.contains(name) ? said(name) : synonyms[said(name)].flatMap(known)
    }
    guard let name = closest(to: word, among: others.compactMap(\.last)) else { return nil }
    let near = others.filter { $0.last == name }
    return near.count == 1 ? near.first?.joined(separator: " ") : nil
  }

  /// The line, if it begins with the name of an existing command.
  private func known(_ line: String) -> String? {
    let names = line.split(separator: " ").map(String.init)
    var command = self
    var depth = 0
    while depth < names.count, let next = command.subcommand(named: names[depth]) {
      command = next
      depth += 1
    }
    return command.hasAction ? line : nil
  }

  /// The names of all commands that have an action, in the order of the tree.
  private var leafPaths: [[String]] {
    subcommands.flatMap { command in
      (command.hasAction ? [[command.name]] : []) + command.leafPaths.map { [command.name] + $0 }
    }
  }
}
