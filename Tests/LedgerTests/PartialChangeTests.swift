import JSON
import Ledger
import Platform
import ReleaseModel
import TestSupport
import Testing

@testable import Ledger

/// Publishing and marking, held against laws and previewed on no more of the apps than they depend on, against the same on
/// everything.
@Suite struct PartialChangeTests {
  /// All that a change says and does.
  private struct Course {
    /// The answer, or why the change is refused.
    var answer = ""
    var ifLive = Impact([])
    var rows = PlannedRows(rows: [], effect: PlannedEffect())
    /// What is kept for `client_decision`, of every app that it concerns.
    var answers: [String: [ScheduleRow]] = [:]
    var snapshots: [Snapshot] = []
    var needs: Set<Need> = []
    /// How many releases were read.
    var read = 0
  }

  private enum Move {
    case publish(Version, ReleaseDetails)
    case mark(Version, ReleaseState, isVisibleNow: Bool)

    var version: Version {
      switch self {
      case .publish(let version, _), .mark(let version, _, _): version
      }
    }

    var words: String {
      switch self {
      case .publish(let version, _): "publish \(version.text)"
      case .mark(let version, let state, _): "mark \(version.text) \(state.rawValue)"
      }
    }
  }

  /// Two apps with many releases, most of them superseded, and some in every other state.
  private func life(_ random: inout Seeded) throws -> Book {
    let book = try Book.taxi()
    try book.add("van", appleID: 7) { $0.hold = TimeSpan(seconds: 300) }
    let remindAfter = random.pick(RemindAfter.allCases, else: .visible)
    let policy = random.pick(["force,remind,none", "remind,remind,none", "none,force,remind"]) ?? ""
    try book.set {
      $0.hold = TimeSpan(seconds: 500)
      $0.remindAfter = remindAfter
      if let policy = SegmentPolicy(policy) { $0.policy = policy }
      if random.oneIn(3) { $0.asksSince = try? Version("1.\(random.below(20))") }
    }
    // A long past, in which a few stand out.
    try book.record { draft in
      for number in 0..<(60 + random.below(120)) {
        let version = try Version(PartialChangeTests.text(number))
        let details = try details(&random, book.clock, number, isRare: true)
        try draft.change("taxi", "import") { line, id throws(LawViolation) in
          random.oneIn(30)
            ? try line.publish(version, details, id: id, now: noon)
            : try line.importPast(version, details, releasedAt: later(-900), id: id, now: noon)
        }
      }
    }
    var numbers = ["taxi": try book.ledger.line("taxi").releases.count, "van": 0]
    for _ in 0..<(4 + random.below(14)) {
      book.clock = Timestamp(seconds: book.clock.seconds + Int64(random.below(400)))
      let slug = random.oneIn(5) ? "van" : "taxi"
      let number = numbers[slug, default: 0]
      let version = PartialChangeTests.text(random.below(number + 2))
      // Much of it is refused, which is a life as well.
      switch random.below(14) {
      case 0..<5:
        numbers[slug] = number + 1
        let text = PartialChangeTests.text(number + 1)
        _ = try? book.publish(text, app: slug, details(&random, book.clock, number))
        if !random.oneIn(5) { _ = try? book.mark(text, .live, app: slug, visibleNow: random.oneIn(3)) }
      case 5:
        let state = random.pick([ReleaseState.removed, .rejected, .approved, .live]) ?? .live
        _ = try? book.mark(version, state, app: slug)
      case 6: _ = try? book.unmark(PartialChangeTests.text(number), app: slug)
      case 7: _ = try? book.void(version, app: slug, neverShipped: random.oneIn(3))
      case 8:
        _ = try? book.recordPast("\(random.below(3)).\(random.below(9)).5", app: slug, at: later(-9))
      case 9:
        let text = "\(40 + number).0"
        _ = try? book.publish(text, app: slug)
        _ = try? book.void(text, app: slug)
      case 10: _ = try? book.record { draft in try draft.change(slug) { $0.stop(random.oneIn(3)) } }
      case 11:
        _ = try? book.record { draft in
          let setting = Setting(
            number: try draft.nextNumber(of: .setting), key: "map",
            range: try range(&random, version), phase: random.pick(Setting.Phase.allCases), value: "\(number)"
          )
          try draft.change(slug) { $0.set(setting) }
        }
      default:
        let now = book.clock
        _ = try? book.record(reason: "drill") { draft in
          let rule = Rule(
            number: try draft.nextNumber(of: .rule), range: try range(&random, version),
            action: random.pick([.remind, .force, .none]) ?? .none,
            from: Timestamp(seconds: now.seconds + Int64(random.below(300))),
            destination: random.oneIn(3) ? .app(slug == "van" ? "taxi" : "van") : nil, reason: "drill")
          try draft.change(slug) { $0.make(rule, now: now) }
        }
      }
    }
    if random.oneIn(4) { try count(book, &random) }
    return book
  }

  /// The version of a number: several components change.
  private static func text(_ number: Int) -> String { "\(1 + number / 24).\(number % 24 / 6).\(number % 6)" }

  private func range(_ random: inout Seeded, _ version: String) throws -> VersionRange {
    try VersionRange(
      random.pick(["all", "below:\(version)", "upto:\(version)", "from:\(version)", version]) ?? "all")
  }

