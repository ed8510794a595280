import Export
import JSON
import ReleaseModel
import TestSupport
import Testing

/// Every small ledger, walked: what must never happen happens in none of them.
///
/// PAWL_WALK says which share of the states is visited, one in so many: 1 is all, which the nightly run does; documents and
/// mirrors' rows are looked at in one of PAWL_WALK_DOCUMENTS of these, and the previews of changes in a quarter of those. A
/// state that fails is printed as the commands that make it.
@Suite struct WalkTests {
  private static let share = environmentNumber("PAWL_WALK", else: 211)
  private static let documents = environmentNumber("PAWL_WALK_DOCUMENTS", else: 23)

  @Test func `taking changes back leads to no new state`() {
    var app = App(slug: "taxi", bundleID: "com.example.taxi")
    app.appleID = 7
    let versions = [version("1.0.0"), version("1.1.0")]
    let both = [true, false].map { Lineage(app, versions, takesBack: $0) }
    print("lineage: \(both.map(\.states.count)) states, distinct \(both.map(\.distinct.count))")
    #expect(both[0].distinctKeys == both[1].distinctKeys && both[1].states.count < both[0].states.count)
  }

  @Test(arguments: Family.all.indices) func `no small ledger breaks a theorem`(place: Int) async throws {
    let family = Family.all[place]
    // Of a small family a larger share.
    let share = max(1, min(WalkTests.share, family.count / 2_000))
    let states = (family.count + share - 1) / share
    let documents = max(1, min(WalkTests.documents, states / 100))
    let tally = try await Tally.of(0..<states, inPartsOf: 1_000) { step, tally in
      // A few that fail say enough, and soon.
      guard tally.broken.count < 5 else { return }
      // Shares are taken in another order than states are made, so that every choice is met.
      let state = share == 1 ? step : Int(UInt64(step) &* 2_654_435_761 % UInt64(family.count))
      var theorems = Theorems(family.snapshot(state), family)
      theorems.decide()
      if step % documents == 0 { theorems.write() }
      var preview = PreviewWalk(family.snapshot(state), family)
      var takeOver = TakeOverWalk(
        family, family.snapshot((state + step * 7) % family.count), family.snapshot(state))
      if step % (4 * documents) == 0 {
        preview.walk()
        takeOver.walk()
      }
      tally.questions += theorems.questions
      tally.documents += theorems.documents
      tally.forced += theorems.forced
      tally.changes += preview.changes
      tally.stricter += preview.stricter
      tally.shown += takeOver.shown
      if let broken = (theorems.broken + preview.broken + takeOver.broken).first {
        tally.broken.append("\(broken)\n    \(family.commands(state))")
      }
    }
    #expect(tally.broken.isEmpty, "\(tally.broken.prefix(5).joined(separator: "\n"))")
    #expect(tally.forced > 0 && tally.documents > 0 && tally.stricter > 0 && tally.shown > 0)
    print(
      "walk \(family.name): \(states) of \(family.count) states, \(tally.questions) questions, \(tally.forced) forced; "
        + "documents of \((states + documents - 1) / documents), \(tally.documents) read; "
        + "\(tally.changes) changes, \(tally.stricter) stricter; \(tally.shown) of take-overs")
  }

  /// One state in PAWL_WALK_SAMPLE of them, with what its clients are told at one moment, for a model that somebody else
  /// makes: Tests/shell/outsider.py.
  @Test(.enabled(if: environmentNumber("PAWL_WALK_SAMPLE", else: 0) > 0))
  func `a sample of states is printed`() {
    let share = environmentNumber("PAWL_WALK_SAMPLE", else: 1)
    for family in Family.all {
      for (step, state) in stride(from: 0, to: family.count, by: share).enumerated() {
        print("sample " + family.sample(state, at: family.moments[step % family.moments.count]).text())
      }
    }
  }
}

/// What must hold in one state, said once more from the contract alone.
struct Theorems {
  private let snapshot: Snapshot
  private let family: Family
  private let stopped: Snapshot
  private(set) var broken: [String] = []
  private(set) var (questions, documents, forced) = (0, 0, 0)

  init(_ snapshot: Snapshot, _ family: Family) {
    (self.snapshot, self.family) = (snapshot, family)
    var stopped = snapshot
    stopped.line.app.isStopped = true
    self.stopped = stopped
  }

  private func client(_ version: Version, _ os: Version?, _ moment: Timestamp) -> String {
    "\(version.text) on \(os?.text ?? "any") at \((moment.seconds - now.seconds) / 3_600)h"
  }

