import ReleaseModel
import Testing

@Suite struct AgreementTests {
  private let now = Timestamp(seconds: 1_800_000_000)

  private func line(_ versions: String..., live: Int) throws -> AppState { try line(versions, live: live) }

  private func line(_ versions: [String], live: Int) throws -> AppState {
    var line = AppState(app: App(slug: "taxi", bundleID: "com.example.taxi"))
    line.app.storeURL = "https://apps.apple.com/app/id1"
    for (index, text) in versions.enumerated() {
      let change = try line.publish(try Version(text), ReleaseDetails(), id: Int64(index) + 1, now: now)
      line.apply(try #require(change), event: 1)
      guard index < live else { continue }
      let marked = try line.mark(try Version(text), .live, at: nil, isVisibleNow: true, now: now)
      line.apply(try #require(marked), event: 1)
    }
    return line
  }

  private func needs(_ before: AppState, _ after: AppState, remindersCount: Bool = true) -> Set<
    Need
  > {
    AgreementLaw(before: Snapshot(line: before), after: Snapshot(line: after), now: now)
      .needs(remindersCount: remindersCount)
  }

  @Test func `an app's first release asks only from version 1 on, and every later one asks`() throws {
    for (versions, live, asks) in [(["0.9"], 0, false), (["1.0"], 0, true), (["0.8", "0.9"], 1, true)] {
      let after = try line(versions, live: live)
      var before = after
      before.releases.removeLast()
      let law = AgreementLaw(before: Snapshot(line: before), after: Snapshot(line: after), now: now)
      #expect(law.underWay(asResumed: true).map(\.asks) == [asks])
    }
  }

  @Test func `a change without effect needs no agreement`() throws {
    let line = try line("7.3", "7.4", "7.5", live: 2)
    #expect(needs(line, line).isEmpty)
  }

  @Test func `a mandatory release and an id that webhooks are bound by need agreement`() throws {
    let before = try #require(try line("7.4", live: 1).releases.first)
    var after = before
    after.phase = .active
    #expect(Change.amended(before: before, after: after).needs.isEmpty)
    after.ascID = "1"
    #expect(Change.amended(before: before, after: after).needs == [.trust])
    (after.ascID, after.isMandatory) = (nil, true)
    #expect(Change.amended(before: before, after: after).needs == [.mandatory])
    #expect(Change.amended(before: after, after: before).needs.isEmpty)
  }

  @Test func `a stricter policy for releases to come needs agreement`() throws {
    let before = try line("7.4", live: 1)
    for (policy, harsh) in [
      ("force,remind,force", true), ("force,force,none", true), ("force,remind,none", false),
      ("remind,remind,none", false), ("none", false), ("force,remind,remind", true),
    ] {
      var after = before
      after.app.policy = try #require(SegmentPolicy(policy))
      #expect(!needs(before, after).isEmpty == harsh, "\(policy)")
    }
  }

  @Test func `a release on its way needs agreement only if it will force`() throws {
    let before = try line("7.3", "7.4", live: 2)
    for (version, isMandatory, forces) in [
      ("7.5", false, false), ("8.0", false, true), ("7.4.1", true, true),
    ] {
      var details = ReleaseDetails()
      details.isMandatory = isMandatory
      var after = before
      let change = try before.publish(try Version(version), details, id: 9, now: now)
      after.apply(try #require(change), event: 2)
      #expect(needs(before, after).contains(.forces) == forces, "\(version)")
    }
  }

  @Test func `a release counts for all clients if an earlier one under way looks different`() throws {
    let before = try line("7.4", "8.0", live: 1)
    var details = ReleaseDetails()
    details.minOS = try Version("17")
    var after = before
    after.apply(try #require(try before.publish(try Version("9.0"), details, id: 9, now: now)), event: 2)
    #expect(needs(before, after).contains(.forces))
    let law = AgreementLaw(before: Snapshot(line: before), after: Snapshot(line: after), now: now)
    let lines = law.underWay(asResumed: true).map { Impact($0) { _, _ in 0 }.lines }
    let old = try Version("7.4")
    #expect(lines.joined().contains { $0.forces && $0.range.contains(old) })
  }

  @Test func `a new release needs agreement for a page that reminders do not lead to yet`() throws {
    var before = try line("7.3", "7.4", live: 2)
    before.app.policy = try #require(SegmentPolicy("remind"))
    for index in before.releases.indices { before.releases[index].url = "https://apps.apple.com/app/id2" }
    for (page, isNew) in [
      ("https://apps.apple.com/app/id2", false), ("https://apps.apple.com/app/id3", true),
    ] {
      var details = ReleaseDetails()
      details.url = page
      var after = before
      after.apply(try #require(try before.publish(try Version("7.5"), details, id: 9, now: now)), event: 2)
      #expect(needs(before, after).contains(.page) == isNew, "\(page)")
    }
  }

  @Test func `going live may remind without agreement, but not force`() throws {
    for (version, needed) in [("7.5", false), ("8.0", true)] {
      let before = try line("7.3", "7.4", version, live: 2)
      var after = before
      let change = try before.mark(try Version(version), .live, at: nil, isVisibleNow: false, now: now)
      after.apply(try #require(change), event: 2)
      #expect(needs(before, after, remindersCount: false) == (needed ? [.forces] : []), "\(version)")
    }
  }

  /// A line with many rules by which nobody is prompted, each for other versions beyond all releases and at times of its own.
  private func crowded(_ count: Int) throws -> AppState {
    var line = try line("7.3", "7.4", live: 2)
    for index in 1...count {
      let range = try VersionRange("from:\(8 + index).\(index).1 below:\(20 + index).\(index).3")
      let from = now + TimeSpan(seconds: Int64(index % 7) * 3_600 + Int64(index))
      let rule = Rule(
        number: Int64(index), range: range, action: .none, from: from, until: from + TimeSpan(seconds: 86_400)
      )
      line.apply(.ruleMade(rule), event: 1)
    }
    return line
  }

  @Test func `many rules for versions to come do not hide what needs agreement`() throws {
    let before = try crowded(30)
    func with(_ action: Action, _ range: String, from hours: Int64) throws -> AppState {
      var after = before
      let start = now + TimeSpan(seconds: hours * 3_600)
      let rule = Rule(
        number: 99, range: try VersionRange(range), action: action, from: start,
        until: start + TimeSpan(seconds: 60), reason: "x")
      after.apply(.ruleMade(rule), event: 2)
      return after
    }
    for range in ["7.3", "30.5.2", "25.0..25.1", "from:9", "all"] {
      #expect(try needs(before, with(.none, range, from: 3)).isEmpty, "\(range)")
      #expect(try needs(before, with(.force, range, from: 3)) == [.forces, .stricter], "\(range)")
    }
    // Of a version that a rule keeps quiet, a reminder is stricter; where the policy forces it is more lenient.
    #expect(try needs(before, with(.remind, "25.0..25.1", from: 3)) == [.stricter])
    #expect(try needs(before, with(.remind, "60.0", from: 3)) == [.stricter])
    #expect(try needs(with(.force, "25.0..25.1", from: 3), with(.none, "25.0..25.1", from: 3)).isEmpty)
    // The last one to end keeps somebody quiet by itself, one among the others nobody.
    for (place, wanted) in [(26, [.forces, .stricter]), (14, [])] as [(Int, Set<Need>)] {
      var lifted = before
      lifted.apply(.ruleLifted(before.rules[place]), event: 2)
      #expect(needs(before, lifted) == wanted && needs(lifted, before).isEmpty, "\(place)")
    }
    var after = before
    after.app.policy = try #require(SegmentPolicy("force,force,none"))
    #expect(needs(before, after) == [.forces, .stricter] && needs(after, before).isEmpty)
  }

  @Test func `an effect on a client of any version and system needs agreement`() throws {
    let before = try line("7.2", "7.4", live: 2)
    var after = before
    let range = VersionRange.exactly(try Version("7.3.9.1"))
    after.apply(.ruleMade(Rule(number: 1, range: range, action: .force, reason: "x")), event: 2)
    #expect(needs(before, after) == [.forces, .stricter])
    var old = before
    old.releases[1].minOS = try Version("18")
    #expect(needs(old, before).contains(.stricter) && needs(before, old).isEmpty)
  }

  @Test func `a changed setting needs agreement if released clients have it`() throws {
    var before = try line("7.2", "7.4", live: 2)
    func set(_ line: AppState, _ value: String, _ range: VersionRange, _ phase: Setting.Phase?) -> AppState {
      var line = line
      let setting = Setting(
        number: Int64(line.settings.count) + 1, key: "map", range: range, phase: phase, value: value)
      line.apply(.settingSet(before: nil, after: setting), event: 2)
      return line
    }
    #expect(needs(before, set(before, "a", .all, nil)).isEmpty)
    before = set(before, "a", .all, nil)
    #expect(needs(before, set(before, "b", .exactly(try Version("7.2")), nil)) == [.setting])
    #expect(needs(before, set(before, "b", .all, .review)).isEmpty)
    let beyond = try #require(VersionRange(from: .init(try Version("9"), isIncluded: true), to: nil))
    // It waits for releases to come, whose clients are released then.
    #expect(needs(before, set(before, "b", beyond, nil)) == [.setting])
  }
}