  private func details(_ random: inout Seeded, _ now: Timestamp, _ number: Int, isRare: Bool = false) throws
    -> ReleaseDetails
  {
    guard !isRare || random.oneIn(12) else { return ReleaseDetails() }
    return try LedgerTests.details {
      $0.isMandatory = random.oneIn(9)
      if random.oneIn(9) { $0.minOS = try Version("15.\(random.below(3))") }
      if random.oneIn(5) { $0.notes = [Note(locale: "en", text: "number \(number)")] }
      if random.oneIn(9) { $0.url = "https://apps.apple.com/app/id\(number)" }
      if random.oneIn(6) { $0.remindAt = Timestamp(seconds: now.seconds + Int64(random.below(900))) }
      if random.oneIn(5) { $0.phase = random.pick(ReleasePhase.allCases) }
      if random.oneIn(9) { $0.expires = Timestamp(seconds: now.seconds + Int64(random.below(1_800))) }
    }
  }

  /// Somebody counts clients: of versions that are known, and of some that are not.
  private func count(_ book: Book, _ random: inout Seeded) throws {
    var text = "version,devices\n"
    for number in 0..<40 where random.oneIn(2) {
      text += "\(PartialChangeTests.text(number))\(random.oneIn(5) ? ".7" : ""),\(1 + random.below(900))\n"
    }
    let bytes = Array(text.utf8)
    try book.record { draft in
      var evidence = Evidence(
        id: draft.nextEvidenceID, kind: .usage, sha256: Recording.digest(of: bytes), size: Int64(bytes.count),
        receivedAt: draft.now, outcome: .applied)
      evidence.app = "taxi"
      draft.add(evidence, body: bytes)
    }
  }

  private func course(_ book: Book, _ move: Move, inPart: Bool) -> Course {
    var course = Course()
    do {
      let recorded = try book.ledger.record(
        Recording(actor: Book.actor, isDryRun: true, clock: book.clock), confirm: { _ in },
        body: { draft in
          let now = draft.now
          if inPart { try draft.readPart(of: "taxi", around: move.version) }
          try draft.change("taxi", "move") { line, id throws(LawViolation) in
            switch move {
            case .publish(let version, let details):
              try line.publish(version, details, id: id, now: now)
            case .mark(let version, let state, let isVisibleNow):
              try line.mark(version, state, at: nil, isVisibleNow: isVisibleNow, now: now)
            }
          }
        },
        answer: { draft in
          course.ifLive = try draft.impactOfGoingLive("taxi", move.version)
          course.rows = try draft.planned()
          for slug in ["taxi", "van"] {
            course.answers[slug] = try Schedule(draft.snapshot(slug), from: draft.now).rows
          }
          course.read = try draft.line("taxi").releases.count
          // Either is the first that needs all of it.
          if case .mark = move { course.needs = try draft.approvalNeeds() }
          course.snapshots = try draft.documentSnapshots()
          course.needs = try draft.approvalNeeds()
          return [
            (
              "question",
              .string("\(try String(describing: draft.question(draft.impact(of: draft.effects()))))")
            )
          ]
        })
      course.answer = recorded.answer.text()
    } catch {
      course.answer = "\(error)"
    }
    return course
  }

  @Test func `a change may leave out what it does not depend on`() throws {
    let lives = environment("PAWL_SEQUENCES").flatMap(Int.init).map { $0 / 100 } ?? 30
    var changes = 0
    var left = 0
    for seed in 0..<lives {
      var random = Seeded(UInt64(seed))
      let book = try life(&random)
      book.clock = Timestamp(seconds: book.clock.seconds + Int64(random.below(2_000)))
      let releases = try book.ledger.line("taxi").releases
      for _ in 0..<12 {
        // Mostly one of the newest, as in life.
        let near = releases.suffix(random.oneIn(4) ? releases.count : 3).map { $0.version }
        let version = try random.pick(near) ?? Version("1.0")
        let move =
          random.oneIn(3)
          ? Move.publish(
            try random.oneIn(4) ? version : Version("\(9 + random.below(60))"),
            try details(&random, book.clock, 7))
          : .mark(
            random.oneIn(9) ? try Version("1.0.9") : version,
            random.pick(ReleaseState.allCases.filter { $0 != .superseded && $0 != .void }) ?? .live,
            isVisibleNow: random.oneIn(2))
        let (whole, part) = (
          course(book, move, inPart: false), course(book, move, inPart: true)
        )
        let place = "seed \(seed): \(move.words)"
        #expect(whole.answer == part.answer, "\(place)")
        #expect(whole.ifLive == part.ifLive, "\(place)")
        #expect(whole.rows == part.rows, "\(place)")
        #expect(whole.answers["taxi"] == part.answers["taxi"], "\(place)")
        #expect(whole.answers["van"] == part.answers["van"], "\(place)")
        #expect(whole.snapshots == part.snapshots && whole.needs == part.needs, "\(place)")
        if !whole.ifLive.lines.isEmpty { changes += 1 }
        left += whole.read - part.read
      }
    }
    // Lives in which nothing happens, or nothing is left out, would agree about nothing.
    #expect(left > lives * 12 * 2, "\(left) left out")
    #expect(changes > lives, "\(changes) previews")
  }
}
