import Ledger
import ReleaseModel
import TestSupport
import Testing

enum Step: Sendable {
  case publish(Int, build: Int?, mandatory: Bool)
  case amend(Int, build: Int?, mandatory: Bool)
  case mark(Int, ReleaseState, ago: Int64?, visibleNow: Bool)
  case unmark(Int)
  case void(Int, neverShipped: Bool)
  case recordPast(Int, ago: Int64)
  case importPast(Int, ago: Int64)
  case hold(Int64)
  case clock(Int64)

  static let spellings = [
    "1", "1.0", "1.1", "1.1.0", "1.2", "1.2.1", "1.2.1.5", "2", "2.0.0", "2.1", "3", "3.0.1", "10.0",
  ]

  static func random(_ random: inout Seeded, number: Int) -> Step {
    let reach = UInt64(min(spellings.count, number / 2 + 3))
    // New versions are mostly at the top, what happens to them is mostly near it.
    let isLow = random.next() % 4 == 0
    let version = Int(
      isLow ? random.next() % UInt64(spellings.count) : reach - 1 - random.next() % min(reach, 3))
    let flag = random.next() % 4 == 0
    let spans: [Int64] = [0, 1, 59, 3_600, 86_399, 86_400, 90_000, 200_000]
    let span = spans[Int(random.next() % UInt64(spans.count))]
    let build = random.next() % 2 == 0 ? Int(random.next() % 3) + 1 : nil
    switch random.next() % 21 {
    case 0..<5: return .publish(version, build: build, mandatory: flag)
    case 5: return .amend(version, build: build, mandatory: flag)
    case 6..<9: return .mark(version, .live, ago: random.next() % 3 == 0 ? span - 60 : nil, visibleNow: flag)
    case 9..<14:
      let state = ReleaseState.allCases[Int(random.next() % UInt64(ReleaseState.allCases.count))]
      return .mark(version, state, ago: random.next() % 4 == 0 ? span - 60 : nil, visibleNow: false)
    case 14, 15: return .unmark(version)
    case 16: return .void(version, neverShipped: random.next() % 2 == 0)
    case 17: return .importPast(version, ago: span * 10 - 1)
    case 18: return .hold(span)
    case 19: return .recordPast(Int(random.next() % UInt64(spellings.count)), ago: span * 10 - 1)
    default: return .clock(span - 30)
    }
  }
}

/// The contract's sections 2 and 3 as one would write them down on paper: slow, plain, and made from the text alone.
struct PaperLedger {
  struct Release: Equatable {
    var number: [Int]
    var spelling: String
    var state = "prepared"
    var build: Int?
    var isMandatory = false
    var liveAt: Int64?
    var visibleAt: Int64?
    var wasApproved = false
    var wasShown = false
    var removedAt: Int64?
    var isPast = false
    var supersededBy: Int?
    var memory: (state: String, liveAt: Int64?, visibleAt: Int64?, removedAt: Int64?, superseded: Int?)?

    static func == (left: Release, right: Release) -> Bool {
      left.spelling == right.spelling && left.state == right.state && left.liveAt == right.liveAt
        && left.visibleAt == right.visibleAt && left.build == right.build
        && left.isMandatory == right.isMandatory
    }
  }

  enum Answer: Equatable {
    case changed, same, refused
  }

  var now: Int64
  var clock: Int64
  var hold: Int64 = 86_400
  var releases: [Release] = []

  init(clock: Int64) {
    self.clock = clock
    now = clock
  }

  static func number(_ text: String) -> [Int] {
    var number = text.split(separator: ".").compactMap { Int($0) }
    while number.count < 4 { number.append(0) }
    return number
  }

  static func isLess(_ left: [Int], _ right: [Int]) -> Bool { left.lexicographicallyPrecedes(right) }

  private func find(_ number: [Int]) -> Int? {
    releases.lastIndex { $0.number == number && $0.state != "void" }
      ?? releases.lastIndex { $0.number == number }
  }

  private var live: Int? { releases.firstIndex { $0.state == "live" } }

  private func hasBeenVisible(_ release: Release) -> Bool {
    if release.wasShown { return true }
    guard let visibleAt = release.visibleAt else { return false }
    return visibleAt <= (release.removedAt ?? now)
  }

  mutating func take(_ step: Step) -> Answer {
    // An event's moment is never before its predecessor's.
    let before = now
    now = max(now, clock)
    let answer = answer(to: step)
    if answer != .changed { now = before }
    return answer
  }

