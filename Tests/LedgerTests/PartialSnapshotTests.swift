import Ledger
import Platform
import ReleaseModel
import TestSupport
import Testing

/// One client's answer, decided on no more than it depends on, against the same decided on everything.
@Suite struct PartialSnapshotTests {
  private static let systems = ["14.0", "15.0", "16.2", "17.0"]

  /// Two apps with releases in every state, some of which need a newer system, are mandatory or came late.
  private func life(_ random: inout Seeded) throws -> Book {
    let book = try Book.taxi()
    try book.add("van", appleID: 7) { $0.hold = TimeSpan(seconds: 300) }
    let remindAfter = random.pick(RemindAfter.allCases, else: .visible)
    try book.set {
      $0.hold = TimeSpan(seconds: 500)
      $0.remindAfter = remindAfter
    }
    var numbers: [String: Int] = [:]
    var numberOfRules: Int64 = 0
    for _ in 0..<(10 + random.below(40)) {
      book.clock = Timestamp(seconds: book.clock.seconds + Int64(random.below(400)))
      let slug = random.oneIn(4) ? "van" : "taxi"
      let number = numbers[slug, default: 10]
      let version = "1.\(random.oneIn(2) ? number : 10 + random.below(number - 9))"
      // Much of it is refused, which is a life as well.
      switch random.below(12) {
      case 0..<4:
        numbers[slug] = number + 1
        let details = try details {
          $0.isMandatory = random.oneIn(5)
          if random.oneIn(2) { $0.minOS = try Version(random.pick(PartialSnapshotTests.systems) ?? "14.0") }
          if random.oneIn(3) { $0.notes = [Note(locale: "en", text: "\(slug) \(number + 1)")] }
          if random.oneIn(6) { $0.url = "https://apps.apple.com/app/id\(number)" }
          if random.oneIn(6) {
            $0.remindAt = Timestamp(seconds: book.clock.seconds + Int64(random.below(900)))
          }
          if random.oneIn(5) { $0.phase = random.pick(ReleasePhase.allCases) }
          if random.oneIn(8) {
            $0.expires = Timestamp(seconds: book.clock.seconds + Int64(random.below(1_800)))
          }
        }
        try book.publish("1.\(number + 1)", app: slug, details)
        if !random.oneIn(4) {
          try book.mark("1.\(number + 1)", .live, app: slug, visibleNow: random.oneIn(3))
        }
      case 4:
        _ = try? book.mark(version, random.pick([.removed, .rejected, .approved, .live]) ?? .live, app: slug)
      case 5: _ = try? book.mark(version, .removed, app: slug)
      case 6: _ = try? book.unmark(version, app: slug)
      case 7: _ = try? book.void(version, app: slug, neverShipped: random.oneIn(2))
      case 8:
        _ = try? book.recordPast("\(random.below(2)).\(random.below(number)).5", app: slug, at: later(-9))
      case 9: _ = try? book.record { draft in try draft.change(slug) { $0.stop(random.oneIn(2)) } }
      default:
        numberOfRules += 1
        let rule = Rule(
          number: numberOfRules, range: random.oneIn(2) ? .all : try VersionRange("below:\(version)"),
          action: random.pick([.remind, .force, .none]) ?? .none,
          from: Timestamp(seconds: book.clock.seconds + Int64(random.below(300))),
          destination: random.oneIn(3) ? .app("van") : nil, reason: "drill")
        let now = book.clock
        do {
          try book.record(reason: "drill") { draft in try draft.change("taxi") { $0.make(rule, now: now) } }
        } catch {
          numberOfRules -= 1
        }
      }
    }
    return book
  }

  @Test func `what an answer does not depend on may be left out`() throws {
    let lives = environment("PAWL_SEQUENCES").flatMap(Int.init).map { $0 / 100 } ?? 40
    var told: Set<String> = []
    var left = 0
    for seed in 0..<lives {
      var random = Seeded(UInt64(seed))
      let book = try life(&random)
      let all = try book.ledger.snapshot("taxi")
      for _ in 0..<60 {
        let text = "1.\(8 + random.below(all.line.releases.count + 6))" + (random.oneIn(4) ? ".5" : "")
        let os = random.oneIn(2) ? nil : try Version(random.pick(PartialSnapshotTests.systems) ?? "14.0")
        let client = Client(version: try Version(text), os: os)
        let moment = Timestamp(seconds: noon.seconds + Int64(random.below(20_000)))
        let part = try book.ledger.snapshot("taxi", for: client, at: moment)
        let (whole, wholeSteps) = Decider(all, at: moment).explain(client)
        let (few, fewSteps) = Decider(part, at: moment).explain(client)
        #expect(
          whole == few && wholeSteps == fewSteps,
          "seed \(seed): \(text) on \(os?.text ?? "any") at \(moment.text)")
        told.insert("\(whole.action) \(whole.decidedBy)")
        left += all.line.releases.count - part.line.releases.count
      }
    }
    // Lives in which nobody is told anything, or nothing is left out, would agree about nothing.
    #expect(told.count > 8 && left > lives * 60 * 2)
  }
}
