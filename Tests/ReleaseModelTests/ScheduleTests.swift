import TestSupport
import Testing

@testable import ReleaseModel

@Suite struct ScheduleTests {
  private static let systems = [nil, "0", "11", "12", "15.4", "15.5", "16", "18"].map { text in
    text.flatMap { try? Version($0) }
  }

  private static func versions(_ tile: Schedule.Tile, _ random: inout Seeded) -> [Version] {
    guard let first = tile.lo.version else { return [] }
    let last = tile.hi.version.map(before) ?? before(nil)
    let parts = (0..<4).map { Int64(random.below(6)) + first.component($0) }
    let inside = Version(components: parts).flatMap { first <= $0 && $0 <= last ? $0 : nil }
    return [first, last] + [first.after, inside].compactMap(\.self).filter { $0 <= last }
  }

  /// The greatest version below another; nil stands for the end of the line.
  private static func before(_ version: Version?) -> Version {
    guard let version else {
      return Version(components: [999_999_999, 999_999_999, 999_999_999, 999_999_999]) ?? .zero
    }
    var parts = (0..<4).map(version.component)
    guard let place = parts.lastIndex(where: { $0 > 0 }) else { return .zero }
    parts[place] -= 1
    for index in parts.indices where index > place { parts[index] = 999_999_999 }
    return Version(components: parts) ?? .zero
  }

  private static func snapshot(_ seed: Int) -> (RandomSnapshot, Snapshot, Seeded) {
    // Seeds that differ little would start alike otherwise.
    var mixer = Seeded(UInt64(seed))
    var random = RandomSnapshot(seed: mixer.next())
    let snapshot = random.snapshot()
    return (random, snapshot, mixer)
  }

  private static func forcedFrom(_ client: Client, _ snapshot: Snapshot, after moment: Timestamp)
    -> Timestamp?
  {
    func isForced(_ at: Timestamp) -> Bool { Decider(snapshot, at: at).decide(client).action == .force }
    return isForced(moment) ? nil : snapshot.momentsOfChange(after: moment).sorted().first(where: isForced)
  }

  private static func hold(_ seed: Int, _ tally: inout Tally) {
    var (_, snapshot, random) = snapshot(seed)
    let start = hour(0)
    let schedule = Schedule(snapshot, from: start)
    let tiles = schedule.tiles
    tally.tiles += tiles.count
    for tile in tiles {
      let answer = schedule.answers[tile.answer]
      let span = tile.until.map { $0.seconds - tile.from.seconds } ?? 1_000_000
      let offsets = [0, span - 1, Int64(random.below(Int(clamping: span)))]
      for moment in Set(offsets.map { tile.from + TimeSpan(seconds: $0) }) {
        let decider = Decider(snapshot, at: moment)
        for version in versions(tile, &random) {
          for os in systems {
            var (told, wanted) = (answer.decision(on: os), decider.decide(Client(version: version, os: os)))
            let isSilent = told.action == .none
            if isSilent { (told.decidedBy, told.rule) = (wanted.decidedBy, wanted.rule) }
            if random.oneIn(50) {
              wanted.forcedFrom = forcedFrom(Client(version: version, os: os), snapshot, after: moment)
            } else {
              wanted.forcedFrom = told.forcedFrom
            }
            let settings = decider.settings(of: version, inReview: wanted.review)
            if told != wanted || !answer.settings.isSpelled(as: settings)
              || answer.decision.decidedBy != decider.decide(Client(version: version)).decidedBy
            {
              tally.broken.append(
                "seed \(seed), \(version.text) on \(os?.text ?? "any") at \(moment.text): "
                  + "\(told.action) \(told.target?.version.text ?? "") \(told.decidedBy), decided "
                  + "\(wanted.action) \(wanted.target?.version.text ?? "") \(wanted.decidedBy)")
            }
          }
        }
      }
    }
    cover(tiles, seed, &tally)
  }

  private static func cover(_ tiles: [Schedule.Tile], _ seed: Int, _ tally: inout Tally) {
    let keys = Set(tiles.map(\.lo)).sorted()
    for (place, key) in keys.enumerated() {
      let hi = place + 1 < keys.count ? keys[place + 1] : .end
      let column = tiles.filter { $0.lo <= key && hi <= $0.hi }.sorted { $0.from < $1.from }
      var until: Timestamp? = hour(0)
      for tile in column {
        if tile.from != until { tally.broken.append("seed \(seed): a gap at \(key.text)") }
        until = tile.until
      }
      if until != nil || column.isEmpty { tally.broken.append("seed \(seed): no end at \(key.text)") }
      for (one, next) in zip(column, column.dropFirst()) where one.answer == next.answer {
        tally.broken.append("seed \(seed): two tiles could be one at \(key.text)")
      }
    }
    for tile in tiles {
      let next = tiles.first { $0.lo == tile.hi && $0.from == tile.from && $0.until == tile.until }
      if next?.answer == tile.answer { tally.broken.append("seed \(seed): a tile ends at \(tile.hi.text)") }
    }
  }

