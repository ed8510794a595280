import ReleaseModel
import Testing

@testable import HTMLReport

@Suite struct ReleaseTimelineTests {
  private static func day(_ text: String) throws -> Timestamp { try Timestamp("\(text)T00:00:00Z") }

  private static func release(_ version: String, live: String?, _ state: ReleaseState = .superseded) throws
    -> Release
  {
    var release = Release(id: 1, version: try Version(version), state: state, since: try day("2026-01-01"))
    release.liveAt = try live.map(day)
    return release
  }

  private static func bars(_ kind: String, _ timeline: ReleaseTimeline?) -> [String] {
    (timeline?.markup.html ?? "").split(separator: "\n").filter { $0.contains("<rect class=\"\(kind)") }.map {
      line in
      let parts = line.split(separator: "\"").map(String.init)
      return "\(parts[3]) \(parts[7])"
    }
  }

  @Test func `bars stand where their time is`() throws {
    let reviews = [
      Review(from: try Self.day("2026-01-21"), until: try Self.day("2026-01-31"), outcome: .rejected),
      Review(from: try Self.day("2026-03-02"), until: nil, outcome: nil),
    ]
    let timeline = ReleaseTimeline(
      [
        (try Self.release("1.2", live: nil, .inReview), reviews),
        (try Self.release("1.1", live: "2026-02-20"), []), (try Self.release("1.0", live: "2026-01-01"), []),
      ], until: try Self.day("2026-04-11"))
    #expect(Self.bars("fail", timeline) == ["20.00% 10.00%"])
    #expect(Self.bars("pass", timeline) == ["60.00% 40.00%"])
    #expect(Self.bars("live", timeline) == ["50.00% 50.00%", "0.00% 50.00%"])
    let html = timeline?.markup.html ?? ""
    #expect(html.contains(">2026-02<") && html.contains(">2026-04<") && !html.contains(">2026-05<"))
    #expect(html.contains("<title>1.2: 10d, then rejected</title>"))
  }

  @Test func `a release that was removed is not live until the next one`() throws {
    var removed = try Self.release("1.0", live: "2026-01-01", .removed)
    removed.removedAt = try Self.day("2026-01-11")
    let timeline = ReleaseTimeline(
      [(try Self.release("1.1", live: "2026-02-20"), []), (removed, [])], until: try Self.day("2026-04-11"))
    #expect(Self.bars("live", timeline) == ["50.00% 50.00%", "0.00% 10.00%"])
  }

  @Test func `without a stretch of time there is nothing to draw`() throws {
    #expect(ReleaseTimeline([], until: try Self.day("2026-04-11")) == nil)
    #expect(
      ReleaseTimeline([(try Self.release("1.0", live: nil), [])], until: try Self.day("2026-04-11")) == nil)
    #expect(
      ReleaseTimeline([(try Self.release("1.0", live: "2026-05-01"), [])], until: try Self.day("2026-04-11"))
        == nil)
  }

  @Test(arguments: ["2026-01-02", "2026-06-01", "2028-01-01", "2040-01-01", "2099-01-01", "9999-12-31"])
  func `there are at most seven marks of months or years`(end: String) throws {
    let timeline = ReleaseTimeline(
      [(try Self.release("1.0", live: "0001-01-02"), [])], until: try Self.day(end))
    let near = ReleaseTimeline([(try Self.release("1.0", live: "2026-01-01"), [])], until: try Self.day(end))
    for timeline in [timeline, near] {
      let marks = (timeline?.markup.html ?? "").split(separator: "<line").count - 1
      #expect((0...7).contains(marks))
      // No label runs into the next one.
      let html = timeline?.markup.html ?? ""
      let starts = html.split(separator: "<text x=\"").dropFirst().compactMap { text in
        Double(text.prefix { $0 != "%" })
      }
      #expect(starts == starts.sorted() && starts.count <= marks)
    }
  }
}
