/// The words of a command line, and the deepest command that they name; no line is an error here.
///
/// Parsing, hints and completion all read lines by these rules.
struct Line<Context> {
  private(set) var command: Command<Context>
  private(set) var path: [String] = []
  /// Whether the words start with `help`, so that the rest name the command to explain.
  private(set) var asksForHelp = false
  /// The words, and whether each is a name that helps select the command.
  private(set) var words: [(text: String, isName: Bool)] = []

  /// Follows the words as deep as they name commands.
  ///
  /// Options may stand before a name, when their table is not known yet. So a word after an option counts as
  /// its value unless it names a command; if the command at that point is runnable, its own table decides.
  init(_ root: Command<Context>, _ all: ArraySlice<String>) {
    command = root
    var rest = all
    // No name can follow `--`, nor a leaf.
    while let word = rest.first, word != "--", command.hasSubcommands || word == command.usual {
      rest = rest.dropFirst()
      let next = command.subcommand(named: word)
      let isHelp = word == "help" && path.isEmpty
      words.append((word, next != nil || isHelp || word == command.usual))
      if let next {
        command = next
        path.append(word)
      } else if isHelp {
        asksForHelp = true
      } else if !WordShape.isOption(word) {
        break
      } else if let value = rest.first, takesValue(word, value) {
        words.append((value, false))
        rest = rest.dropFirst()
      }
    }
    words += rest.map { ($0, false) }
  }

  private func takesValue(_ word: String, _ next: String) -> Bool {
    let (name, value) = WordShape.split(word)
    guard value == nil, WordShape.isLong(word), !WordShape.isLong(next) else { return false }
    if let own = command.parameterDescriptions.first(where: { $0.name == name }) {
      return own.kind == .option
    }
    let isName = command.subcommand(named: next) != nil || (path.isEmpty && next == "help")
    return !WordShape.isOption(next) && !isName
  }

  /// The words before `--` that are not options, in their order.
  var bareWords: [String] { bare.map(\.text) }
  /// Those of them that are no names of commands.
  var others: [String] { bare.filter { !$0.isName }.map(\.text) }

  private var bare: [(text: String, isName: Bool)] {
    words.prefix { $0.text != "--" }.filter { !WordShape.isOption($0.text) }
  }

  /// The words matched with the parameters of the command.
  ///
  /// - Parameter unknownCommand: The error for a word where only a command's name can stand; nil if arguments can.
  func matched(
    with parameters: [ParameterDescription], name: CommandName,
    unknownCommand: ((String) -> UsageError)? = nil
  ) -> LineMatch {
    // Options can take an argument's place wherever they are written.
    let options = words.prefix { $0.text != "--" }.map(\.text).filter(WordShape.isLong)
    var match = LineMatch(
      name: name, parameters: parameters, unknownCommand: unknownCommand,
      options: Set(options.map { WordShape.split($0).name }))
    for word in words { match.take(word.text, isName: word.isName) }
    return match
  }
}

/// The words of a line as values of parameters; of the words that are wrong, the first one's error is kept.
struct LineMatch {
  let name: CommandName
  let parameters: [ParameterDescription]
  let unknownCommand: ((String) -> UsageError)?
  let options: Set<String>

  private(set) var given: [Given] = []
  private(set) var error: UsageError?
  /// The option whose value is the next word.
  private(set) var pending: ParameterDescription?
  /// Whether `--` was read, after which all words are arguments.
  private(set) var isOver = false
  private(set) var argumentCount = 0

  mutating func take(_ word: String, isName: Bool = false) {
    if let option = pending {
      pending = nil
      if !isName, !WordShape.isLong(word) { return add(option, word) }
      error = error ?? name.missingValue(of: option, next: word)
    }
    guard !isName else { return }
    guard !isOver, WordShape.isOption(word) else { return takeArgument(word) }
    if word == "--" {
      isOver = true
      return
    }
    let (spoken, value) = WordShape.split(word)
    guard let parameter = option(named: spoken) else {
      let isHelp = value != nil && WordShape.isHelp(spoken)
      error =
        error
        ?? (isHelp ? name.unexpectedValue(value, of: spoken) : name.unknownOption(spoken, parameters))
      return
    }
    switch (parameter.kind, value) {
    case (.option, nil): pending = parameter
    case (.flag, _?): error = error ?? name.unexpectedValue(value, of: spoken)
    default: add(parameter, value)
    }
  }

  /// Reads the word being written: it affects the position of later words, but is not given yet.
  mutating func takeUnfinished(_ word: String) {
    let count = given.count
    take(word)
    given.removeSubrange(count...)
  }

  func option(named name: String) -> ParameterDescription? { parameters.first { $0.isWritten(name) } }

  /// The argument that the next bare word belongs to; nil if none is left.
  var nextArgument: ParameterDescription? {
    let arguments = arguments
    if argumentCount < arguments.count { return arguments[argumentCount] }
    return arguments.last.flatMap { $0.repeatable ? $0 : nil }
  }

  var needsArgument: Bool { argumentCount < arguments.count && nextArgument?.required == true }

  private var arguments: [ParameterDescription] {
    parameters.filter { $0.kind == .argument && !$0.isReplaced(by: options) }
  }

  private mutating func takeArgument(_ word: String) {
    if let argument = nextArgument {
      add(argument, word)
    } else if arguments.isEmpty, !isOver, let unknownCommand {
      error = error ?? unknownCommand(word)
    } else {
      error = error ?? name.unexpectedArgument(word, parameters)
    }
    argumentCount += 1
  }

  private mutating func add(_ parameter: ParameterDescription, _ value: String?) {
    if !parameter.repeatable, let first = given.first(where: { $0.parameter.name == parameter.name }) {
      error = error ?? name.repeated(parameter, first.value, value)
    } else {
      given.append(Given(parameter: parameter, value: value))
    }
  }

  /// What is given, in the order of the table.
  ///
  /// Throws for the first word that is wrong, then for what is missing.
  func complete() throws(UsageError) -> [Given] {
    if let error { throw error }
    if let pending { throw name.missingValue(of: pending, next: nil) }
    let missing = parameters.filter { parameter in
      parameter.required && !parameter.isReplaced(by: options)
        && !given.contains { $0.parameter.name == parameter.name }
    }
    if let first = missing.first { throw name.missing(first, missing.dropFirst(), of: parameters) }
    return parameters.flatMap { parameter in given.filter { $0.parameter.name == parameter.name } }
  }
}

/// The form of words, judged by their bytes.
///
/// A combining mark after a dash or an equals sign forms one `Character` with it, so a comparison of
/// characters would miss the sign.
enum WordShape {
  static func isHelp(_ word: String) -> Bool { word == "-h" || word == "--help" }

  static func isLong(_ word: String) -> Bool { word.utf8.starts(with: "--".utf8) }

  /// Whether a word is an option: `-` alone and negative numbers are not.
  static func isOption(_ word: String) -> Bool {
    let bytes = word.utf8.prefix(2)
    guard bytes.first == UInt8(ascii: "-"), bytes.count == 2, let second = bytes.last else { return false }
    return !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(second)
  }

  /// Splits a word at its first equals sign; the value is nil without one.
  static func split(_ word: String) -> (name: String, value: String?) {
    guard let sign = word.utf8.firstIndex(of: UInt8(ascii: "=")) else { return (word, nil) }
    return (
      String(decoding: word.utf8[..<sign], as: UTF8.self),
      String(decoding: word.utf8[sign...].dropFirst(), as: UTF8.self)
    )
  }
}
