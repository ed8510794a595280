package import JSON

/// What a change does to each known version of each app it touches: what the version is told before and
/// after, from now on.
///
/// Unlike an impact, it names the target and says where a difference ends, so that effects worked out at
/// different times can be compared.
package struct Effect: Sendable, Equatable {
  /// What a client is told, as far as people see it.
  struct Told: Sendable, Equatable {
    let action: Action
    let target: String?
    let app: String?
    let url: String?

    init(_ decision: Decision) {
      action = decision.action
      target = decision.target?.version.text
      app = decision.targetApp
      url = decision.url
    }

    static let nothing = Told(action: .none, target: nil, app: nil, url: nil)

    private init(action: Action, target: String?, app: String?, url: String?) {
      (self.action, self.target, self.app, self.url) = (action, target, app, url)
    }

    init?(json: JSON) {
      guard let action = json["action"]?.string.flatMap(Action.init(rawValue:)) else { return nil }
      self.init(
        action: action, target: json["target"]?.string, app: json["app"]?.string, url: json["url"]?.string)
    }

    var json: JSON {
      [
        "action": .string(action.rawValue), "target": .optional(target), "app": .optional(app),
        "url": .optional(url),
      ]
    }

    var words: String {
      guard action != .none, let target else { return action.rawValue }
      return "\(action.rawValue) to \(target)" + (url.map { " (\($0))" } ?? "")
    }
  }

  /// When an answer begins.
  enum Start: Sendable, Equatable {
    /// At the moment of the change.
    case change
    /// A span of time after the change.
    case after(TimeSpan)
    case at(Timestamp)

    func moment(changedAt now: Timestamp) -> Timestamp {
      switch self {
      case .change: now
      case .after(let span): now + span
      case .at(let moment): max(moment, now)
      }
    }
  }

  struct Step: Sendable, Equatable {
    let start: Start
    let before: Told
    let after: Told
  }

  /// Neighbouring versions that the change affects in the same way.
  struct Run: Sendable, Equatable {
    let app: String
    let first: Version
    var last: Version
    let steps: [Step]
  }

  private(set) var runs: [Run] = []

  package init() {}

  /// Works out the effect of the difference between two states of an app.
  ///
  /// - Parameter relative: The moments counted from the change itself, such as the end of a hold that starts
  ///   with it.
  package init(before: Snapshot?, after: Snapshot, now: Timestamp, relative: Set<Timestamp>) {
    var versions = (before?.line.releases ?? []).map(\.version) + after.line.releases.map(\.version)
    versions.sortUniquely()
    var moments = [now]
    for case let snapshot? in [before, after] { moments += snapshot.momentsOfChange(after: now) }
    moments.sortUniquely()
    let starts = moments.map { moment -> Start in
      if moment == now { return .change }
      return relative.contains(moment)
        ? .after(TimeSpan(seconds: moment.seconds - now.seconds)) : .at(moment)
    }
    var earlier = before.map { Forecast($0, at: moments, withSettings: false) { told, _ in Told(told) } }
    var later = Forecast(after, at: moments, withSettings: false) { told, _ in Told(told) }
    var isBesideLast = false
    for version in versions {
      _ = earlier?.move(to: version)
      _ = later.move(to: version)
      let steps = Effect.steps(earlier?.course ?? [(0, .nothing)], later.course).map {
        Step(start: starts[$0.slot], before: $0.before, after: $0.after)
      }
      guard steps.contains(where: { $0.before != $0.after }) else {
        isBesideLast = false
        continue
      }
      if isBesideLast, runs.last?.steps == steps {
        runs[runs.count - 1].last = version
      } else {
        runs.append(Run(app: after.line.app.slug, first: version, last: version, steps: steps))
      }
      isBesideLast = true
    }
  }

  /// Combines the effects on several apps.
  package init(_ parts: [Effect]) { runs = parts.flatMap(\.runs) }

  private static func steps(_ before: Forecast<Told>.Course, _ after: Forecast<Told>.Course)
    -> [(slot: Int, before: Told, after: Told)]
  {
    var steps: [(slot: Int, before: Told, after: Told)] = []
    var slots = before.map(\.slot) + after.map(\.slot)
    slots.sortUniquely()
    for slot in slots {
      let was = before.last { $0.slot <= slot }?.answer ?? .nothing
      let willBe = after.last { $0.slot <= slot }?.answer ?? .nothing
      if let last = steps.last, last.before == was, last.after == willBe { continue }
      steps.append((slot, was, willBe))
    }
    return steps
  }
}

