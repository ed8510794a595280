import JSON
import MailCorpus
import Platform
import ReleaseModel
import Testing

/// Answers of the store's lookup, made from a real one of CampusOfGLUT 1.3.
@Suite struct IngestLookupTests {
  private let answer: String

  init() throws {
    answer = String(
      decoding: try readFile("\(repository)/Tests/Fixtures/lookup/968615456.json", limit: 1 << 20),
      as: UTF8.self)
  }

  /// The real answer with one text in it replaced.
  private func changed(_ old: String, _ new: String) throws -> String {
    let pieces = answer.split(separator: old, omittingEmptySubsequences: false)
    try #require(pieces.count > 1, "the answer has no \(old)")
    return pieces.joined(separator: new)
  }

  private func showing(_ version: String) throws -> String {
    try changed("\"version\": \"1.3\"", "\"version\": \"\(version)\"")
  }

  /// A ledger with the app of the answer; 1.3 live since a minute, and held.
  private func held(_ options: String = "") throws -> Mailroom {
    let room = try Mailroom()
    try room.shell.done(
      "app add campus --bundle-id CampusOfGLUT --apple-id 968615456 --hold 24h \(options)")
    try room.publish("1.2", .live, app: "campus")
    room.shell.clock = Timestamp(seconds: World.now.seconds - 60)
    try room.publish("1.3", .live, app: "campus")
    room.shell.clock = World.now
    return room
  }

  private func look(_ room: Mailroom, _ text: String, country: String = "US") throws -> JSON {
    let ran = room.shell.run(
      ["ingest", "lookup", "campus", "-", "--country", country, "--json"], input: Array(text.utf8))
    #expect(ran.status == 0, "\(ran.err)")
    return try #require(ran.json["results"]?.array?.first)
  }

  private func isVisible(_ room: Mailroom, _ version: String = "1.3") throws -> Bool {
    guard let release = try room.release(version, app: "campus"), release.state == .live else { return false }
    return release.visibleAt.map { $0 <= room.shell.clock } ?? false
  }

  @Test func `the real answer ends the hold of the version it shows, at once`() throws {
    let room = try held()
    #expect(try !isVisible(room))
    let head = try #require(room.shell.head())
    let result = try look(room, answer)
    #expect(result["outcome"] == "applied" && result["version"] == "1.3")
    #expect(result["from"] == "live" && result["to"] == "live")
    #expect(try room.release("1.3", app: "campus")?.visibleAt == World.now)
    // The evidence, the end of the hold, and the notes, which the release had none of.
    #expect(room.shell.head() == head + 3)
    let events = room.events(3)
    #expect(events.map { $0["kind"]?.string } == ["release.amend", "release.mark", "evidence.add"])
    #expect(events.allSatisfy { $0["evidence"] == 1 })
    #expect(try room.release("1.3", app: "campus")?.note(for: nil)?.hasPrefix("——————那些年") == true)
    #expect(try room.bodySize(1) == Int64(answer.utf8.count))
    // What is visible already is no news, and leaves nothing.
    let again = try look(room, answer)
    #expect(again["outcome"] == "ignored" && again["reason"] == "lookup.current")
    #expect(room.shell.head() == head + 3)
    try room.expectReplay()
  }

  @Test func `a newer version that is known ends the hold, too, and is not made live`() throws {
    let room = try held()
    try room.publish("1.4", .approved, app: "campus")
    #expect(try look(room, showing("1.4"))["outcome"] == "applied")
    #expect(try isVisible(room))
    #expect(try room.state("1.4", app: "campus") == .approved)
    // Nobody said that it is live, and the hold says nothing any more.
    #expect(try look(room, showing("1.4"))["reason"] == "lookup.not-live")
    #expect(try room.evidenceCount() == 2)
    try room.expectReplay()
  }

  @Test func `an older version changes nothing and leaves nothing`() throws {
    let room = try held()
    for version in ["1.2", "1.1"] {
      let result = try look(room, showing(version))
      #expect(result["outcome"] == "ignored" && result["reason"] == "lookup.older", "\(version)")
    }
    #expect(try !isVisible(room))
    #expect(try room.evidenceCount() == 0)
    #expect(try room.state("1.2", app: "campus") == .superseded)
  }

