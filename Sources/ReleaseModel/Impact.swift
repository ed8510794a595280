package import JSON

/// How one change alters what a run of known versions is told.
package struct ImpactLine: Sendable, Equatable {
  /// The app whose clients are affected.
  package let app: String
  package let first: Version
  package let last: Version
  /// How many known versions there are from the first to the last.
  package var count: Int
  package let before: Action
  package let after: Action
  /// The URL, if it changes.
  package let urlBefore: String?
  package let urlAfter: String?
  /// When the change takes effect.
  package let at: Timestamp
  /// Whether these versions ask at all.
  package let hears: Bool
  /// The devices that run them; nil if nobody counted them.
  package var people: Usage.Part?

  /// The versions as people write them: `1.2.0–1.4.9`, or one version.
  package var versions: String { Version.spanText(first, last) }

  /// The line as a change shows it.
  package var json: JSON {
    [
      "app": .string(app), "versions": .string(versions), "count": .integer(Int64(count)),
      "before": .string(before.rawValue), "after": .string(after.rawValue), "at": .string(at.text),
      "urlBefore": .optional(urlBefore), "urlAfter": .optional(urlAfter), "hears": .bool(hears),
      "devices": .optional(people?.devices), "share": people.map { .number($0.share) } ?? .null,
      "countedAt": .optional(people?.countedAt.text),
    ]
  }
}

/// What a change alters, and whether somebody should be asked first.
package struct Impact: Sendable, Equatable {
  package let lines: [ImpactLine]

  /// Whether some answer becomes `force`.
  package var forces: Bool { lines.contains { $0.after == .force && $0.before != .force } }

  /// Whether some answer becomes harsher than it was.
  package var isHarsher: Bool { lines.contains { $0.before < $0.after } }

  /// Whether some clients that were already prompted are sent to a different page.
  package var changesPage: Bool {
    lines.contains { line in
      guard let before = line.urlBefore, let after = line.urlAfter else { return false }
      return before != after
    }
  }

  /// The lines as a change shows them.
  package var json: JSON { .array(lines.map(\.json)) }

  /// Compares the answers of two snapshots of an app, now and at every later moment at which they change.
  ///
  /// - Parameters:
  ///   - before: The app as it was; nil if it did not exist.
  ///   - after: The app as it will be.
  ///   - limit: How many moments to look at, starting with now.
  ///   - usage: How many devices run each version; unrecorded versions count like known ones.
  package init(
    before: Snapshot?, after: Snapshot, now: Timestamp, atMost limit: Int = .max, usage: Usage? = nil
  ) {
    var known = (before?.line.releases ?? []).map(\.version) + after.line.releases.map(\.version)
    known.sortUniquely()
    let audience = Audience(known: known, usage: usage)
    let versions = audience.versions
    var moments = [now]
    for case let snapshot? in [before, after] { moments += snapshot.momentsOfChange(after: now) }
    moments.sortUniquely()
    moments = Array(moments.prefix(limit))

    var earlier = before.map {
      Forecast($0, at: moments, withSettings: false) { decision, _ in Prompt(decision) }
    }
    var later = Forecast(after, at: moments, withSettings: false) { decision, _ in Prompt(decision) }
    var runs = [[Run]](repeating: [], count: moments.count)
    /// The position of the first version with the current course.
    var start = 0
    var course: [(slot: Int, difference: Difference)] = []
    func flush(before end: Int) {
      for (slot, difference) in course {
        let last = runs[slot].count - 1
        if last >= 0, runs[slot][last].end == start, runs[slot][last].difference == difference {
          runs[slot][last].end = end
        } else {
          runs[slot].append(Run(start: start, end: end, difference: difference))
        }
      }
    }
    var heard: Bool?
    for (position, version) in versions.enumerated() {
      let hears = after.line.app.asksSince.map { $0 <= version } ?? true
      var isOther = heard != hears
      if earlier?.move(to: version) ?? false { isOther = true }
      if later.move(to: version) { isOther = true }
      guard isOther else { continue }
      flush(before: position)
      (start, heard) = (position, hears)
      course = Impact.differences(earlier?.course ?? [(0, .none)], later.course, hears: hears)
    }
    flush(before: versions.count)
    lines = zip(moments, runs).flatMap { moment, runs in
      runs.map { run in
        let (first, last, count, people) = audience.part(run.start..<run.end)
        return ImpactLine(
          app: after.line.app.slug, first: first, last: last, count: count,
          before: run.difference.before.action, after: run.difference.after.action,
          urlBefore: run.difference.before.url, urlAfter: run.difference.after.url, at: moment,
          hears: run.difference.hears, people: people)
      }
    }
  }

  /// Uses lines of other impacts.
  package init(lines: [ImpactLine]) { self.lines = lines }

  /// Combines the impacts on several apps.
  package init(_ parts: [Impact]) { lines = parts.flatMap(\.lines) }

  /// What people notice of an answer.
  private struct Prompt: Equatable {
    let action: Action
    let url: String?

    init(_ decision: Decision) {
      action = decision.action
      url = decision.url
    }

    private init() {
      action = .none
      url = nil
    }

    static let none = Prompt()
  }

  /// Two answers that differ.
  private struct Difference: Equatable {
    let before: Prompt
    let after: Prompt
    let hears: Bool
  }

  /// Neighbouring versions whose answers change in the same way.
  private struct Run {
    let start: Int
    var end: Int
    let difference: Difference
  }

  /// Where two courses differ: each difference once, for as long as it lasts.
  private static func differences(
    _ before: Forecast<Prompt>.Course, _ after: Forecast<Prompt>.Course, hears: Bool
  ) -> [(slot: Int, difference: Difference)] {
    var differences: [(slot: Int, difference: Difference)] = []
    var said: Difference?
    var (earlier, later) = (0, 0)
    while earlier < before.count, later < after.count {
      let slot = max(before[earlier].slot, after[later].slot)
      let (one, other) = (before[earlier].answer, after[later].answer)
      if one == other {
        said = nil
      } else {
        let difference = Difference(before: one, after: other, hears: hears)
        if difference != said { differences.append((slot, difference)) }
        said = difference
      }
      let nextBefore = earlier + 1 < before.count ? before[earlier + 1].slot : .max
      let nextAfter = later + 1 < after.count ? after[later + 1].slot : .max
      if nextBefore <= nextAfter { earlier += 1 }
      if nextAfter <= nextBefore { later += 1 }
    }
    return differences
  }
}

