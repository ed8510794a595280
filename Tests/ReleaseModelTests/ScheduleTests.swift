import TestSupport
import Testing

@testable import ReleaseModel

@Suite struct ScheduleTests {
  private static let systems = [nil, "0", "11", "12", "15.4", "15.5", "16", "18"].map { text in
    text.flatMap { try? Version($0) }
  }

  private static func versions(_ tile: Tile, _ random: inout Seeded) -> [Version] {
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
      let answer = tile.told
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

  private static func cover(_ tiles: [Tile], _ seed: Int, _ tally: inout Tally) {
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
      for (one, next) in zip(column, column.dropFirst()) where one.told == next.told {
        tally.broken.append("seed \(seed): two tiles could be one at \(key.text)")
      }
    }
    for tile in tiles {
      let next = tiles.first { $0.lo == tile.hi && $0.from == tile.from && $0.until == tile.until }
      if next?.told == tile.told { tally.broken.append("seed \(seed): a tile ends at \(tile.hi.text)") }
    }
  }

  /// Holds lines against what is decided before and after: for every kind of version, recorded or not, on every system,
  /// at every moment of change.
  private static func hold(
    _ impact: Impact, _ before: Snapshot?, _ after: Snapshot, _ name: String, _ tally: inout Tally,
    within clients: Range<VersionKey> = .least ..< .end
  ) {
    tally.lines += impact.lines.count
    let known = ((before?.line.everRecorded ?? []) + after.line.everRecorded).map(\.version)
    let ends = impact.lines.flatMap { [$0.lo.version ?? .zero, ScheduleTests.before($0.hi.version)] }
    let versions = Set(known + known.compactMap(\.after) + known.map { ScheduleTests.before($0) } + ends)
      .filter { clients.contains(VersionKey($0)) }
    let moments = after.momentsOfChange(after: hour(0)).union(before?.momentsOfChange(after: hour(0)) ?? [])
    for moment in [hour(0)] + moments.sorted() {
      let (was, willBe) = (before.map { Decider($0, at: moment) }, Decider(after, at: moment))
      let lines = impact.lines.filter { line in line.at <= moment && line.until.map { moment < $0 } ?? true }
      for os in systems {
        let heard = lines.filter { line in
          let range = line.os.flatMap { try? VersionRange($0) } ?? .all
          return os.map(range.contains) ?? (range.upper == nil)
        }
        for version in versions {
          let client = Client(version: version, os: os)
          let (one, other) = (was?.decide(client), willBe.decide(client))
          let told: [String?] = [one?.action.rawValue ?? "none", one?.url, other.action.rawValue, other.url]
          let said = heard.filter { $0.range.contains(version) }.map {
            [$0.before.rawValue, $0.was?.url, $0.after.rawValue, $0.willBe?.url]
          }
          let wanted = told[0] == told[2] && told[1] == told[3] ? [] : [told]
          if said != wanted {
            tally.broken.append(
              "\(name): \(version.text) on \(os?.text ?? "any") at \(moment.text): said \(said), is \(wanted)"
            )
          }
        }
      }
    }
  }

  private static func preview(_ seed: Int, _ tally: inout Tally) {
    var (random, after, _) = snapshot(seed)
    let before: Snapshot? = seed % 20 == 0 ? nil : seed % 3 == 0 ? random.snapshot() : random.altered(after)
    hold(Impact(before: before, after: after, now: hour(0)), before, after, "seed \(seed)", &tally)
    guard let before else { return }
    for compared in AgreementLaw(before: before, after: after, now: hour(0)).underWay(asResumed: true) {
      guard let version = compared.visible?.versions[after.line.app.slug],
        after.line.app.remindAfter != .phase, before.line.app.remindAfter != .phase
      else { continue }
      // What a person would do to see it: resume the apps, and mark the release.
      func seen(_ snapshot: Snapshot) -> Snapshot? {
        var snapshot = snapshot
        snapshot.line.app.isStopped = false
        for slug in snapshot.others.keys { snapshot.others[slug]?.app.isStopped = false }
        guard snapshot.line.release(version) != nil else { return snapshot }
        let change = try? snapshot.line.mark(version, .live, at: nil, isVisibleNow: true, now: hour(0))
        guard let change else { return nil }
        snapshot.line.apply(change, event: 1)
        return snapshot
      }
      guard let one = seen(before), let other = seen(after) else { continue }
      tally.cases += 1
      let impact = Impact(compared) { _, _ in 0 }
      hold(
        impact, one, other, "seed \(seed) when \(version.text) is visible", &tally, within: compared.clients)
    }
  }

  @Test func `each tile has the decided answer throughout, and the tiles cover all once`() async throws {
    let count = environmentNumber("PAWL_SEQUENCES", else: 600)
    let tally = try await Tally.of(0..<count, inPartsOf: 50) { seed, tally in
      ScheduleTests.hold(seed, &tally)
      if seed % 4 == 0 { ScheduleTests.preview(seed, &tally) }
    }
    #expect(tally.broken.count == 0, "\(tally.broken.count) are wrong: \(tally.broken.sorted().prefix(5))")
    // Snapshots in which nothing happens would prove nothing.
    #expect(tally.tiles > 10 * count && tally.lines > count / 4 && tally.cases > count / 30, "\(tally)")
  }

  @Test func `the same snapshot gives the same tiles, and its rows read back the same`() {
    for seed in 0..<50 {
      let (_, snapshot, _) = Self.snapshot(seed)
      let (one, other) = (Schedule(snapshot, from: hour(0)), Schedule(snapshot, from: hour(0)))
      #expect(
        one.tiles.map { [$0.lo.text, $0.hi.text, $0.from.text] }
          == other.tiles.map { [$0.lo.text, $0.hi.text, $0.from.text] })
      #expect(one.saysTheSame(as: other, since: hour(0)))
      // What is read back from rows is the same, and rows with a hole are not read at all.
      let read = Schedule(app: snapshot.line.app.slug, rows: one.rows)
      #expect(read?.saysTheSame(as: one, since: hour(0)) == true)
      for place in one.rows.indices {
        var rows = one.rows
        rows.remove(at: place)
        #expect(Schedule(app: "taxi", rows: rows) == nil)
      }
    }
  }

  @Test(arguments: ["0", "1.9", "7.2", "7.2.0.1", "999999999.0.0.999999999"])
  func `a key sorts as versions do and is read back`(_ text: String) throws {
    let version = try Version(text)
    let key = VersionKey(version)
    #expect(key.text.utf8.count == 36 && VersionKey(key.text) == key && key < VersionKey.after(version))
    #expect(key.text < VersionKey.after(version).text && VersionKey.after(version).text < ":")
  }

  @Test func `the key after a greatest component is carried over`() throws {
    #expect(VersionKey.after(try Version("1.2.3.999999999")) == VersionKey(try Version("1.2.4")))
    #expect(VersionKey.after(try Version("999999999.999999999.999999999.999999999")) == .end)
    #expect(VersionKey(":") == .end && VersionKey("1") == nil)
  }
}