// MARK: - Comparing

extension Effect {
  /// What a version is told before and after, from an absolute moment on.
  struct Moment: Equatable {
    let at: Timestamp
    let before: Told
    let after: Told
  }

  /// What is told at which moments if the change is made now; empty if nothing differs.
  static func course(_ steps: [Step], changedAt now: Timestamp) -> [Moment] {
    let ordered = steps.enumerated().sorted { left, right in
      let (one, other) = (
        left.element.start.moment(changedAt: now), right.element.start.moment(changedAt: now)
      )
      return one == other ? left.offset < right.offset : one < other
    }.map(\.element)
    var course: [Moment] = []
    for step in ordered {
      let at = step.start.moment(changedAt: now)
      if course.last?.at == at { course.removeLast() }
      if let last = course.last, last.before == step.before, last.after == step.after { continue }
      course.append(Moment(at: at, before: step.before, after: step.after))
    }
    return course.contains { $0.before != $0.after } ? course : []
  }

  /// Describes the first version to which something other than planned would now happen; nil if there is
  /// none.
  package func difference(from planned: Effect, now: Timestamp) -> String? {
    let apps = Set(runs.map(\.app)).union(planned.runs.map(\.app)).sorted()
    for app in apps {
      let (own, others) = (runs.filter { $0.app == app }, planned.runs.filter { $0.app == app })
      let marks = Set((own + others).flatMap { [$0.first, $0.last] }).sorted()
      for mark in marks {
        func course(_ runs: [Run]) -> [Moment] {
          runs.first { $0.first <= mark && mark <= $0.last }.map { Effect.course($0.steps, changedAt: now) }
            ?? []
        }
        let (found, said) = (course(own), course(others))
        guard found != said else { continue }
        func words(_ course: [Moment]) -> String {
          course.isEmpty
            ? "nothing would change for it"
            : course.map { "from \($0.at.text) \($0.after.words) instead of \($0.before.words)" }
              .joined(separator: ", ")
        }
        return "\(app) \(mark.text): the plan says \(words(said)); now \(words(found))"
      }
    }
    return nil
  }
}

// MARK: - JSON

extension Effect {
  /// The effect as a plan stores it.
  package var json: JSON {
    .array(
      runs.map { run in
        [
          "app": .string(run.app), "first": .string(run.first.text), "last": .string(run.last.text),
          "steps": .array(
            run.steps.map { step in
              var members: [(String, JSON)] = [("before", step.before.json), ("after", step.after.json)]
              switch step.start {
              case .change: members.append(("at", .null))
              case .after(let span): members.append(("in", .integer(span.seconds)))
              case .at(let moment): members.append(("at", .string(moment.text)))
              }
              return .object(JSON.Object(members))
            }),
        ]
      })
  }

  /// Reads an effect back; nil if the JSON is not one.
  package init?(json: JSON) {
    guard let listed = json.array else { return nil }
    for one in listed {
      guard let app = one["app"]?.string, let first = one["first"]?.string.flatMap({ try? Version($0) }),
        let last = one["last"]?.string.flatMap({ try? Version($0) }), let steps = one["steps"]?.array
      else { return nil }
      var read: [Step] = []
      for step in steps {
        guard let before = step["before"].flatMap(Told.init(json:)),
          let after = step["after"].flatMap(Told.init(json:))
        else { return nil }
        let start: Start
        if let seconds = step["in"]?.integer {
          start = .after(TimeSpan(seconds: seconds))
        } else if let at = step["at"]?.string {
          guard let moment = try? Timestamp(at) else { return nil }
          start = .at(moment)
        } else {
          start = .change
        }
        read.append(Step(start: start, before: before, after: after))
      }
      runs.append(Run(app: app, first: first, last: last, steps: read))
    }
  }
}

extension Change {
  /// The moments counted from the time of a change that is made now, however long ago it was planned.
  package func momentsFromNow(_ now: Timestamp) -> [Timestamp] {
    guard case .marked(_, let after, _) = self, let visibleAt = after.visibleAt, now < visibleAt else {
      return []
    }
    // For a person's command, the hold starts when the release goes live; for a parked mail, an hour starts
    // when it is applied.
    return after.liveAt == now || visibleAt.seconds - now.seconds == 3_600 ? [visibleAt] : []
  }
}
