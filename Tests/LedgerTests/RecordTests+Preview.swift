import JSON
import Ledger
import ReleaseModel
import Testing

/// Saying it twice, taking back, and what is asked before.
extension RecordTests {
  // MARK: Many answers

  @Test func `a change that leads to very many answers says so, and one that leads to fewer does not`() throws
  {
    try book.importPast("2.0", at: later(-100))
    var crowded: [(app: String, tiles: Int)] = []
    try book.record(reason: "x") { draft in
      for index in 1...1_000 {
        let range = VersionRange.exactly(try Version("1.0.\(index)"))
        let window = (later(Int64(index) * 60), later(Int64(index) * 60 + 90_000))
        try draft.change("taxi") { _ in
          .ruleMade(
            Rule(
              number: Int64(index), range: range, action: .none, from: window.0, until: window.1, reason: "x")
          )
        }
      }
      crowded = try draft.crowded()
    }
    #expect(crowded.map(\.app) == ["taxi"] && crowded.allSatisfy { Schedule.manyTiles < $0.tiles })
    try book.record { draft in
      try draft.change("taxi") { line in line.rules.first.map(Change.ruleLifted) }
      crowded = try draft.crowded()
    }
    #expect(crowded.isEmpty)
  }

  // MARK: Law 9

  @Test func `saying it twice is harmless`() throws {
    let noted = try details {
      $0.notes = [Note(locale: "en", text: "x")]; $0.build = try Version("3")
    }
    try book.importPast("0.9", at: later(-100))
    try book.publish("1.0", noted)
    try book.publish("5.0")
    try book.void("5.0")
    try book.mark("1.0", .inReview)
    let again: [(String, () throws -> Recorded)] = [
      ("app add", { try self.book.add("taxi", appleID: 1_524_608_462) }),
      ("app set", { try self.book.set { _ in } }),
      ("import", { try self.book.importPast("0.9", at: later(-100)) }),
      ("publish", { try self.book.publish("1.0", noted) }),
      ("publish saying less", { try self.book.publish("1.0") }),
      ("amend", { try self.book.amend("1.0", noted) }),
      ("mark", { try self.book.mark("1.0", .inReview) }),
      ("mark, spelled otherwise", { try self.book.mark("1.0.0", .inReview) }),
      ("void", { try self.book.void("5.0") }),
      (
        "trust host",
        { try self.book.record { _ = $0.trust(Trust(kind: .host, value: "apps.apple.com"), true) } }
      ),
      (
        "trust remove",
        { try self.book.record { _ = $0.trust(Trust(kind: .host, value: "x.example.com"), false) } }
      ),
    ]
    let head = try book.ledger.head()
    for (name, command) in again {
      let answer = try command()
      #expect(!answer.isChanged && answer.answer["event"] == .null, "\(name)")
      #expect(try book.ledger.head() == head, "\(name)")
    }
    try book.mark("1.0", .live)
    let live = try book.ledger.head()
    #expect(try !book.mark("1.0", .live).isChanged)
    #expect(try !book.mark("1.0", .live, at: noon).isChanged)
    #expect(try book.ledger.head() == live)
    try book.mark("1.0", .live, visibleNow: true)
    #expect(try !book.mark("1.0", .live, visibleNow: true).isChanged)
  }

