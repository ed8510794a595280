import JSON
import Testing

@testable import ReleaseModel

extension Stage {
  /// Tells a story of the app, a step a line, and holds what the laws say against what stands behind `→`: a refusal's id,
  /// or `nothing` where nothing changes.
  ///
  /// Steps are `publish VERSION`, `mark VERSION STATE [HOUR] [now]`, `unmark VERSION`, `void VERSION [never]`, `import
  /// VERSION HOUR` and `at HOUR`; `= STATE…` stands for the states of all releases, `target VERSION` for the newest
  /// that clients may be told of.
  mutating func tell(_ story: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    for line in story.split(separator: "\n") {
      let sides = line.split(separator: "→").map { $0.split(separator: " ").map(String.init) }
      let (words, before) = (sides[0], event)
      var refused: String?
      do {
        switch words[0] {
        case "at": now = Timestamp(seconds: hour(0).seconds + Int64((Double(words[1]) ?? 0) * 3_600))
        case "=":
          #expect(
            self.line.everRecorded.map(\.state.rawValue) == Array(words.dropFirst()),
            sourceLocation: sourceLocation)
        case "target": #expect(target() ?? "none" == words[1], "\(line)", sourceLocation: sourceLocation)
        case "publish": try publish(words[1])
        case "mark":
          let at = words.dropFirst(3).lazy.compactMap { Int64($0) }.first.map(hour)
          try mark(
            words[1], try #require(ReleaseState(rawValue: words[2])), at: at,
            visibleNow: words.contains("now"))
        case "unmark": try unmark(words[1])
        case "void":
          take(try self.line.void(try version(words[1]), neverShipped: words.contains("never"), now: now))
        case "import": try importPast(words[1], at: hour(try #require(Int64(words[2]))))
        default: Issue.record("no step: \(line)")
        }
      } catch let refusal as Refusal {
        refused = refusal.id
      }
      let wanted = sides.count > 1 ? sides[1][0] : nil
      #expect(refused == (wanted == "nothing" ? nil : wanted), "\(line)", sourceLocation: sourceLocation)
      if wanted != nil { #expect(event == before, "\(line)", sourceLocation: sourceLocation) }
    }
  }
}

@Suite struct LawTests {
  private var stage = Stage()

  private func details(_ change: (inout ReleaseDetails) throws -> Void) rethrows -> ReleaseDetails {
    var details = ReleaseDetails()
    try change(&details)
    return details
  }

  // MARK: publish

  @Test mutating func `a new release is prepared and has the details given`() throws {
    let said = try details {
      $0.build = try Build("12")
      $0.minOS = try version("15.0")
      $0.notes = [Note(locale: "en", text: "New"), Note(locale: "de", text: "")]
      $0.isMandatory = true
    }
    try stage.publish("1.2", said)
    let release = try #require(stage.line.releases.first)
    #expect(release.state == .prepared && release.id == 1 && release.event == 1 && release.since == hour(0))
    #expect(release.notes == [Note(locale: "en", text: "New")] && release.isMandatory)
    #expect(try release.build == Build("12") && release.minOS == version("15"))
    #expect(release.liveAt == nil && release.visibleAt == nil && release.approvedAt == nil)
    // Said again, also with less, it is there.
    try stage.publish("1.2", said)
    try stage.tell("publish 1.2 → nothing\nmark 1.2 waiting\npublish 1.2 → nothing")
    #expect(throws: try otherwise("1.2", "mandatory", "yes", "no")) {
      try stage.publish("1.2", details { $0.isMandatory = false })
    }
    let refused = try Refusal.notGreater(
      "version.not-greater/details", version("1.2"), than: version("1.2"),
      ["differs": "no notes in 'fr'"])
    #expect(throws: refused) {
      try stage.publish("1.2", details { $0.notes = [Note(locale: "fr", text: "x")] })
    }
  }

  @Test mutating func `a new release must be greater than every recorded one`() throws {
    try stage.tell(
      """
      publish 1.2
      publish 1.2.0 → version.not-greater
      publish 1.1.9 → version.not-greater
      mark 1.2 rejected
      publish 0.9 → version.not-greater
      publish 1.10
      publish 1.11
      publish 1.2.3.4 → version.malformed
      import 1.2.3.4 -1 → version.malformed
      """)
    var enterprise = Stage(sampleApp(channel: .enterprise))
    try enterprise.tell("publish 1.2.3.4\nmark 1.2.3.4 live\ntarget 1.2.3.4")
  }