  private mutating func answer(to step: Step) -> Answer {
    switch step {
    case .clock(let seconds):
      clock += seconds
      return .same
    case .hold(let seconds):
      if hold == seconds { return .same }
      hold = seconds
      return .changed
    case .publish(let index, let build, let mandatory):
      let spelling = Step.spellings[index]
      let number = PaperLedger.number(spelling)
      if spelling.split(separator: ".").count > 3 { return .refused }
      if let known = find(number), releases[known].state != "void" {
        var said = releases[known]
        if let build { said.build = build }
        if mandatory { said.isMandatory = true }
        return said == releases[known] && said.spelling == spelling ? .same : .refused
      }
      if keepsFromGrowing(number) { return .refused }
      releases.append(Release(number: number, spelling: spelling, build: build, isMandatory: mandatory))
      return .changed
    case .amend(let index, let build, let mandatory):
      guard let at = find(PaperLedger.number(Step.spellings[index])), releases[at].state != "void" else {
        return .refused
      }
      if let build, let known = releases[at].build, build < known { return .refused }
      var said = releases[at]
      if let build { said.build = build }
      said.isMandatory = mandatory
      if said == releases[at] { return .same }
      releases[at] = said
      return .changed
    case .mark(let index, let state, let ago, let visibleNow):
      return mark(PaperLedger.number(Step.spellings[index]), state.rawValue, ago.map { now - $0 }, visibleNow)
    case .unmark(let index):
      guard let at = find(PaperLedger.number(Step.spellings[index])), releases[at].state == "live",
        let memory = releases[at].memory, let visibleAt = releases[at].visibleAt, now < visibleAt
      else { return .refused }
      releases[at].state = memory.state
      releases[at].liveAt = memory.liveAt
      releases[at].visibleAt = memory.visibleAt
      releases[at].removedAt = memory.removedAt
      releases[at].memory = nil
      if let older = memory.superseded, releases[older].state == "superseded",
        releases[older].supersededBy == at
      {
        (releases[older].state, releases[older].supersededBy) = ("live", nil)
      }
      return .changed
    case .void(let index, let neverShipped):
      guard let at = find(PaperLedger.number(Step.spellings[index])) else { return .refused }
      if releases[at].state == "void" { return .same }
      if !neverShipped, releases[at].wasApproved || releases[at].liveAt != nil { return .refused }
      strikeOut(at)
      return .changed
    case .recordPast(let index, let ago):
      let spelling = Step.spellings[index]
      let number = PaperLedger.number(spelling)
      let moment = now - ago
      if moment > now { return .refused }
      if let known = find(number), releases[known].state != "void" {
        return releases[known].spelling == spelling && releases[known].liveAt == moment ? .same : .refused
      }
      let isBelow = releases.contains {
        $0.state != "void" && !$0.isPast && $0.liveAt != nil && PaperLedger.isLess(number, $0.number)
      }
      guard isBelow || spelling.split(separator: ".").count > 3 else { return .refused }
      releases.append(
        Release(number: number, spelling: spelling, state: "superseded", liveAt: moment, isPast: true))
      return .changed
    case .importPast(let index, let ago):
      let spelling = Step.spellings[index]
      let number = PaperLedger.number(spelling)
      let moment = now - ago
      if moment > now || spelling.split(separator: ".").count > 3 { return .refused }
      if let known = find(number), releases[known].state != "void" {
        return releases[known].spelling == spelling && releases[known].liveAt == moment ? .same : .refused
      }
      if keepsFromGrowing(number) { return .refused }
      // Nothing goes live before what is lower.
      let isLate = releases.contains {
        $0.state != "void" && !$0.isPast && $0.liveAt.map { moment < $0 } ?? false
      }
      if isLate { return .refused }
      supersede(live, by: releases.count)
      releases.append(
        Release(number: number, spelling: spelling, state: "live", liveAt: moment, visibleAt: moment))
      return .changed
    }
  }

  private func keepsFromGrowing(_ number: [Int]) -> Bool {
    releases.contains { $0.state != "void" && !$0.isPast && !PaperLedger.isLess($0.number, number) }
  }

  private mutating func supersede(_ older: Int?, by newer: Int) {
    guard let older else { return }
    (releases[older].state, releases[older].supersededBy) = ("superseded", newer)
  }

