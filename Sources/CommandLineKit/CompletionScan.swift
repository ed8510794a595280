/// The words of a line that is still being written, matched with a table as far as they go; nothing is an error.
struct CompletionScan {
  let parameters: [ParameterDescription]
  /// What is on the line so far.
  private(set) var given: [CompletionQuestion.Given] = []
  /// The option that waits for its value.
  private(set) var pending: ParameterDescription?
  /// Whether `--` has come, after which all words are arguments.
  private(set) var isOver = false
  /// How many bare words there were.
  private(set) var argumentCount = 0

  init(parameters: [ParameterDescription]) {
    self.parameters = parameters
  }

  /// The argument that the next bare word is; nil if there is none left.
  var nextArgument: ParameterDescription? {
    let arguments = parameters.filter { $0.kind == .argument }
    if argumentCount < arguments.count { return arguments[argumentCount] }
    return arguments.last.flatMap { $0.repeatable ? $0 : nil }
  }

  /// Whether the next bare word is one that the command cannot do without.
  var needsArgument: Bool {
    let arguments = parameters.filter { $0.kind == .argument }
    return argumentCount < arguments.count && arguments[argumentCount].required
  }

  /// Takes the next word, by the rules of `WordScan`.
  mutating func take(_ word: String) {
    guard !isOver else { return takeArgument(word) }
    if let option = pending {
      pending = nil
      if !WordShape.isLong(word) {
        given.append(.init(option, word))
        return
      }
    }
    if word == "--" {
      isOver = true
    } else if !WordShape.isOption(word) {
      takeArgument(word)
    } else if WordShape.isLong(word) {
      let (name, value) = WordShape.split(word)
      guard let parameter = option(named: name) else { return }
      if parameter.kind == .option, value == nil {
        pending = parameter
      } else {
        given.append(.init(parameter, value))
      }
    } else {
      for letter in word.unicodeScalars.dropFirst() {
        if let flag = parameters.first(where: { $0.short == Character(letter) }) {
          given.append(.init(flag, nil))
        }
      }
    }
  }

  /// Takes the word that is being written: it counts for the places of those after it, and is not given yet.
  mutating func takeUnfinished(_ word: String) {
    let count = given.count
    take(word)
    given.removeSubrange(count...)
  }

  /// The option or flag of a name, dashes included.
  func option(named name: String) -> ParameterDescription? {
    parameters.first { $0.kind != .argument && $0.name == name }
  }

  private mutating func takeArgument(_ word: String) {
    if let argument = nextArgument { given.append(.init(argument, word)) }
    argumentCount += 1
  }
}
