import JSON
import MailCorpus
import ReleaseModel
import TestSupport
import Testing

@Suite struct IngestLookupTests {
  private func held(_ options: String = "") throws -> Shell {
    let room = try Mailroom.open()
    try room.tell(
      """
      app add campus --bundle-id CampusOfGLUT --apple-id 968615456 --hold 24h \(options)
      publish campus 1.2 --yes
      mark campus 1.2 live --yes
      sleep 71h
      sleep 59m
      publish campus 1.3 --yes
      mark campus 1.3 live --yes
      sleep 1m
      """)
    return room
  }

  private func shown(_ more: String = "", _ options: String = "") throws -> Shell {
    let room = try held(options)
    try room.tell("sleep 30h\n" + more)
    return room
  }

  @Test func `the real answer ends the hold of the version it shows, at once, and is no news again`() throws {
    let room = try held()
    // The evidence, the end of the hold, and the notes, which the release had none of.
    try room.tell(
      """
      check campus 1.0 → target=1.2
      lookup campus 1.3 → outcome=applied version=1.3 from=live to=live
      show campus 1.3 → release.visibleAt=\(World.now.text)
      history --limit 3 → events.*.kind=[release.amend,release.mark,evidence.add] events.*.evidence=[1,1,1]
      lookup campus 1.3 → same outcome=ignored reason=lookup.current
      verify
      """)
    let notes = try room.done("show campus 1.3 --json").json["release"]?["notes"]?["und"]?.string
    #expect(notes?.hasPrefix("——————那些年") == true)
    #expect(try room.bodySize() == Int64(room.lookup("campus", "1.3").utf8.count))
  }

  @Test
  func `a newer version that is known ends the hold, too, and is not made live; an older one does nothing`()
    throws
  {
    // Nobody said that it is live, and the hold says nothing any more.
    try held().tell(
      """
      lookup campus 1.2 → outcome=ignored reason=lookup.older
      lookup campus 1.2 → same outcome=ignored reason=lookup.older
      lookup campus 1.1 → outcome=ignored reason=lookup.behind
      publish campus 1.4 --yes
      mark campus 1.4 approved
      check campus 1.0 → target=1.2
      lookup campus 1.4 → outcome=applied
      check campus 1.0 → target=1.3
      show campus 1.4 → release.state=approved
      lookup campus 1.4 → reason=lookup.not-live evidence=4
      verify
      """)
  }

  @Test(arguments: [
    ("1.3 bundle=com.example.other", "wrong-app"), ("1.3 id=968615457", "wrong-app"),
    ("1.3 kind=song", "wrong-kind"), ("v1.3", "version"),
  ])
  func `an answer about another app or something else is parked`(words: String, reason: String) throws {
    let room = try held()
    try room.tell(
      "lookup campus \(words) → outcome=parked reason=lookup.\(reason)\ncheck campus 1.0 → target=1.2")
    #expect(try room.bodySize() != nil)
  }

  @Test func `an invalid answer is refused and leaves nothing`() throws {
    let room = try held()
    let answer = try room.lookup("campus", "1.3")
    for text in [
      "", "<html>busy</html>", String(answer.prefix(answer.count / 2)), "[]", "{}",
      #"{"resultCount":1,"results":[]}"#, #"{"resultCount":1,"results":[{"kind":"software"}]}"#,
      #"{"resultCount":2,"results":[{"kind":"software"},{"kind":"software"}]}"#,
      answer.replacing("\"version\": \"1.3\"", with: "\"version\": 1.3"),
    ] {
      try room.directory.write(text, to: "answer")
      try room.tell("ingest lookup campus @answer → 65 lookup.malformed")
    }
  }

  @Test(arguments: [("US", "CN"), ("CN", "US")])
  func `every country has to show it`(first: String, last: String) throws {
    try held("--countries US,CN").tell(
      """
      lookup campus 1.3 --country=\(first) → outcome=ignored reason=lookup.other-countries
      lookup campus 1.3 --country=\(first) → reason=lookup.other-countries
      lookup campus 1.3 --country=DE → reason=lookup.other-countries
      check campus 1.0 → target=1.2
      lookup campus 1.2 --country=\(last) → reason=lookup.older
      check campus 1.0 → target=1.2
      lookup campus 1.3 --country=\(last) → outcome=applied
      check campus 1.0 → target=1.3
      verify
      """)
  }