  // MARK: void

  @Test mutating func `a release struck out no longer counts, and its version may be used again`() throws {
    try stage.tell(
      """
      publish 1.0
      publish 999.0.0
      publish 1.1 → version.not-greater
      void 999
      void 999.0.0 → nothing
      mark 999 live → release.void
      unmark 999 → release.void
      publish 1.1
      publish 999
      = prepared void prepared prepared
      void 999
      void 3 → release.not-found
      """)
  }

  @Test mutating func `a release that was approved or live is struck out only if it never shipped`() throws {
    try stage.tell(
      """
      publish 1.0
      mark 1.0 approved
      void 1.0 → void.was-approved
      mark 1.0 rejected
      void 1.0 → void.was-approved
      mark 1.0 live
      void 1.0 → void.was-live
      mark 1.0 removed
      void 1.0 → void.was-live
      void 1.0 never
      publish 9.0
      mark 9.0 live
      unmark 9.0
      void 9.0
      = void void
      """)
  }

  // MARK: mark

  @Test func `states change as the table says, and a refusal names both`() throws {
    for from in ReleaseState.allCases where from != .void {
      for to in ReleaseState.allCases where to != from {
        let line = AppState(app: sampleApp(), releases: [try sampleRelease("1.0", from, id: 1)])
        let refused = refusal { () throws(Refusal) in
          try line.mark(line.releases[0].version, to, at: nil, isVisibleNow: false, now: hour(0))
        }
        let expected: JSON? =
          from.mayBecome(to)
          ? nil
          : ["from": .string(from.rawValue), "to": .string(to.rawValue), "version": "1.0"]
        #expect(refused?.details == expected, "\(from.rawValue) to \(to.rawValue)")
      }
    }
  }

  @Test mutating func `a state changes once, at its moment, and never in the future`() throws {
    try stage.publish("1.0")
    for state in ["waiting", "in-review", "approved", "rejected", "withdrawn"] {
      try stage.tell("mark 1.0 \(state)\nmark 1.0.0 \(state) → nothing")
    }
    try stage.tell("mark 1.0 approved 1 → time.future\nmark 1.0 approved -3")
    #expect(stage.line.releases[0].since == hour(-3) && stage.line.releases[0].approvedAt == hour(-3))
    try stage.tell(
      """
      mark 1.0 live
      mark 1.0 live -1 → state.live-since
      mark 1.0 live 0 → nothing
      at 2
      mark 1.0 live 0 now
      mark 1.0 live now → nothing
      unmark 1.0 → unmark.too-late
      """)
    #expect(stage.line.releases[0].visibleAt == hour(2) && stage.line.releases[0].liveAt == hour(0))
  }

  @Test func `visibleAt is liveAt plus the hold of that day`() throws {
    for (at, visibleNow, expected) in [
      (nil, false, 24), (hour(-10), false, 14), (hour(-30), false, -6), (nil, true, 0), (hour(-10), true, 0),
      (hour(-30), true, -6),
    ] as [(Timestamp?, Bool, Int64)] {
      var stage = Stage()
      try stage.publish("1.0")
      try stage.mark("1.0", .live, at: at, visibleNow: visibleNow)
      stage.line.app.hold = .zero
      #expect(stage.line.releases[0].liveAt == at ?? hour(0))
      #expect(stage.line.releases[0].visibleAt == hour(expected))
    }
  }

  @Test mutating func `going live supersedes the one that is live`() throws {
    try stage.tell(
      "publish 1.0\npublish 2.0\npublish 3.0\nmark 1.0 live\nat 5\nmark 3.0 live\n= superseded prepared live")
    let older = stage.line.releases[0]
    #expect(older.supersededBy == 3 && older.since == hour(5) && older.event == stage.event)
    #expect(older.liveAt == hour(0) && stage.line.live?.id == 3)
  }

  @Test mutating func `a release that goes live must be greater than those live or once visible`() throws {
    try stage.tell(
      """
      publish 1.0
      publish 2.0
      publish 3.0
      mark 2.0 live
      mark 1.0 live → version.not-greater
      at 30
      mark 2.0 removed
      mark 1.0 live → version.not-greater
      mark 3.0 live
      mark 2.0 live → version.not-greater
      mark 3.0 removed
      mark 2.0 live → version.not-greater
      mark 3.0 live
      = prepared removed live
      """)
  }

