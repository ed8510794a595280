import Export
import JSON
import ReleaseModel
import Testing

/// Where formats with two bounds draw the line, and where they refuse.
@Suite struct ThresholdTests {
  private func remarks(_ name: String, _ stage: Stage) throws -> [String] {
    Written(try format(name), stage.sheet).remarks
  }

  private func conclusion(_ name: String, _ stage: Stage, _ version: String, os: String? = nil) throws
    -> String
  {
    let format = try format(name)
    let client = format.client(of: Written(format, stage.sheet).documents, app: "taxi")
    let told = try #require(client(try Version(version), try os.map { try Version($0) }))
    return ([told.action.rawValue] + (told.url.map { [$0] } ?? [])).joined(separator: " ")
  }

  private static let page = "https://apps.apple.com/app/id1524608462"
  private static let bounded = ["lookup", "prince-of-versions", "upgrader"]

  @Test(arguments: bounded + ["updates"])
  func `who is told nothing by the policy is not prompted for a patch`(name: String) throws {
    var stage = Stage()
    try stage.live("2.1.0", "2.2.0", "2.2.1", "2.2.2")
    #expect(try conclusion(name, stage, "2.1.0").hasPrefix("remind"))
    #expect(try conclusion(name, stage, "2.2.0") == "none")
    #expect(try conclusion(name, stage, "2.2.1") == "none")
  }

  @Test(arguments: bounded)
  func `everybody sent to another app is prompted, and who reviews the next version is not`(name: String)
    throws
  {
    var stage = try Sample.migration.stage()
    #expect(try conclusion(name, stage, "7.3.0") == "remind https://apps.apple.com/app/id618783545")
    #expect(try conclusion(name, stage, "7.2.0") == "force https://apps.apple.com/app/id618783545")
    try stage.publish("7.4.0", .inReview)
    #expect(try conclusion(name, stage, "7.4.0") == "none")
    #expect(try remarks(name, stage).filter { $0.hasPrefix("export.not") } == [])
  }

  @Test(arguments: bounded)
  func `the version after the newest is not announced while the ledger knows it`(name: String) throws {
    var stage = try Sample.migration.stage()
    try stage.publish("7.3.1", .inReview)
    #expect(try remarks(name, stage) == ["export.not-thresholds 7.3.1"])
  }

  @Test(arguments: bounded + ["updates"])
  func `the exception is named, not everything else`(name: String) throws {
    var stage = Stage()
    try stage.live("1.0.0", "1.1.0", "1.2.0", "1.3.0", "1.4.0")
    try stage.rule("1.2.0", .none)
    #expect(try remarks(name, stage) == ["export.not-thresholds 1.2.0"])
    try stage.rule("1.2.0", .force)
    try stage.rule("1.3.0", .none)
    #expect(try remarks(name, stage) == ["export.not-thresholds 1.2.0"])
    try stage.rule("1.0.0..1.1.0", .force)
    try stage.rule("1.0.0", .none)
    #expect(try remarks(name, stage) == ["export.not-thresholds 1.0.0"])
  }

  @Test(arguments: bounded + ["updates"])
  func `a page of its own for one version is refused and named`(name: String) throws {
    let stage = try Sample.twoPages.stage()
    #expect(try remarks(name, stage) == ["export.not-thresholds 1.10.0"])
  }

  @Test(arguments: bounded + ["updates"], [ReleaseState.prepared, .waiting, .inReview, .approved])
  func `an older version that a reviewer may see is refused`(name: String, state: ReleaseState) throws {
    var stage = Stage()
    try stage.live("1.9.0")
    try stage.publish("1.10.0", state == .prepared ? nil : state)
    try stage.live("1.11.0", "1.12.0")
    #expect(try remarks(name, stage) == ["export.not-thresholds 1.10.0"])
  }

  @Test(arguments: bounded + ["updates"], [ReleaseState.rejected, .withdrawn, .void])
  func `an older version that can never go live is warned of`(name: String, state: ReleaseState) throws {
    var stage = Stage()
    try stage.live("1.1.0")
    try stage.publish("1.2.0", state)
    try stage.live("1.3.0", "1.4.0")
    #expect(try remarks(name, stage) == ["export.dead-version 1.2.0"])
  }