  private static func preview(_ seed: Int, _ tally: inout Tally) {
    var (random, after, _) = snapshot(seed)
    let before: Snapshot? =
      seed % 20 == 0 ? nil : seed % 3 == 0 ? random.snapshot() : random.altered(after)
    let impact = Impact(before: before, after: after, now: hour(0))
    tally.lines += impact.lines.count
    let known = Set((before?.line.releases ?? []).map(\.version) + after.line.releases.map(\.version))
    let moments = after.momentsOfChange(after: hour(0)).union(before?.momentsOfChange(after: hour(0)) ?? [])
    struct Said: Hashable {
      let (version, os, at): (Version, Version?, Timestamp)
      let said: [String?]
    }
    var (wanted, found): (Set<Said>, Set<Said>) = ([], [])
    for os in systems {
      for line in impact.lines {
        let range = line.os.flatMap { try? VersionRange($0) } ?? .all
        guard os.map(range.contains) ?? (range.upper == nil) else { continue }
        for version in known where line.first <= version && version <= line.last {
          found.insert(
            Said(
              version: version, os: os, at: line.at,
              said: [line.before.rawValue, line.after.rawValue, line.urlBefore, line.urlAfter]))
        }
      }
      for version in known {
        var last: [String?]?
        for moment in [hour(0)] + moments.sorted() {
          let client = Client(version: version, os: os)
          let one = before.map { Decider($0, at: moment).decide(client) }
          let other = Decider(after, at: moment).decide(client)
          let said = [one?.action.rawValue ?? "none", other.action.rawValue, one?.url, other.url]
          let isOne = said[0] != said[1] || said[2] != said[3]
          if isOne, said != last { wanted.insert(Said(version: version, os: os, at: moment, said: said)) }
          last = isOne ? said : nil
        }
      }
    }
    // A difference that other systems have from then on may be said again for these.
    if !wanted.subtracting(found).isEmpty {
      tally.broken.append("the impact of seed \(seed) lacks something")
    }
    let more = found.subtracting(wanted)
    let isTrue = more.allSatisfy { one in
      let client = Client(version: one.version, os: one.os)
      let was = before.map { Decider($0, at: one.at).decide(client) }
      let willBe = Decider(after, at: one.at).decide(client)
      return one.said == [was?.action.rawValue ?? "none", willBe.action.rawValue, was?.url, willBe.url]
    }
    if !isTrue { tally.broken.append("the impact of seed \(seed) says what is not so") }
  }

  @Test func `each tile says what is decided, everywhere in it, and the tiles cover everything once`()
    async throws
  {
    let count = environmentNumber("PAWL_SEQUENCES", else: 600)
    let tally = try await Tally.of(0..<count, inPartsOf: 50) { seed, tally in
      ScheduleTests.hold(seed, &tally)
      if seed % 4 == 0 { ScheduleTests.preview(seed, &tally) }
    }
    #expect(tally.broken.count == 0, "\(tally.broken.count) are wrong: \(tally.broken.sorted().prefix(5))")
    // Snapshots in which nothing happens would prove nothing.
    #expect(tally.tiles > 10 * count && tally.lines > count / 4, "\(tally)")
  }

  @Test func `the same snapshot gives the same tiles, and nothing differs from itself`() {
    for seed in 0..<50 {
      let (_, snapshot, _) = Self.snapshot(seed)
      let (one, other) = (Schedule(snapshot, from: hour(0)), Schedule(snapshot, from: hour(0)))
      #expect(
        one.tiles.map { [$0.lo.text, $0.hi.text, $0.from.text] }
          == other.tiles.map { [$0.lo.text, $0.hi.text, $0.from.text] })
      #expect(one.saysTheSame(as: other, since: hour(0)))
    }
  }

  @Test(arguments: ["0", "1.9", "7.2", "7.2.0.1", "999999999.0.0.999999999"])
  func `a key sorts as versions do and is read back`(_ text: String) throws {
    let version = try Version(text)
    let key = VersionKey(version)
    #expect(key.text.utf8.count == 36 && VersionKey(key.text) == key && key < VersionKey.after(version))
    #expect(key.text < VersionKey.after(version).text && VersionKey.after(version).text < ":")
  }

  @Test func `the key just above a greatest component is carried`() throws {
    #expect(VersionKey.after(try Version("1.2.3.999999999")) == VersionKey(try Version("1.2.4")))
    #expect(VersionKey.after(try Version("999999999.999999999.999999999.999999999")) == .end)
    #expect(VersionKey(":") == .end && VersionKey("1") == nil)
  }
}
