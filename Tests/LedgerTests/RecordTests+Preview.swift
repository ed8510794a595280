import JSON
import Ledger
import ReleaseModel
import Testing

extension RecordTests {
  // MARK: Many answers

  @Test func `a change is reported if it leads to very many answers, but not if it leads to fewer`() throws {
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
      crowded = try Effects(draft).crowded
    }
    #expect(crowded.map(\.app) == ["taxi"] && crowded.allSatisfy { Schedule.manyTiles < $0.tiles })
    try book.record { draft in
      try draft.change("taxi") { line in line.rules.first.map(Change.ruleLifted) }
      crowded = try Effects(draft).crowded
    }
    #expect(crowded.isEmpty)
  }

  // MARK: Law 9

  @Test func `a repeated change records nothing`() throws {
    let noted = try details {
      $0.notes = [Note(locale: "en", text: "x")]; $0.build = try Build("3")
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

  // MARK: The preview

  @Test func `the effects of a command are in the events of the apps that it changes`() throws {
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
        for slug in ["bus", "taxi"] { try draft.change(slug) { $0.set { $0.isStopped = isStopped } } }
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

  @Test func `a change is not recorded without agreement, and is asked about once`() throws {
    try book.importPast("1.0", at: later(-100))
    try book.publish("2.0")
    let head = try book.ledger.head()
    func go(_ confirm: (Question) throws -> Void) throws {
      try book.record(confirm: confirm) { try $0.mark("2.0", .live, isVisibleNow: true) }
    }
    #expect(throws: Stop.self) { try go { _ in throw Stop() } }
    #expect(try book.ledger.head() == head)
    var times = 0
    try go { question in
      times += 1
      #expect(question.impact.lines.map(\.range.text) == ["from:1.0 below:2.0"])
    }
    #expect(times == 1)
    #expect(try book.ledger.event(head.seq + 1).impact?.isEmpty == false)
  }

  @Test func `the question is asked again if the ledger has changed meanwhile`() throws {
    try book.importPast("1.0", at: later(-100))
    try book.publish("2.0")
    var times = 0
    try book.record(confirm: { _ in
      times += 1
      if times == 1 {
        try self.book.record { _ = $0.trust(Trust(kind: .host, value: "a.example.com"), true) }
      }
    }) { try $0.mark("2.0", .live, isVisibleNow: true) }
    #expect(times == 2)
    #expect(try book.state("2.0") == .live)
  }
}