  @Test func `each tier of systems has bounds of its own`() throws {
    let stage = try Sample.systems.stage()
    let name = "prince-of-versions"
    #expect(try conclusion(name, stage, "1.8.0", os: "16.1") == "force \(ThresholdTests.page)")
    #expect(try conclusion(name, stage, "1.8.4", os: "13.7") == "none")
    #expect(try conclusion(name, stage, "1.8.0", os: "13.7") == "force \(ThresholdTests.page)")
    #expect(try conclusion(name, stage, "1.8.0", os: "11") == "none")
    #expect(try remarks(name, stage) == [])
  }

  @Test(arguments: ["flags", "type", "lookup", "upgrader", "updates"])
  func `nobody is forced to what their system may be too old for`(name: String) throws {
    let stage = try Sample.systems.stage()
    #expect(try conclusion(name, stage, "1.8.0").hasPrefix("remind"))
    #expect(try remarks(name, stage).contains("export.milder 1.8.0"))
  }

  @Test(arguments: ["lookup", "upgrader", "updates"])
  func `where some have to be reminded instead of forced, all are`(name: String) throws {
    let stage = try Sample.forcedToNewerSystem.stage()
    for version in ["1.8.0", "1.9.0", "1.10.0"] {
      #expect(try conclusion(name, stage, version).hasPrefix("remind"))
    }
    #expect(try remarks(name, stage).contains("export.milder 1.8.0 1.9.0 1.10.0"))
  }

  @Test(arguments: ExportFormats.all.map(\.name), [Sample.stopped, .removed, .held, .empty])
  func `where nobody is told anything the documents say so`(name: String, sample: Sample) throws {
    let stage = try sample.stage()
    let written = Written(try format(name), stage.sheet)
    #expect(written.refusal == nil)
    #expect(!written.documents.isEmpty)
    for version in ["0.1", "1.0.0", "2.0.0", "9.0"] {
      #expect(try conclusion(name, stage, version) == "none")
    }
  }

  @Test(arguments: [
    ("prince-of-versions", ApplePlatform.tvOS), ("upgrader", .visionOS), ("updates", .macOS),
  ])
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

  @Test(arguments: ["lookup", "updates"])
  func `a format that asks by the Apple ID is left out for an app without`(name: String) throws {
    let stage = try Sample.enterprise.stage()
    #expect(try remarks(name, stage) == ["export.not-for-app"])
  }

  @Test func `a Mac app stands under its own key`() throws {
    var stage = Stage()
    var app = App(slug: "taxi", bundleID: "com.example.taxi", platform: .macOS)
    app.appleID = 7
    app.hold = .zero
    stage.line.app = app
    try stage.live("1.0.0", "2.0.0")
    let written = Written(try format("prince-of-versions"), stage.sheet)
    let json = try JSON(parsing: try #require(written.documents["prince-of-versions/taxi.json"]))
    #expect(json.object?.members.map(\.key) == ["macos"])
    #expect(try conclusion("prince-of-versions", stage, "1.0.0") == "force https://apps.apple.com/app/id7")
  }

  @Test func `the store page is known by its id, wherever it stands`() throws {
    var stage = Stage()
    try stage.live("1.0.0", "2.0.0")
    for page in [
      "https://apps.apple.com/cn/app/x/id1524608462?mt=8", "itms-apps://itunes.apple.com/app/id1524608462",
    ] {
      stage.line.app.storeURL = page
      #expect(try remarks("updates", stage) == [])
    }
    for page in [
      "https://apps.apple.com/app/id15246084621", "https://apps.apple.com/app/x?id1524608462",
      "https://apps.apple.com/app/id1524608462/x",
    ] {
      stage.line.app.storeURL = page
      #expect(try remarks("updates", stage) == ["export.other-page 1.0.0"])
      #expect(try remarks("lookup", stage) == ["export.other-page 1.0.0"])
    }
  }
}
