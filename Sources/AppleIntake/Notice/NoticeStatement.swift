import ReleaseModel

enum NoticeStatement: Equatable {
  case state(ReleaseState)
  /// Review is passed; the subject says whether the app is available.
  case approvedAtLeast
  case unknownState

  func agrees(with state: ReleaseState) -> Bool {
    switch self {
    case .state(let said): said == state
    case .approvedAtLeast: state == .approved || state == .live
    case .unknownState: false
    }
  }

  /// Sentences that state a release's state by themselves, from their beginning.
  static let fixed: [(String, NoticeStatement)] = [
    ("It is now eligible for distribution", .state(.approved)),
    ("Your submission was accepted", .state(.approved)),
    ("We've received your app for review", .state(.waiting)),
    ("We noticed an issue with your submission", .state(.rejected)),
    ("The following app is ready for distribution", .state(.live)),
    ("The following app is ready for sale", .state(.live)),
    ("The following app has been approved", .approvedAtLeast),
  ]

  static let naming = [
    "The status for the following app has changed to ",
    "The status of the following app has changed to ",
    "The status of your app has changed to ",
    "The following app has been approved and the app status has changed to ",
  ]

  /// Returns what the sentences of a line say, and whether in the words of iTunes Connect, whose subjects are
  /// not known; the line has straight quotes and single blanks.
  static func read(_ line: String) -> (statements: [NoticeStatement], isOldForm: Bool) {
    var statements: [NoticeStatement] = []
    var isOldForm = false
    for sentence in sentences(of: line) {
      var words = Wording(sentence)
      if naming.contains(where: { words.takePrefix($0) }) {
        let name = String(words.text.prefix { $0 != "." && $0 != ":" })
        let state = AppleVocabulary.state(name).flatMap { $0 == .superseded ? nil : $0 }
        statements.append(state.map(NoticeStatement.state) ?? .unknownState)
        isOldForm = true
      } else if let (_, statement) = fixed.first(where: { words.takePrefix($0.0) }) {
        statements.append(statement)
      } else if words.takePrefix("We're pleased to let you know that your app, ") {
        guard words.text.holds(", has been approved for ") else { continue }
        statements.append(.state(.approved))
      } else if words.takePrefix("Your app "),
        words.text.holds(" has been reviewed, but we are unable to post this version")
      {
        statements.append(.state(.rejected))
        isOldForm = true
      }
    }
    return (statements, isOldForm)
  }

  /// The line from each place where a sentence may begin: sentences contain names, and names contain dots.
  private static func sentences(of line: String) -> [String] {
    var sentences: [String] = []
    var isStart = true
    var previous: UInt8 = 0
    // A line of a thousand sentences is not a letter; without a limit it would be read a thousand times.
    for index in line.utf8.indices where sentences.count < 50 {
      let byte = line.utf8[index]
      if isStart, byte != 0x20 { sentences.append(String(line[index...].prefix(600))) }
      isStart = byte == 0x20 && (previous == UInt8(ascii: ".") || previous == UInt8(ascii: "!"))
      previous = byte
    }
    return sentences
  }
}
