import Export
import ReleaseModel
import Testing

@Suite struct ClientTests {
  private func told(_ name: String, _ text: String, _ version: String, os: String? = nil) throws -> Prompt? {
    let ending = name == "upgrader" ? "xml" : "json"
    let client = try format(name).client(of: ["\(name)/taxi.\(ending)": Array(text.utf8)], app: "taxi")
    return client(try Version(version), try os.map { try Version($0) })
  }

  @Test func `every way in which clients compare versions is checked for misreadings`() throws {
    func misread(_ texts: String...) throws -> [String] {
      var stage = Stage()
      for text in texts { try stage.live(text) }
      return Written(try format("lookup"), stage.answers()).warnings.filter { $0.id == "export.misread" }.map
      {
        "\($0.message.split(separator: " ").prefix(5).joined(separator: " ")): \($0.versions.map(\.text))"
      }
    }
    // Without points 1100 is above 200, and filled up 1.10 too.
    #expect(
      try misread("1.10.0", "2.0.0") == [
        "clients that strip the points: [\"1.10.0\"]", "clients that strip the points: [\"1.10.0\"]",
      ])
    // 2027120 is above 2027001; as decimals both are told.
    #expect(
      try misread("2026.1120", "2027.1") == [
        "clients that strip the points: [\"2026.1120\"]", "clients that strip the points: [\"2026.1120\"]",
        "clients that count each segment: [\"2026.1120\"]", "clients that look for any: [\"2028.0\"]",
      ])
    #expect(
      try misread("1.9", "1.10") == [
        "clients that strip the points: [\"2.0\"]", "clients that strip the points: [\"1.9\"]",
        "clients that compare decimal numbers: [\"1.9\"]", "clients that look for any: [\"2.0\"]",
      ])
    // Nobody has published 12.10 or 13.0 yet, but their makers may submit them.
    #expect(
      try misread("12.8", "12.9") == [
        "clients that compare decimal numbers: [\"12.10\"]", "clients that look for any: [\"13.0\"]",
      ])
  }

  @Test func `misreadings by decimal numbers and by any component are warned of`() throws {
    // No newer than 1.9.0 as a decimal, so that even who reviews it would be prompted.
    var stage = Stage()
    try stage.live("1.8.0", "1.9.0")
    try stage.publish("1.10.0", .inReview)
    #expect(
      Written(try format("lookup"), stage.answers()).remarks == [
        "export.misread 1.10.0 1.10.1 1.11.0", "export.misread 2.0.0",
      ])
    // Some component of 1.5.0 is greater than that of 2.1.0.
    stage = Stage()
    try stage.live("1.4.0", "1.5.0", "2.1.0")
    try stage.rule("from:1.5", .none)
    #expect(
      Written(try format("lookup"), stage.answers()).remarks == ["export.misread 2.1.0 2.1.1 2.2.0 3.0.0"])
  }

  @Test func `a fourth component that clients drop is warned of as more lenient`() throws {
    var stage = Stage(channel: .enterprise)
    try stage.live("1.2.0.1", "1.2.0.2", "1.2.0.3")
    try stage.rule("below:1.2.0.3", .force)
    for name in ["prince-of-versions", "upgrader"] {
      #expect(
        Written(try format(name), stage.answers()).remarks == [
          "export.component-counts 1.2.0.1 1.2.0.2 1.2.0.3", "export.milder 1.2.0.1 1.2.0.2",
        ])
    }
  }

  @Test func `the first entry that the system is new enough for counts, else there is no answer`() throws {
    let text = """
      {"ios":[{"required_version":"1.10.0","last_version_available":"1.12.0","requirements":{"required_os_version":"15.0"},
      "meta":{"update_url":"u"}},{"required_version":"1.8.4","requirements":{"required_os_version":"12.0"}}]}
      """
    #expect(try told("prince-of-versions", text, "1.9.0", os: "15") == Prompt(.force, url: "u"))
    #expect(try told("prince-of-versions", text, "1.10.0", os: "15.2") == Prompt(.remind, url: "u"))
    #expect(try told("prince-of-versions", text, "1.9.0", os: "14.2") == Prompt(.none))
    #expect(try told("prince-of-versions", text, "1.8", os: "12.0") == Prompt(.force))
    #expect(try told("prince-of-versions", text, "1.8", os: "11") == nil)
  }

  @Test func `an appcast's highest item is the newest, and its highest critical one the bound`() throws {
    func item(_ version: String, _ more: String = "") -> String {
      "<item><sparkle:version>\(version)</sparkle:version>\(more)<enclosure url=\"u&amp;\(version)\"/></item>"
    }
    let critical = "<sparkle:tags><sparkle:criticalUpdate/></sparkle:tags>"
    let feed =
      "<rss><channel>\(item("1.10.0", critical))\(item("1.12.0"))\(item("1.9.0", critical))</channel></rss>"
    #expect(try told("upgrader", feed, "1.9.0") == Prompt(.force, url: "u&1.12.0"))
    #expect(try told("upgrader", feed, "1.10.0") == Prompt(.remind, url: "u&1.12.0"))
    #expect(try told("upgrader", feed, "1.12.0") == Prompt(.none))
    // Outside the tags the mark is not seen.
    let direct = "<rss>\(item("1.12.0", "<sparkle:criticalUpdate/>"))</rss>"
    #expect(try told("upgrader", direct, "1.9.0") == Prompt(.remind, url: "u&1.12.0"))
    #expect(try told("upgrader", "<rss><item></rss>", "1.9.0") == nil)
  }

  @Test func `notes with the mark of a forced version force no client`() throws {
    var stage = Stage()
    try stage.live("1.0.0", "1.1.0")
    try stage.publish("1.2.0", .live, notes: "[:mav: 99.0.0] ]]> <sparkle:tags>")
    for name in ["lookup", "upgrader"] {
      let format = try format(name)
      let client = format.client(of: Written(format, stage.answers()).documents, app: "taxi")
      #expect(client(try Version("1.0.0"), nil)?.action == .remind)
      #expect(client(try Version("1.2.0"), nil) == Prompt(.none))
    }
  }
}
