@testable import ReleaseModel

func version(_ text: String) -> Version { (try? Version(text)) ?? .zero }

func hour(_ count: Int64) -> Timestamp { Timestamp(seconds: 1_800_000_000 + count * 3_600) }

/// The moment of every walk: the history lies before it, holds end after it.
let now = hour(0)

/// All states that an app's releases can be brought into by the laws, each with the commands that make it.
///
/// States between `prepared` and `live` differ in nothing that a decision or a law asks for here, so `prepared` stands for
/// them, and `rejected` for `withdrawn`. A moment counts only as passed, or 6, 12 or 24 hours away. What is taken back leads to
/// states that are there without it, as the walk of two releases shows; so of four, nothing is taken back.
struct Lineage {
  struct State {
    var line: AppState
    var commands: [String]
  }

  private(set) var states: [State]

  init(_ app: App, _ versions: [Version], takesBack: Bool) {
    states = [State(line: AppState(app: app), commands: [])]
    var known: Set<[Int64]> = [[]]
    var next = 0
    while next < states.count {
      let state = states[next]
      next += 1
      for (command, line) in Lineage.moves(from: state.line, versions, takesBack)
      where known.insert(Lineage.key(line, takesBack)).inserted {
        states.append(State(line: line, commands: state.commands + [command]))
      }
    }
  }

  private static func moves(from line: AppState, _ versions: [Version], _ takesBack: Bool) -> [(
    String, AppState
  )] {
    var moves: [(String, AppState)] = []
    let slug = line.app.slug
    func move(_ command: String, _ change: () throws -> Change?) {
      guard let change = try? change() else { return }
      var after = line
      after.apply(change, event: 1)
      moves.append(("\(command)", after))
    }
    if line.everRecorded.count < versions.count {
      let version = versions[line.everRecorded.count]
      move("publish \(slug) \(version.text)") {
        try line.publish(version, ReleaseDetails(), id: Int64(line.everRecorded.count + 1), now: now)
      }
    }
    for version in line.releases.map(\.version) {
      let name = "\(slug) \(version.text)"
      for (words, isVisibleNow) in [("", false), (" --visible-now", true)] {
        move("mark \(name) live\(words)") {
          try line.mark(version, .live, at: nil, isVisibleNow: isVisibleNow, now: now)
        }
      }
      for state in [ReleaseState.removed, .rejected] {
        move("mark \(name) \(state.rawValue)") {
          try line.mark(version, state, at: nil, isVisibleNow: false, now: now)
        }
      }
      move("void \(name)") { try line.void(version, now: now) }
      guard takesBack else { continue }
      move("unmark \(name)") { try line.unmark(version, now: now) }
      move("void \(name) --never-shipped") { try line.void(version, neverShipped: true, now: now) }
    }
    // The only hold ends in four hours, the store still shows less, and so it goes on for six.
    if let live = line.live, line.releases.filter(\.waits).map(\.id) == [live.id] {
      var later = line.aged(by: 20)
      if let change = try? later.holdOn(live.version, now: now) {
        later.apply(change, event: 1)
        moves.append(("sleep 20h; lookup \(slug) with less", later))
      }
    }
    // Instead of the clock going on, what is recorded goes back.
    if line.releases.contains(where: \.waits) {
      moves.append(("sleep 12h", line.aged(by: 12)))
    }
    return moves
  }

  private static func key(_ line: AppState, _ takesBack: Bool) -> [Int64] {
    func wait(_ moment: Timestamp?) -> Int64 { moment.map { max(0, $0.seconds - now.seconds) } ?? -1 }
    func place(_ state: ReleaseState) -> Int64 { Int64(ReleaseState.allCases.firstIndex(of: state) ?? 0) }
    return line.everRecorded.flatMap { release -> [Int64] in
      let former = release.former
      let isRemoved = release.state == .removed
      let seen = [
        place(release.state), isRemoved ? 0 : wait(release.visibleAt), release.liveAt == nil ? 0 : 1,
        release.becameVisible(by: now) ? 1 : 0, former?.state == .removed ? 1 : 0,
        release.isHeldOn ? 1 : 0,
      ]
      guard takesBack else { return seen }
      return seen + [
        release.supersededBy ?? 0, former.map { place($0.state) } ?? -1, wait(former?.visibleAt),
        former?.superseded ?? 0,
      ]
    }
  }

  /// All that a decision sees of a state.
  private static func seen(_ state: State) -> [Int64] {
    state.line.everRecorded.map { release in
      let wait = release.visibleAt.map { max(0, $0.seconds - now.seconds) } ?? -1
      switch release.state {
      case .void: return -3
      case .removed: return -2
      case .live, .superseded: return wait * 2 + (release.former?.state == .removed ? 1 : 0)
      default: return -1
      }
    }
  }

  /// One state of those in which every decision is the same.
  var distinct: [State] {
    var known: Set<[Int64]> = []
    return states.filter { known.insert(Lineage.seen($0)).inserted }
  }

  var distinctKeys: Set<[Int64]> { Set(states.map(Lineage.seen)) }
}

extension AppState {
  fileprivate func aged(by hours: Int64) -> AppState {
    var later = self
    for index in later.releases.indices {
      later.releases[index].age(by: TimeSpan(seconds: hours * 3_600))
    }
    return later
  }
}

extension Release {
  /// Whether it waits for a moment, or would if it were as it was before.
  fileprivate var waits: Bool { [visibleAt, former?.visibleAt].contains { $0.map { now < $0 } ?? false } }

  fileprivate mutating func age(by span: TimeSpan) {
    func earlier(_ moment: Timestamp?) -> Timestamp? { moment.map { $0 - span } }
    since = since - span
    (liveAt, visibleAt, removedAt, shownAt, firstVisibleAt) = (
      earlier(liveAt), earlier(visibleAt), earlier(removedAt), earlier(shownAt), earlier(firstVisibleAt)
    )
    guard let former else { return }
    self.former = Former(
      state: former.state, since: former.since - span, liveAt: earlier(former.liveAt),
      visibleAt: earlier(former.visibleAt), removedAt: earlier(former.removedAt),
      superseded: former.superseded)
  }
}