  private mutating func strikeOut(_ at: Int) {
    let old = releases[at]
    releases[at].state = "void"
    (releases[at].liveAt, releases[at].visibleAt, releases[at].removedAt) = (nil, nil, nil)
    (releases[at].wasApproved, releases[at].wasShown) = (false, false)
    (releases[at].memory, releases[at].supersededBy) = (nil, nil)
    guard ["live", "superseded", "removed"].contains(old.state) else { return }
    for index in releases.indices where releases[index].supersededBy == at {
      guard releases[index].state == "superseded" else { continue }
      let later = releases.indices.filter {
        !releases[$0].isPast && releases[$0].liveAt != nil
          && PaperLedger.isLess(releases[index].number, releases[$0].number)
      }
      let next = later.min { PaperLedger.isLess(releases[$0].number, releases[$1].number) }
      releases[index].supersededBy = next
      if next == nil { releases[index].state = "live" }
    }
    for index in releases.indices where releases[index].memory?.superseded == at {
      releases[index].memory?.superseded = old.memory?.superseded
    }
  }

  private static let way = ["prepared", "waiting", "in-review", "approved", "live"]

  private mutating func mark(_ number: [Int], _ state: String, _ moment: Int64?, _ visibleNow: Bool) -> Answer
  {
    if let moment, moment > now { return .refused }
    guard let at = find(number), releases[at].state != "void", !releases[at].isPast else {
      return .refused
    }
    let from = releases[at].state
    if from == state {
      guard state == "live" else { return .same }
      if let moment, moment != releases[at].liveAt { return .refused }
      guard visibleNow, let visibleAt = releases[at].visibleAt, now < visibleAt else { return .same }
      releases[at].visibleAt = now
      return .changed
    }
    let isOpen = ["prepared", "waiting", "in-review", "approved", "rejected", "withdrawn"].contains(from)
    let isAllowed: Bool
    switch state {
    case "rejected", "withdrawn": isAllowed = isOpen
    case "removed": isAllowed = from == "live" || from == "superseded"
    case "superseded", "void": isAllowed = false
    case "live": isAllowed = isOpen || from == "removed"
    default:
      let (here, there) = (PaperLedger.way.firstIndex(of: from), PaperLedger.way.firstIndex(of: state) ?? 0)
      isAllowed = from == "rejected" || from == "withdrawn" || here.map { $0 < there } ?? false
    }
    guard isAllowed else { return .refused }
    if state == "live" {
      for (index, other) in releases.enumerated()
      where index != at && !other.isPast && !PaperLedger.isLess(other.number, number) {
        if other.state == "live" || hasBeenVisible(other) { return .refused }
        if from == "removed", other.liveAt != nil { return .refused }
      }
      let old = releases[at]
      releases[at].memory = (old.state, old.liveAt, old.visibleAt, old.removedAt, live)
      supersede(live, by: at)
      releases[at].liveAt = moment ?? now
      let held = (moment ?? now) + hold
      releases[at].visibleAt = visibleNow ? min(held, now) : held
      releases[at].removedAt = nil
    }
    if state == "approved" { releases[at].wasApproved = true }
    if state == "removed" {
      if let visibleAt = releases[at].visibleAt, visibleAt <= now { releases[at].wasShown = true }
      releases[at].removedAt = now
    }
    releases[at].state = state
    return .changed
  }
}

struct Disagreement: Error, CustomStringConvertible {
  let seed: UInt64
  let step: Int
  let text: String

  var description: String { "PAWL_SEED=\(seed) PAWL_SEQUENCES=1, step \(step): \(text)" }
}

@Suite struct RandomLedgerTests {
  private static let steps = 20
  private static let appsInALedger = 64

  @Test func `random lives agree with the contract on paper`() async throws {
    let (sequences, seed) = (
      environmentNumber("PAWL_SEQUENCES", else: 300), environmentNumber("PAWL_SEED", else: 1)
    )
    let chunk = RandomLedgerTests.appsInALedger
    let tally = try await Tally.of(0..<(sequences + chunk - 1) / chunk) { part, tally in
      try RandomLedgerTests.live(
        part * chunk..<min(part * chunk + chunk, sequences), seed: UInt64(seed), &tally)
    }
    // Lives in which nothing happens would agree about nothing.
    #expect(tally.changed > sequences * 4 && tally.refused > sequences * 2)
  }

