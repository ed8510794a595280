import TestSupport
import Testing

@testable import ReleaseModel

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

/// The preview and the kept answers, held against asking for every version at every moment.
@Suite struct ForecastTests {
  private struct Tally: Sendable {
    var lines = 0
    var runs = 0
    var wrong: [String] = []
  }

  private static func compare(_ seeds: Range<Int>) -> Tally {
    var tally = Tally()
    for seed in seeds {
      // Seeds that differ little would start alike otherwise.
      var mixer = Seeded(UInt64(seed))
      var random = RandomSnapshot(seed: mixer.next())
      let after = random.snapshot()
      let before: Snapshot? = seed % 20 == 0 ? nil : seed % 3 == 0 ? random.snapshot() : random.altered(after)
      let impact = Impact(before: before, after: after, now: hour(0))
      if impact.lines != PlainForecast.impact(before: before, after: after, now: hour(0)) {
        tally.wrong.append("the impact of seed \(seed)")
      }
      let runs = after.answerRuns(from: hour(0))
      if runs != PlainForecast.answerRuns(of: after, from: hour(0)) {
        tally.wrong.append("the answers of seed \(seed)")
      }
      tally.lines += impact.lines.count
      tally.runs += runs.count
    }
    return tally
  }

  @Test func `asking where something changes says what asking everywhere says`() async {
    let count = getenv("PAWL_SEQUENCES").flatMap { Int(String(cString: $0)) } ?? 4_000
    let share = 100
    let tally = await withTaskGroup(of: Tally.self) { group in
      for start in stride(from: 0, to: count, by: share) {
        group.addTask { ForecastTests.compare(start..<min(count, start + share)) }
      }
      var whole = Tally()
      for await part in group {
        whole.lines += part.lines
        whole.runs += part.runs
        whole.wrong += part.wrong
      }
      return whole
    }
    #expect(
      tally.wrong.isEmpty,
      "\(tally.wrong.count) of \(count) differ, such as \(tally.wrong.sorted().first ?? "")")
    // Snapshots in which nothing happens would prove nothing.
    #expect(tally.lines > count && tally.runs > 4 * count, "\(tally)")
  }
}

/// What `Impact` and `answerRuns` say, from the decision function asked for all versions at all moments.
enum PlainForecast {
  private struct Difference: Equatable {
    let before: Action
    let after: Action
    let urlBefore: String?
    let urlAfter: String?
    let hears: Bool
  }

  static func impact(before: Snapshot?, after: Snapshot, now: Timestamp) -> [ImpactLine] {
    var versions: [Version] = []
    for release in (before?.line.releases ?? []) + after.line.releases
    where !versions.contains(release.version) {
      versions.append(release.version)
    }
    versions.sort()
    let moments = after.momentsOfChange(after: now).union(before?.momentsOfChange(after: now) ?? [])
    var said: [Version: Difference] = [:]
    var lines: [ImpactLine] = []
    for moment in [now] + moments.sorted() {
      let earlier = before.map { Decider($0, at: moment) }
      let later = Decider(after, at: moment)
      var run: [(version: Version, difference: Difference)] = []
      func flush() {
        if let first = run.first, let last = run.last {
          lines.append(
            ImpactLine(
              app: after.line.app.slug, first: first.version, last: last.version, count: run.count,
              before: first.difference.before, after: first.difference.after,
              urlBefore: first.difference.urlBefore, urlAfter: first.difference.urlAfter, at: moment,
              hears: first.difference.hears))
        }
        run = []
      }
      for version in versions {
        let (one, other) = (earlier?.decide(Client(version: version)), later.decide(Client(version: version)))
        let difference = Difference(
          before: one?.action ?? .none, after: other.action, urlBefore: one?.url, urlAfter: other.url,
          hears: after.line.app.asksSince.map { $0 <= version } ?? true)
        let isOne =
          difference.before != difference.after || difference.urlBefore != difference.urlAfter
        if !isOne || said[version] == difference {
          flush()
        } else {
          if run.last.map({ $0.difference != difference }) ?? false { flush() }
          run.append((version, difference))
        }
        said[version] = isOne ? difference : nil
      }
      flush()
    }
    return lines
  }

  static func answerRuns(of snapshot: Snapshot, from now: Timestamp) -> [AnswerRun] {
    let deciders = ([now] + snapshot.momentsOfChange(after: now).sorted()).map { Decider(snapshot, at: $0) }
    var runs: [AnswerRun] = []
    var open: [AnswerRun] = []
    for release in snapshot.line.releases {
      var joined: [AnswerRun] = []
      if release.state != .void || snapshot.line.release(release.version)?.id == release.id {
        var answers: [(from: Timestamp, told: Told)] = []
        for decider in deciders {
          let told = Told(decider, Client(version: release.version))
          if answers.last?.told != told { answers.append((decider.moment, told)) }
        }
        for (index, answer) in answers.enumerated() {
          let until = index + 1 < answers.count ? answers[index + 1].from : nil
          let before = open.firstIndex {
            $0.from == answer.from && $0.until == until && $0.told == answer.told
          }
          joined.append(
            AnswerRun(
              first: before.map { open.remove(at: $0).first } ?? release.id, last: release.id,
              from: answer.from, until: until, told: answer.told))
        }
      }
      runs += open
      open = joined
    }
    return runs + open
  }
}
