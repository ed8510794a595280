import Ledger
import ReleaseModel
import TestSupport
import Testing

@Suite struct PartialSnapshotTests {
  @Test func `an answer is the same if only what it depends on is read`() throws {
    let lives = environmentNumber("PAWL_SEQUENCES", else: 4_000) / 100
    var told: Set<String> = []
    var left = 0
    for seed in 0..<lives {
      var random = Seeded(UInt64(seed))
      let platform: ApplePlatform = seed.isMultiple(of: 3) ? .macOS : .iOS
      let book = try Book.life(&random, changes: 10 + random.below(40), past: 4, platform: platform)
      if platform == .macOS {
        // On a Mac 16 is 26, but 17 is 17: a system that never was, which an app with the numbers of iOS may name.
        let system = try details { $0.minOS = try Version("16.2") }
        _ = try? book.publish("99.0", system)
        _ = try? book.mark("99.0", .live, visibleNow: true)
      }
      let all = try book.ledger.snapshot("taxi")
      for _ in 0..<60 {
        let text = Book.text(random.below(all.line.releases.count + 6)) + (random.oneIn(4) ? ".5" : "")
        let os = random.oneIn(2) ? nil : try Version(random.pick(Book.systems) ?? "14.0")
        let client = Client(version: try Version(text), os: os)
        // Until a phased release is over, which takes seven days where nothing is known, older ones count.
        let days: Int64 = random.oneIn(2) ? 8 : 0
        let moment = Timestamp(seconds: noon.seconds + days * 86_400 + Int64(random.below(20_000)))
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
