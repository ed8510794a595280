package import JSON

/// What an app's clients are told at one moment, in few words, to say later whose answer is another.
package struct ScheduleSlice: Sendable, Equatable {
  /// Each with the tag of the answer, and what people want to read of it.
  private let told: Steps<VersionKey, JSON>

  private static let members = ["action", "target", "targetApp", "url"]

  package static let nothing = ScheduleSlice(told: Steps(words(for: .nothing), from: .least))

  private init(told: Steps<VersionKey, JSON>) { self.told = told }

  /// What a schedule says at a moment, which is not before its start.
  package init(_ schedule: Schedule, at moment: Timestamp) {
    told = schedule.current(at: moment).mapped { ScheduleSlice.words(for: $0.told) }.joined(==)
  }

  private static func words(for told: Told) -> JSON {
    let all = told.decision.json
    let members = members.map { ($0, all[$0] ?? .null) }
    return .object(JSON.Object(members + [("tag", .string(told.tag))]))
  }

  /// How the answer to a range of versions changed.
  package struct Change: Sendable, Equatable {
    package let range: VersionRange
    fileprivate let before: JSON
    fileprivate let after: JSON

    package var json: JSON {
      var words = after.object ?? JSON.Object()
      (words["action"], words["tag"]) = (nil, nil)
      (words["before"], words["after"]) = (before["action"], after["action"])
      words["versions"] = .string(range.text)
      return .object(words)
    }
  }

  /// Whose answer has another tag than in an earlier slice, ascending by version.
  package func changes(since earlier: ScheduleSlice) -> [Change] {
    earlier.told.merged(with: told).joined(==).filter { $0.value.0["tag"] != $0.value.1["tag"] }
      .map { Change(range: $0.range, before: $0.value.0, after: $0.value.1) }
  }

  package var json: JSON {
    .array(told.map { span in span.value.adding(["lo": .string(span.from.text)]) })
  }

  /// Reads back what `json` wrote; nil for anything else.
  package init?(json: JSON?) {
    var pairs: [(VersionKey, JSON)] = []
    for step in json?.array ?? [] {
      guard let lo = step["lo"]?.string.flatMap(VersionKey.init), lo < .end,
        pairs.last.map({ $0.0 < lo }) ?? (lo == .least), step["tag"]?.string != nil,
        step["action"]?.string.flatMap(Action.init(rawValue:)) != nil
      else { return nil }
      let members = (ScheduleSlice.members + ["tag"]).map { ($0, step[$0] ?? .null) }
      pairs.append((lo, .object(JSON.Object(members))))
    }
    guard let told = Steps(pairs) else { return nil }
    self.told = told
  }
}
