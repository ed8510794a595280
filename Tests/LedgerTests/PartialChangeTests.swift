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
  private struct Course {
    var answer = ""
    var impact = Impact([])
    var plan: Plan?
    var answers: [String: [ScheduleRow]] = [:]
    var snapshots: [Snapshot] = []
    var needs: Set<Need> = []
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

  private func life(_ random: inout Seeded) throws -> Book {
    let book = try Book.life(
      &random, changes: 4 + random.below(14), past: 60 + random.below(120))
    if random.oneIn(4) { try count(book, &random) }
    return book
  }

  private func count(_ book: Book, _ random: inout Seeded) throws {
    var text = "version,devices\n"
    for number in 0..<40 where random.oneIn(2) {
      text += "\(Book.text(number))\(random.oneIn(5) ? ".7" : ""),\(1 + random.below(900))\n"
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
          try draft.change("taxi", "move") { line, id throws(Refusal) in
            switch move {
            case .publish(let version, let details):
              try line.publish(version, details, id: id, now: now)
            case .mark(let version, let state, let isVisibleNow):
              try line.mark(version, state, at: nil, isVisibleNow: isVisibleNow, now: now)
            }
          }
        },
        answer: { draft in
          course.impact = try draft.impact(of: draft.effects())
          for slug in ["taxi", "van"] {
            course.answers[slug] = try Schedule(draft.snapshot(slug), from: draft.now).rows
          }
          course.read = try draft.line("taxi").releases.count
          // Either is the first that needs all of it.
          if case .mark = move { course.needs = try draft.approvalNeeds() }
          course.snapshots = try draft.documentCases().map(\.after)
          course.needs = try draft.approvalNeeds()
          course.plan = try draft.planned()
          return [
            (
              "question",
              .string("\(try String(describing: draft.question(draft.impact(of: draft.effects()))))")
            )
          ]
        })
      course.answer = recorded.answer.text()
    } catch {
      course.answer =
        (error as? Refusal).map { "\($0.key) \($0.values.sorted { $0.key < $1.key })" } ?? "\(error)"
    }
    return course
  }

  @Test func `a change is the same if only what it depends on is read`() throws {
    let lives = environmentNumber("PAWL_SEQUENCES", else: 3_000) / 100
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
            try Book.randomDetails(&random, book.clock, 7))
          : .mark(
            random.oneIn(9) ? try Version("1.0.9") : version,
            random.pick(ReleaseState.allCases.filter { $0 != .superseded && $0 != .void }) ?? .live,
            isVisibleNow: random.oneIn(2))
        let (whole, part) = (course(book, move, inPart: false), course(book, move, inPart: true))
        let place = "seed \(seed): \(move.words)"
        #expect(whole.answer == part.answer, "\(place)")
        #expect(whole.impact == part.impact, "\(place)")
        #expect(whole.plan == part.plan, "\(place)")
        #expect(whole.answers == part.answers, "\(place)")
        #expect(whole.snapshots == part.snapshots && whole.needs == part.needs, "\(place)")
        if !whole.impact.lines.isEmpty { changes += 1 }
        left += whole.read - part.read
      }
    }
    // Lives in which nothing happens, or nothing is left out, would agree about nothing.
    #expect(left > lives * 12 * 2, "\(left) left out")
    #expect(changes > lives, "\(changes) previews")
  }

  @Test func `answers about all apps are the same if only what they depend on is read`() throws {
    var left = 0
    for seed in 0..<environmentNumber("PAWL_SEQUENCES", else: 3_000) / 50 {
      var random = Seeded(UInt64(seed))
      let ledger = try life(&random).ledger
      let whole = try ledger.snapshot("taxi")
      func answers(_ snapshot: Snapshot, _ now: Timestamp) throws -> [String] {
        let newest = ReleaseState.allCases.map { state in
          snapshot.line.releases.last { $0.isOnLine && $0.state == state }
        }
        return try [
          "\(Schedule(snapshot, from: now).rows)", "\(newest)",
          "\(snapshot.expiryFindings(now: now).map { "\($0.key) \($0.values.sorted { $0.key < $1.key })" })",
          "\(snapshot.generalLead(at: now) as Any)", "\(ledger.sourceWords(of: snapshot.line, now: now))",
          "\(ledger.storedSchedule(of: snapshot).rows)", "\(ledger.answerFault(in: snapshot) as Any)",
        ]
      }
      let present = try ledger.present("taxi")
      for pause in [0, 200, 2_000] {
        let now = try #require(try ledger.head().at) + TimeSpan(seconds: Int64(random.below(pause + 1)))
        left += try whole.line.releases.count - ledger.snapshot("taxi", from: now).line.releases.count
        #expect(try answers(present, now) == answers(whole, now), "seed \(seed), \(pause)")
        let coming = try Schedule(ledger.snapshot("taxi", from: now), from: now).rows
        #expect(coming == Schedule(whole, from: now).rows, "seed \(seed), \(pause)")
      }
    }
    #expect(left > 0)
  }
}
