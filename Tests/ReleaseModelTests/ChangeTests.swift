import ReleaseModel
import Testing

@Suite struct ChangeTests {
  @Test func `records that do not fit the kind are not read as a change`() throws {
    let release = try sampleRelease("1.0", .live, id: 1).json(app: "taxi")
    #expect(Change(kind: "release.publish", before: nil, after: nil) == nil)
    #expect(Change(kind: "release.mark", before: nil, after: release) == nil)
    #expect(Change(kind: "release.amend", before: release, after: nil) == nil)
    #expect(Change(kind: "app.add", before: nil, after: release) == nil)
    #expect(Change(kind: "trust.add", before: nil, after: nil) == nil)
    #expect(Change(kind: "ledger.init", before: nil, after: nil) == nil)
    #expect(Change(kind: "other", before: release, after: release) == nil)
  }

  @Test func `a change names the version it is about`() throws {
    let release = try sampleRelease("1.0", .live, id: 1)
    #expect(Change.published(release).version == release.version)
    #expect(Change.imported(release).release == release)
    #expect(Change.requested.version == nil)
    #expect(Change.appAdded(sampleApp()).app == sampleApp())
    #expect(Change.published(release).app == nil)
  }
}