  @Test func `an answer about nothing, another app or something else is parked`() throws {
    for (text, reason) in [
      (#"{"resultCount":0,"results":[]}"#, "lookup.absent"),
      (try changed("\"CampusOfGLUT\"", "\"com.example.other\""), "lookup.wrong-app"),
      (try changed("\"trackId\": 968615456", "\"trackId\": 968615457"), "lookup.wrong-app"),
      (try changed("\"kind\": \"software\"", "\"kind\": \"song\""), "lookup.wrong-kind"),
      (try showing("v1.3"), "lookup.version"),
    ] {
      let room = try held()
      let result = try look(room, text)
      #expect(result["outcome"] == "parked" && result["reason"]?.string == reason, "\(result.text())")
      #expect(try !isVisible(room))
      #expect(try room.bodySize(1) == Int64(text.utf8.count))
    }
  }

  @Test func `an invalid answer is refused and leaves nothing`() throws {
    let room = try held()
    let half = String(answer.prefix(answer.count / 2))
    for text in [
      "", "<html>busy</html>", half, "[]", "{}", #"{"resultCount":1,"results":[]}"#,
      #"{"resultCount":1,"results":[{"kind":"software"}]}"#,
      #"{"resultCount":2,"results":[{"kind":"software"},{"kind":"software"}]}"#,
      try changed("\"version\": \"1.3\"", "\"version\": 1.3"),
    ] {
      let ran = room.shell.run("ingest lookup campus - --json", input: Array(text.utf8))
      #expect(
        ran.status == 65 && ran.errorID == "lookup.malformed", "\(text.prefix(60)): \(ran.out)\(ran.err)")
    }
    #expect(try room.evidenceCount() == 0)
    #expect(try !isVisible(room))
  }

  @Test func `every country has to show it`() throws {
    for order in [["US", "CN"], ["CN", "US"]] {
      let room = try held("--countries US,CN")
      let first = try look(room, answer, country: order[0])
      #expect(first["outcome"] == "ignored" && first["reason"] == "lookup.other-countries")
      #expect(try look(room, answer, country: order[0])["reason"] == "lookup.other-countries")
      #expect(try look(room, answer, country: "DE")["reason"] == "lookup.other-countries")
      #expect(try !isVisible(room))
      #expect(try look(room, showing("1.2"), country: order[1])["reason"] == "lookup.older")
      #expect(try !isVisible(room))
      #expect(try look(room, answer, country: order[1])["outcome"] == "applied")
      #expect(try isVisible(room))
      try room.expectReplay()
    }
  }

  @Test func `a lookup makes a release live and visible only if the app is set to that`() throws {
    for isLiveByLookup in [false, true] {
      let room = try held(isLiveByLookup ? "--live-by lookup" : "")
      room.shell.clock = Timestamp(seconds: World.now.seconds + 100_000)
      try room.publish("1.4", .approved, app: "campus")
      let result = try look(room, showing("1.4"))
      #expect(result["outcome"] == (isLiveByLookup ? "applied" : "parked"))
      #expect(try room.state("1.4", app: "campus") == (isLiveByLookup ? .live : .approved))
      #expect(try isVisible(room, "1.4") == isLiveByLookup)
      #expect(try room.state("1.3", app: "campus") == (isLiveByLookup ? .superseded : .live))
      try room.expectReplay()
    }
  }

