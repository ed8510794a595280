import JSON
import TestSupport
import Testing

/// What follows where the store does not list an app, or stays behind what clients are sent to.
@Suite struct StorePageTests {
  private let shell: Shell
  private static let none = #"{"resultCount":0,"results":[]}"#

  init() throws {
    shell = try Shell.taxi()
    try shell.tell("live taxi 2.1.0 2.2.0\nforce taxi below:2.2 --reason old --yes")
    try shell.directory.write(Self.none, to: "none")
    for version in ["2.1.0", "2.2.0"] { try shell.directory.write(Self.answer(version), to: version) }
  }

  private static func answer(_ version: String) -> String {
    #"{"resultCount":1,"results":[{"kind":"software","trackId":1524608462,"bundleId":"com.example.taxi","version":"\#(version)"}]}"#
  }

  private func alarms() throws -> [String?] {
    let findings = shell.run("doctor --json").json["findings"]?.array ?? []
    return findings.filter { $0["act"] == true && $0["app"] == "taxi" }.map { $0["id"]?.string }
  }

  @Test func `two answers in a row without an app that was listed stop it, and a lookup names resume`() throws
  {
    try shell.tell(
      """
      ingest lookup taxi @2.2.0
      ingest lookup taxi @none → outcome=parked reason=lookup.absent
      sleep 59m
      ingest lookup taxi @none → outcome=duplicate
      check taxi 2.1.0 → action=force
      sleep 1m
      ingest lookup taxi @none → outcome=applied reason=lookup.gone
      check taxi 2.1.0 → action=none decidedBy=stopped
      history --limit 2 → events.1.kind=app.stop events.1.evidence=3
      inbox → inbox=[]
      """)
    #expect(try alarms() == ["store.absent"])
    try shell.tell(
      """
      sleep 1h
      ingest lookup taxi @none → outcome=duplicate
      ingest lookup taxi @2.2.0 → outcome=ignored reason=lookup.current
      """)
    #expect(shell.run("doctor").out.contains("pawl resume taxi"))
    try shell.tell("resume taxi --yes\nverify")
    #expect(try alarms().isEmpty)
    // Whoever resumes while it is gone is not overruled by the same absence.
    try shell.tell(
      """
      ingest lookup taxi @none → outcome=parked
      sleep 2h
      ingest lookup taxi @none → outcome=applied
      resume taxi --yes
      sleep 2h
      ingest lookup taxi @none → outcome=duplicate
      check taxi 2.1.0 → action=force
      verify
      """)
    #expect(try alarms() == ["store.absent"])
  }

  @Test(arguments: [
    // A mistyped id: no lookup ever listed it. A listing between. Too far apart. One of two countries. A migration.
    ("", "sleep 2h"), ("ingest lookup taxi @2.2.0", "ingest lookup taxi @2.2.0\nsleep 2h"),
    ("ingest lookup taxi @2.2.0", "sleep 8d"),
    (
      "app set taxi --countries US,DE\ningest lookup taxi @2.2.0\ningest lookup taxi @2.2.0 --country DE",
      "sleep 2h"
    ),
    ("ingest lookup taxi @2.2.0\ningest lookup taxi @2.2.0 --country DE", "sleep 2h"),
    (
      "ingest lookup taxi @2.2.0\napp add van --bundle-id a.b --apple-id 9\nlive van 1.0\nredirect taxi all --to van --yes",
      "sleep 2h"
    ),
  ])
  func `nothing is stopped where the page may be there, or where nobody is sent`(
    _ before: String, _ between: String
  ) throws {
    try shell.tell(
      "\(before)\ningest lookup taxi @none\n\(between)\ningest lookup taxi @none\nverify".drop { $0 == "\n" }
        .description)
    #expect(try shell.done("check taxi 2.1.0 --json").json["action"] == "force")
  }

  @Test
  func
    `an app is stopped where another app's redirect sends its clients there, in every country that was asked`()
    throws
  {
    try shell.tell(
      """
      app set taxi --policy none
      lift taxi 1
      app add bus --bundle-id a.b --apple-id 9
      live bus 1.0
      redirect bus all --to taxi --yes
      force bus all --reason moved --yes
      ingest lookup taxi @2.2.0
      ingest lookup taxi @2.2.0 --country DE
      ingest lookup taxi @none
      ingest lookup taxi @none --country DE
      sleep 2h
      ingest lookup taxi @none → outcome=ignored reason=lookup.gone
      check bus 1.0 → action=force targetApp=taxi
      ingest lookup taxi @none --country DE → outcome=applied
      check bus 1.0 → action=none
      verify
      """)
  }

  @Test func `a store that stays behind for a day is an alarm until it shows the target`() throws {
    try shell.tell("ingest lookup taxi @2.1.0 → reason=lookup.older")
    #expect(try alarms().isEmpty)
    try shell.tell(
      """
      sleep 1d
      ingest lookup taxi @2.1.0 → outcome=ignored reason=lookup.behind
      ingest lookup taxi @2.1.0 → reason=lookup.behind evidence=null
      """)
    #expect(try alarms() == ["lookup.behind"])
    try shell.tell("ingest lookup taxi @2.2.0\nverify")
    #expect(try alarms().isEmpty)
    // Where nobody is prompted, nobody is sent to what is not there.
    try shell.tell("app set taxi --policy none\nlift taxi 1\ningest lookup taxi @2.1.0 → reason=lookup.older")
    #expect(try alarms().isEmpty)
  }
}
