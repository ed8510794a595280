/// What an app's clients are told: every version that could exist, from a moment on, on every system.
///
/// It is a function of versions whose values are functions of time, which tiles show as rectangles:
///
///             0           1.4         2.0         2.0.0.1        versions
///       09:00 ┌───────────┬───────────┬───────────┬───────────
///             │           │ remind    │           │ none         a slab is a column: neighbouring versions
///       12:00 │           ├───────────┤           ├───────────     with one course
///             │ force     │ force     │ none      │ remind
///       18:00 │           ├───────────┤           ├───────────   a course is what a slab is told, in order
///             │           │ none      │           │ none           of time
///        time ↓
///
/// Tiles are canonical, since digests are over them: a course joins what is told the same in time, and only then a tile
/// goes on into the next slab, if that has the same answer over the same span. In the other order, `none` from 18:00 on
/// would be one tile above, and the one on from 09:00 would be cut there.
package struct Schedule: Sendable {
  package let app: String
  package let from: Timestamp
  /// Each answer once, and each course of them, by their indices.
  package let answers: [Told]
  package let courses: [Steps<Timestamp, Int>]
  package let slabs: Steps<VersionKey, Int>
  /// Systems at which answers step only because some programs are told an older name of one; no one needs to read of
  /// them.
  let olderNames: [Version]

  /// The most tiles of an app that a change may bring about.
  package static let mostTiles = 20_000

  /// The tiles of an app from which on a change that makes more of them warns.
  package static let manyTiles = 2_500

  /// The course of answers to a version.
  package func course(of version: Version) -> Steps<Timestamp, Int> {
    courses[slabs.span(at: VersionKey(version)).value]
  }

  /// What a version is told at a moment, which is not before the schedule's start, and from when until when.
  package func answer(to version: Version, at moment: Timestamp) -> (
    answer: Told, from: Timestamp, until: Timestamp?
  ) {
    let span = course(of: version).span(at: moment)
    return (answers[span.value], span.from, span.end)
  }

  /// What is told at a moment, and until when; nil if nothing changes by itself.
  package struct Current: Sendable {
    package let told: Told
    package let until: Timestamp?
  }

  /// What every version is told at a moment; it steps at each cut, too.
  package func current(at moment: Timestamp, cutAt cuts: [VersionKey] = []) -> Steps<VersionKey, Current> {
    let told = courses.map { $0.span(at: moment) }
    return slabs.mapped { told[$0] }.joined { $0.value == $1.value && $0.end == $1.end }
      .cut(at: cuts.filter { $0 < .end })
      .mapped { Current(told: answers[$0.value], until: $0.end) }
  }

  package var moments: [Timestamp] {
    var moments = courses.flatMap { $0.starts.dropFirst() }
    moments.sortUniquely()
    return moments
  }

  /// The schedule without the moments at which clients are told the same for another reason.
  package var asTold: Schedule {
    guard courses.contains(where: { $0.count > 1 }) else { return self }
    let tags = answers.map(\.tag)
    return Schedule(
      app: app, from: from, answers: answers,
      courses: courses.map { $0.joined { tags[$0] == tags[$1] } }, slabs: slabs, olderNames: olderNames)
  }

  /// The first moment after a given one at which some answer changes by itself.
  package func nextChange(after moment: Timestamp) -> Timestamp? {
    courses.compactMap { $0.starts.first { moment < $0 } }.min()
  }

  /// The first moment at which clients of some version are sent to a release of an app; nil if none are, as far as is
  /// known.
  package func firstTold(of version: Version, of slug: String) -> Timestamp? {
    let telling = answers.map { answer in
      answer.decisions.contains { $0.targetApp == slug && $0.target?.version == version }
    }
    return courses.compactMap { $0.first { telling[$0.value] }?.from }.min()
  }

  /// The tiles of every version and all time from the start on, in order of `lo`, then `from`.
  package var tiles: [Tile] { tiles(tags: answers.map { _ in "" }) }

  /// The tiles with the tags of what they tell, as stores keep them.
  package var rows: [Tile] { tiles(tags: answers.map(\.tag)) }

  private func tiles(tags: [String]) -> [Tile] {
    var tiles: [Tile] = []
    var open: [(span: Steps<Timestamp, Int>.Span, tile: Int)] = []
    for slab in slabs {
      open = courses[slab.value].map { span in
        let index = open.firstPosition { span.from <= $0.span.from }
        if index < open.count, open[index].span == span {
          tiles[open[index].tile].hi = slab.hi
          return open[index]
        }
        tiles.append(
          Tile(
            lo: slab.from, hi: slab.hi, from: span.from, until: span.end, told: answers[span.value],
            tag: tags[span.value]))
        return (span, tiles.count - 1)
      }
    }
    return tiles
  }
}

