import Export
import JSON
import ReleaseModel
import Testing

@Suite struct ScheduleDocumentTests {
  private func document(_ answers: AppAnswers) throws -> JSON {
    try JSON(parsing: try #require(Written(try format("v1"), answers).documents["v1/taxi/schedule.json"]))
  }

  @Test func `a schedule is the same whenever it is written`() throws {
    var stage = Stage()
    stage.line.app.hold = TimeSpan(seconds: 7_200)
    try stage.publish("1.0", .live, visibleNow: true)
    try stage.publish("2.0", .live, notes: "New")
    let start = stage.now
    let first = try document(stage.answers(since: start))
    #expect(first["rows"]?.array?.count == 5)
    for seconds: Int64 in [1, 7_199, 7_200, 1_000_000] {
      stage.now = start + TimeSpan(seconds: seconds)
      #expect(try document(stage.answers(since: start)) == first)
    }
    // A question about an earlier moment is answered from then on.
    stage.now = start - TimeSpan(seconds: 60)
    #expect(try document(stage.answers(since: start))["from"]?.integer == stage.now.seconds)
  }

  @Test func `a schedule has the notes of targets only, and a digest of its content`() throws {
    var stage = Stage()
    stage.line.app.hold = TimeSpan(seconds: 7_200)
    try stage.publish("1.0", .live, notes: "Older", visibleNow: true)
    stage.now = stage.now + TimeSpan(seconds: 60)
    try stage.publish("1.5", .live, notes: "Old", visibleNow: true)
    try stage.publish("2.0", .live, notes: "Neu: ä")
    try stage.publish("3.0", .inReview, notes: "Secret")
    try stage.rule("below:1.5", .force, from: stage.now + TimeSpan(seconds: 9_000))
    let json = try document(stage.answers())
    #expect(json["notes"] == ["taxi": ["1.5": ["en": "Old"], "2.0": ["en": "Neu: ä"]]])
    #expect(json["hash"]?.string?.count == 64 && json["ledger"]?.string?.count == 32)
    let columns = [
      "lo", "hi", "validFrom", "validUntil", "action", "review", "target", "targetApp", "minOS", "url",
      "remindEvery", "settings", "tiers", "tag",
    ]
    func cell(_ value: JSON?) -> String {
      switch value {
      case nil, .null?: return "-"
      case .bool(let isTrue)?: return isTrue ? "31" : "30"
      case let value?:
        let text = value.string ?? value.text()
        return text.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      }
    }
    let rows = try #require(json["rows"]?.array)
    let lines =
      rows.map { row in columns.map { cell(row[$0]) }.joined(separator: " ") }
      + [["taxi", "1.5", #"{"en":"Old"}"#], ["taxi", "2.0", #"{"en":"Neu: ä"}"#]].map { note in
        note.map { cell(.string($0)) }.joined(separator: " ")
      }
    #expect(json["digest"]?.string == sha256(Array(lines.map { $0 + "\n" }.joined().utf8)))
    #expect(rows.last?["validUntil"]?.integer == 253_402_300_800 && rows.last?["hi"]?.string == ":")
  }

  @Test func `a schedule that reveals a version that was never live is warned of`() throws {
    func announced(_ change: (inout Stage) throws -> Void) throws -> [String] {
      var stage = Stage()
      try stage.live("1.0", "2.0")
      try stage.publish("3.0", .inReview)
      try change(&stage)
      let warnings = Written(try format("v1"), stage.answers()).warnings
      #expect(stage.answers().findings(in: [try format("v1")]) == warnings)
      return warnings.flatMap { [$0.id] + $0.versions.map(\.text) }
    }
    #expect(try announced { _ in } == [])
    #expect(try announced { try $0.rule("below:2.5", .force) } == [])
    let wanted = ["export.announces", "3.0"]
    // Whatever rules and redirects say, every version above 2.0 is told the same, so that none is named.
    #expect(try announced { try $0.rule("below:3.0", .force) } == [])
    #expect(try announced { try $0.redirect("from:3.0", to: .url("https://apps.apple.com/app/id7")) } == [])
    for range in ["3.0", "below:3.0", "upto:3.0", "from:3.0", "above:3.0"] {
      #expect(try announced { try $0.setting("map", "paid", range, nil) } == wanted)
    }
    #expect(
      try announced {
        try $0.mark("3.0", .rejected)
        try $0.live("3.1")
      } == wanted)
  }

  @Test func `text that is not a schedule is not read, and a version without a row has no answer`() throws {
    #expect(ScheduleClient(Array("{}".utf8), at: noon) == nil)
    #expect(ScheduleClient(Array(#"{"rows":[{"lo":"0"}]}"#.utf8), at: noon) == nil)
    let empty = try #require(ScheduleClient(Array(#"{"rows":[]}"#.utf8), at: noon))
    #expect(try empty.conclusion(Version("1.0"), os: nil) == nil)
  }
}
