import ReleaseModel
import Testing

/// What is taken back, corrected, and taken over.
extension LawTests {
  // MARK: unmark

  @Test func `unmark gives back what was`() throws {
    var stage = Stage()
    for text in ["1.0", "2.0"] { try stage.publish(text) }
    try stage.mark("1.0", .live)
    stage.now = hour(30)
    try stage.mark("2.0", .approved)
    let before = stage.line
    stage.now = hour(31)
    try stage.mark("2.0", .live)
    stage.now = hour(54)
    let change = try #require(try stage.line.unmark(version("2.0"), now: stage.now))
    guard case .unmarked(_, _, let restored) = change else { return }
    #expect(restored == (try version("1.0")))
    stage.take(change)
    for (earlier, later) in zip(before.releases, stage.line.releases) {
      var same = later
      same.event = earlier.event
      #expect(same == earlier)
      #expect(later.event == stage.event)
    }
  }

  @Test func `unmark ends when the release is visible`() throws {
    var stage = Stage()
    try stage.publish("1.0")
    try stage.mark("1.0", .live)
    stage.now = hour(24)
    #expect(throws: LawViolation.alreadyVisible(try version("1.0"), since: hour(24))) {
      try stage.unmark("1.0")
    }
    stage.now = Timestamp(seconds: hour(24).seconds - 1)
    try stage.unmark("1.0")
    #expect(try stage.state("1.0") == .prepared)
    #expect(throws: LawViolation.notLive(try version("1.0"), .prepared)) { try stage.unmark("1.0") }
  }

  @Test func `an imported release is visible already, which unmark says`() throws {
    var stage = Stage()
    try stage.importPast("1.0", at: hour(-9))
    #expect(throws: LawViolation.alreadyVisible(try version("1.0"), since: hour(-9))) {
      try stage.unmark("1.0")
    }
  }

  @Test func `unmark works down a chain of holds`() throws {
    var stage = Stage()
    for text in ["1.0", "2.0", "3.0"] {
      try stage.publish(text)
      try stage.mark(text, .live)
    }
    #expect(throws: LawViolation.notLive(try version("2.0"), .superseded)) { try stage.unmark("2.0") }
    try stage.unmark("3.0")
    #expect(stage.line.live?.version.text == "2.0")
    try stage.unmark("2.0")
    #expect(stage.line.live?.version.text == "1.0")
    try stage.unmark("1.0")
    #expect(stage.line.releases.map(\.state) == [.prepared, .prepared, .prepared])
  }

  @Test func `unmark of a return to the store leaves what the first going live superseded`() throws {
    var stage = Stage()
    for text in ["1.0", "2.0"] { try stage.publish(text) }
    try stage.mark("1.0", .live, visibleNow: true)
    stage.now = hour(1)
    try stage.mark("2.0", .live, visibleNow: true)
    stage.now = hour(2)
    try stage.mark("2.0", .removed)
    let before = stage.line.releases.map(\.state)
    stage.now = hour(3)
    try stage.mark("2.0", .live)
    try stage.unmark("2.0")
    #expect(before == [.superseded, .removed])
    #expect(stage.line.releases.map(\.state) == before)
    #expect(stage.line.releases[1].removedAt == hour(2))
    #expect(stage.line.releases[1].visibleAt == hour(1))
  }

  @Test func `a new release is above a past one, though nothing above it was ever live`() throws {
    var stage = Stage()
    try stage.publish("1.0")
    try stage.mark("1.0", .live, visibleNow: true)
    try stage.publish("5.0")
    try stage.mark("5.0", .live)
    for text in ["3.0", "4.0.0.1"] {
      stage.take(
        try stage.line.recordPast(
          version(text), ReleaseDetails(), releasedAt: hour(-9), id: stage.nextID, now: stage.now))
      stage.nextID += 1
    }
    try stage.unmark("5.0")
    try stage.void("5.0")
    // One with four components is in nobody's way.
    #expect(stage.line.greatest?.version.text == "3.0")
    let refused = LawViolation.notGreater(try version("2.0"), .recorded(try version("3.0"), mayBeVoid: false))
    #expect(throws: refused) { try stage.publish("2.0") }
    try stage.publish("3.1")
  }

  @Test func `what was superseded and removed meanwhile is not live again`() throws {
    var stage = Stage()
    for text in ["1.0", "2.0"] {
      try stage.publish(text)
      try stage.mark(text, .live)
    }
    try stage.mark("1.0", .removed)
    try stage.unmark("2.0")
    #expect(stage.line.releases.map(\.state) == [.removed, .prepared])
    try stage.mark("1.0", .live)
    #expect(stage.line.live?.version.text == "1.0")
  }

  // MARK: amend

  @Test func `amend changes what is said and nothing else`() throws {
    var stage = Stage()
    try stage.publish(
      "1.0", details { $0.notes = [Note(locale: "en", text: "a"), Note(locale: "de", text: "b")] })
    let said = details {
      $0.notes = [Note(locale: "en", text: ""), Note(locale: "de", text: "c"), Note(locale: "fr", text: "d")]
      $0.isMandatory = true
    }
    stage.take(try stage.line.amend(version("1.0"), said))
    #expect(stage.line.releases[0].notes == [Note(locale: "de", text: "c"), Note(locale: "fr", text: "d")])
    #expect(stage.line.releases[0].isMandatory)
    #expect(stage.line.releases[0].state == .prepared)
    #expect(try stage.line.amend(version("1.0"), said) == nil)
    #expect(try stage.line.amend(version("1.0"), ReleaseDetails()) == nil)
    #expect(throws: LawViolation.noRelease(try version("2"), nearest: try version("1.0"))) {
      _ = try stage.line.amend(try version("2"), said)
    }
  }

  @Test func `a build grows within its version`() throws {
    var stage = Stage()
    try stage.publish("1.0", details { $0.build = try version("7.1") })
    for text in ["7", "7.0.9", "7.1.0"] {
      #expect(
        throws: LawViolation.buildNotGreater(
          try version("1.0"), build: try version(text), than: try version("7.1"))
      ) {
        _ = try stage.line.amend(try version("1.0"), details { $0.build = try version(text) })
      }
    }
    #expect(try stage.line.amend(version("1.0"), details { $0.build = try version("7.1") }) == nil)
    #expect(try stage.line.amend(version("1.0"), details { $0.build = try version("7.10") }) != nil)
  }

  // MARK: import

  @Test func `what is imported is live and visible at its time`() throws {
    var stage = Stage()
    try stage.importPast("1.0", at: hour(-90))
    try stage.importPast("1.1", at: hour(-50))
    #expect(stage.line.releases.map(\.state) == [.superseded, .live])
    #expect(stage.line.releases.map(\.liveAt) == [hour(-90), hour(-50)])
    #expect(stage.line.releases.map(\.visibleAt) == [hour(-90), hour(-50)])
    #expect(stage.line.releases[0].since == hour(-50))
    #expect(stage.line.releases[0].supersededBy == 2)
    #expect(stage.target() == "1.1")
    #expect(stage.target(at: hour(-60)) == "1.0")
  }

  @Test func `importing again what is there changes nothing, and what differs is refused`() throws {
    var stage = Stage()
    try stage.importPast("1.0", at: hour(-90))
    try stage.importPast("1.1", at: hour(-50))
    try stage.importPast("1.0", at: hour(-90))
    #expect(stage.event == 2)
    #expect(throws: try otherwise("1.0", "liveAt", hour(-90).text, hour(-91).text)) {
      try stage.importPast("1.0", at: hour(-91))
    }
    #expect(throws: try otherwise("1.0", "url", nil, "https://apps.apple.com/")) {
      try stage.importPast("1.0", details { $0.url = "https://apps.apple.com/" }, at: hour(-90))
    }
    #expect(
      throws: LawViolation.notGreater(
        try version("1"), .spelledOtherwise(try version("1.0"), isPast: false, mayBeVoid: false))
    ) {
      try stage.importPast("1", at: hour(-90))
    }
    #expect(
      throws: LawViolation.notGreater(try version("1.0.5"), .recorded(try version("1.1"), mayBeVoid: false))
    ) {
      try stage.importPast("1.0.5", at: hour(-90))
    }
    #expect(throws: LawViolation.future(hour(1), now: hour(0))) { try stage.importPast("2", at: hour(1)) }
    try stage.publish("3")
    #expect(throws: try otherwise("3", "liveAt", nil, hour(-1).text)) {
      try stage.importPast("3", at: hour(-1))
    }
  }

  // MARK: targets

  @Test func `while the newest that was ever live is removed there is no target`() throws {
    var stage = Stage()
    for text in ["1.0", "2.0"] {
      try stage.publish(text)
      try stage.mark(text, .live, visibleNow: true)
    }
    #expect(stage.target() == "2.0")
    try stage.mark("2.0", .removed)
    #expect(stage.target() == nil)
    try stage.mark("2.0", .live, visibleNow: true)
    #expect(stage.target() == "2.0")
    try stage.mark("1.0", .removed)
    #expect(stage.target() == "2.0")
  }

  @Test func `an older release is the target until a hold is over`() throws {
    var stage = Stage()
    try stage.publish("1.0")
    try stage.mark("1.0", .live, visibleNow: true)
    try stage.publish("2.0")
    try stage.mark("2.0", .live)
    #expect(stage.target() == "1.0")
    #expect(stage.target(at: Timestamp(seconds: hour(24).seconds - 1)) == "1.0")
    #expect(stage.target(at: hour(24)) == "2.0")
  }
}
