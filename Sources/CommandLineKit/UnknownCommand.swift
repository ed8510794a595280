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
    let hint = hint(for: word, below: name.path, bareWords: bareWords)
    return name.error(
      "unknown-command", "unknown command '\(quotable(word))'\(place)", hint: hint ?? commandsHint(name))
  }

  func commandsHint(_ name: CommandName) -> String {
    "run '\(([name.root, "help"] + name.path).joined(separator: " "))' to see the commands"
  }

  /// What was probably meant, surest first: the tool's own answer to the words, the right words in another
  /// order, the exact name elsewhere in the tree, a typing error here, a typing error elsewhere.
  ///
  /// A hint runs nothing, so it may name a command that changes something; below a group, a guess at another group's
  /// command names only what changes nothing.
  func hint(for word: String, below path: [String], bareWords: [String]) -> String? {
    func meant(_ path: [String]) -> String { "did you mean '\(([name] + path).joined(separator: " "))'?" }
    // The command `help` precedes the names; it does not follow them.
    if word == "help" { return meant(["help"] + path) }
    let hints = hints()
    if let hint = hints[(path + [word.lowercased()]).joined(separator: " ")] { return hint }
    let leaves = leafPaths
    let reordered = leaves.filter { leaf in
      leaf.count > 1 && bareWords.prefix(leaf.count).sorted() == leaf.sorted()
    }
    if let only = reordered.first, reordered.count == 1 { return meant(only) }

    let harmless = leaves.filter { command(at: $0)?.asks == true }
    let exact = path.isEmpty ? leaves : harmless.filter { $0.count == 1 }
    let named = exact.filter { $0.last == word }
    if let only = named.first, named.count == 1 { return meant(only) }

    // All words are candidates, so that a misspelled one is not taken for another.
    let here = (command(at: path)?.subcommands ?? []).map(\.name) + (path.isEmpty ? ["help"] : [])
    let head = path.map { $0 + " " }.joined()
    let spoken = hints.keys.filter { $0.hasPrefix(head) }.map { String($0.dropFirst(head.count)) }
      .filter { !$0.contains(" ") }.sorted()
    let near =
      closest(to: word, among: here + spoken)
      ?? closest(to: word, among: (path.isEmpty ? leaves : exact).compactMap(\.last))
    guard let near else { return nil }
    if path.isEmpty, near == "help" { return meant(["help"]) }
    if command(at: path + [near]) != nil { return meant(path + [near]) }
    let found = harmless.filter { $0.last == near && (path.isEmpty || $0.count == 1) }
    return found.count == 1 ? found.first.map(meant) : nil
  }

  private var leafPaths: [[String]] {
    subcommands.flatMap { command in
      (command.hasAction ? [[command.name]] : []) + command.leafPaths.map { [command.name] + $0 }
    }
  }
}