  @Test func `every country has to show it before a lookup makes it live, also the first release`() throws {
    for isFirst in [false, true] {
      let room = try Mailroom()
      try room.shell.done("app add campus --bundle-id CampusOfGLUT --apple-id 968615456 --countries US,CN")
      if !isFirst { try room.publish("1.2", .live, app: "campus") }
      room.shell.clock = World.now
      try room.publish("1.3", .approved, app: "campus")
      if isFirst { #expect(try look(room, answer)["reason"] == "lookup.not-live") }
      try room.shell.done("app set campus --live-by lookup")
      #expect(try look(room, answer, country: "US")["reason"] == "lookup.other-countries")
      #expect(try room.state("1.3", app: "campus") == .approved)
      #expect(try look(room, answer, country: "CN")["outcome"] == "applied")
      #expect(try isVisible(room))
      try room.expectReplay()
    }
  }

  /// The notes of a release as the ledger has them.
  private func notes(_ room: Mailroom, _ version: String) throws -> [Note] {
    try #require(try room.release(version, app: "campus")).notes
  }

  @Test func `release notes of the store become those of a release that has none, and replace nobody's`()
    throws
  {
    let room = try shown()
    try room.shell.done("amend campus 1.3 --note en=ours")
    let head = room.shell.head()
    #expect(try look(room, answer)["reason"] == "lookup.current")
    #expect(room.shell.head() == head)
    #expect(try notes(room, "1.3") == [Note(locale: "en", text: "ours")])
    // A release that is live and has none gets them, and nobody else does.
    #expect(try look(room, showing("1.2"))["reason"] == "lookup.older")
    #expect(try notes(room, "1.2").isEmpty)
    let bare = try shown()
    let taken = try look(bare, answer)
    #expect(taken["outcome"] == "applied" && taken["reason"] == "lookup.notes" && taken["to"] == .null)
    #expect(try notes(bare, "1.3").map(\.locale) == [Note.undetermined])
    #expect(bare.events(2).map { $0["kind"]?.string } == ["release.amend", "evidence.add"])
    #expect(try look(bare, answer)["reason"] == "lookup.current")
    try bare.expectReplay()
  }

  /// The same ledger, after the hold of 1.3.
  private func shown() throws -> Mailroom {
    let room = try held()
    room.shell.clock = Timestamp(seconds: World.now.seconds + 100_000)
    return room
  }

  private func alarms(_ room: Mailroom) -> Int? {
    room.shell.run("status --json").json["alarms"]?.array?.count
  }

  @Test func `an alarm ends by itself once the ledger knows what the store shows`() throws {
    for isNewer in [false, true] {
      let room = try shown()
      #expect(try look(room, showing("2.0"))["outcome"] == "parked")
      #expect(alarms(room) == 1)
      // As recorded, and as a greater version that makes it an old one.
      try room.publish(isNewer ? "2.1" : "2.0", .prepared, app: "campus")
      #expect(alarms(room) == 0)
      try room.shell.tell("inbox → inbox=[]")
      let again = try look(room, showing("2.0"))
      #expect(again["outcome"] != "duplicate", "\(again.text())")
      // Where it is recorded, it is not live yet.
      #expect(
        try room.number("SELECT count(*) FROM evidence WHERE outcome = 'parked'") == (isNewer ? 0 : 1))
      try room.expectReplay()
    }
  }

  @Test func `a release that the store shows and the ledger has as not live is an alarm until it is`() throws
  {
    for state in [ReleaseState.prepared, .inReview, .approved, .rejected] {
      let room = try shown()
      try room.publish("2.0", state, app: "campus")
      let first = try look(room, showing("2.0"))
      #expect(first["outcome"] == "parked" && first["reason"] == "lookup.not-live", "\(first.text())")
      #expect(try look(room, " " + showing("2.0"))["outcome"] == "duplicate")
      #expect(alarms(room) == 1)
      #expect(room.shell.findings().contains("lookup.not-live"))
      try room.shell.tell("next campus --check 2.0 → next.closed")
      #expect(try room.state("2.0", app: "campus") == state)
      try room.shell.done("mark campus 2.0 live --yes")
      #expect(alarms(room) == 0 && !room.shell.findings().contains("lookup.not-live"))
      try room.shell.tell("inbox → inbox=[]")
      // Its hold ends, too.
      #expect(try look(room, " " + showing("2.0"))["outcome"] == "applied")
      #expect(room.shell.run("inbox show 1 --json").json["reason"] == "lookup.known")
      try room.expectReplay()
    }
  }

  @Test func `an alarm is parked once, whatever else the answer says`() throws {
    let room = try held()
    #expect(try look(room, showing("2.0"))["outcome"] == "parked")
    let second = try look(room, " " + showing("2.0"))
    #expect(second["outcome"] == "duplicate" && second["evidence"] == 1)
    #expect(try look(room, " " + showing("2.1"))["outcome"] == "parked")
    #expect(try room.evidenceCount() == 2)
    // The same bytes about another app are that app's own.
    try room.shell.done("app add other --bundle-id com.example.other --apple-id 77")
    let empty = #"{"resultCount":0,"results":[]}"#
    for app in ["campus", "other", "other"] {
      let ran = room.shell.run("ingest lookup \(app) - --json", input: Array(empty.utf8))
      #expect(ran.json["results"]?.array?.first?["app"]?.string == app)
    }
    #expect(try room.evidenceCount() == 4)
  }
}