  /// (a), (b) and (d) of what clients are told.
  mutating func decide() {
    for moment in family.moments {
      let (decider, silent) = (Decider(snapshot, at: moment), Decider(stopped, at: moment))
      for version in family.clients {
        let isReleased = isReleased(version)
        for os in family.systems {
          let asking = Client(version: version, os: os)
          let decision = decider.decide(asking)
          questions += 1
          if decision.action == .force {
            forced += 1
            if let why = whyNot(decision, asking, moment) {
              broken.append("(a) \(client(version, os, moment)): \(why)")
            }
          }
          if decision.review == isReleased || !isReleased && decision.action != .none {
            broken.append("(b) \(client(version, os, moment)): \(decision.action), review \(decision.review)")
          }
          if silent.decide(asking).action != .none {
            broken.append("(d) \(client(version, os, moment)): prompted")
          }
        }
      }
    }
  }

  /// Law 5: what is not released is what the ledger has as not yet live, rejected or struck out, and what it does not know
  /// above all that was ever live.
  private func isReleased(_ version: Version) -> Bool {
    var isUnknown = true
    for release in snapshot.line.everRecorded where release.version == version {
      if [.live, .superseded, .removed].contains(release.state) { return true }
      isUnknown = false
    }
    return isUnknown && snapshot.line.releases.contains { $0.liveAt != nil && version < $0.version }
  }

  /// Law 6: why a force should not have been.
  private func whyNot(_ decision: Decision, _ client: Client, _ moment: Timestamp) -> String? {
    guard let target = decision.target, let url = decision.url, let slug = decision.targetApp else {
      return "no target"
    }
    let line = slug == "taxi" ? snapshot.line : snapshot.others[slug]
    guard let line, line.releases.contains(where: { $0.id == target.id && $0.version == target.version })
    else {
      return "no such release"
    }
    if line.app.isStopped { return "\(slug) is stopped" }
    let isServed = target.state == .live || target.state == .superseded
    guard isServed, let visibleAt = target.visibleAt, visibleAt <= moment else {
      return "its target is not visible"
    }
    func runs(_ release: Release) -> Bool {
      client.os.map { os in release.minOS.map { $0 <= os } ?? true } ?? true
    }
    if line.releases.contains(where: { target.version < $0.version && $0.state == .removed && runs($0) }) {
      return "its target is below a removed release"
    }
    if slug == "taxi", target.version <= client.version { return "its target is not newer" }
    if !runs(target) { return "its target does not run" }
    if !url.hasPrefix("https://apps.apple.com/app/id") { return "its page is no page" }
    return nil
  }

  /// (c) of documents of every format, and (d) of documents and mirrors' rows.
  mutating func write() {
    for (snapshot, isStopped) in [(snapshot, false), (stopped, true)] {
      let schedule = Schedule(snapshot, from: now)
      if isStopped, schedule.rows.contains(where: { $0.told.decisions.contains { $0.action != .none } }) {
        broken.append("(d) a mirror's row prompts")
      }
      let answers = AppAnswers(
        snapshot, schedule, at: now, generation: 1, hash: String(repeating: "a", count: 64),
        ledger: String(repeating: "b", count: 32), includesUnreleased: false)
      let decider = Decider(snapshot, at: now)
      for format in ExportFormats.all {
        let files = Dictionary(
          format.documents(for: answers).documents.map { ($0.path, $0.bytes) }, uniquingKeysWith: { $1 })
        for reader in format.clients(of: files, app: "taxi", at: now) {
          for version in family.clients where !isUnreleasable(version) {
            let conclude = reader.conclude(version)
            let minOS = needs(version)
            for os in family.systems where os.map({ os in minOS.map { $0 <= os } ?? true }) ?? true {
              documents += 1
              let told = conclude(os)?.action ?? .none
              let wanted = decider.decide(Client(version: version, os: os))
              // Where a system is too old, a format that cannot say so reminds, and never forces.
              let isHarsher =
                os == nil || wanted.review || isStopped
                ? told > wanted.action : told == .force && wanted.action != .force
              if isHarsher {
                broken.append(
                  "(\(isStopped ? "d" : "c")) \(format.name), \(client(version, os, now)): \(told), not \(wanted.action)"
                )
              }
            }
          }
        }
      }
    }
  }

  /// The system that clients of a version have at least, as far as is known.
  private func needs(_ version: Version) -> Version? {
    let released = snapshot.line.releases.filter(\.state.isReleased)
    return (released.last { $0.version <= version } ?? released.first)?.minOS
  }

  /// Whether no client and no reviewer has a version: dead below one that is live or was told of, or of four components
  /// above all that were live, which Apple's store does not take.
  private func isUnreleasable(_ version: Version) -> Bool {
    let releases = snapshot.line.everRecorded
    let greatest = releases.last { $0.liveAt != nil }?.version
    if let greatest, greatest < version, version.truncated(to: 3) == greatest { return true }
    return releases.contains { dead in
      dead.version == version && [.rejected, .void].contains(dead.state)
        && releases.contains {
          dead.version < $0.version && ($0.state == .live || $0.becameVisible(by: now))
        }
    }
  }
}
