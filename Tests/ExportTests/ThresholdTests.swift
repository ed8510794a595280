import Export
import JSON
import ReleaseModel
import Testing

@Suite struct ThresholdTests {
  private func remarks(_ name: String, _ stage: Stage) throws -> [String] {
    Written(try format(name), stage.answers()).remarks.filter { !$0.hasPrefix("export.misread") }
  }

  private func conclusion(_ name: String, _ stage: Stage, _ version: String, os: String? = nil) throws
    -> String
  {
    let format = try format(name)
    let client = format.client(of: Written(format, stage.answers()).documents, app: "taxi")
    let told = try #require(client(try Version(version), try os.map { try Version($0) }))
    return ([told.action.rawValue] + (told.url.map { [$0] } ?? [])).joined(separator: " ")
  }

  private func document(_ path: String, _ stage: Stage) throws -> JSON {
    let format = try format(String(path.prefix { $0 != "/" }))
    return try JSON(parsing: try #require(Written(format, stage.answers()).documents[path + ".json"]))
  }

  private static let bounded = ["lookup", "prince-of-versions", "upgrader"]

  @Test(arguments: bounded)
  func `a client that the policy tells none is not prompted for a patch`(name: String) throws {
    var stage = Stage()
    try stage.live("2.1.0", "2.2.0", "2.2.1", "2.2.2")
    #expect(try conclusion(name, stage, "2.1.0").hasPrefix("remind"))
    #expect(try conclusion(name, stage, "2.2.0") == "none")
    #expect(try conclusion(name, stage, "2.2.1") == "none")
  }

  @Test(arguments: bounded)
  func `a reviewer of the version after a migration is not prompted`(name: String) throws {
    var stage = try Sample.migration.stage()
    try stage.publish("7.4.0", .inReview)
    #expect(try conclusion(name, stage, "7.4.0") == "none")
    #expect(try remarks(name, stage).filter { $0.hasPrefix("export.not") } == [])
  }

  @Test(arguments: bounded)
  func `a version in review after the newest is not announced`(name: String) throws {
    var stage = try Sample.migration.stage()
    try stage.publish("7.3.1", .inReview)
    #expect(try remarks(name, stage) == ["export.milder 7.3.0"])
    #expect(try conclusion(name, stage, "7.3.0") == "none")
    #expect(try conclusion(name, stage, "7.2.9").hasPrefix("force"))
  }

  @Test(arguments: bounded)
  func `bounds hold up to the first exception, and the versions after it are named`(name: String) throws {
    var stage = Stage()
    try stage.live("1.0.0", "1.1.0", "1.2.0", "1.3.0", "1.4.0")
    try stage.rule("1.2.0", .none)
    #expect(try remarks(name, stage) == ["export.milder 1.3.0"])
    try stage.rule("1.2.0", .force)
    try stage.rule("1.3.0", .none)
    #expect(try remarks(name, stage) == ["export.milder 1.2.0"])
    #expect(try conclusion(name, stage, "1.2.0").hasPrefix("remind"))
    try stage.rule("1.0.0..1.1.0", .force)
    try stage.rule("1.0.0", .none)
    #expect(try remarks(name, stage) == ["export.milder 1.1.0 1.2.0"])
    #expect(try conclusion(name, stage, "0.9").hasPrefix("force"))
    #expect(try conclusion(name, stage, "1.1.0") == "none")
  }

  @Test(arguments: bounded)
  func `no client above versions that a rule allows is prompted`(name: String) throws {
    var stage = Stage()
    try stage.live("2.0", "3.1", "4.1")
    try stage.rule("below:3.0", .none)
    #expect(try remarks(name, stage) == ["export.milder 3.1"])
    for version in ["0.1", "2.0", "2.9", "3.0", "3.1", "4.0.9", "4.1", "5.0"] {
      #expect(try conclusion(name, stage, version) == "none")
    }
  }

  @Test(arguments: bounded)
  func `a bound is where the rule has it, not at the next recorded version`(name: String) throws {
    var stage = Stage()
    try stage.live("6.9", "7.5", "7.6")
    stage.line.app.policy = try #require(SegmentPolicy("none"))
    try stage.rule("below:7.0", .force)
    #expect(try remarks(name, stage) == [])
    for version in ["0.0.1", "6.9", "6.9.9", "6.999.0.4"] {
      #expect(try conclusion(name, stage, version).hasPrefix("force"), "\(version)")
    }
    for version in ["7.0", "7.0.0.1", "7.2", "7.4.9", "7.5", "8"] {
      #expect(try conclusion(name, stage, version) == "none", "\(version)")
    }
    // The reminder's bound too: 7.6 by the policy, and 7.2 by a rule.
    stage.line.app.policy = .standard
    try stage.rule("from:7.2", .none)
    #expect(try conclusion(name, stage, "7.1.9").hasPrefix("remind"))
    #expect(try conclusion(name, stage, "7.2") == "none")
    #expect(try remarks(name, stage) == [])
  }

  @Test func `a bound with a fourth component is warned of as more lenient for some clients`() throws {
    var stage = Stage()
    try stage.live("6.9", "7.0", "7.6")
    try stage.rule("upto:7.0", .force)
    try stage.rule("above:7.0", .none)
    let warning = try #require(Written(try format("prince-of-versions"), stage.answers()).warnings.first)
    #expect(warning.id == "export.milder")
    #expect(warning.versions.map(\.text) == ["7.0"])
    #expect(warning.ranges.map(\.text) == ["7.0"])
    #expect(try conclusion("prince-of-versions", stage, "6.9").hasPrefix("force"))
    #expect(try conclusion("prince-of-versions", stage, "7.0.0.1") == "none")
  }

  @Test func `versions that the ledger does not know are named by their ranges`() throws {
    var stage = Stage()
    try stage.live("1.0", "2.0")
    stage.line.app.policy = try #require(SegmentPolicy("none"))
    try stage.rule("1.3..1.5", .remind)
    for format in try [format("prince-of-versions"), format("upgrader")] {
      let warning = try #require(Written(format, stage.answers()).warnings.first)
      #expect(warning.id == "export.milder")
      #expect(warning.versions == [])
      #expect(warning.ranges.map(\.text) == ["1.3..1.5"])
      #expect(warning.message.hasSuffix(": 1.3..1.5 are told nothing instead of reminded"))
      #expect(warning.json["ranges"]?.array?.compactMap(\.string) == ["1.3..1.5"])
    }
  }

  @Test(arguments: bounded, [ReleaseState.prepared, .waiting, .inReview, .approved])
  func `an older version that a reviewer may see is not prompted, nor the next one above it`(
    name: String, state: ReleaseState
  ) throws {
    var stage = Stage()
    try stage.live("1.9.0")
    try stage.publish("1.10.0", state == .prepared ? nil : state)
    try stage.live("1.11.0", "1.12.0")
    #expect(try remarks(name, stage).filter { $0.hasPrefix("export.milder") } == ["export.milder 1.11.0"])
    #expect(try conclusion(name, stage, "1.10.0") == "none")
    #expect(try conclusion(name, stage, "1.9.9").hasPrefix("remind"))
  }

  @Test(arguments: bounded, [ReleaseState.rejected, .withdrawn, .void])
  func `an older version that can never go live is warned of`(name: String, state: ReleaseState) throws {
    var stage = Stage()
    try stage.live("1.1.0")
    try stage.publish("1.2.0", state)
    try stage.live("1.3.0", "1.4.0")
    #expect(try remarks(name, stage) == ["export.dead-version 1.2.0"])
  }

  @Test(arguments: [("prince-of-versions", ApplePlatform.tvOS), ("upgrader", .visionOS)])
  func `a format without clients for a platform is left out, not refused`(
    name: String, platform: ApplePlatform
  )
    throws
  {
    var stage = Stage()
    var app = App(slug: "taxi", bundleID: "com.example.taxi", platform: platform)
    app.appleID = 7
    stage.line.app = app
    #expect(try remarks(name, stage) == ["export.not-for-app"])
  }

  @Test func `a Mac app is listed under its own key`() throws {
    var stage = Stage()
    var app = App(slug: "taxi", bundleID: "com.example.taxi", platform: .macOS)
    app.appleID = 7
    app.hold = .zero
    stage.line.app = app
    try stage.live("1.0.0", "2.0.0")
    let json = try document("prince-of-versions/taxi", stage)
    #expect(json.object?.members.map(\.key) == ["macos"])
    #expect(try conclusion("prince-of-versions", stage, "1.0.0") == "force https://apps.apple.com/app/id7")
  }

  @Test func `the store page is recognised by an id at the end of its path`() throws {
    var stage = Stage()
    try stage.live("1.0.0", "2.0.0")
    for page in [
      "https://apps.apple.com/cn/app/x/id1524608462?mt=8", "itms-apps://itunes.apple.com/app/id1524608462",
      "https://apps.apple.com/app/id15246084621",
    ] {
      stage.line.app.storeURL = page
      #expect(try remarks("lookup", stage) == [])
    }
    for page in ["https://apps.apple.com/app/x?id1524608462", "https://apps.apple.com/app/id1524608462/x"] {
      stage.line.app.storeURL = page
      #expect(try remarks("lookup", stage) == ["export.other-page 1.0.0"])
    }
  }

  @Test func `clients that send no version get a bound that is stricter for none`() throws {
    var stage = Stage()
    try stage.live("1.0.0", "2.0.0", "2.1.0")
    // Some are forced and some reminded: all are reminded, and who should be forced is named.
    #expect(try document("type/taxi", stage)["required_version"]?.string == "2.1.0")
    #expect(try document("type/taxi", stage)["type"]?.string == "normal")
    #expect(try remarks("type", stage) == ["export.milder 1.0.0"])
    try stage.rule("from:2.0", .none)
    #expect(try document("type/taxi", stage)["required_version"]?.string == "2.0.0")
    #expect(try document("type/taxi", stage)["type"]?.string == "force")
    #expect(try remarks("type", stage) == [])
    stage.line.app.isStopped = true
    #expect(try document("type/taxi", stage)["required_version"] == nil)
    #expect(try document("type/taxi", stage)["type"]?.string == "normal")
  }

  @Test func `flags and type hand out settings, and without a version those that all clients have`() throws {
    var stage = Stage()
    try stage.live("1.0.0", "2.0.0")
    try stage.publish("2.1.0", .inReview)
    try stage.setting("map", "free", "all", .review)
    try stage.setting("map", "paid", "all", .released)
    try stage.setting("help", "https://example.com", "all", nil)
    try stage.setting("menu", "new", "from:2.0", nil)
    func settings(_ name: String, _ path: String) throws -> [String: String] {
      let json = try document("\(name)/\(path)", stage)
      let object = try #require((name == "flags" ? json["body"]?["settings"] : json["settings"])?.object)
      return Dictionary(object.members.map { ($0.key, $0.value.string ?? "?") }, uniquingKeysWith: { $1 })
    }
    for name in ["flags", "type"] {
      #expect(try settings(name, "taxi/1.0.0") == ["map": "paid", "help": "https://example.com"])
      #expect(
        try settings(name, "taxi/2.0.0") == ["map": "paid", "help": "https://example.com", "menu": "new"])
      stage.line.app.past = .unknown
      #expect(try settings(name, "taxi/default") == ["help": "https://example.com"])
      // Nobody but a reviewer or a tester is left.
      stage.line.app.past = .whole
      #expect(
        try settings(name, "taxi/default") == ["map": "free", "help": "https://example.com", "menu": "new"])
    }
    #expect(try settings("type", "taxi") == ["help": "https://example.com"])
  }

  @Test(arguments: ExportFormats.all.map(\.name))
  func `a version recorded late is answered like any other, and never a target`(name: String) throws {
    var stage = Stage()
    try stage.live("7.0", "7.2")
    try stage.past("6.5.0")
    try stage.past("7.1.0.3")
    #expect(try conclusion(name, stage, "6.5.0").hasPrefix("force"))
    #expect(try conclusion(name, stage, "7.1.0.3").hasPrefix("remind"))
    let written = Written(try format(name), stage.answers())
    if ["v1", "flags", "type"].contains(name) {
      #expect(written.documents["\(name)/taxi/6.5.0.json"] != nil)
      #expect(written.documents["\(name)/taxi/7.1.0.3.json"] != nil)
    }
    try stage.mark("7.2", .removed)
    for version in ["6.4", "6.5.0", "7.0", "7.1.0.3"] {
      #expect(try conclusion(name, stage, version) == "none")
    }
  }

  @Test func `default json holds until a setting changes`() throws {
    var stage = Stage()
    try stage.live("1.0", "2.0")
    let (soon, late) = (stage.now + TimeSpan(seconds: 60), stage.now + TimeSpan(seconds: 120))
    try stage.setting("map", "paid", "all", nil, from: soon, until: late)
    let start = stage.now
    func document() throws -> JSON {
      let written = Written(try format("v1"), stage.answers(since: start))
      return try JSON(parsing: try #require(written.documents["v1/taxi/default.json"]))
    }
    for (moment, map, from, until) in [
      (start, nil, nil, soon.text), (soon, "paid", soon.text, late.text), (late, nil, late.text, nil),
    ] {
      stage.now = moment
      let json = try document()
      #expect(json["settings"]?["map"]?.string == map)
      #expect(json["validFrom"]?.string == from)
      #expect(json["validUntil"]?.string == until)
    }
  }

  @Test func `warnings are found without writing documents`() throws {
    let stage = try Sample.exception.stage()
    let found = stage.answers().findings(
      in: ExportFormats.all.filter { ["v1", "prince-of-versions"].contains($0.name) })
    #expect(found.map(\.id) == ["export.milder"])
    #expect(found.flatMap(\.versions).map(\.text) == ["1.11.2"])
  }

  @Test func `a system is found by its older name, too`() throws {
    var app = App(slug: "taxi", bundleID: "com.example.taxi", platform: .macOS)
    (app.appleID, app.hold) = (1_524_608_462, .zero)
    app.policy = try #require(SegmentPolicy("none,force"))
    for (first, told) in [("26.0", ["16.4", "26.1"]), ("11.0", ["10.16", "11.2"])] {
      var stage = Stage()
      stage.line = AppState(app: app)
      try stage.live("0.1", "0.5")
      try stage.publish("1.0", .live, minOS: first)
      #expect(try told.allSatisfy { try conclusion("prince-of-versions", stage, "0.1", os: $0) == "none" })
      #expect(try conclusion("prince-of-versions", stage, "0.1", os: "10.15").hasPrefix("force"))
    }
  }

  /// Writes what was decided in another state, as a format at fault might.
  private struct Mistaken: DocumentFormat {
    let format: any DocumentFormat
    let other: AppAnswers
    var name: String { format.name }

    func documents(for answers: AppAnswers) -> (documents: [Document], warnings: [ExportFinding]) {
      format.documents(for: other)
    }

    func clients(of documents: [String: [UInt8]], app: String, at moment: Timestamp) -> [DocumentClient] {
      format.clients(of: documents, app: app, at: moment)
    }
  }

  @Test(arguments: ExportFormats.all.map(\.name))
  func `nothing is written that its reader takes for more than was decided`(name: String) throws {
    var stage = Stage()
    try stage.live("1.0.0", "1.1.0")
    let reminding = stage.answers()
    try stage.rule("below:1.1", .force)
    let mistaken = try Mistaken(format: format(name), other: stage.answers())
    #expect(Written(mistaken, stage.answers()).refusal == nil)
    for answers in [reminding, Stage().answers()] {
      let written = Written(mistaken, answers)
      #expect(written.refusal?.id == "export.wrong" && written.documents.isEmpty)
    }
  }
}
