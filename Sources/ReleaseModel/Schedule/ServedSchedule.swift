import Crypto
import JSON

// What others tell clients, read back as a schedule, so that it compares with another.

extension Schedule {
  /// What clients are told of an app of which there is nothing.
  package static func nothing(_ app: String, from moment: Timestamp) -> Schedule {
    Schedule(app, at: [moment]) { _ in { _, _ in Decision.unreleased } }
  }

  /// What is told by something that cannot be read.
  package static func unknown(_ app: String, from moment: Timestamp) -> Schedule {
    Schedule(app, at: [moment]) { _ in { _, _ in Decision.unknown } }
  }

  /// Asks what answers clients, from the first of some moments on.
  ///
  /// - Parameters:
  ///   - bounds: Where the answers may change, by version.
  ///   - systems: Where they may change by system, ascending.
  ///   - told: What a version is told at the moment at a position, on a system, nil for an unknown one.
  package init(
    _ app: String, at moments: [Timestamp], bounds: [VersionKey] = [], systems: [Version] = [],
    _ told: (Version) -> (_ moment: Int, _ os: Version?) -> Decision
  ) {
    var builder = ScheduleBuilder(
      Schedule(app: app, remindEvery: .once, from: moments.first ?? .distantPast))
    var keys = [VersionKey.least] + bounds
    keys.sortUniquely()
    let oldest = [Version.zero] + systems
    for key in keys {
      guard let version = key.version else { continue }
      let tell = told(version)
      builder.add(
        moments.indices.map { place in
          let tiers = zip(oldest, systems).map { Answer.Tier(below: $1, decision: tell(place, $0)) }
          return (moments[place], Answer(tell(place, nil), tiers: tiers).folded(==))
        }, from: key)
    }
    self = builder.schedule
  }

  /// Reads a schedule off its lines, as `lines(_:notes:)` makes them, apart from the reasons; nil for anything else.
  package init?(_ app: String, lines: [String]) {
    let cells = lines.map { line in
      line.split(separator: " ").map { word in
        hexadecimalBytes(String(word)).map { String(decoding: $0, as: UTF8.self) }
      }
    }
    var notes: [String: [Note]] = [:]
    for case let line in cells where line.count == 3 {
      guard let app = line[0], let version = line[1], let text = line[2],
        let texts = (try? JSON(parsing: text.utf8))?.object
      else { continue }
      notes["\(app) \(version)"] = texts.members.map { Note(locale: $0.key, text: $0.value.string ?? "") }
    }
    let rows = cells.filter { $0.count == ScheduleRow.columns.count }.map {
      ScheduleRow(cells: $0, notes: notes)
    }
    self.init(app: app, rows: rows.compactMap(\.self))
    if rows.contains(nil) { return nil }
  }
}

extension ScheduleRow {
  /// Reads what `cells` has; nil for anything else.
  ///
  /// - Parameter notes: Those of targets, by app and version with a blank between them.
  fileprivate init?(cells: [String?], notes: [String: [Note]]) {
    func cell(_ name: String) -> String? { zip(Self.columns, cells).first { $0.0.name == name }?.1 }
    func json(_ name: String) -> JSON? { cell(name).flatMap { try? JSON(parsing: $0.utf8) } }
    func release(_ app: String, _ version: String) -> Release? {
      guard let number = try? Version(version) else { return nil }
      var release = Release(id: 0, version: number, state: .live, since: .distantPast)
      release.notes = notes["\(app) \(version)"] ?? []
      return release
    }
    guard let lo = cell("lo").flatMap(VersionKey.init), let hi = cell("hi").flatMap(VersionKey.init),
      let from = cell("valid_from").flatMap({ Int64($0) }),
      let until = cell("valid_until").flatMap({ Int64($0) }),
      let action = cell("action").flatMap(Action.init(rawValue:)), let tag = cell("tag"),
      let every = cell("remind_every").flatMap(ReminderFrequency.init(rawValue:)),
      let settings = json("settings")?.object, let listed = json("tiers"),
      let tiers = Self.tiers(listed, review: cell("review") == "1", release: release)
    else { return nil }
    var decision = Decision(action: action, review: cell("review") == "1", decidedBy: .policy)
    if action != .none, let app = cell("target_app"), let version = cell("target") {
      (decision.targetApp, decision.url, decision.target) = (app, cell("url"), release(app, version))
      decision.target?.minOS = cell("min_os").flatMap { try? Version($0) }
    }
    self.init(
      lo: lo, hi: hi, from: Timestamp(seconds: from),
      until: until == Self.never ? nil : Timestamp(seconds: until),
      answer: Answer(
        decision, tiers: tiers,
        settings: Dictionary(
          settings.members.map { ($0.key, $0.value.string ?? "") }, uniquingKeysWith: { $1 })),
      tag: tag, remindEvery: every)
  }
}

extension Decision {
  /// What somebody tells who cannot say of which release, or whose word cannot be read.
  package static let unknown = Decision(action: .none, review: false, decidedBy: .unknown)

  /// What clients of an app do who are told no more than this.
  package init(_ action: Action, url: String?, of app: String) {
    self.init(action: action, review: false, decidedBy: .policy)
    guard action != .none else { return }
    (targetApp, self.url) = (app, url)
    target = Release(id: 0, version: .zero, state: .live, since: .distantPast)
  }
}

/// Puts a schedule together slab by slab, keeping each answer and each course once.
struct ScheduleBuilder {
  private(set) var schedule: Schedule
  private var places: [Answer: Int] = [:]
  private var known: [[Schedule.Entry]: Int] = [:]

  init(_ empty: Schedule) { schedule = empty }

  mutating func place(of answer: Answer) -> Int {
    if let place = places[answer] { return place }
    places[answer] = schedule.answers.count
    schedule.answers.append(answer)
    return schedule.answers.count - 1
  }

  /// A course of what is told at some moments, without those at which nothing changes.
  mutating func course(_ told: [(Timestamp, Answer)]) -> [Schedule.Entry] {
    told.reduce(into: []) { course, told in
      let answer = place(of: told.1)
      if course.last?.answer != answer { course.append(Schedule.Entry(from: told.0, answer: answer)) }
    }
  }

  mutating func add(_ told: [(Timestamp, Answer)], from lo: VersionKey) { add(course(told), from: lo) }

  /// Adds a slab, unless the one before it has the same course.
  mutating func add(_ course: [Schedule.Entry], from lo: VersionKey) {
    let place = known[course] ?? schedule.courses.count
    if schedule.slabs.last?.course == place { return }
    if place == schedule.courses.count {
      known[course] = place
      schedule.courses.append(course)
    }
    schedule.slabs.append(Schedule.Slab(lo: lo, course: place))
  }
}
