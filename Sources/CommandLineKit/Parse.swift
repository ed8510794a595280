extension Command {
  /// Finds the command that the words name and parses its parameters; this command is the tool itself.
  ///
  /// The words do not include the tool's own name. Options may stand anywhere before `--`. The command is not
  /// run.
  package func parse(_ words: [String], width: Int = 80) throws(UsageError) -> Parsed<Context> {
    if let help = words.prefix(while: { $0 != "--" }).firstIndex(where: WordShape.isHelp) {
      let line = Line(self, words[..<help])
      return .help(path: line.path, text: helpPage(of: line.command, at: line.path, width: width))
    }
    guard !words.isEmpty else { return .incomplete(path: [], text: briefPage(width: width)) }
    let line = Line(self, words[...])
    if line.asksForHelp, line.path.isEmpty, words.count == 2, let topic = topic(named: words[1]) {
      return .help(path: [], text: topic.page(width))
    }
    let usual = line.command.usual.flatMap(line.command.subcommand)
    let command = usual ?? line.command
    let body = line.asksForHelp ? nil : command.open()
    let spoken = CommandName(root: name, path: line.path, isGroup: body == nil)
    // Below a leaf, no word can be the name of a command.
    let takesNames = body == nil || line.command.hasSubcommands
    let match = line.matched(
      with: body?.parameters ?? [], name: spoken,
      unknownCommand: takesNames ? { self.unknownCommand($0, below: spoken, line.bareWords) } : nil)
    guard let body else {
      if var error = match.error {
        // The word after an unknown option is probably its value, unless it looks like a command.
        if error.id == "usage.unknown-option", let word = line.others.first,
          hint(for: word, below: line.path, line.bareWords) != nil
        {
          error = unknownCommand(word, below: spoken, line.bareWords)
        }
        throw error
      }
      let text = helpPage(of: line.command, at: line.path, width: width)
      return line.asksForHelp ? .help(path: line.path, text: text) : .incomplete(path: line.path, text: text)
    }
    let given = try match.complete()
    let call = Call(
      path: line.path + (usual.map { [$0.name] } ?? []),
      words: given.compactMap {
        $0.parameter.incidental ? nil : Call.Word(name: $0.parameter.name, value: $0.value)
      })
    let run = try body.bind(given, call, spoken)
    return .run(
      Invocation(
        call: call, reach: command.reach, isReadOnly: command.isReadOnly, parameters: body.parameters,
        given: given
      ) { context in
        do {
          return try run(context)
        } catch let error as UsageError {
          throw spoken.named(error)
        }
      })
  }

  /// The command that a line names, however wrong the rest of the line is; this command is the tool itself.
  package func commandPath(in words: [String]) -> [String] {
    let line = Line(self, words[...])
    return (line.asksForHelp ? ["help"] : []) + line.path
  }

  /// The error for a word where only a command's name can stand; this command is the tool itself.
  private func unknownCommand(_ word: String, below name: CommandName, _ bareWords: [String]) -> UsageError {
    let place = name.path.isEmpty ? "" : " for '\(name.full)'"
    var group = name
    group.isGroup = true
    return name.error(
      "unknown-command", "unknown command '\(printable(word, limit: 80))'\(place)",
      hint: hint(for: word, below: name.path, bareWords) ?? group.helpHint)
  }

  /// What was probably meant, surest first: the tool's own answer to the words, the right words in another
  /// order, the exact name elsewhere in the tree, a typing error here, a typing error elsewhere.
  ///
  /// A hint runs nothing, so it may name a command that changes something; below a group, only the exact name of another
  /// command is taken for it, and only of one that changes nothing.
  private func hint(for word: String, below path: [String], _ bareWords: [String]) -> String? {
    func meant(_ path: [String]) -> String { "did you mean '\(([name] + path).joined(separator: " "))'?" }
    // The command `help` precedes the names; it does not follow them.
    if word == "help" { return meant(["help"] + path) }
    let hints = hints()
    let head = path.map { $0 + " " }.joined()
    if let hint = hints[head + word.lowercased()] { return hint }
    let leaves = leaves
    let known = leaves.filter { path.isEmpty || $0.path.count == 1 && $0.command.isReadOnly }
    let reordered = leaves.filter {
      $0.path.count > 1 && bareWords.prefix($0.path.count).sorted() == $0.path.sorted()
    }
    for found in [reordered, known.filter { $0.path.last == word }] where found.count == 1 {
      return meant(found[0].path)
    }
    // All words are candidates, so that a misspelled one is not taken for another.
    let spoken = hints.keys.filter { $0.hasPrefix(head) }.map { String($0.dropFirst(head.count)) }
    let here = (command(at: path)?.subcommands ?? []).map(\.name) + (path.isEmpty ? ["help"] : [])
    guard
      let near = closest(to: word, among: here + spoken.filter { !$0.contains(" ") })
        ?? (path.isEmpty ? closest(to: word, among: known.compactMap(\.path.last)) : nil)
    else { return nil }
    if here.contains(near) { return meant(path + [near]) }
    let harmless = known.filter { $0.path.last == near && $0.command.isReadOnly }
    return harmless.count == 1 ? meant(harmless[0].path) : nil
  }
}

