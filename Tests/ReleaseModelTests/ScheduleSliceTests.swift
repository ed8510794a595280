import JSON
import Testing

@testable import ReleaseModel

@Suite struct ScheduleSliceTests {
  private static func tag(_ schedule: Schedule, _ version: Version, _ moment: Timestamp) -> String {
    schedule.answer(to: version, at: moment).answer.tag
  }

  @Test func `a change has exactly the versions whose tag differs, with their prompts`() throws {
    var changed = 0
    for seed in UInt64(1)...300 {
      var random = RandomSnapshot(seed: seed)
      let (before, after) = (random.snapshot(), random.snapshot())
      let old = Schedule(before, from: hour(0))
      let new = Schedule(
        seed % 3 == 0 ? before : seed % 3 == 1 ? random.altered(before) : after, from: hour(0))
      let (first, then) = (hour(0), hour(Int64(seed % 5)))
      let kept = try JSON(parsing: ScheduleSlice(old, at: first).json.bytes())
      let earlier = try #require(ScheduleSlice(json: kept))
      #expect(earlier == ScheduleSlice(old, at: first))
      let changes = ScheduleSlice(new, at: then).changes(since: earlier).map(\.json)
      let ranges = try changes.map { try VersionRange($0["versions"]?.string ?? "") }
      for (one, next) in zip(ranges, ranges.dropFirst()) { #expect(one.end <= next.start) }
      for key in Set(old.slabs.starts + new.slabs.starts) {
        for version in [key.version, key.version?.after].compactMap(\.self) {
          let isOther = Self.tag(old, version, first) != Self.tag(new, version, then)
          let places = ranges.indices.filter { ranges[$0].contains(version) }
          #expect(places.count == (isOther ? 1 : 0), "seed \(seed), \(version.text)")
          guard let place = places.first else { continue }
          changed += 1
          let (was, willBe) = (
            old.answer(to: version, at: first).answer.decision,
            new.answer(to: version, at: then).answer.decision
          )
          #expect(changes[place]["before"]?.string == was.action.rawValue)
          #expect(changes[place]["after"]?.string == willBe.action.rawValue)
          #expect(changes[place]["url"]?.string == willBe.url)
          #expect(changes[place]["target"]?.string == willBe.target?.version.text)
          #expect(changes[place]["targetApp"]?.string == willBe.targetApp)
        }
      }
    }
    #expect(changed > 300)
  }

  @Test func `a new app without releases changes nothing for clients`() throws {
    var line = AppState(app: App(slug: "taxi", bundleID: "com.example.taxi"))
    line.app.appleID = 7
    // Everything is in review, as what nobody recorded is.
    let made = ScheduleSlice(Schedule(Snapshot(line: line), from: hour(0)), at: hour(0))
    #expect(made.changes(since: .nothing) == [])
    #expect(ScheduleSlice.nothing.changes(since: .nothing) == [])
  }

  @Test(arguments: [
    "[]", "{}", #"[{"lo":"1"}]"#,
    #"[{"action":"none","lo":"000000001000000000000000000000000000","tag":"0"}]"#,
  ])
  func `JSON that is not a slice is not read`(_ text: String) throws {
    #expect(ScheduleSlice(json: try JSON(parsing: Array(text.utf8))) == nil)
  }
}
