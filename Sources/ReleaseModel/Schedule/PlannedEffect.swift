package import JSON

/// What a change does to the schedules of the apps it touches, to be compared when the change is made later.
package struct PlannedEffect: Sendable, Equatable {
  enum Start: Sendable, Equatable {
    case change
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

  /// What is told before and after, until the next step; both null where nothing differs.
  struct Step: Sendable, Equatable {
    let start: Start
    let before: JSON
    let after: JSON
  }

  /// Neighbouring versions that the change affects in the same way.
  package struct Run: Sendable, Equatable {
    package let app: String
    let lo: VersionKey
    let hi: VersionKey
    let steps: [Step]

    package var versions: VersionRange { VersionRange(from: lo, to: hi) ?? .all }
  }

  package private(set) var runs: [Run]

  package init(_ parts: [PlannedEffect] = []) { runs = parts.flatMap(\.runs) }

  /// Describes where two schedules of an app differ; moments that are relative count from the change itself.
  package init(from before: Schedule?, to after: Schedule, now: Timestamp, relative: Set<Timestamp>) {
    func start(_ moment: Timestamp) -> Start {
      if moment == now { return .change }
      return relative.contains(moment)
        ? .after(TimeSpan(seconds: moment.seconds - now.seconds)) : .at(moment)
    }
    func told(_ answer: Answer, _ every: ReminderFrequency) -> JSON {
      answer.told(remindEvery: every, inPlan: true)
    }
    let differences = after.differences(from: before, since: now) {
      told($0, .once) == told($1, .once)
    }
    runs = differences.map { difference in
      var steps: [Step] = []
      var end: Timestamp? = now
      for step in difference.steps {
        if let end, end < step.from { steps.append(Step(start: start(end), before: .null, after: .null)) }
        let (was, willBe) = PlannedEffect.differing(
          told(step.before, before?.remindEvery ?? .once), told(step.after, after.remindEvery))
        steps.append(Step(start: start(step.from), before: was, after: willBe))
        end = step.until
      }
      if let end { steps.append(Step(start: start(end), before: .null, after: .null)) }
      return Run(app: after.app, lo: difference.lo, hi: difference.hi, steps: steps)
    }
  }
}

extension PlannedEffect {
  /// Two answers without the settings that are the same in both, which somebody else may change meanwhile.
  private static func differing(_ before: JSON, _ after: JSON) -> (before: JSON, after: JSON) {
    guard var one = before.object, var other = after.object, var had = one["settings"]?.object,
      var has = other["settings"]?.object
    else { return (before, after) }
    for member in had.members where has[member.key] == member.value {
      (had[member.key], has[member.key]) = (nil, nil)
    }
    (one["settings"], other["settings"]) = (.object(had), .object(has))
    return (.object(one), .object(other))
  }

  /// What is told from an absolute moment on.
  package struct Moment: Equatable, Sendable {
    package let at: Timestamp
    package let before: JSON
    package let after: JSON
  }
}

extension PlannedEffect.Run {
  /// What is told at which moments if the change is made now; empty if nothing differs.
  package func course(changedAt now: Timestamp) -> [PlannedEffect.Moment] {
    let ordered = steps.map { ($0.start.moment(changedAt: now), $0) }.enumerated().sorted {
      ($0.element.0, $0.offset) < ($1.element.0, $1.offset)
    }
    var course: [PlannedEffect.Moment] = []
    for (_, (at, step)) in ordered {
      if course.last?.at == at { course.removeLast() }
      if course.last?.before == step.before, course.last?.after == step.after { continue }
      if course.isEmpty, step.before == .null { continue }
      course.append(PlannedEffect.Moment(at: at, before: step.before, after: step.after))
    }
    return course
  }
}

extension PlannedEffect {
  /// Describes the first versions to which something other than planned would now happen.
  package func difference(from planned: PlannedEffect, now: Timestamp) -> String? {
    for app in Set((runs + planned.runs).map(\.app)).sorted() {
      let (own, others) = (runs.filter { $0.app == app }, planned.runs.filter { $0.app == app })
      var keys = (own + others).flatMap { [$0.lo, $0.hi] }
      keys.sortUniquely()
      for (lo, hi) in zip(keys, keys.dropFirst()) {
        func course(_ runs: [Run]) -> [Moment] {
          runs.first { $0.lo <= lo && hi <= $0.hi }?.course(changedAt: now) ?? []
        }
        let (found, said) = (course(own), course(others))
        guard found != said else { continue }
        let range = VersionRange(from: lo, to: hi)?.text ?? "all"
        let place = zip(found, said).enumerated().first { $0.element.0 != $0.element.1 }?.offset
        let next = place ?? min(found.count, said.count)
        return "\(app) \(range): " + Self.words(said.dropFirst(next).first, found.dropFirst(next).first)
      }
    }
    return nil
  }

  /// How what the plan says of versions at a moment differs from what is found; nil where nothing differs.
  private static func words(_ said: Moment?, _ found: Moment?) -> String {
    guard let said, let found else {
      let one = said ?? found
      let words = "\(told(one?.after ?? .null, beside: .null)) from \(one?.at.text ?? "now") on"
      return said == nil
        ? "they would be told \(words), and the plan says nothing of it"
        : "the plan says that they would be told \(words), and nothing would change for them"
    }
    guard said.at == found.at else {
      return "they would be told something else from \(found.at.text) on, and not from \(said.at.text)"
    }
    let isBefore = said.before != found.before
    let (then, now) = isBefore ? (said.before, found.before) : (said.after, found.after)
    return
      "\(isBefore ? "they are told" : "they would be told") \(told(now, beside: then)), and the plan says "
      + told(then, beside: now)
  }

  /// The action and target of an answer, and of the rest what most matters of that which another says otherwise.
  private static func told(_ answer: JSON, beside other: JSON) -> String {
    let action = answer["action"]?.string ?? "nothing new"
    let text = answer["target"]?.string.map { "\(action) to \($0)" } ?? action
    let members = [
      "action", "target", "targetApp", "url", "minOS", "review", "remindEvery", "settings", "tiers",
    ]
    let differs = members.first { answer[$0] != other[$0] }
    guard other != .null, let differs, differs != "action", differs != "target" else { return text }
    if differs == "tiers" { return text + ", and something else on older systems" }
    let value = answer[differs].map { $0.string ?? $0.text() } ?? ""
    return "\(text) with \(differs) \(value.utf8.count > 100 ? "\(value.prefix(100))…" : value)"
  }
}

extension PlannedEffect {
  /// The lines of a preview for a change that is made at a moment, with the members of an impact's.
  package func lines(changedAt now: Timestamp) -> [JSON] {
    runs.flatMap { run in
      run.course(changedAt: now).compactMap { moment -> JSON? in
        let (before, after) = (moment.before, moment.after)
        let isSame = before["action"] == after["action"] && before["url"] == after["url"]
        guard before != .null, !isSame else { return nil }
        return [
          "app": .string(run.app), "versions": .string(run.versions.text), "at": .string(moment.at.text),
          "before": before["action"] ?? .null, "after": after["action"] ?? .null,
          "urlBefore": before["url"] ?? .null, "urlAfter": after["url"] ?? .null,
        ]
      }
    }
  }
}

extension PlannedEffect {
  package var json: JSON {
    .array(
      runs.map { run in
        [
          "app": .string(run.app), "lo": .string(run.lo.text), "hi": .string(run.hi.text),
          "versions": .string(run.versions.text),
          "steps": .array(
            run.steps.map { step in
              var members: [(String, JSON)] = [("before", step.before), ("after", step.after)]
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
    runs = []
    for one in listed {
      guard let app = one["app"]?.string, let lo = one["lo"]?.string.flatMap(VersionKey.init),
        let hi = one["hi"]?.string.flatMap(VersionKey.init), let steps = one["steps"]?.array
      else { return nil }
      var read: [Step] = []
      for step in steps {
        guard let before = step["before"], let after = step["after"] else { return nil }
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
      runs.append(Run(app: app, lo: lo, hi: hi, steps: read))
    }
  }
}

extension Change {
  /// The moments counted from the time of a change that is made now, however long ago it was planned.
  package func momentsFromNow(_ now: Timestamp) -> [Timestamp] {
    guard case .marked(_, let after, _) = self, let visibleAt = after.visibleAt, now < visibleAt else {
      return []
    }
    // For a person's command, the hold starts when the release goes live, as does a phase of which nothing is
    // known; for a parked mail, an hour starts when it is applied.
    guard after.liveAt == now else { return visibleAt.seconds - now.seconds == 3_600 ? [visibleAt] : [] }
    return [visibleAt] + (after.remindAt == nil ? [after.phaseEnd].compactMap(\.self) : [])
  }
}