  @Test func `a version published again and saying something else is refused`() throws {
    try book.publish("1.2")
    #expect(
      try violation { try book.publish("1.2.0") }
        == .notGreater(try version("1.2.0"), .spelledOtherwise(try version("1.2"), isPast: false)))
    #expect(
      try violation { try book.publish("1.2", details { $0.isMandatory = true }) }
        == .notGreater(
          try version("1.2"),
          .saysOtherwise(
            try version("1.2"), differs: [.init(member: "mandatory", recorded: "no", said: "yes")])))
  }

  @Test func `what was ever approved or live is not struck out`() throws {
    for text in ["1.0", "1.1"] { try book.publish(text) }
    try book.mark("1.1", .approved)
    try book.mark("1.1", .withdrawn)
    #expect(try violation { try book.void("1.1") } == .wasApproved(try version("1.1")))
    try book.mark("1.0", .live)
    #expect(try violation { try book.void("1.0") } == .wasLive(try version("1.0")))
    // A going live that was taken back told no client.
    try book.unmark("1.0")
    try book.void("1.0")
    #expect(try book.state("1.0") == .void)
  }

  // MARK: Unmark

  @Test func `unmark restores what this release superseded, not what an earlier one had`() throws {
    for text in ["6.0", "7.0"] { try book.publish(text) }
    try book.mark("6.0", .live)
    try book.mark("7.0", .live)
    try book.mark("7.0", .removed)
    try book.mark("7.0", .live)
    try book.unmark("7.0")
    #expect(try book.state("6.0") == .superseded)
    #expect(try book.state("7.0") == .removed)
    // The event does not name one either.
    guard case .unmarked(_, _, let restored) = try book.ledger.event(try book.ledger.head().seq).change()
    else {
      Issue.record("the last event is no unmark")
      return
    }
    #expect(restored == nil)
  }

  @Test func `unmark gives back one release where two were superseded by the same one`() throws {
    for text in ["6.0", "6.5", "7.0"] { try book.publish(text) }
    try book.mark("6.0", .live)
    try book.mark("7.0", .live)
    try book.mark("7.0", .removed)
    try book.mark("6.5", .live)
    try book.mark("7.0", .live)
    try book.unmark("7.0")
    #expect(try [book.state("6.0"), book.state("6.5"), book.state("7.0")] == [.superseded, .live, .removed])
  }

  @Test func `what was visible before a removal counts for law 1 after a second one`() throws {
    for text in ["6.5", "7.0"] { try book.publish(text) }
    try book.mark("7.0", .live, visibleNow: true)
    try book.mark("7.0", .removed)
    try book.mark("7.0", .live)
    try book.mark("7.0", .removed)
    #expect(
      try violation { try book.mark("6.5", .live) }
        == .notGreater(try version("6.5"), .visible(try version("7.0"))))
  }

  @Test func `unmark works until the hold ends, but not at that second`() throws {
    try book.publish("1.0")
    try book.mark("1.0", .live)
    book.clock = later(86_400)
    #expect(
      try violation { try book.unmark("1.0") } == .alreadyVisible(try version("1.0"), since: later(86_400)))
    book.clock = later(86_399)
    try book.unmark("1.0")
    #expect(try book.state("1.0") == .prepared)
  }

  // MARK: The preview

  private func asked(_ body: (inout Draft) throws -> Void) throws -> Need? {
    var cause: Need?
    try book.record(confirm: { cause = $0.need }, body)
    return cause
  }

  private func marked(_ text: String, _ state: ReleaseState, visibleNow: Bool = true) throws -> Need? {
    let version = try Version(text)
    return try asked { draft in
      let now = draft.now
      try draft.change("taxi", "mark") { line, _ throws(LawViolation) in
        try line.mark(version, state, at: nil, isVisibleNow: visibleNow && state == .live, now: now)
      }
    }
  }

  private func amended(_ text: String, _ details: ReleaseDetails) throws -> Need? {
    let version = try Version(text)
    return try asked { draft in
      try draft.change("taxi", "amend") { line, _ throws(LawViolation) in try line.amend(version, details) }
    }
  }

  private func setting(_ change: (inout App) -> Void) throws -> Need? {
    var app = try book.ledger.app("taxi")
    change(&app)
    return try asked { try $0.set(app) }
  }

  @Test func `marking a release live with reminders only asks nobody`() throws {
    try book.importPast("1.0", at: later(-100))
    try book.publish("1.1")
    #expect(try marked("1.1", .live) == nil)
  }

  @Test(arguments: [true, false])
  func `marking a release live asks if it forces, even after a hold`(visibleNow: Bool) throws {
    try book.importPast("1.0", at: later(-100))
    try book.publish("2.0")
    #expect(try marked("2.0", .inReview) == nil)
    #expect(try marked("2.0", .live, visibleNow: visibleNow) == .forces)
  }

  @Test func `an amendment that makes a visible release mandatory asks, and back does not`() throws {
    try book.importPast("1.0", at: later(-100))
    try book.importPast("1.1", at: later(-50))
    #expect(try amended("1.1", details { $0.isMandatory = true }) == .forces)
    #expect(try amended("1.1", details { $0.isMandatory = false }) == nil)
    #expect(try amended("1.1", details { $0.notes = [Note(locale: "en", text: "x")] }) == nil)
  }

  @Test func `an app change that makes answers harsher or sends them elsewhere asks; a milder one does not`()
    throws
  {
    try book.record { _ = $0.trust(Trust(kind: .host, value: "downloads.example.com"), true) }
    try book.importPast("1.0.0", at: later(-100))
    try book.importPast("1.0.1", at: later(-50))
    let (gentle, none) = (SegmentPolicy("force,remind,remind"), SegmentPolicy("force,remind,none"))
    #expect(try setting { $0.policy = gentle ?? $0.policy } == .stricter)
    #expect(try setting { $0.storeURL = "https://downloads.example.com/taxi" } == .page)
    #expect(try setting { $0.storeURL = "https://downloads.example.com/other" } == .page)
    #expect(try setting { $0.name = "Taxi" } == nil)
    #expect(try setting { $0.policy = none ?? $0.policy } == nil)
    #expect(try setting { $0.policy = SegmentPolicy("force") ?? $0.policy } == .forces)
  }

  @Test func `an import asks like any change`() throws {
    func imported(_ texts: [String]) throws -> Need? {
      let versions = try texts.map { try Version($0) }
      return try asked { draft in
        let now = draft.now
        for (index, version) in versions.enumerated() {
          try draft.change("taxi", "import") { line, id throws(LawViolation) in
            try line.importPast(
              version, ReleaseDetails(), releasedAt: later(Int64(index) - 100), id: id, now: now)
          }
        }
      }
    }
    // Nobody is prompted to go to the only release there is.
    #expect(try imported(["1.0"]) == nil)
    #expect(try imported(["1.0.1"]) == nil)
    #expect(try imported(["1.1"]) == .stricter)
    #expect(try imported(["2.0", "3.0"]) == .forces)
  }

  @Test func `what a command alters stands with the events of the apps it alters`() throws {
    try book.add("bus", appleID: 8)
    try book.add("van", appleID: 9)
    for app in ["bus", "taxi"] {
      try book.importPast("1.0", app: app, at: later(-100))
      try book.importPast("2.0", app: app, at: later(-50))
    }
    try book.importPast("1.0", app: "van", at: later(-100))
    try book.record { draft in
      let redirect = Redirect(
        number: try draft.nextNumber(of: .redirect), range: .all, destination: .app("bus"))
      try draft.change("van") { _ in .redirectSet(before: nil, after: redirect) }
    }
    func turn(_ isStopped: Bool) throws -> [String] {
      let head = try book.ledger.head().seq
      try book.record { draft in
        for slug in ["bus", "taxi"] { try draft.change(slug) { $0.stop(isStopped) } }
      }
      return try ([1, 2] as [Int64]).map { step in
        let event = try book.ledger.event(head + step)
        let impact = try JSON(parsing: (event.impact ?? "[]").utf8).array ?? []
        return ([event.app ?? ""] + impact.map { $0["app"]?.string ?? "" }).joined(separator: " ")
      }
    }
    #expect(try turn(true) == ["bus bus van", "taxi taxi"])
    #expect(try turn(false) == ["bus bus van", "taxi taxi"])
  }

  @Test func `who does not agree changes nothing, and who does is asked once`() throws {
    try book.importPast("1.0", at: later(-100))
    try book.publish("2.0")
    let head = try book.ledger.head()
    let two = try version("2.0")
    func go(_ confirm: (Question) throws -> Void) throws {
      try book.record(confirm: confirm) { draft in
        let now = draft.now
        try draft.change("taxi", "mark") { line, _ throws(LawViolation) in
          try line.mark(two, .live, at: nil, isVisibleNow: true, now: now)
        }
      }
    }
    #expect(throws: Stop.self) { try go { _ in throw Stop() } }
    #expect(try book.ledger.head() == head)
    var times = 0
    try go { question in
      times += 1
      #expect(question.impact.lines.map(\.versions) == ["1.0"])
    }
    #expect(times == 1)
    #expect(try book.ledger.event(head.seq + 1).impact?.isEmpty == false)
  }

  @Test func `whoever agreed is asked again where the ledger moved on meanwhile`() throws {
    try book.importPast("1.0", at: later(-100))
    try book.publish("2.0")
    let two = try version("2.0")
    var times = 0
    try book.record(confirm: { _ in
      times += 1
      if times == 1 {
        try self.book.record { _ = $0.trust(Trust(kind: .host, value: "a.example.com"), true) }
      }
    }) { draft in
      let now = draft.now
      try draft.change("taxi", "mark") { line, _ throws(LawViolation) in
        try line.mark(two, .live, at: nil, isVisibleNow: true, now: now)
      }
    }
    #expect(times == 2)
    #expect(try book.state("2.0") == .live)
  }
}