  @Test(arguments: [
    // Removed before clients were told, it holds back only what was removed.
    "mark 2.0 live; mark 2.0 removed; at 48; mark 1.0 live",
    // Visible once, it holds back older ones for ever, live again or not.
    """
    mark 2.0 live now; at 1; mark 2.0 removed; mark 1.0 live → version.not-greater; mark 2.0 live; at 2; mark 2.0 removed;
    mark 1.0 live → version.not-greater; mark 2.0 live; mark 3.0 live; mark 3.0 removed; mark 1.0 live → version.not-greater;
    mark 2.0 removed; mark 1.0 live → version.not-greater
    """,
    // While the newest that was ever live is removed there is no target.
    """
    mark 1.0 live now; mark 2.0 live now; target 2.0; mark 2.0 removed; target none; mark 2.0 live now; target 2.0;
    mark 1.0 removed; target 2.0
    """,
    // An older release is the target until a hold is over.
    "mark 1.0 live now; mark 2.0 live; target 1.0; at 23.9; target 1.0; at 24; target 2.0",
  ])
  func `a release that was live counts for as long as the contract says`(story: String) throws {
    var stage = Stage()
    try stage.tell("publish 1.0\npublish 2.0\npublish 3.0")
    try stage.tell(story.replacing(";\n", with: ";").replacing(";", with: "\n"))
  }

