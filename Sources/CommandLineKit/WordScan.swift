struct WordScan {
  let name: CommandName
  let parameters: [ParameterDescription]
  let unknownCommand: ((String) -> UsageError)?

  private var found: [Occurrence] = []
  private var argumentCount = 0
  /// The options that are given: they can take an argument's place wherever they are written.
  private var options: Set<String> = []

  init(
    name: CommandName, parameters: [ParameterDescription], unknownCommand: ((String) -> UsageError)?
  ) {
    self.name = name
    self.parameters = parameters
    self.unknownCommand = unknownCommand
  }

  /// Matches all words, with those after `--` trailing, into occurrences in canonical order.
  ///
  /// Throws for the first word that is wrong, then for what is missing.
  mutating func occurrences<Context>(
    of tokens: [CommandSearch<Context>.Token], trailing: ArraySlice<String>
  ) throws(UsageError) -> [Occurrence] {
    for case .word(let word) in tokens where WordShape.isLong(word) {
      options.insert(WordShape.split(word).name)
    }
    var rest = tokens[...]
    while let token = rest.popFirst() {
      guard case .word(let word) = token else { continue }
      if !WordShape.isOption(word) {
        try addArgument(word, mayName: true)
      } else if WordShape.isLong(word) {
        // The next word is consumed only if the option needs a value.
        if try addLong(word, next: rest.first) { rest = rest.dropFirst() }
      } else {
        try addShort(word)
      }
    }
    for word in trailing { try addArgument(word, mayName: false) }
    for (index, parameter) in parameters.enumerated()
    where parameter.required && !parameter.isReplaced(by: options) {
      guard found.contains(where: { $0.parameter == index }) else { throw name.missing(parameter) }
    }
    return Occurrence.canonical(found)
  }

  private mutating func addLong<Context>(
    _ word: String, next: CommandSearch<Context>.Token?
  ) throws(UsageError) -> Bool {
    let (option, value) = WordShape.split(word)
    guard let index = parameters.firstIndex(where: { $0.kind != .argument && $0.name == option }) else {
      if WordShape.isHelp(option) {
        throw unexpectedValue(value ?? "", of: option)
      }
      throw unknownOption(option)
    }
    let parameter = parameters[index]
    if parameter.kind == .flag {
      if let value { throw unexpectedValue(value, of: option) }
      try add(index, nil)
      return false
    }
    if let value {
      try add(index, value)
      return false
    }
    switch next {
    case .word(let next) where !WordShape.isLong(next):
      try add(index, next)
      return true
    case .word(let next), .command(let next):
      throw name.error(
        "missing-value", "missing value for '\(parameter.label)': the next word is '\(quotable(next))'",
        hint: "use '\(option)=VALUE' for a value that looks like an option or a command")
    case nil:
      let hint =
        parameter.allowed.isEmpty
        ? name.helpHint : "use one of " + parameter.allowed.joined(separator: ", ")
      throw name.error("missing-value", "missing value for '\(parameter.label)'", hint: hint)
    }
  }

  private mutating func addShort(_ word: String) throws(UsageError) {
    let (letters, value) = WordShape.split(word)
    // By scalars, because a combining mark after the dash would form one character with it.
    var indices: [Int] = []
    for letter in letters.unicodeScalars.dropFirst() {
      let short = Character(letter)
      guard let index = parameters.firstIndex(where: { $0.short == short }) else {
        throw unknownOption(letters)
      }
      indices.append(index)
    }
    if indices.isEmpty { throw unknownOption(word) }
    if let value { throw unexpectedValue(value, of: letters) }
    for index in indices { try add(index, nil) }
  }

  private mutating func addArgument(_ word: String, mayName: Bool) throws(UsageError) {
    let arguments = parameters.indices.filter {
      parameters[$0].kind == .argument && !parameters[$0].isReplaced(by: options)
    }
    if argumentCount < arguments.count {
      found.append(Occurrence(parameter: arguments[argumentCount], value: word))
      argumentCount += 1
    } else if let last = arguments.last, parameters[last].repeatable {
      found.append(Occurrence(parameter: last, value: word))
    } else if arguments.isEmpty, mayName, let unknownCommand {
      throw unknownCommand(word)
    } else {
      throw name.error(
        "unexpected-argument", "unexpected argument '\(quotable(word))' for '\(name.full)'",
        hint: parameters.contains { $0.kind == .argument }
          ? name.helpHint : "'\(name.full)' takes no arguments")
    }
  }

  private mutating func add(_ index: Int, _ value: String?) throws(UsageError) {
    let parameter = parameters[index]
    if !parameter.repeatable, let first = found.first(where: { $0.parameter == index }) {
      var message = "option '\(parameter.name)' is given twice"
      if let one = first.value, let other = value {
        message += ": '\(quotable(one))' and '\(quotable(other))'"
      }
      throw name.error("repeated-option", message, hint: "keep one of them")
    }
    found.append(Occurrence(parameter: index, value: value))
  }

  private func unexpectedValue(_ value: String, of option: String) -> UsageError {
    name.error(
      "unexpected-value", "unexpected value '\(quotable(value))': '\(quotable(option))' takes none",
      hint: "write '\(quotable(option))' alone")
  }

  func unknownOption(_ option: String) -> UsageError {
    let names = parameters.filter { $0.kind != .argument }.map(\.name) + ["--help"]
    let argument = parameters.first { $0.kind == .argument && "--" + $0.name.lowercased() == option }
    return name.error(
      "unknown-option", "unknown option '\(quotable(option))' for '\(name.full)'",
      hint: argument.map { "write \($0.name) without '\(option)': '\(name.line(parameters))'" }
        ?? closest(to: option, among: names).map { "did you mean '\($0)'?" } ?? name.helpHint)
  }
}