  private static func live(_ range: Range<Int>, seed: UInt64, _ tally: inout Tally) throws {
    let start = noon
    let book = Book(try Ledger.inMemory(now: start))
    for sequence in range {
      let own = seed &+ UInt64(sequence)
      var random = Seeded(own)
      let slug = "app-\(sequence)"
      let ago = Timestamp(seconds: max(book.clock.seconds, try book.ledger.head().at?.seconds ?? 0))
      book.clock = ago
      try book.add(slug)
      var paper = PaperLedger(clock: ago.seconds)
      var line = try book.ledger.line(slug)
      for number in 0..<steps {
        let step = Step.random(&random, number: number)
        func fail(_ text: String) -> Disagreement {
          Disagreement(seed: own, step: number, text: "\(step): \(text)")
        }
        let expected = paper.take(step)
        let found: PaperLedger.Answer
        do {
          found = try take(step, slug, book)
        } catch LedgerError.law {
          found = .refused
        } catch {
          throw fail("\(error)")
        }
        guard found == expected else { throw fail("the ledger says \(found), the paper \(expected)") }
        switch found {
        case .refused: tally.refused += 1
        case .changed:
          tally.changed += 1
          let event = try book.ledger.event(try book.ledger.head().seq)
          line.apply(try event.change(), event: event.seq)
        case .same: break
        }
        let stored = try book.ledger.line(slug)
        guard stored == line else { throw fail("replaying gives \(line), stored is \(stored)") }
        try compare(stored, paper, fail)
      }
    }
    // The replay of `verify` is another than the model's, and made to be fast.
    let faults = try book.ledger.verify().faults
    guard faults.isEmpty else {
      throw Disagreement(
        seed: seed &+ UInt64(range.lowerBound), step: 0, text: "verify finds \(faults.prefix(5))")
    }
  }

  private static func take(_ step: Step, _ slug: String, _ book: Book) throws -> PaperLedger.Answer {
    let recorded: Recorded
    switch step {
    case .clock(let seconds):
      book.clock = Timestamp(seconds: book.clock.seconds + seconds)
      return .same
    case .hold(let seconds): recorded = try book.set(slug) { $0.hold = TimeSpan(seconds: seconds) }
    case .publish(let index, let build, let mandatory):
      recorded = try book.publish(
        Step.spellings[index], app: slug,
        details {
          $0.build = try build.map { try Version(String($0)) }
          if mandatory { $0.isMandatory = true }
        })
    case .amend(let index, let build, let mandatory):
      recorded = try book.amend(
        Step.spellings[index], app: slug,
        details {
          $0.build = try build.map { try Version(String($0)) }
          $0.isMandatory = mandatory
        })
    case .mark(let index, let state, let ago, let visibleNow):
      let now = try book.ledger.now(clock: book.clock)
      recorded = try book.mark(
        Step.spellings[index], state, app: slug, at: ago.map { Timestamp(seconds: now.seconds - $0) },
        visibleNow: visibleNow)
    case .unmark(let index): recorded = try book.unmark(Step.spellings[index], app: slug)
    case .void(let index, let neverShipped):
      recorded = try book.void(Step.spellings[index], app: slug, neverShipped: neverShipped)
    case .recordPast(let index, let ago):
      let now = try book.ledger.now(clock: book.clock)
      recorded = try book.recordPast(
        Step.spellings[index], app: slug, at: Timestamp(seconds: now.seconds - ago))
    case .importPast(let index, let ago):
      let now = try book.ledger.now(clock: book.clock)
      recorded = try book.importPast(
        Step.spellings[index], app: slug, at: Timestamp(seconds: now.seconds - ago))
    }
    return recorded.isChanged ? .changed : .same
  }

  private static func compare(_ line: AppState, _ paper: PaperLedger, _ fail: (String) -> Disagreement)
    throws
  {
    guard line.app.hold.seconds == paper.hold, line.releases.count == paper.releases.count else {
      throw fail("\(line) is not \(paper)")
    }
    for (stored, expected) in zip(line.releases, paper.releases) {
      guard stored.version.text == expected.spelling, stored.state.rawValue == expected.state,
        stored.isPast == expected.isPast,
        stored.liveAt?.seconds == expected.liveAt, stored.visibleAt?.seconds == expected.visibleAt,
        stored.build.map({ Int($0.component(0)) }) == expected.build,
        stored.isMandatory == expected.isMandatory
      else { throw fail("stored is \(stored), the paper says \(expected)") }
    }
    // Law 1: what counts grows in the order of recording. Law 2: at most one is live.
    let counting = line.releases.filter { $0.isOnLine }.map(\.version)
    guard zip(counting, counting.dropFirst()).allSatisfy({ $0 < $1 }) else {
      throw fail("law 1: \(counting)")
    }
    guard line.releases.filter({ $0.state == .live }).count <= 1 else { throw fail("law 2") }
  }
}
