import ReleaseModel
import Testing

@Suite struct LawTests {
  func details(_ change: (inout ReleaseDetails) throws -> Void) rethrows -> ReleaseDetails {
    var details = ReleaseDetails()
    try change(&details)
    return details
  }

  // MARK: publish

  @Test func `a new release is prepared and says what it was told`() throws {
    var stage = Stage()
    let said = try details {
      $0.build = try version("12")
      $0.minOS = try version("15.0")
      $0.notes = [Note(locale: "en", text: "New"), Note(locale: "de", text: "")]
      $0.url = "https://apps.apple.com/app/id1"
      $0.isMandatory = true
    }
    try stage.publish("1.2", said)
    let release = try #require(stage.line.releases.first)
    #expect(release.state == .prepared)
    #expect(release.id == 1)
    #expect(release.event == 1)
    #expect(release.since == hour(0))
    #expect(release.notes == [Note(locale: "en", text: "New")])
    #expect(try release.build == version("12"))
    #expect(try release.minOS == version("15"))
    #expect(release.isMandatory)
    #expect(release.liveAt == nil && release.visibleAt == nil && release.approvedAt == nil)
  }

  @Test func `a new release is greater than every one recorded`() throws {
    var stage = Stage()
    try stage.publish("1.2")
    for text in ["1.1", "1.1.9", "0.9"] {
      #expect(
        throws: LawViolation.notGreater(try version(text), .recorded(try version("1.2"), mayBeVoid: true))
      ) {
        try stage.publish(text)
      }
    }
    try stage.mark("1.2", .rejected)
    #expect(throws: LawViolation.self) { try stage.publish("1.1") }
    try stage.publish("1.10")
    try stage.publish("1.11")
    #expect(stage.line.releases.map(\.version.text) == ["1.2", "1.10", "1.11"])
  }

  @Test func `publishing again what is there changes nothing`() throws {
    var stage = Stage()
    let said = try details {
      $0.notes = [Note(locale: "en", text: "New")]
      $0.build = try version("3")
    }
    try stage.publish("1.2", said)
    let there = stage.line
    try stage.publish("1.2", said)
    try stage.publish("1.2")
    try stage.mark("1.2", .waiting)
    try stage.publish("1.2", said)
    try stage.publish("1.3")
    try stage.publish("1.2", said)
    #expect(there.releases.count == 1)
    #expect(stage.event == 3)
  }

  private func otherwise(
    _ text: String, _ member: String, _ recorded: String?, _ said: String
  ) throws -> LawViolation {
    .notGreater(
      try version(text),
      .saysOtherwise(try version(text), differs: [.init(member: member, recorded: recorded, said: said)]))
  }

  @Test func `publishing again with another spelling or other words is refused`() throws {
    var stage = Stage()
    try stage.publish("1.2")
    #expect(
      throws: LawViolation.notGreater(
        try version("1.2.0"), .spelledOtherwise(try version("1.2"), isPast: false))
    ) {
      try stage.publish("1.2.0")
    }
    #expect(throws: try otherwise("1.2", "mandatory", "no", "yes")) {
      try stage.publish("1.2", details { $0.isMandatory = true })
    }
    #expect(throws: try otherwise("1.2", "notes.en", "", "x")) {
      try stage.publish("1.2", details { $0.notes = [Note(locale: "en", text: "x")] })
    }
  }

  @Test func `the App Store takes no fourth component, an enterprise app does`() throws {
    var stage = Stage()
    #expect(throws: LawViolation.version("1.2.3.4", .tooManyComponents(allowed: 3))) {
      try stage.publish("1.2.3.4")
    }
    #expect(throws: LawViolation.version("1.2.3.4", .tooManyComponents(allowed: 3))) {
      try stage.importPast("1.2.3.4", at: hour(-1))
    }
    var enterprise = Stage(sampleApp(channel: .enterprise))
    try enterprise.publish("1.2.3.4")
    #expect(enterprise.line.releases.count == 1)
  }

  // MARK: void

  @Test func `a void release stops counting and its number may be used again`() throws {
    var stage = Stage()
    try stage.publish("1.0")
    try stage.publish("999.0.0")
    #expect(
      throws: LawViolation.notGreater(try version("1.1"), .recorded(try version("999.0.0"), mayBeVoid: true))
    ) {
      try stage.publish("1.1")
    }
    try stage.void("999")
    #expect(try stage.state("999.0.0") == .void)
    try stage.publish("1.1")
    try stage.publish("999")
    #expect(stage.line.releases.map(\.version.text) == ["1.0", "999.0.0", "1.1", "999"])
    #expect(try stage.state("999") == .prepared)
    try stage.void("999")
    #expect(stage.line.releases.map(\.state) == [.prepared, .void, .prepared, .void])
  }

  @Test func `voiding again changes nothing`() throws {
    var stage = Stage()
    try stage.publish("1.0")
    try stage.void("1.0")
    try stage.void("1.0.0")
    #expect(stage.event == 2)
  }

  @Test func `what was approved or live is never struck out`() throws {
    var stage = Stage()
    try stage.publish("1.0")
    try stage.mark("1.0", .approved)
    #expect(throws: LawViolation.wasApproved(try version("1.0"))) { try stage.void("1.0") }
    try stage.mark("1.0", .rejected)
    #expect(throws: LawViolation.wasApproved(try version("1.0"))) { try stage.void("1.0") }
    try stage.mark("1.0", .live)
    #expect(throws: LawViolation.wasLive(try version("1.0"))) { try stage.void("1.0") }
    try stage.mark("1.0", .removed)
    #expect(throws: LawViolation.wasLive(try version("1.0"))) { try stage.void("1.0") }
    #expect(throws: LawViolation.noRelease(try version("3"), nearest: try version("1.0"))) {
      try stage.void("3")
    }
  }

  @Test func `after unmark a release can be struck out`() throws {
    var stage = Stage()
    try stage.publish("9.0")
    try stage.mark("9.0", .live)
    try stage.unmark("9.0")
    try stage.void("9.0")
    #expect(try stage.state("9.0") == .void)
  }

  @Test func `a void release takes no changes`() throws {
    var stage = Stage()
    try stage.publish("1.0")
    try stage.void("1.0")
    let violation = LawViolation.isVoid(try version("1.0"))
    #expect(throws: violation) { try stage.mark("1.0", .live) }
    #expect(throws: violation) { try stage.unmark("1.0") }
    #expect(throws: violation) { _ = try stage.line.amend(try version("1.0"), ReleaseDetails()) }
  }

  // MARK: mark

  @Test func `every pair of states moves as the table has it, with both named in a refusal`() throws {
    for from in ReleaseState.allCases where from != .void {
      for to in ReleaseState.allCases where to != from {
        let line = ReleaseLine(app: sampleApp(), releases: [try sampleRelease("1.0", from, id: 1)])
        let refused = refusal { () throws(LawViolation) in
          try line.mark(line.releases[0].version, to, at: nil, isVisibleNow: false, now: hour(0))
        }
        let expected: LawViolation? =
          from.mayBecome(to) ? nil : .illegalMove(try version("1.0"), from: from, to: to)
        #expect(refused == expected, "\(from.rawValue) to \(to.rawValue)")
      }
    }
  }

  @Test func `marking the state it has changes nothing`() throws {
    var stage = Stage()
    try stage.publish("1.0")
    for state in [ReleaseState.waiting, .inReview, .approved, .rejected, .withdrawn, .live, .removed] {
      try stage.mark("1.0", state)
      let event = stage.event
      try stage.mark("1.0.0", state)
      #expect(stage.event == event)
    }
  }

  @Test func `a move happens at its moment, which is never in the future`() throws {
    var stage = Stage()
    try stage.publish("1.0")
    #expect(throws: LawViolation.future(hour(1), now: hour(0))) {
      try stage.mark("1.0", .waiting, at: hour(1))
    }
    try stage.mark("1.0", .approved, at: hour(-3))
    #expect(stage.line.releases[0].since == hour(-3))
    #expect(stage.line.releases[0].approvedAt == hour(-3))
    try stage.mark("1.0", .live, at: hour(0))
    #expect(stage.line.releases[0].liveAt == hour(0))
  }

  @Test func `visibleAt is liveAt plus the hold`() throws {
    for (at, visibleNow, expected) in [
      (nil, false, 24), (hour(-10), false, 14), (hour(-30), false, -6), (nil, true, 0), (hour(-10), true, 0),
      (hour(-30), true, -6),
    ] as [(Timestamp?, Bool, Int64)] {
      var stage = Stage()
      try stage.publish("1.0")
      try stage.mark("1.0", .live, at: at, visibleNow: visibleNow)
      #expect(stage.line.releases[0].liveAt == at ?? hour(0))
      #expect(stage.line.releases[0].visibleAt == hour(expected))
    }
    var enterprise = Stage(sampleApp(channel: .enterprise))
    try enterprise.publish("1.0")
    try enterprise.mark("1.0", .live)
    #expect(enterprise.line.releases[0].visibleAt == hour(0))
  }

  @Test func `the hold is that of the day the release went live`() throws {
    var stage = Stage()
    try stage.publish("1.0")
    try stage.mark("1.0", .live)
    stage.line.app.hold = .zero
    #expect(stage.line.releases[0].visibleAt == hour(24))
  }

  @Test func `visible now ends a running hold and changes nothing afterwards`() throws {
    var stage = Stage()
    try stage.publish("1.0")
    try stage.mark("1.0", .live)
    stage.now = hour(2)
    try stage.mark("1.0", .live, at: hour(0), visibleNow: true)
    #expect(stage.line.releases[0].visibleAt == hour(2))
    #expect(stage.line.releases[0].liveAt == hour(0))
    #expect(stage.event == 3)
    stage.now = hour(3)
    try stage.mark("1.0", .live, visibleNow: true)
    #expect(stage.event == 3)
    #expect(throws: LawViolation.alreadyVisible(try version("1.0"), since: hour(2))) {
      try stage.unmark("1.0")
    }
  }

  @Test func `the time a release went live never changes`() throws {
    var stage = Stage()
    try stage.publish("1.0")
    try stage.mark("1.0", .live)
    #expect(throws: LawViolation.liveSince(try version("1.0"), hour(0))) {
      try stage.mark("1.0", .live, at: hour(-1))
    }
    try stage.mark("1.0", .live, at: hour(0))
    #expect(stage.event == 2)
  }

  @Test func `going live supersedes the one that is live`() throws {
    var stage = Stage()
    for text in ["1.0", "2.0", "3.0"] { try stage.publish(text) }
    try stage.mark("1.0", .live)
    stage.now = hour(5)
    let change = try stage.line.mark(version("3.0"), .live, at: nil, isVisibleNow: false, now: hour(5))
    guard case .marked(_, _, let superseded) = try #require(change) else { return }
    #expect(superseded == (try version("1.0")))
    stage.take(change)
    let older = stage.line.releases[0]
    #expect(older.state == .superseded)
    #expect(older.supersededBy == 3)
    #expect(older.since == hour(5))
    #expect(older.event == stage.event)
    #expect(older.liveAt == hour(0))
    #expect(stage.line.live?.id == 3)
  }

  @Test func `what goes live is greater than what is live and what became visible`() throws {
    var stage = Stage()
    for text in ["1.0", "2.0", "3.0"] { try stage.publish(text) }
    try stage.mark("2.0", .live)
    #expect(throws: LawViolation.notGreater(try version("1.0"), .live(try version("2.0")))) {
      try stage.mark("1.0", .live)
    }
    stage.now = hour(30)
    try stage.mark("2.0", .removed)
    #expect(throws: LawViolation.notGreater(try version("1.0"), .visible(try version("2.0")))) {
      try stage.mark("1.0", .live)
    }
    try stage.mark("3.0", .live)
    #expect(throws: LawViolation.notGreater(try version("2.0"), .live(try version("3.0")))) {
      try stage.mark("2.0", .live)
    }
    try stage.mark("3.0", .removed)
    #expect(throws: LawViolation.notGreater(try version("2.0"), .liveSince(try version("3.0")))) {
      try stage.mark("2.0", .live)
    }
    try stage.mark("3.0", .live)
    #expect(stage.line.live?.version.text == "3.0")
  }

  @Test func `a release removed before clients were told holds back only what was removed`() throws {
    var stage = Stage()
    for text in ["1.0", "2.0"] { try stage.publish(text) }
    try stage.mark("2.0", .live)
    try stage.mark("2.0", .removed)
    stage.now = hour(48)
    try stage.mark("1.0", .live)
    #expect(stage.line.live?.version.text == "1.0")
  }

  @Test func `a release that was visible once holds back older ones for ever`() throws {
    var stage = Stage()
    for text in ["1.0", "2.0"] { try stage.publish(text) }
    try stage.mark("2.0", .live, visibleNow: true)
    for _ in 0..<3 {
      stage.now = stage.now + TimeSpan(seconds: 3_600)
      try stage.mark("2.0", .removed)
      #expect(throws: LawViolation.notGreater(try version("1.0"), .visible(try version("2.0")))) {
        try stage.mark("1.0", .live)
      }
      // Live again, and removed before the new hold is over.
      try stage.mark("2.0", .live)
      #expect(stage.line.releases[1].becameVisible(by: stage.now))
      #expect(!stage.line.releases[1].isVisible(at: stage.now))
    }
  }

  @Test func `an older release stays back while one that was visible waits superseded`() throws {
    var stage = Stage()
    for text in ["1.0", "2.0", "3.0"] { try stage.publish(text) }
    try stage.mark("2.0", .live, visibleNow: true)
    try stage.mark("2.0", .removed)
    try stage.mark("2.0", .live)
    try stage.mark("3.0", .live)
    try stage.mark("3.0", .removed)
    #expect(throws: LawViolation.notGreater(try version("1.0"), .visible(try version("2.0")))) {
      try stage.mark("1.0", .live)
    }
    try stage.mark("2.0", .removed)
    #expect(throws: LawViolation.notGreater(try version("1.0"), .visible(try version("2.0")))) {
      try stage.mark("1.0", .live)
    }
  }

  @Test func `a release that nobody recorded is refused with the nearest one`() throws {
    var stage = Stage()
    #expect(throws: LawViolation.noRelease(try version("1.0"), nearest: nil)) { try stage.mark("1.0", .live) }
    try stage.publish("1.0")
    try stage.publish("2.0")
    #expect(throws: LawViolation.noRelease(try version("1.5"), nearest: try version("1.0"))) {
      try stage.mark("1.5", .live)
    }
    #expect(throws: LawViolation.noRelease(try version("3"), nearest: try version("2.0"))) {
      try stage.unmark("3")
    }
    #expect(try stage.line.nearest(to: version("20")) == version("2.0"))
    try stage.void("2.0")
    #expect(try stage.line.nearest(to: version("20")) == version("1.0"))
  }

  @Test(arguments: [
    ("7.4.1", "7.4.0"), ("7.4.9", "7.4.0"), ("7.5", "7.4.0"), ("7.6", "7.7.0"), ("5", "7.3.1"),
    ("99.9", "8.0.0"),
    // Of two at the same distance the greater.
    ("7.3.2", "7.3.3"),
    // A point lost or put in the wrong place.
    ("73.1", "7.3.1"), ("731", "7.3.1"), ("80.0", "8.0.0"), ("7.70", "7.7.0"),
  ])
  func `the nearest version is the one that differs least`(typed: String, meant: String) throws {
    var stage = Stage()
    for text in ["7.3.1", "7.3.3", "7.4.0", "7.7.0", "8.0.0"] { try stage.publish(text) }
    #expect(try stage.line.nearest(to: version(typed)) == version(meant))
  }
}
