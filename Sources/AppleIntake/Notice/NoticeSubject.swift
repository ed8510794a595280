import ReleaseModel

enum NoticeSubject: Equatable {
  /// A state, by Apple's name for it or by a sentence of its own.
  case state(ReleaseState, name: String?, platform: ApplePlatform?, namesVersion: Bool = true)
  case unknownState
  case other(OtherMatter)
  /// One of today's that says something else than the known ones do, so that its sentences say no more.
  case unread
  case unknown

  /// Only whole lines match, from the right: an app may be called `X, is now "Ready for Sale"`.
  ///
  /// - Parameter name: The app's, as the letter names it: what it says is no matter of the letter.
  init(_ subject: String, about name: String? = nil) {
    // What may stand before and after each.
    var words = Wording(straightened(subject))
    _ = words.takePrefix("App Store Connect: ") || words.takePrefix("iTunes Connect: ")
    _ = words.takeSuffix(".")
    let fixed = NoticeSubject.fixed[lowercased(String(words.text))].map { fixed in
      NoticeSubject.state(fixed.state, name: nil, platform: nil, namesVersion: fixed.namesVersion)
    }
    self =
      NoticeSubject.status(words) ?? NoticeSubject.review(words) ?? fixed
      ?? NoticeSubject.matter(words, apart: name.map(straightened)).map(NoticeSubject.other)
      ?? (words.takePrefix(NoticeSubject.status) ? .unread : .unknown)
  }

  private static let status = "The status of your "

  /// `The status of your (iOS) app, NAME, is now "STATE"`
  private static func status(_ whole: Wording) -> NoticeSubject? {
    var words = whole
    guard words.takePrefix(status) else { return nil }
    let platform = words.takePlatformPrefix()
    guard words.takePrefix("app, ") else { return nil }
    guard words.takeSuffix("\""), let state = words.takeAfterLast(", is now \"") else { return .unread }
    let name = String(words.text)
    guard !name.isEmpty else { return .unread }
    switch AppleVocabulary.state(state) {
    case .superseded: return .other(.replaced)
    case let state?: return .state(state, name: name, platform: platform)
    case nil: return .unknownState
    }
  }

  /// `Review of your NAME (iOS) submission is complete.` and its opposite.
  private static func review(_ whole: Wording) -> NoticeSubject? {
    var words = whole
    let state: ReleaseState
    if words.takePrefix("Review of your "), words.takeSuffix(" submission is complete") {
      state = .approved
    } else if words.takePrefix("There's an issue with your "), words.takeSuffix(" submission") {
      state = .rejected
    } else {
      return nil
    }
    let platform = words.takePlatformSuffix()
    guard !words.text.isEmpty else { return .unread }
    return .state(state, name: String(words.text), platform: platform)
  }

  /// Subjects that name neither app nor state, in lower case.
  static let fixed: [String: (state: ReleaseState, namesVersion: Bool)] = [
    "thank you for submitting your app": (.waiting, false), "thank you for submitting": (.waiting, false),
    "your submission was accepted": (.approved, true), "welcome to the app store": (.approved, false),
    "your app review feedback": (.rejected, false),
    "we noticed an issue with your submission": (.rejected, true),
  ]

  private static let beginnings: [(String, OtherMatter)] = [
    ("New Message from App Store Review Regarding ", .reviewMessage),
    ("You have a message from App Review", .reviewMessage),
    ("The status of your in-app event", .inAppEvent),
    ("The status of your custom product page", .customProductPage),
    ("Your receipt from Apple", .receipt), ("Your invoice from Apple", .receipt),
  ]

  private static let endings: [(String, OtherMatter)] = [
    (" has completed processing", .buildProcessing), (" has one or more issues", .deliveryIssues),
    (" has been approved for beta testing", .testFlight), (" is now available to test", .testFlight),
  ]

  /// Matters that move no release; matched more loosely, since all that follows is that nothing happens.
  private static func matter(_ whole: Wording, apart name: String?) -> OtherMatter? {
    var words = whole
    if let (_, matter) = beginnings.first(where: { words.takePrefix($0.0) }) { return matter }
    if let (_, matter) = endings.first(where: { words.takeSuffix($0.0) }) { return matter }
    let rest = name.flatMap { words.takeAfterLast($0) } ?? ""
    let text = lowercased("\(words.text) \(rest)")
    if text.holds("testflight") { return .testFlight }
    if text.holds("scheduled maintenance") { return .maintenance }
    let names = Set(text.split { !$0.isLetter })
    return names.contains("agreement") || names.contains("agreements") ? .agreement : nil
  }
}

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

  /// Those that name a state, and whether they are iTunes Connect's alone.
  static let naming = [
    ("The status for the following app has changed to ", true),
    ("The status of the following app has changed to ", true),
    ("The status of your app has changed to ", false),
    ("The following app has been approved and the app status has changed to ", true),
  ]

  /// Returns what the sentences of a line say, and whether in the words of iTunes Connect, whose subjects are
  /// not known; the line has straight quotes and single blanks.
  static func read(_ line: String) -> (statements: [NoticeStatement], isOldForm: Bool) {
    var statements: [NoticeStatement] = []
    var isOldForm = false
    for sentence in sentences(of: line) {
      var words = Wording(sentence)
      if let (_, isOld) = naming.first(where: { words.takePrefix($0.0) }) {
        let name = String(words.text.prefix { $0 != "." && $0 != ":" })
        let state = AppleVocabulary.state(name).flatMap { $0 == .superseded ? nil : $0 }
        statements.append(state.map(NoticeStatement.state) ?? .unknownState)
        isOldForm = isOldForm || isOld
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
