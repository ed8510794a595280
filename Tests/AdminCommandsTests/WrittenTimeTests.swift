import JSON
import ReleaseModel
import TestSupport
import Testing

/// Times as people write them, and the moments that are understood.
@Suite struct WrittenTimeTests {
  /// `taxi` with 7.0 visible; Central Europe, without the system's files.
  private func taxi() throws -> Shell {
    let shell = try Shell.taxi()
    let past = Array("version,released_at\n7.0,2026-01-01T00:00:00Z\n".utf8)
    try #require(shell.run(["import", "taxi", "-", "--yes"], input: past).status == 0)
    try shell.directory.directory("zones")
    try shell.directory.directory("zones/Europe")
    let counts: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 4]
    let block =
      Array("TZif2".utf8) + [UInt8](repeating: 0, count: 15) + counts + [0, 0, 0x0E, 0x10, 0, 0]
      + Array("CET\0".utf8)
    try shell.directory.write(
      block + block + Array("\nCET-1CEST,M3.5.0,M10.5.0/3\n".utf8), to: "zones/Europe/Berlin")
    shell.environment["TZDIR"] = shell.directory.file("zones")
    return shell
  }

  @Test(arguments: [
    ("--from 2027-02-01", "2027-02-01T00:00:00Z"), ("--until 2027-02-01", "2027-02-02T00:00:00Z"),
    ("--from 2027-02-01 --zone Europe/Berlin", "2027-01-31T23:00:00Z"),
    ("--until 2027-02-01 --zone Europe/Berlin", "2027-02-01T23:00:00Z"),
    ("--until 2027-03-28 --zone Europe/Berlin", "2027-03-28T22:00:00Z"),
    ("--from 2027-02-01T09:00", "2027-02-01T09:00:00Z"),
    ("--from 2027-02-01T09:00 --zone Europe/Berlin", "2027-02-01T08:00:00Z"),
    ("--until 2027-07-01T09:00:30 --zone Europe/Berlin", "2027-07-01T07:00:30Z"),
    ("--from 2027-02-01T09:00:00-05:00 --zone Europe/Berlin", "2027-02-01T14:00:00Z"),
    ("--from 7d", "2027-01-22T12:00:00Z"), ("--until 90m", "2027-01-15T13:30:00Z"),
    ("--until 9999-12-31", "9999-12-31T23:59:59Z"),
  ])
  func `a rule, a redirect and a setting say the moment that was understood`(words: String, moment: String)
    throws
  {
    let shell = try taxi()
    let member = words.hasPrefix("--from") ? "from" : "until"
    for (line, name) in [
      ("remind taxi 7.0", "rule"), ("redirect taxi 7.0 --url https://apps.apple.com/app/id1", "redirect"),
      ("setting taxi map-key x", "setting"),
    ] {
      let ran = try shell.done("\(line) \(words) --yes --json")
      #expect(ran.json[name]?[member] == .string(moment), "\(line)")
    }
    #expect(try shell.done("allow taxi 7.0 \(words)").out.contains(" \(member) \(moment)"))
  }

  @Test func `PAWL_ZONE counts where no zone is named, and only where one is needed`() throws {
    let shell = try taxi()
    shell.environment["PAWL_ZONE"] = "Europe/Berlin"
    func at(_ words: String) throws -> JSON? {
      try shell.done("check taxi 7.0 --json --at \(words)").json["at"]
    }
    #expect(try at("2027-02-01") == "2027-01-31T23:00:00Z")
    #expect(try at("2027-02-01 --zone UTC") == "2027-02-01T00:00:00Z")
    #expect(try shell.done("history --limit 1").out.contains("+01:00"))
    for (name, id) in [("../etc/passwd", "zone.malformed"), ("Europe/Nowhere", "zone.not-found")] {
      shell.environment["PAWL_ZONE"] = name
      #expect(shell.run("check taxi 7.0 --json --at 2027-02-01").errorID == id)
      #expect(try at("2027-02-01T00:00:00Z") == "2027-02-01T00:00:00Z")
      #expect(shell.run("history --limit 1").status != 0)
      for line in ["history --limit 1", "due", "show 1", "blame taxi"] { try shell.done("\(line) --json") }
    }
  }

  @Test(arguments: [
    (
      "2027-03-28T02:30", "time.skipped", ["2027-03-28T01:30:00+01:00", "2027-03-28T03:30:00+02:00"]
    ),
    (
      "2027-10-31T02:30", "time.ambiguous", ["2027-10-31T02:30:00+02:00", "2027-10-31T02:30:00+01:00"]
    ),
  ])
  func `a local time that does not exist or comes twice is refused with the readings there are`(
    text: String, id: String, readings: [String]
  ) throws {
    let shell = try taxi()
    for line in [
      "check taxi 7.0 --at", "check taxi 7.0 --as-of", "history --since", "remind taxi 7.0 --from",
      "due --since", "mark taxi 7.0 removed --at", "status --as-of",
    ] {
      let ran = shell.run("\(line) \(text) --zone Europe/Berlin --json")
      #expect(ran.status == 64 && ran.errorID == id, "\(line)")
      #expect(ran.error["details"]?["readings"] == .array(readings.map(JSON.string)), "\(line)")
      for reading in readings { #expect(ran.error["hint"]?.string?.contains(reading) == true) }
    }
    #expect(shell.run("check taxi 7.0 --at \(text) --json").json["at"] == .string(text + ":00Z"))
  }

  @Test func `durations count forward in questions and back in looks back, and a date has two ends`() throws {
    let shell = try taxi()
    func said(_ line: String, _ member: String) throws -> String? {
      try shell.done("\(line) --json").json[member]?.string
    }
    #expect(try said("check taxi 7.0 --at 7d", "at") == later(7 * 86_400).text)
    #expect(try said("check taxi 7.0 --at 2027-01-15", "at") == "2027-01-15T00:00:00Z")
    #expect(try said("check taxi 7.0 --as-of 2027-01-15", "at") == "2027-01-15T23:59:59Z")
    #expect(try said("status --as-of 2027-01-15", "at") == "2027-01-15T23:59:59Z")
    #expect(try said("due --since 2h", "since") == later(-7_200).text)
    #expect(try said("due --since 2027-01-14", "since") == "2027-01-14T00:00:00Z")
    #expect(try said("history --since 7d", "since") == later(-7 * 86_400).text)
    #expect(try said("history --until 1d", "until") == later(-86_400).text)
    #expect(try said("history --until 2027-01-14", "until") == "2027-01-15T00:00:00Z")
    #expect(try said("history", "since") == nil)
    #expect(try said("check taxi 7.0", "at") == nil)
    let lines = shell.run("check taxi --stdin --at 7d", input: Array("7.0\n7.0 12\n".utf8)).lines
    #expect(lines.map { $0["at"]?.string } == [String?](repeating: later(7 * 86_400).text, count: 2))
    let out = shell.directory.file("out")
    #expect(try said("export \(out) --at 2027-02-01", "at") == "2027-02-01T00:00:00Z")
    shell.clock = later(7_200)
    #expect(try said("check taxi 7.0 --as-of 1h", "at") == later(3_600).text)
    #expect(try said("report \(shell.directory.file("report")) --at 1d", "at") == later(7_200 + 86_400).text)
    #expect(try shell.done("check taxi 7.0 --at 7d").out.contains(" at \(later(7_200 + 7 * 86_400).text)"))
  }

  @Test func `what happened takes a moment or a date, and no duration`() throws {
    let shell = try taxi()
    try shell.done("publish taxi 7.1")
    let ran = shell.run("mark taxi 7.1 live --at 2h --json")
    #expect(ran.status == 64 && ran.errorID == "time.malformed")
    let marked = try shell.done("mark taxi 7.1 live --at 2027-01-15T12:30 --zone Europe/Berlin --json").json
    #expect(marked["release"]?["liveAt"] == "2027-01-15T11:30:00Z")
  }

  @Test(arguments: [
    "tomorrow", "2027-02-30", "2027-13-01", "2027-02-01T25:00", "2027-02-01T", "2027-2-1", "20270201",
    "2027-02-01T09", "2027-02-01T09:00+01", "-7d", "7", "7d ago", "",
  ])
  func `anything else is not a time`(text: String) throws {
    let shell = try taxi()
    for option in ["--at", "--from", "--since"] {
      let verb =
        option == "--at"
        ? ["check", "taxi", "7.0"] : option == "--from" ? ["remind", "taxi", "7.0"] : ["due"]
      let ran = shell.run(verb + ["\(option)=\(text)", "--json"])
      #expect(ran.status == 64 && ran.errorID == "time.malformed", "\(option) \(text): \(ran.err)")
    }
  }
}
