import JSON
import ReleaseModel
import Testing

@Suite struct ChangeTests {
  @Test func `every change reads back from its event`() throws {
    var app = sampleApp()
    let before = try sampleRelease("1.0", .live, id: 1)
    var after = before
    after.notes = [Note(locale: "en", text: "x")]
    var held = app
    held.hold = TimeSpan(seconds: 7_200)
    var stopped = app
    stopped.isStopped = true
    let rule = Rule(
      number: 3, range: try VersionRange("from:1.0 below:2"), action: .force, from: hour(1), until: hour(5),
      destination: .app("van"), reason: "old protocol")
    let redirect = Redirect(number: 2, range: .all, destination: .url("https://apps.apple.com/app/id1"))
    let setting = Setting(number: 1, key: "map-key", range: .all, phase: .review, value: "a\"b")
    app.name = "Taxi"
    let changes: [(Change, String)] = [
      (.ledgerMade(id: "abc"), "ledger.init"), (.appAdded(app), "app.add"),
      (.appSet(before: app, after: held), "app.set"), (.appSet(before: app, after: stopped), "app.stop"),
      (.appSet(before: stopped, after: app), "app.resume"), (.ruleMade(rule), "rule.force"),
      (.ruleLifted(rule), "rule.lift"), (.ruleRestored(rule), "rule.restore"),
      (.redirectSet(before: nil, after: redirect), "redirect.set"),
      (.redirectSet(before: redirect, after: nil), "redirect.clear"),
      (.redirectSet(before: redirect, after: redirect), "redirect.set"),
      (.settingSet(before: nil, after: setting), "setting.set"),
      (.settingSet(before: setting, after: nil), "setting.clear"),
      (
        .distrusted(Trust(kind: .dkim, value: "email.apple.com", selector: "s1", key: "v=DKIM1; p=x")),
        "trust.remove"
      ),
      (.published(before), "release.publish"),
      (.amended(before: before, after: after), "release.amend"),
      (.marked(before: before, after: after, superseded: try version("0.9")), "release.mark"),
      (.marked(before: before, after: after, superseded: nil), "release.mark"),
      (.unmarked(before: before, after: after, restored: try version("0.9.0")), "release.unmark"),
      (.unmarked(before: before, after: after, restored: nil), "release.unmark"),
      (.voided(before: before, after: after, neverShipped: false, restored: nil), "release.void"),
      (
        .voided(before: before, after: after, neverShipped: true, restored: try version("0.9")),
        "release.void"
      ),
      (
        .clockCorrected(ClockCorrection(since: 7, from: hour(90_000), to: hour(1))), "clock.correct"
      ),
      (.imported(before, superseded: try version("0.9")), "release.import"),
      (.imported(before, superseded: nil), "release.import"),
      (.trusted(Trust(kind: .host, value: "dl.example.com")), "trust.add"),
      (.distrusted(Trust(kind: .host, value: "dl.example.com")), "trust.remove"),
      (.requested, "request"),
    ]
    for (change, kind) in changes {
      #expect(change.kind.rawValue == kind)
      let said = change.before(app: "taxi")
      let became = change.after(app: "taxi")
      let read = Change(
        kind: change.kind.rawValue, before: try said.map { try JSON(parsing: $0.bytes()) },
        after: try became.map { try JSON(parsing: $0.bytes()) })
      #expect(read == change, "\(kind)")
    }
  }

  @Test func `what says something else is not read as a change`() throws {
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
    #expect(Change.imported(release, superseded: nil).release == release)
    #expect(Change.requested.version == nil)
    #expect(Change.appAdded(sampleApp()).app == sampleApp())
    #expect(Change.published(release).app == nil)
  }
}
