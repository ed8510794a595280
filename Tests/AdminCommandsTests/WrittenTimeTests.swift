import JSON
import ReleaseModel
import TestSupport
import Testing

@Suite struct WrittenTimeTests {
  private func taxi() throws -> Shell {
    let shell = try Shell.taxi()
    for folder in ["zones", "zones/Europe"] { try shell.directory.directory(folder) }
    try shell.directory.write(Props.berlin, to: "zones/Europe/Berlin")
    try shell.tell("past taxi 7.0\nset TZDIR=@zones")
    return shell
  }

  @Test(arguments: [
    ("--from 2027-02-01", "2027-02-01T00:00:00Z"), ("--until 2027-02-01", "2027-02-02T00:00:00Z"),
    ("--from 2027-02-01 --zone Europe/Berlin", "2027-01-31T23:00:00Z"),
    ("--until 2027-02-01 --zone Europe/Berlin", "2027-02-01T23:00:00Z"),
    ("--until 2027-03-28 --zone Europe/Berlin", "2027-03-28T22:00:00Z"),
    ("--from 2027-02-01T09:00", "2027-02-01T09:00:00Z"), ("--from 2027-02-01T09:00Z", "2027-02-01T09:00:00Z"),
    ("--from 2027-02-01T09:00+01:00 --zone Europe/Berlin", "2027-02-01T08:00:00Z"),
    ("--from 2027-02-01T09:00 --zone Europe/Berlin", "2027-02-01T08:00:00Z"),
    ("--until 2027-07-01T09:00:30 --zone Europe/Berlin", "2027-07-01T07:00:30Z"),
    ("--from 2027-02-01T09:00:00-05:00 --zone Europe/Berlin", "2027-02-01T14:00:00Z"),
    ("--from 7d", "2027-01-22T12:00:00Z"), ("--until 90m", "2027-01-15T13:30:00Z"),
    ("--until 9999-12-31", "9999-12-31T23:59:59Z"),
  ])
  func `a rule, a redirect and a setting say the moment that was understood`(words: String, moment: String)
    throws
  {
    let member = words.hasPrefix("--from") ? "from" : "until"
    try taxi().tell(
      """
      remind taxi 7.0 \(words) --yes → rule.\(member)=\(moment)
      redirect taxi 7.0 --url https://apps.apple.com/app/id1 \(words) --yes → redirect.\(member)=\(moment)
      setting taxi map-key x \(words) --yes → setting.\(member)=\(moment)
      """)
  }

  @Test(arguments: [
    "show taxi 7.0", "status", "rules", "redirects", "settings", "releases", "due", "show taxi 7.0 --blame",
    "show 3",
  ])
  func `every page shows its times in one zone`(line: String) throws {
    let shell = try taxi()
    try shell.tell(
      """
      remind taxi 7.0 --from 1d --yes
      redirect taxi 7.0 --url https://apps.apple.com/app/id1 --from 1d --yes
      setting taxi key x --from 1d
      """)
    let text = shell.run("\(line) --zone Europe/Berlin").out
    #expect(text.contains("+01:00"), "\(text)")
    #expect(!text.contains(":00Z"), "\(text)")
    #expect(!shell.run("\(line) --json").out.contains("+01:00"))
  }

  @Test func `PAWL_ZONE counts where no zone is named, and only where one is needed`() throws {
    let shell = try taxi()
    try shell.tell(
      """
      set PAWL_ZONE=Europe/Berlin
      check taxi 7.0 --at 2027-02-01 → at=2027-01-31T23:00:00Z
      check taxi 7.0 --at 2027-02-01 --zone UTC → at=2027-02-01T00:00:00Z
      """)
    for (name, id) in [("../etc/passwd", "zone.malformed"), ("Europe/Nowhere", "zone.not-found")] {
      try shell.tell(
        """
        set PAWL_ZONE=\(name)
        check taxi 7.0 --at 2027-02-01 → \(id)
        check taxi 7.0 --at 2027-02-01T00:00:00Z → at=2027-02-01T00:00:00Z
        """)
      #expect(shell.run("history --limit 1").status != 0)
      for line in ["history --limit 1", "due", "show 1", "show taxi --blame"] {
        try shell.done("\(line) --json")
      }
    }
  }

  @Test(arguments: [
    ("2027-03-28T02:30", "time.skipped", "2027-03-28T01:30:00+01:00,2027-03-28T03:30:00+02:00"),
    ("2027-10-31T02:30", "time.ambiguous", "2027-10-31T02:30:00+02:00,2027-10-31T02:30:00+01:00"),
  ])
  func `a local time that does not exist or comes twice is refused with the readings there are`(
    text: String, id: String, readings: String
  ) throws {
    let shell = try taxi()
    for line in [
      "check taxi 7.0 --at", "check taxi 7.0 --as-of", "history --since", "remind taxi 7.0 --from",
      "due --since", "mark taxi 7.0 removed --at", "status --as-of",
    ] { try shell.tell("\(line) \(text) --zone Europe/Berlin → 64 \(id) details.readings=[\(readings)]") }
    try shell.tell("check taxi 7.0 --at \(text) → at=\(text):00Z")
  }

  @Test func `durations count forward in questions and back in looks back, and a date has two ends`() throws {
    let shell = try taxi()
    func time(_ seconds: Int64) -> String { later(seconds).text }
    try shell.tell(
      """
      check taxi 7.0 → at=missing
      check taxi 7.0 --at 7d → at=\(time(7 * 86_400))
      check taxi 7.0 --at 2027-01-15 → at=2027-01-15T00:00:00Z
      check taxi 7.0 --as-of 2027-01-15 → at=2027-01-15T23:59:59Z
      status --as-of 2027-01-15 → at=2027-01-15T23:59:59Z
      due --since 2h → since=\(time(-7_200))
      due --since 2027-01-14 → since=2027-01-14T00:00:00Z
      history → since=missing
      history --since 7d → since=\(time(-7 * 86_400))
      history --until 1d → until=\(time(-86_400))
      history --until 2027-01-14 → until=2027-01-15T00:00:00Z
      export @out --at 2027-02-01 → at=2027-02-01T00:00:00Z
      publish taxi 7.1 --yes
      mark taxi 7.1 live --at 2h → 64 time.malformed
      mark taxi 7.1 live --at 2027-01-15T12:30 --zone Europe/Berlin → release.liveAt=2027-01-15T11:30:00Z
      sleep 2h
      check taxi 7.0 --as-of 1h → at=\(time(3_600))
      """)
    let lines = shell.run("check taxi --stdin --at 7d", input: Array("7.0\n7.0 12\n".utf8)).lines
    #expect(lines.map { $0["at"]?.string } == [String?](repeating: time(7_200 + 7 * 86_400), count: 2))
  }

  @Test(arguments: [
    "tomorrow", "2027-02-30", "2027-13-01", "2027-02-01T25:00", "2027-02-01T", "2027-2-1", "20270201",
    "2027-02-01T09", "2027-02-01T09:00+01", "-7d", "7", "7d ago", "",
  ])
  func `anything else is not a time`(text: String) throws {
    try taxi().tell(
      """
      check taxi 7.0 "--at=\(text)" → 64 time.malformed
      remind taxi 7.0 "--from=\(text)" → 64 time.malformed
      due "--since=\(text)" → 64 time.malformed
      """)
  }
}