  @Test(arguments: [
    ("", "parked", "approved", "live", "1.3"),
    ("--live-by lookup", "applied", "live", "superseded", "1.4"),
  ])
  func `a lookup makes a release live and visible only if the app is set to that`(
    options: String, outcome: String, newer: String, older: String, target: String
  ) throws {
    try shown("publish campus 1.4 --yes\nmark campus 1.4 approved", options).tell(
      """
      lookup campus 1.4 → outcome=\(outcome)
      releases campus → releases.*.state=[\(newer),\(older),superseded]
      check campus 1.0 → target=\(target)
      verify
      """)
  }

  @Test(arguments: [true, false])
  func `every country has to show it before a lookup makes it live, also the first release`(isFirst: Bool)
    throws
  {
    let room = try Mailroom.open("7.3.0", .live)
    try room.tell(
      """
      app add campus --bundle-id CampusOfGLUT --apple-id 968615456 --countries US,CN --policy remind
      \(isFirst ? "" : "live campus 1.2")
      publish campus 1.3 --yes
      mark campus 1.3 approved
      \(isFirst ? "lookup campus 1.3 → reason=lookup.not-live" : "")
      app set campus --live-by lookup
      lookup campus 1.3 --country=US → reason=lookup.other-countries
      show campus 1.3 → release.state=approved
      lookup campus 1.3 --country=CN → outcome=applied
      check campus 1.0 → target=1.3
      verify
      """)
  }

  @Test func `release notes of the store become those of a release that has none, and replace nobody's`()
    throws
  {
    try shown().tell(
      """
      amend campus 1.3 --note en=ours
      lookup campus 1.3 → reason=lookup.current
      lookup campus 1.3 → same reason=lookup.current
      lookup campus 1.2 → same reason=lookup.older
      """)
    let bare = try shown()
    try bare.tell(
      """
      lookup campus 1.3 → outcome=applied reason=lookup.notes to=null
      history --limit 2 → events.*.kind=[release.amend,evidence.add]
      lookup campus 1.3 → reason=lookup.current
      verify
      """)
    #expect(try keys(bare.done("show campus 1.3 --json").json["release"]?["notes"]) == ["und"])
  }

  @Test(arguments: [("2.0", "lookup.not-live", 1), ("2.1", "lookup.older", 0)])
  func `an alarm ends by itself once the ledger knows what the store shows`(
    next: String, reason: String, parked: Int64
  ) throws {
    // As recorded, and as a greater version that makes it an old one; where it is recorded, it is not live yet.
    let room = try shown(
      """
      lookup campus 2.0 → outcome=parked
      status → alarms.#=1
      publish campus \(next) --yes
      status → alarms.#=0
      inbox → inbox=[]
      lookup campus 2.0 → reason=\(reason)
      verify
      """)
    #expect(try room.number("SELECT count(*) FROM evidence WHERE outcome = 'parked'") == parked)
  }

  @Test(arguments: ["prepared", "in-review", "approved", "rejected"])
  func `a release that the store shows and the ledger has as not live is an alarm until it is`(state: String)
    throws
  {
    // Its hold ends, too.
    _ = try shown(
      """
      publish campus 2.0 --yes
      mark campus 2.0 \(state)
      lookup campus 2.0 → outcome=parked reason=lookup.not-live
      lookup campus 2.0 "before= " → outcome=duplicate
      status → alarms.#=1
      doctor → 1 findings.1.id=lookup.not-live
      next campus --check 2.0 → next.closed
      show campus 2.0 → release.state=\(state)
      mark campus 2.0 live --yes
      doctor → findings.*.id=[hold.running]
      inbox → inbox=[]
      lookup campus 2.0 "before= " → outcome=applied
      inbox show 1 → reason=lookup.known
      verify
      """)
  }

  @Test func `an alarm is parked once, whatever else the answer says`() throws {
    let room = try held()
    // The same bytes about another app are that app's own.
    try room.directory.write(#"{"resultCount":0,"results":[]}"#, to: "none")
    try room.tell(
      """
      lookup campus 2.0 → outcome=parked evidence=1
      lookup campus 2.0 "before= " → outcome=duplicate evidence=1
      lookup campus 2.1 "before= " → outcome=parked evidence=2
      app add other --bundle-id com.example.other --apple-id 77
      ingest lookup campus @none → app=campus evidence=3 reason=lookup.absent
      ingest lookup other @none → app=other evidence=4
      ingest lookup other @none → app=other evidence=4
      """)
  }
}