  @Test(arguments: [
    ("7.4.1", "7.4.0"), ("7.4.9", "7.4.0"), ("7.5", "7.4.0"), ("7.6", "7.7.0"), ("5", "7.3.1"),
    ("99.9", "8.0.0"),
    // Of two at the same distance the greater.
    ("7.3.2", "7.3.3"),
    // A point lost or put in the wrong place.
    ("73.1", "7.3.1"), ("731", "7.3.1"), ("80.0", "8.0.0"), ("7.70", "7.7.0"),
  ])
  func `an unknown release is refused with the nearest known one`(typed: String, meant: String) throws {
    var stage = Stage()
    #expect(throws: Refusal.noRelease(try version("1.0"), nearest: nil)) { try stage.mark("1.0", .live) }
    for text in ["7.3.1", "7.3.3", "7.4.0", "7.7.0", "8.0.0", "999"] { try stage.publish(text) }
    try stage.void("999")
    #expect(throws: Refusal.noRelease(try version(typed), nearest: try version(meant))) {
      try stage.mark(typed, .live)
    }
  }

  // MARK: unmark

  @Test mutating func `unmark restores the state before`() throws {
    try stage.tell("publish 1.0\npublish 2.0\nmark 1.0 live\nat 30\nmark 2.0 approved")
    let before = stage.line
    try stage.tell("at 31\nmark 2.0 live\nat 54\nunmark 2.0")
    for (earlier, later) in zip(before.releases, stage.line.releases) {
      var same = later
      same.event = earlier.event
      #expect(same == earlier)
      #expect(later.event == stage.event)
    }
  }

  @Test(arguments: [
    // It ends when the release is visible, to the second.
    "mark 1.0 live; at 24; unmark 1.0 → unmark.too-late; at 23.9997222; unmark 1.0; unmark 1.0 → unmark.not-live",
    // It works down a chain of holds.
    """
    mark 1.0 live; mark 2.0 live; mark 3.0 live; unmark 2.0 → unmark.not-live; unmark 3.0; unmark 2.0; unmark 1.0;
    = prepared prepared prepared
    """,
    // Of a return to the store it leaves what the first going live superseded.
    """
    mark 1.0 live now; at 1; mark 2.0 live now; at 2; mark 2.0 removed; at 3; mark 2.0 live; unmark 2.0;
    = superseded removed prepared
    """,
    // Where two were superseded by the same one, it gives back the last.
    """
    mark 1.0 live; mark 3.0 live; mark 3.0 removed; mark 2.0 live; mark 3.0 live; unmark 3.0; = superseded live removed
    """,
    // What was superseded and removed meanwhile is not live again.
    "mark 1.0 live; mark 2.0 live; mark 1.0 removed; unmark 2.0; = removed prepared prepared; mark 1.0 live",
  ])
  func `unmark restores what this release superseded, and nothing else`(story: String) throws {
    var stage = Stage()
    try stage.tell("publish 1.0\npublish 2.0\npublish 3.0")
    try stage.tell(story.replacing(";\n", with: ";").replacing(";", with: "\n"))
  }

  // MARK: amend

  @Test mutating func `amend changes only what is given`() throws {
    try stage.publish(
      "1.0", details { $0.notes = [Note(locale: "en", text: "a"), Note(locale: "de", text: "b")] })
    let said = details {
      $0.notes = [Note(locale: "en", text: ""), Note(locale: "de", text: "c"), Note(locale: "fr", text: "d")]
      $0.isMandatory = true
    }
    stage.take(try stage.line.amend(version("1.0"), said))
    #expect(stage.line.releases[0].notes == [Note(locale: "de", text: "c"), Note(locale: "fr", text: "d")])
    #expect(stage.line.releases[0].isMandatory && stage.line.releases[0].state == .prepared)
    #expect(try stage.line.amend(version("1.0"), said) == nil)
    #expect(try stage.line.amend(version("1.0"), ReleaseDetails()) == nil)
    #expect(throws: Refusal.noRelease(try version("2"), nearest: try version("1.0"))) {
      _ = try stage.line.amend(try version("2"), said)
    }
  }

  @Test mutating func `an older build is recorded only with a reason, and the greater one still counts`()
    throws
  {
    try stage.publish("1.0", details { $0.build = try Build("7.1") })
    for text in ["7", "7.0.9"] {
      #expect(
        throws: Refusal(
          "build.not-greater", of: try version("1.0"), ["known": "7.1"], details: ["build": .string(text)])
      ) {
        _ = try stage.line.amend(
          try version("1.0"), details { $0.build = try Build(text) }, mayBeOlder: false)
      }
    }
    #expect(try stage.line.amend(version("1.0"), details { $0.build = try Build("7.1") }) == nil)
    #expect(try stage.line.amend(version("1.0"), details { $0.build = try Build("7.10") }) != nil)
    stage.take(try stage.line.amend(version("1.0"), details { $0.build = try Build("6") }))
    #expect(
      try stage.line.releases[0].build == Build("6") && stage.line.releases[0].higherBuild == Build("7.1"))
    let train = VersionTrain(stage.line, uploaded: nil, isRecorded: true)
    #expect(throws: Refusal.self) { try train.check(version("1.0"), build: Build("7")) }
    #expect(train.nextBuild?.text == "7.2")
    stage.take(try stage.line.amend(version("1.0"), details { $0.build = try Build("8") }, mayBeOlder: false))
    #expect(stage.line.releases[0].higherBuild == nil)
  }

  // MARK: import

  @Test mutating func `a new release must be greater than a past one, even if none later was live`() throws {
    try stage.tell(
      """
      publish 1.0
      mark 1.0 live now
      publish 5.0
      mark 5.0 live
      """)
    for text in ["3.0", "4.0.0.1"] {
      stage.take(
        try stage.line.recordPast(
          version(text), ReleaseDetails(), releasedAt: hour(-9), id: stage.nextID, now: stage.now))
      stage.nextID += 1
    }
    try stage.tell("unmark 5.0\nvoid 5.0")
    // One with four components is in nobody's way.
    #expect(stage.line.greatest?.version.text == "3.0")
    let refused = try Refusal.notGreater("version.not-greater/uploaded", version("2.0"), than: version("3.0"))
    #expect(throws: refused) { try stage.publish("2.0") }
    try stage.publish("3.1")
  }

  @Test func `a rule is refused if its period is empty or over, or its app has no target`() throws {
    for (from, until, isOver) in [(nil, -1, true), (-2, -1, true), (2, 1, false), (-1, -2, false)]
      as [(Int64?, Int64, Bool)]
    {
      let refused = Refusal(
        isOver ? "time.order/over" : "time.order", details: ["until": .string(hour(until).text)])
      #expect(throws: refused) {
        try Snapshot.checkPeriod(Window(from: from.map(hour), until: hour(until)), now: hour(0))
      }
    }
    let rule = Rule(number: 1, range: .all, action: .force, destination: .app("bus"))
    #expect(throws: Refusal("target.nothing-visible", details: ["target": "bus"])) {
      try Snapshot(line: stage.line, others: ["bus": AppState(app: sampleApp("bus"))])
        .checkForce(rule, isForLater: false, now: hour(0))
    }
  }

  @Test func `a redirect leads to an app until it ends`() throws {
    var line = stage.line
    line.redirects = [Redirect(number: 1, range: .all, destination: .app("bus"), until: hour(1))]
    #expect(line.leads(to: "bus", at: hour(0)) && !line.leads(to: "bus", at: hour(1)))
    #expect(!line.leads(to: "tram", at: hour(0)))
  }

  @Test func `a grace period that would soften a force is refused with the other ranges`() throws {
    var app = sampleApp()
    app.policy = try #require(SegmentPolicy("none"))
    let releases = [
      try sampleRelease("1.0", .superseded, id: 1), try sampleRelease("1.5", .superseded, id: 2),
      try sampleRelease("2.0", .live, id: 3),
    ]
    let forced = Rule(number: 1, range: try range("0.9..1.0"), action: .force)
    let line = AppState(app: app, releases: releases, rules: [forced])
    let below = try range("below:2.0")
    let rules = [
      Rule(number: 2, range: below, action: .remind, until: hour(3)),
      Rule(number: 3, range: below, action: .force, from: hour(3)),
    ]
    let refused = Refusal(
      "grace.softens", ["until": hour(3).text, "others": "'above:1.0 below:2.0'"],
      details: ["forced": ["0.9..1.0"], "others": ["above:1.0 below:2.0"]])
    #expect(throws: refused) { try Snapshot(line: line).checkGrace(rules, now: hour(0)) }
  }

  @Test func `settings beyond an app's limit in bytes are refused`() throws {
    for (bytes, fits) in [(Setting.mostBytes - 1, true), (Setting.mostBytes, false)] {
      let value = String(repeating: "v", count: bytes)
      let setting = Setting(number: 1, key: "k", range: .all, phase: nil, value: value)
      let change = Change.settingSet(before: nil, after: setting)
      #expect(((try? stage.line.admit(change, leadingTo: nil, at: hour(0))) != nil) == fits)
    }
  }

  @Test mutating func `a release that was live is not struck out before the past one below it`() throws {
    try stage.tell("publish 3\nmark 3 live now")
    stage.take(
      try stage.line.recordPast(
        version("2.5"), ReleaseDetails(), releasedAt: hour(-9), id: 9, now: hour(0)))
    #expect(throws: Refusal("void.leaves-past", of: try version("3"), details: ["past": "2.5"])) {
      try stage.line.void(version("3"), neverShipped: true, now: hour(0))
    }
    #expect(try stage.line.void(version("2.5"), neverShipped: true, now: hour(0)) != nil)
    var imagined = stage.line
    imagined.imagine(visible: [try version("4")], isPhased: false, like: stage.line, nil, at: hour(0))
    #expect(imagined.releases.filter { $0.state == .live }.map(\.version.text) == ["4"])
  }

  @Test mutating func `a release under way counts before any is live, with details once recorded`() throws {
    let before = stage.line
    try stage.publish("1.0", details { ($0.isMandatory, $0.url) = (true, "https://apps.apple.com/r") })
    #expect(try stage.line.underWay(at: hour(0)) == [version("1.0")])
    let known = try stage.line.imagined(version("1.0"), like: stage.line, nil, at: hour(0))
    let unknown = try before.imagined(version("1.0"), like: stage.line, nil, at: hour(0))
    #expect(known.isMandatory && known.url != nil && !unknown.isMandatory && unknown.url == nil)
    let same = try before.imagined(version("1.0"), like: stage.line, "https://apps.apple.com/r", at: hour(0))
    #expect(same.url == "https://apps.apple.com/r")
  }

  @Test mutating func `an imported release is live and visible from its time on`() throws {
    try stage.tell(
      "import 1.0 -90\nimport 1.1 -50\n= superseded live\nat -60\ntarget 1.0\nat 0\ntarget 1.1\nunmark 1.1 → unmark.too-late"
    )
    #expect(stage.line.releases.map(\.liveAt) == [hour(-90), hour(-50)])
    #expect(stage.line.releases.map(\.visibleAt) == [hour(-90), hour(-50)])
    #expect(stage.line.releases[0].since == hour(-50) && stage.line.releases[0].supersededBy == 2)
    #expect(throws: try otherwise("1.0", "a release time of", hour(-90).text, hour(-91).text)) {
      try stage.importPast("1.0", at: hour(-91))
    }
    #expect(throws: try otherwise("1.0", "URL", nil, "https://apps.apple.com/")) {
      try stage.importPast("1.0", details { $0.url = "https://apps.apple.com/" }, at: hour(-90))
    }
    try stage.tell(
      """
      import 1.0 -90 → nothing
      import 1 -90 → version.not-greater
      import 1.0.5 -90 → version.not-greater
      import 2 1 → time.future
      import 2 0
      publish 3
      import 3 -1 → version.not-greater
      """)
  }
}
