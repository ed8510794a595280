/// The words of an unfinished line, matched with a table as far as possible; nothing is an error.
struct CompletionScan {
  let parameters: [ParameterDescription]
  /// The parameters given on the line so far.
  private(set) var given: [CompletionQuestion.Given] = []
  /// The option that still needs its value.
  private(set) var pending: ParameterDescription?
  /// Whether `--` was read, after which all words are arguments.
  private(set) var isOver = false
  /// How many bare words were read.
  private(set) var argumentCount = 0

  init(parameters: [ParameterDescription]) {
    self.parameters = parameters
  }

  /// The argument that the next bare word belongs to; nil if none is left.
  var nextArgument: ParameterDescription? {
    let arguments = parameters.filter { $0.kind == .argument }
    if argumentCount < arguments.count { return arguments[argumentCount] }
    return arguments.last.flatMap { $0.repeatable ? $0 : nil }
  }

  /// Whether the next bare word is a required argument.
  var needsArgument: Bool {
    let arguments = parameters.filter { $0.kind == .argument }
    return argumentCount < arguments.count && arguments[argumentCount].required
  }

  /// Reads the next word by the rules of `WordScan`.
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

  /// Reads the word being written: it affects the position of later words, but is not added to `given`.
  mutating func takeUnfinished(_ word: String) {
    let count = given.count
    take(word)
    given.removeSubrange(count...)
  }

  /// The option or flag with this name, including the dashes.
  func option(named name: String) -> ParameterDescription? {
    parameters.first { $0.kind != .argument && $0.name == name }
  }

  private mutating func takeArgument(_ word: String) {
    if let argument = nextArgument { given.append(.init(argument, word)) }
    argumentCount += 1
  }
}