extension Schedule {
  /// Asks the decision function about every version, from a moment on.
  ///
  /// - Parameter range: Where to ask; the schedule says nothing of versions elsewhere.
  package init(
    _ snapshot: Snapshot, from moment: Timestamp, within range: Range<VersionKey> = .least ..< .end
  ) {
    let moments = [moment] + snapshot.momentsOfChange(after: moment).sorted()
    self = Sweep.schedule(snapshot, at: moments, within: range)
  }

  /// Asks the decision function about every version at one moment.
  package init(_ snapshot: Snapshot, at moment: Timestamp) { self = Sweep.schedule(snapshot, at: [moment]) }

  /// Puts a schedule together slab by slab, keeping each answer and each course once.
  struct Builder {
    let app: String
    let from: Timestamp
    private var answers: [Told] = []
    private var courses: [Steps<Timestamp, Int>] = []
    private var slabs: [(VersionKey, Int)] = []
    private var indices: [Told: Int] = [:]
    private var known: [Steps<Timestamp, Int>: Int] = [:]

    init(_ app: String, from moment: Timestamp) { (self.app, from) = (app, moment) }

    /// Adds what is told from a version on, in order of time.
    mutating func add(_ told: [(from: Timestamp, told: Told)], from lo: VersionKey) {
      let indices = told.map { ($0.from, index(of: $0.told)) }
      guard let course = Steps(indices, joining: ==) else { return }
      if known[course] == nil {
        known[course] = courses.count
        courses.append(course)
      }
      slabs.append((lo, known[course] ?? 0))
    }

    private mutating func index(of told: Told) -> Int {
      if let index = indices[told] { return index }
      indices[told] = answers.count
      answers.append(told)
      return answers.count - 1
    }

    /// What was added; of a version of which nothing was, nothing is known.
    mutating func schedule(olderNames: [Version] = []) -> Schedule {
      if slabs.isEmpty { add([(from, .nothing)], from: .least) }
      return Schedule(
        app: app, from: from, answers: answers, courses: courses,
        slabs: Steps(slabs, joining: ==) ?? Steps(0, from: .least), olderNames: olderNames)
    }
  }
}

extension Snapshot {
  /// Whether clients of some version are prompted at a moment.
  package func isPrompting(at moment: Timestamp) -> Bool {
    Schedule(self, at: moment).answers.contains { $0.decisions.contains { $0.action != .none } }
  }

  /// The versions that some client of theirs is forced in at a moment.
  package func forced(at moment: Timestamp) -> [VersionRange] {
    Schedule(self, at: moment).current(at: moment)
      .filter { $0.value.told.decisions.contains { $0.action == .force } }.map(\.range).joined()
  }

  /// From when a client will be forced, as far as is known; nil if it is forced already, or never will be.
  package func forcedFrom(_ client: Client, after moment: Timestamp) -> Timestamp? {
    var part = self
    part.line.rules.removeAll { !$0.range.contains(client.version) }
    part.line.redirects.removeAll { !$0.range.contains(client.version) }
    part.line.settings = []
    guard !part.momentsOfChange(after: moment).isEmpty else { return nil }
    return Schedule(part, from: moment).answer(to: client.version, at: moment)
      .answer.decision(on: client.os).forcedFrom
  }
}

extension Steps<VersionKey, Schedule.Current> {
  /// How many of some ascending versions are told the action of a rule because of that rule.
  package func count(of versions: [Version], saidBy rule: Rule) -> Int {
    reduce(0) { count, span in
      let decision = span.value.told.decision
      guard decision.rule == rule.number, decision.action == rule.action else { return count }
      return count + versions.positions(from: span.from, to: span.hi).count
    }
  }
}
