import JSON
import Testing

@testable import ReleaseModel

@Suite struct ToldRangeTests {
  /// 1.0 to 1.3 superseded, a typo struck out and its number used again, 2.0 live, 2.1 in review.
  private func snapshot() throws -> Snapshot {
    var releases: [Release] = []
    for (index, text) in ["1.0", "1.1", "1.2", "1.3"].enumerated() {
      releases.append(
        try sampleRelease(text, .superseded, id: Int64(index + 1), liveAt: hour(-400 + Int64(index))))
    }
    releases.append(try sampleRelease("2.0", .void, id: 5))
    releases.append(try sampleRelease("2.0", .live, id: 6, liveAt: hour(-100)))
    releases.append(try sampleRelease("2.1", .inReview, id: 7))
    var app = sampleApp()
    app.asksSince = try Version("1.1")
    app.policy = try #require(SegmentPolicy("remind"))
    var line = ReleaseLine(app: app, releases: releases)
    line.rules = [
      Rule(number: 1, range: try range("1.0..1.2"), action: .force),
      Rule(number: 2, range: try range("1.2"), action: .none, until: hour(-1)),
      Rule(number: 3, range: try range("1.3"), action: .none, from: hour(1)),
    ]
    return Snapshot(line: line, hosts: StoreURL.storeHosts)
  }

  @Test func `known versions are folded by what they are told, greatest first`() throws {
    let ranges = try snapshot().toldRanges(at: hour(0))
    #expect(
      ranges.map { "\($0.versions) \($0.count) \($0.decision.action.rawValue)\($0.hears ? "" : " deaf")" }
        == [
          "2.1 1 none", "2.0 1 none", "1.3 1 remind", "1.1–1.2 2 force", "1.0 1 force deaf",
        ])
  }

  @Test func `each version of a range is told what the decision function says`() throws {
    let snapshot = try snapshot()
    for moment in [hour(0), hour(2), hour(-2)] {
      let decider = Decider(snapshot, at: moment)
      let ranges = snapshot.toldRanges(at: moment)
      #expect(ranges.reduce(0) { $0 + $1.count } == 6)
      for release in snapshot.line.releases {
        let range = try #require(ranges.first { $0.first <= release.version && release.version <= $0.last })
        #expect(range.decision.action == decider.decide(Client(version: release.version)).action)
      }
    }
  }

  @Test func `a rule is counted for the versions that it speaks to`() throws {
    let snapshot = try snapshot()
    let rules = snapshot.line.rules
    #expect(rules.map { $0.phase(at: hour(0)).rawValue } == ["armed", "over", "to come"])
    #expect(rules.map { snapshot.toldRanges(at: hour(0)).count(saidBy: $0) } == [3, 0, 0])
    #expect(rules.map { $0.phase(at: hour(2)).rawValue } == ["armed", "over", "armed"])
    #expect(rules.map { snapshot.toldRanges(at: hour(2)).count(saidBy: $0) } == [3, 0, 1])
    #expect(rules.map { $0.phase(at: hour(-2)).rawValue } == ["armed", "armed", "to come"])
    #expect(rules.map { snapshot.toldRanges(at: hour(-2)).count(saidBy: $0) } == [2, 1, 0])
  }
}