/// The versions that a change may concern, ascending: the known ones, and those that somebody runs.
private struct Audience {
  let versions: [Version]
  private let usage: Usage?
  private let isKnown: [Bool]
  private let devices: [Int64]

  init(known: [Version], usage: Usage?) {
    self.usage = usage
    let isRecorded = Set(known)
    versions =
      usage.map { usage in
        (known + usage.counts.map(\.version).filter { !isRecorded.contains($0) }).sorted()
      } ?? known
    isKnown = usage == nil ? [] : versions.map(isRecorded.contains)
    let counted = Dictionary(uniqueKeysWithValues: (usage?.counts ?? []).map { ($0.version, $0.devices) })
    devices = usage == nil ? [] : versions.map { counted[$0] ?? 0 }
  }

  /// The first and the last version of a part, how many are known, and who runs them; the two ends are known
  /// versions unless the part has none.
  func part(_ range: Range<Int>) -> (first: Version, last: Version, count: Int, people: Usage.Part?) {
    guard let usage else {
      return (versions[range.lowerBound], versions[range.upperBound - 1], range.count, nil)
    }
    let known = range.filter { isKnown[$0] }
    return (
      versions[known.first ?? range.lowerBound], versions[known.last ?? range.upperBound - 1], known.count,
      usage.part(devices[range].reduce(0, +))
    )
  }
}

extension Version {
  /// A span of versions as people write it: `1.2.0–1.4.9`, or one version.
  static func spanText(_ first: Version, _ last: Version) -> String {
    first == last ? first.text : "\(first.text)–\(last.text)"
  }

  /// Reads back what `spanText` wrote; nil for anything else.
  package static func span(_ text: String) -> (first: Version, last: Version)? {
    let ends = text.split(separator: "–", maxSplits: 1).map(String.init)
    guard let first = ends.first.flatMap({ try? Version($0) }),
      let last = ends.last.flatMap({ try? Version($0) })
    else { return nil }
    return (first, last)
  }
}
