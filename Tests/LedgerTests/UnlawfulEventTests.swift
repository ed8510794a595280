internal import Crypto
internal import Testing

@testable internal import Ledger
@testable internal import ReleaseModel

/// Somebody who owns the file and knows docs/schema.md: the triggers are put away, an event is appended whose hash is
/// right, the rows are made to fit, and the triggers come back.
///
/// Nothing but the laws speaks against what is recorded like this.
@Suite struct UnlawfulEventTests {
  struct Forgery: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var app: String? = "taxi"
    var hasRows = true
    var subject: String?
    let change: @Sendable (Scene) throws -> Change
  }

  private static func ed25519(_ y: UInt8, kind: String = "ssh-ed25519", rest: [UInt8] = []) -> String {
    let blob =
      [0, 0, 0, UInt8(kind.utf8.count)] + Array(kind.utf8) + [0, 0, 0, 32, y]
      + [UInt8](repeating: 0, count: 31) + rest
    return "\(kind) \(Base64.encode(blob))"
  }

  struct Scene {
    let taxi: AppState
    let evidence: [Evidence]

    func release(_ text: String) throws -> Release {
      let version = try Version(text)
      return try #require(taxi.everRecorded.first { $0.version == version })
    }

    func altered(_ text: String, _ change: (inout Release) throws -> Void) throws -> (Release, Release) {
      let before = try release(text)
      var after = before
      try change(&after)
      return (before, after)
    }

    func marked(_ text: String, _ change: (inout Release) throws -> Void) throws -> Change {
      let (before, after) = try altered(text, change)
      return .marked(before: before, after: after)
    }

    func amended(_ text: String, _ change: (inout Release) throws -> Void) throws -> Change {
      let (before, after) = try altered(text, change)
      return .amended(before: before, after: after)
    }

    func new(_ text: String, id: Int64 = 6, _ change: (inout Release) throws -> Void = { _ in }) throws
      -> Release
    {
      var release = Release(id: id, version: try Version(text), state: .prepared, since: now)
      try change(&release)
      return release
    }

    func past(_ text: String, isPast: Bool) throws -> Change {
      .imported(
        try new(text) {
          ($0.state, $0.since, $0.liveAt) = (isPast ? .superseded : .live, later(-50), later(-50))
          ($0.visibleAt, $0.isPast) = (isPast ? nil : later(-50), isPast)
        })
    }

    func appSet(_ change: (inout App) -> Void) -> Change {
      var after = taxi.app
      change(&after)
      return .appSet(before: taxi.app, after: after)
    }

    func rule(_ number: Int64 = 4, _ action: Action = .remind, _ change: (inout Rule) -> Void = { _ in })
      -> Rule
    {
      var rule = Rule(number: number, range: .all, action: action)
      change(&rule)
      return rule
    }
  }

  /// Releases: 7.2.0 superseded, 7.3.0 live and visible, 5.0 of `van` (id 3), 7.4.0 approved, 7.5.0 prepared.
  private static var book: Result<Book, any Error> {
    Result {
      let book = try Book.taxi()
      try book.add("van", appleID: 7)
      try book.importPast("7.2.0", at: later(-900_000))
      try book.importPast("7.3.0", at: later(-800_000))
      try book.importPast("5.0", app: "van", at: later(-800_000))
      try book.publish("7.4.0", try details { $0.build = try Build("5") })
      try book.mark("7.4.0", .approved)
      try book.publish("7.5.0")
      for (app, number) in [("taxi", 1), ("taxi", 2), ("van", 3)] as [(String, Int64)] {
        let rule = Rule(
          number: number, range: .all, action: number == 2 ? .remind : .force, reason: "reason \(number)")
        try book.record(reason: rule.reason) { draft in
          try draft.change(app) { $0.make(rule, now: noon) }
        }
      }
      try book.record { draft in try draft.change("taxi") { $0.rules.first.map(Change.ruleLifted) } }
      for number in [1, 2] as [Int64] {
        let page = Destination.url("https://apps.apple.com/app/id\(number)")
        let redirect = Redirect(number: number, range: .all, destination: page)
        try book.record { draft in try draft.change("taxi") { $0.placing(redirect, now: .distantPast) } }
        let setting = Setting(number: number, key: "map", range: .all, phase: nil, value: "\(number)")
        try book.record { draft in try draft.change("taxi") { $0.placing(setting, now: .distantPast) } }
      }
      try book.record { _ = $0.trust(Trust(kind: .recipient, value: "team@example.com"), true) }
      try book.record {
        _ = $0.trust(Trust(kind: .signer, value: "ada", key: UnlawfulEventTests.ed25519(5)), true)
      }
      for outcome in [Evidence.Outcome.parked, .ignored] {
        try book.record { draft in
          var evidence = Evidence(
            id: draft.nextEvidenceID, kind: .mail, sha256: Recording.digest(of: []), size: 0, receivedAt: noon
          )
          evidence.outcome = outcome
          draft.add(evidence, body: outcome == .parked ? [] : nil)
        }
      }
      try book.record { _ = try $0.publish(to: Publication(directory: "/srv/www", formats: ["v1"])) }
      return book
    }
  }

  private func faults(after forgery: Forgery) throws -> (faults: [Fault], seq: Int64) {
    let original = try UnlawfulEventTests.book.get().ledger
    let altered = try Altered(original)
    let ledger = altered.ledger
    try #require(try altered.faults() == [])
    let scene = Scene(
      taxi: try ledger.line("taxi"), evidence: try [1, 2].map { try ledger.evidence($0).evidence })
    let change = try forgery.change(scene)
    let seq = try ledger.head().seq + 1
    try altered.append(change, app: forgery.app, at: now, hasRows: forgery.hasRows) {
      $0.subject = forgery.subject ?? $0.subject
    }
    return (try altered.faults(), seq)
  }

  @Test(arguments: releases + others)
  func `an event that no command could have made breaks a law`(forgery: Forgery) throws {
    let (faults, seq) = try faults(after: forgery)
    #expect(faults.filter { $0.id == "law.broken" }.map(\.seq) == [seq], "\(faults)")
    #expect(!faults.contains { $0.id.hasPrefix("chain.") || $0.id.hasPrefix("event.") }, "\(faults)")
  }

  @Test(arguments: lawful)
  func `an event that a command could have made breaks no law`(forgery: Forgery) throws {
    let faults = try faults(after: forgery).faults
    #expect(!faults.contains { $0.id == "law.broken" }, "\(faults)")
  }

  @Test func `an event that names another release than it supersedes, or none, breaks a law`() throws {
    for said in [#""superseded":"7.2.0""#, #""superseded":"7.3""#, #""restored":"7.3.0""#, #""other":1"#] {
      let altered = try Altered(try UnlawfulEventTests.book.get().ledger)
      let live = try altered.ledger.line("taxi").mark(
        try Version("7.4.0"), .live, at: nil, isVisibleNow: true, now: now)
      try altered.append(try #require(live), app: "taxi", at: now) { event in
        let after = event.after ?? ""
        #expect(after.contains(#""superseded":"7.3.0""#))
        event.after = after.replacing(#""superseded":"7.3.0""#, with: said)
      }
      #expect(try altered.faults().filter { $0.id == "law.broken" }.count == 1, "\(said)")
    }
  }

  @Test func `a rule without the reason of its event breaks a law`() throws {
    let altered = try Altered(try UnlawfulEventTests.book.get().ledger)
    let rule = Rule(number: 4, range: .all, action: .none, reason: "a calm day")
    try altered.append(.ruleMade(rule), app: "taxi", at: now) { $0.reason = "a fire" }
    #expect(try altered.faults().filter { $0.id == "law.broken" }.count == 1)
  }

  @Test func `striking out a release that proof shows with Apple breaks a law`() throws {
    let proofs = ["dkim email.apple.com s1": 1, "dkim email.apple.com s9": 2, "mx mail.example.com": 0]
    for (proof, count) in proofs {
      let altered = try Altered(try UnlawfulEventTests.book.get().ledger)
      let pin = Trust(kind: .dkim, value: "email.apple.com", selector: "s1", key: "v=DKIM1; p=AAAA")
      try altered.append(.trusted(pin), app: nil, at: now)
      var letter = Evidence(
        id: 3, kind: .mail, sha256: Recording.digest(of: []), size: 0, receivedAt: now, outcome: .applied)
      (letter.proof, letter.app, letter.version) = (proof, "taxi", try Version("7.4.0"))
      try altered.append(.evidenceAdded(letter), app: "taxi", at: now)
      let line = try altered.ledger.line("taxi")
      let void = try #require(try line.void(try Version("7.4.0"), neverShipped: true, now: now))
      try altered.append(void, app: "taxi", at: now)
      let broken = try altered.faults().filter { $0.id == "law.broken" }
      #expect(broken.count == count, "\(broken)")
    }
  }

  @Test func `a lookup that marks live, and retiring an app that others lead to, break a law`() throws {
    let altered = try Altered(try UnlawfulEventTests.book.get().ledger)
    var lookup = Evidence(
      id: 3, kind: .lookup, sha256: Recording.digest(of: []), size: 0, receivedAt: now, outcome: .applied)
    (lookup.app, lookup.version, lookup.state, lookup.country) = ("taxi", try Version("7.4.0"), .live, "US")
    try altered.append(.evidenceAdded(lookup), app: "taxi", at: now)
    let line = try altered.ledger.line("taxi")
    let live = try line.mark(try Version("7.4.0"), .live, at: nil, isVisibleNow: false, now: now)
    try altered.append(#require(live), app: "taxi", evidence: 3, at: now)
    let redirect = Redirect(number: 3, range: .all, destination: .app("taxi"))
    try altered.append(.redirectSet(before: nil, after: redirect), app: "van", at: now)
    var app = line.app
    app.isRetired = true
    try altered.append(.appSet(before: line.app, after: app), app: "taxi", at: now)
    #expect(try altered.faults().filter { $0.id == "law.broken" }.count == 2)
  }

  private static let lawful = [
    Forgery(testDescription: "a release that is greater") { .published(try $0.new("7.6.0")) },
    Forgery(testDescription: "a rejection") {
      try $0.marked("7.4.0") { ($0.state, $0.since) = (.rejected, now) }
    },
    Forgery(testDescription: "going live under its hold") {
      try $0.marked("7.4.0") { try goLive(&$0, visible: now.seconds + 86_400) }
    },
    Forgery(testDescription: "going live, visible now") {
      try $0.marked("7.4.0") { try goLive(&$0, visible: now.seconds) }
    },
    Forgery(testDescription: "a reminder") { .ruleMade($0.rule()) },
    Forgery(testDescription: "a rule that comes back") { _ in
      .ruleRestored(Rule(number: 1, range: .all, action: .force, reason: "reason 1"))
    },
    Forgery(testDescription: "the app under another name") { $0.appSet { $0.name = "Cab" } },
  ]

  private static func goLive(_ release: inout Release, visible: Int64) throws {
    release.former = Release.Former(
      state: release.state, since: release.since, liveAt: nil, visibleAt: nil, removedAt: nil, superseded: 2)
    (release.state, release.since, release.liveAt) = (.live, now, now)
    release.visibleAt = Timestamp(seconds: visible)
  }

  private static let releases = [
    Forgery(testDescription: "5.0.0 is published after 7.3.0") { .published(try $0.new("5.0.0")) },
    Forgery(testDescription: "a version is published twice") { .published(try $0.new("7.3.0")) },
    Forgery(testDescription: "four components in the App Store") { .published(try $0.new("7.6.0.1")) },
    Forgery(testDescription: "published as live", hasRows: false) {
      .published(try $0.new("7.6.0") { ($0.state, $0.liveAt, $0.visibleAt) = (.live, now, now) })
    },
    Forgery(testDescription: "published for a page of another scheme") {
      .published(try $0.new("7.6.0") { $0.url = "javascript:alert(1)" })
    },
    Forgery(testDescription: "the number of another app's release", hasRows: false) {
      .published(try $0.new("7.6.0", id: 3))
    },
    Forgery(testDescription: "the number of an own release", hasRows: false) {
      .published(try $0.new("7.6.0", id: 1))
    },
    Forgery(testDescription: "a number that is not the next") {
      .published(try $0.new("7.6.0", id: .max - 1))
    },
    Forgery(testDescription: "a person's mark from before the live release") {
      try $0.marked("7.4.0") {
        try goLive(&$0, visible: later(-810_000).seconds + 86_400)
        ($0.liveAt, $0.since) = (later(-810_000), later(-810_000))
      }
    },
    Forgery(testDescription: "a subject that is another release", subject: "release/7") {
      .published(try $0.new("7.6.0"))
    },
    Forgery(testDescription: "an app that does not exist", app: "ghost", hasRows: false) {
      .published(try $0.new("7.6.0"))
    },
    Forgery(testDescription: "no app at all", app: nil, hasRows: false) { .published(try $0.new("7.6.0")) },
    Forgery(testDescription: "live becomes waiting") {
      try $0.marked("7.3.0") { ($0.state, $0.since) = (.waiting, now) }
    },
    Forgery(testDescription: "superseded becomes live") {
      try $0.marked("7.2.0") { ($0.state, $0.since) = (.live, now) }
    },
    Forgery(testDescription: "live in the future") {
      try $0.marked("7.4.0") {
        try goLive(&$0, visible: now.seconds + 90_000)
        ($0.liveAt, $0.since) = (later(3_700), later(3_700))
      }
    },
    Forgery(testDescription: "visible before its hold is over, and not now") {
      try $0.marked("7.4.0") { try goLive(&$0, visible: now.seconds + 3_600) }
    },
    Forgery(testDescription: "visible later than its hold, and the time to object, allow") {
      try $0.marked("7.4.0") { try goLive(&$0, visible: now.seconds + 90_000) }
    },
    Forgery(testDescription: "going live forgets what it was") {
      try $0.marked("7.4.0") {
        try goLive(&$0, visible: now.seconds)
        $0.former = nil
      }
    },
    Forgery(testDescription: "what is visible gets another hold") {
      try $0.marked("7.3.0") { $0.visibleAt = later(9_999) }
    },
    Forgery(testDescription: "what it was before is made up") {
      let (before, after) = try $0.altered("7.5.0") { ($0.state, $0.since) = (.approved, now) }
      var other = before
      other.state = .rejected
      return .marked(before: other, after: after)
    },
    Forgery(testDescription: "a flip says something else of the release") {
      try $0.marked("7.5.0") { ($0.state, $0.since, $0.isMandatory) = (.approved, now, true) }
    },
    Forgery(testDescription: "an amended version") {
      try $0.amended("7.5.0") { $0.version = try Version("7.9.0") }
    },
    Forgery(testDescription: "an amended state", hasRows: false) {
      try $0.amended("7.5.0") { $0.state = .live }
    },
    Forgery(testDescription: "an amended moment") { try $0.amended("7.3.0") { $0.liveAt = later(-5) } },
    Forgery(testDescription: "an older build without a reason") {
      try $0.amended("7.4.0") { $0.build = try Build("4") }
    },
    Forgery(testDescription: "a note in no language") {
      try $0.amended("7.5.0") { $0.notes = [Note(locale: "<script>", text: "x")] }
    },
    Forgery(testDescription: "taken back although visible") {
      let (before, after) = try $0.altered("7.3.0") {
        ($0.state, $0.liveAt, $0.visibleAt) = (.approved, nil, nil)
      }
      return .unmarked(before: before, after: after)
    },
    Forgery(testDescription: "struck out although live") {
      let (before, after) = try $0.altered("7.3.0") {
        ($0.state, $0.since, $0.liveAt, $0.visibleAt) = (.void, now, nil, nil)
      }
      return .voided(before: before, after: after, neverShipped: false)
    },
    Forgery(testDescription: "imported below what is recorded") { try $0.past("6.0", isPast: false) },
    Forgery(testDescription: "past, and greater than what was live") { try $0.past("9.0", isPast: true) },
  ]

  private static let others = [
    Forgery(testDescription: "an app twice", hasRows: false) { .appAdded($0.taxi.app) },
    Forgery(testDescription: "an app that is a path", app: "../../home/docs") { _ in
      .appAdded(App(slug: "../../home/docs", bundleID: "com.example.docs"))
    },
    Forgery(testDescription: "another platform") { $0.appSet { $0.platform = .macOS } },
    Forgery(testDescription: "another channel") { $0.appSet { $0.channel = .enterprise } },
    Forgery(testDescription: "a country twice") { $0.appSet { $0.countries = ["US", "US"] } },
    Forgery(testDescription: "a host that is a path", app: nil) { _ in
      .trusted(Trust(kind: .host, value: "a.example/../x"))
    },
    Forgery(testDescription: "a key without a key", app: nil) { _ in
      .trusted(Trust(kind: .dkim, value: "a.example", selector: "s"))
    },
    Forgery(testDescription: "a bundle id that nobody can type") { $0.appSet { $0.bundleID = "a b" } },
    Forgery(testDescription: "an app with a control character in its name") { scene in
      scene.appSet { $0.name = "Ta\u{1B}[2Jxi" }
    },
    Forgery(testDescription: "a note with a NUL") { scene in
      try scene.amended("7.5.0") { $0.notes = [Note(locale: "en", text: "new\0")] }
    },
    Forgery(testDescription: "an app that was not as it says") { scene in
      var (before, after) = (scene.taxi.app, scene.taxi.app)
      (before.name, after.name) = ("Cab", "Taxi")
      return .appSet(before: before, after: after)
    },
    Forgery(testDescription: "retired, and renamed by the way") {
      $0.appSet { ($0.isRetired, $0.name) = (true, "Cab") }
    },
    Forgery(testDescription: "struck out with releases under it", hasRows: false) { .appVoided($0.taxi.app) },
    Forgery(testDescription: "a rule that leads to its own app") {
      .ruleMade($0.rule { $0.destination = .app("taxi") })
    },
    Forgery(testDescription: "a force without a reason") { .ruleMade($0.rule(4, .force)) },
    Forgery(testDescription: "a rule that ends before it begins") {
      .ruleMade($0.rule { ($0.from, $0.until) = (later(20), later(10)) })
    },
    Forgery(testDescription: "a rule that leads to no page") {
      .ruleMade($0.rule { $0.destination = .url("file:///etc/passwd") })
    },
    Forgery(testDescription: "the number of a rule in force", hasRows: false) { .ruleMade($0.rule(2)) },
    Forgery(testDescription: "the number of a lifted rule", hasRows: false) { .ruleMade($0.rule(1)) },
    Forgery(testDescription: "the number of another app's rule", hasRows: false) { .ruleMade($0.rule(3)) },
    Forgery(testDescription: "a subject that is another rule", subject: "rule/9") { .ruleMade($0.rule()) },
    Forgery(testDescription: "a rule of an app that does not exist", app: "ghost", hasRows: false) {
      .ruleMade($0.rule())
    },
    Forgery(testDescription: "a rule lifted twice") { _ in
      .ruleLifted(Rule(number: 1, range: .all, action: .force, reason: "reason 1"))
    },
    Forgery(testDescription: "a rule lifted that says something else") { .ruleLifted($0.rule(2)) },
    Forgery(testDescription: "another app's rule lifted") { _ in
      .ruleLifted(Rule(number: 3, range: .all, action: .force, reason: "reason 3"))
    },
    Forgery(testDescription: "a rule that comes back and was never lifted", hasRows: false) { _ in
      .ruleRestored(Rule(number: 2, range: .all, action: .remind, reason: "reason 2"))
    },
    Forgery(testDescription: "a rule that comes back as another") { _ in
      .ruleRestored(Rule(number: 1, range: .all, action: .force, reason: "other"))
    },
    Forgery(testDescription: "a redirect replaces one that is not in force") { _ in
      let page = Destination.url("https://apps.apple.com/app/id1")
      return .redirectSet(
        before: Redirect(number: 1, range: .all, destination: page),
        after: Redirect(number: 3, range: .all, destination: page))
    },
    Forgery(testDescription: "the number of a redirect that said something else", hasRows: false) {
      .redirectSet(
        before: $0.taxi.redirects.first,
        after: Redirect(number: 1, range: .all, destination: .url("https://apps.apple.com/app/id9")))
    },
    Forgery(testDescription: "a redirect to no page") {
      .redirectSet(
        before: $0.taxi.redirects.first,
        after: Redirect(number: 3, range: .all, destination: .url("javascript:alert(1)")))
    },
    Forgery(testDescription: "a setting of a key that nobody can type") { _ in
      .settingSet(before: nil, after: Setting(number: 3, key: "a b", range: .all, phase: nil, value: "x"))
    },
    Forgery(testDescription: "a setting that is too long") { _ in
      let value = String(repeating: "x", count: Setting.longestValue + 1)
      return .settingSet(
        before: nil, after: Setting(number: 3, key: "long", range: .all, phase: nil, value: value))
    },
    Forgery(testDescription: "a number of evidence is left out", app: nil) { _ in
      .evidenceAdded(
        Evidence(id: 7, kind: .lookup, sha256: Recording.digest(of: []), size: 0, receivedAt: noon))
    },
    Forgery(testDescription: "evidence settled that was never parked", app: nil) { scene in
      var after = scene.evidence[1]
      after.outcome = .applied
      return .evidenceSettled(before: scene.evidence[1], after: after)
    },
    Forgery(testDescription: "evidence that alters as it is settled", app: nil) { scene in
      var after = scene.evidence[0]
      (after.outcome, after.sender) = (.dismissed, "somebody@example.com")
      return .evidenceSettled(before: scene.evidence[0], after: after)
    },
    Forgery(testDescription: "trusted twice", app: nil, hasRows: false) { _ in
      .trusted(Trust(kind: .recipient, value: "team@example.com"))
    },
    Forgery(testDescription: "a signer whose name is a pattern", app: nil) { _ in
      .trusted(Trust(kind: .signer, value: "*", key: ed25519(9)))
    },
    Forgery(testDescription: "a signer for whom everybody can sign", app: nil) { _ in
      .trusted(Trust(kind: .signer, value: "eve", key: ed25519(1)))
    },
    Forgery(testDescription: "a signer with another's key in a token", app: nil) { _ in
      .trusted(
        Trust(
          kind: .signer, value: "eve",
          key: ed25519(5, kind: "sk-ssh-ed25519@openssh.com", rest: [0, 0, 0, 4] + Array("ssh:".utf8))))
    },
    Forgery(testDescription: "no longer trusted, and never was", app: nil) { _ in
      .distrusted(Trust(kind: .host, value: "dl.example.com"))
    },
    Forgery(testDescription: "documents that were elsewhere", app: nil) { _ in
      .publicationSet(
        before: Publication(directory: "/srv/other", formats: []),
        after: Publication(directory: "/srv/web", formats: []))
    },
    Forgery(testDescription: "an app set to what it is") { scene in scene.appSet { _ in } },
    Forgery(testDescription: "a release amended to what it is") { try $0.amended("7.4.0") { _ in } },
    Forgery(testDescription: "reminders put off without evidence") {
      try $0.amended("7.4.0") { $0.remindAt = later(999) }
    },
    Forgery(testDescription: "a build cleared") { try $0.amended("7.4.0") { $0.build = nil } },
    Forgery(testDescription: "a higher build from nowhere") {
      try $0.amended("7.4.0") { ($0.isMandatory, $0.higherBuild) = (true, try Build("999")) }
    },
    Forgery(testDescription: "two notes in one language") {
      try $0.amended("7.4.0") { $0.notes = ["en", "EN"].map { Note(locale: $0, text: "x") } }
    },
    Forgery(testDescription: "a phase without evidence") { try $0.amended("7.4.0") { $0.phase = .paused } },
    Forgery(testDescription: "a rule that was over when it was made") { scene in
      .ruleMade(scene.rule { $0.until = later(50) })
    },
    Forgery(testDescription: "a redirect that was over when it was set") { _ in
      .redirectSet(
        before: nil,
        after: Redirect(
          number: 3, range: .exactly(.zero), destination: .url("https://apps.apple.com/app/id9"),
          until: later(50)))
    },
    Forgery(testDescription: "a setting that was over when it was set") { _ in
      .settingSet(
        before: nil,
        after: Setting(number: 3, key: "brief", range: .all, phase: nil, value: "x", until: later(50)))
    },
    Forgery(testDescription: "documents set to where they go", app: nil) { _ in
      .publicationSet(
        before: Publication(directory: "/srv/www", formats: ["v1"]),
        after: Publication(directory: "/srv/www", formats: ["v1"]))
    },
    Forgery(testDescription: "a recipient that is no address", app: nil) { _ in
      .trusted(Trust(kind: .recipient, value: "nobody"))
    },
    Forgery(testDescription: "no number of approvals", app: nil) { _ in
      .trusted(Trust(kind: .approvals, value: "0"))
    },
    Forgery(testDescription: "a ledger made twice", app: nil) { _ in
      .ledgerMade(id: "00000000000000000000000000000000")
    },
  ]
}

private let now = later(100)