/// The candidate that a mistyped word most likely stands for; nil if nothing is near, or if two are equally
/// likely.
///
/// It prefers, in this order, the same word in another letter case, the only candidate that starts with the
/// word, and the only one at the smallest distance. The distance counts letters inserted, left out, replaced,
/// and swapped with a neighbour. It may be 2, or 3 from eight letters on, and never more than a third of the longer
/// word. The opposite of a word is never suggested, however near: `force` for `unforce`, `--json` for
/// `--no-json`.
package func closest(to word: String, among candidates: [String]) -> String? {
  let typed = Array(word.lowercased().unicodeScalars)
  // Dashes alone would be a prefix of every option.
  guard typed.contains(where: { $0 != "-" }) else { return nil }
  let known = Set(candidates).filter { !areOpposite(word, $0) }
    .map { (word: $0, letters: Array($0.lowercased().unicodeScalars)) }
  for found in [known.filter { $0.letters == typed }, known.filter { $0.letters.starts(with: typed) }]
  where found.count == 1 {
    return found[0].word
  }
  let near = known.compactMap { word, letters -> (word: String, distance: Int)? in
    // The dashes of options are the same in all of them.
    let length = max(typed.count, letters.count) - letters.prefix { $0 == "-" }.count
    let limit = min(length < 8 ? 2 : 3, length / 3)
    // Words of very different length are skipped, so that a long typed word does not need a large table.
    guard abs(typed.count - letters.count) <= limit else { return nil }
    let distance = editDistance(typed, letters)
    return distance <= limit ? (word, distance) : nil
  }
  let least = near.map(\.distance).min()
  let best = near.filter { $0.distance == least }
  return best.count == 1 ? best[0].word : nil
}

private func areOpposite(_ word: String, _ other: String) -> Bool {
  let (word, other) = (word.lowercased(), other.lowercased())
  let (long, short) = word.count > other.count ? (word, other) : (other, word)
  let dashes = short.prefix { $0 == "-" }
  return ["un", "no", "no-", "non", "dis"].contains { long == dashes + $0 + short.dropFirst(dashes.count) }
}

/// The Damerau–Levenshtein distance in its restricted form: no letter is edited twice.
private func editDistance(_ from: [Unicode.Scalar], _ to: [Unicode.Scalar]) -> Int {
  var beforeLast: [Int] = []
  var last = Array(0...to.count)
  for (row, letter) in from.enumerated() {
    var current = [row + 1]
    for (column, other) in to.enumerated() {
      var cost = min(
        last[column] + (letter == other ? 0 : 1),
        last[column + 1] + 1,
        current[column] + 1)
      if row > 0, column > 0, letter == to[column - 1], from[row - 1] == other {
        cost = min(cost, beforeLast[column - 1] + 1)
      }
      current.append(cost)
    }
    beforeLast = last
    last = current
  }
  return last.last ?? from.count
}
