/// The words of an unfinished line, matched with a table as far as possible; nothing is an error.
struct CompletionScan {
  let parameters: [ParameterDescription]
  private(set) var given: [CompletionQuestion.Given] = []
  private(set) var pending: ParameterDescription?
  /// Whether `--` was read, after which all words are arguments.
  private(set) var isOver = false
  private(set) var argumentCount = 0

  init(parameters: [ParameterDescription]) {
    self.parameters = parameters
  }

  /// The argument that the next bare word belongs to; nil if none is left.
  var nextArgument: ParameterDescription? {
    let arguments = arguments
    if argumentCount < arguments.count { return arguments[argumentCount] }
    return arguments.last.flatMap { $0.repeatable ? $0 : nil }
  }

  var needsArgument: Bool {
    let arguments = arguments
    return argumentCount < arguments.count && arguments[argumentCount].required
  }

  private var arguments: [ParameterDescription] {
    let options = Set(given.map(\.parameter.name))
    return parameters.filter { $0.kind == .argument && !$0.isReplaced(by: options) }
  }

  /// Reads the next word by the rules of `WordScan`.
  mutating func take(_ word: String) {
    guard !isOver else { return takeArgument(word) }
    if let option = pending {
      pending = nil
      if !WordShape.isLong(word) {
        given.append(.init(parameter: option, value: word))
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
        given.append(.init(parameter: parameter, value: value))
      }
    } else {
      for letter in word.unicodeScalars.dropFirst() {
        if let flag = parameters.first(where: { $0.short == Character(letter) }) {
          given.append(.init(parameter: flag, value: nil))
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

  func option(named name: String) -> ParameterDescription? {
    parameters.first { $0.kind != .argument && $0.name == name }
  }

  private mutating func takeArgument(_ word: String) {
    if let argument = nextArgument { given.append(.init(parameter: argument, value: word)) }
    argumentCount += 1
  }
}
