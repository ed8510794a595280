import ReleaseModel
import Testing

@testable import HTMLReport

@Suite struct ReviewLogTests {
  private static func at(_ hours: Int64) -> Timestamp { Timestamp(seconds: 1_800_000_000 + hours * 3_600) }

  private static func log(_ steps: [(ReleaseState, Int64)], takenBack: Int? = nil) throws -> [String] {
    var log = ReviewLog(of: [1])
    let version = try Version("1.0")
    for (index, step) in steps.enumerated().reversed() {
      let release = Release(id: 1, version: version, state: step.0, since: at(step.1))
      let change: Change =
        index == takenBack
        ? .unmarked(before: release, after: release, restored: nil)
        : .marked(before: release, after: release, superseded: nil)
      log.add(change, seq: Int64(index))
    }
    return log.reviews(of: 1).map {
      "\($0.length(at: at(100)).seconds / 3_600)h \($0.outcome?.rawValue ?? "so far")"
    }
  }

  @Test func `a review runs from waiting to what ends it, in whatever order the events come`() throws {
    let log = ReviewLogTests.log
    #expect(
      try log([(.prepared, 0), (.waiting, 2), (.inReview, 5), (.approved, 26), (.live, 30)], nil) == [
        "24h approved"
      ])
    #expect(try log([(.prepared, 0), (.inReview, 4), (.live, 5)], nil) == ["1h live"])
    #expect(try log([(.prepared, 0), (.live, 5)], nil) == [])
    #expect(
      try log([(.waiting, 1), (.rejected, 3), (.waiting, 10), (.approved, 11)], nil) == [
        "2h rejected", "1h approved",
      ])
    #expect(try log([(.waiting, 90)], nil) == ["10h so far"])
    #expect(try log([(.waiting, 90), (.approved, 80)], nil) == ["0h approved"])
  }

  @Test func `a release that was unmarked ended no review`() throws {
    let log = ReviewLogTests.log
    #expect(try log([(.waiting, 1), (.live, 3), (.waiting, 1), (.approved, 11)], 2) == ["10h approved"])
  }
}
