package import JSON

/// How many devices run each version of an app, as someone counted them; it changes no decision.
package struct Usage: Sendable, Equatable {
  /// The devices of one version.
  package struct Count: Sendable, Equatable {
    package let version: Version
    package let devices: Int64
  }

  /// Some of the devices.
  package struct Part: Sendable, Hashable {
    package let devices: Int64
    package let share: Double
    package let countedAt: Timestamp

    package var shareText: String { Usage.text(ofShare: share) }

    /// Both parts of one count.
    package func adding(_ other: Part) -> Part {
      let (sum, isOver) = devices.addingReportingOverflow(other.devices)
      return Part(
        devices: isOver ? .max : sum, share: min(1, share + other.share),
        countedAt: max(countedAt, other.countedAt))
    }
  }

  package let counts: [Count]
  package var countedAt: Timestamp
  package let total: Int64
  /// Each version as the count spells it, one more than once if it has several spellings.
  package let spellings: [Version]

  /// Makes a count; 12 digits for each of a few thousand versions do not overflow.
  package init(_ devices: [Version: Int64], countedAt: Timestamp, spellings: [Version] = []) {
    self.spellings = spellings
    counts = devices.map { Count(version: $0.key, devices: $0.value) }.sorted { $0.version < $1.version }
    self.countedAt = countedAt
    total = counts.reduce(0) { $0 + $1.devices }
  }

  /// Some of the devices, with their share.
  package func part(_ devices: Int64) -> Part {
    let share = total > 0 ? (Double(devices) / Double(total) * 10_000).rounded() / 10_000 : 0
    return Part(devices: devices, share: share, countedAt: countedAt)
  }

  /// The devices of a range's versions.
  package func part(of range: VersionRange) -> Part {
    part(counts.reduce(0) { $0 + (range.contains($1.version) ? $1.devices : 0) })
  }

  package var day: String { countedAt.day }

  /// A share as people read it: `8.1 %`.
  package static func text(ofShare share: Double) -> String {
    let tenths = Int((share * 1_000).rounded())
    return tenths == 0 && share > 0 ? "<0.1 %" : "\(tenths / 10).\(tenths % 10) %"
  }
}

extension Timestamp {
  /// The day in UTC.
  package var day: String { String(text.prefix(10)) }
}

/// What the devices of an app are told, and which of their versions the ledger lacks.
package struct UsageReport: Sendable {
  package let usage: Usage
  private let isRecorded: [Bool]
  package let told: [Action: Int64]
  /// The versions that the ledger lacks and could record as past releases.
  package let missing: [Usage.Count]
  /// Those above every version that was ever live: of a reviewer or tester, or of a release no one recorded.
  package let ahead: [Usage.Count]
  private let slug: String

  package init(_ usage: Usage, of snapshot: Snapshot, at moment: Timestamp) {
    let line = snapshot.line
    let decider = Decider(snapshot, at: moment)
    self.usage = usage
    slug = line.app.slug
    isRecorded = usage.counts.map { line.index(of: $0.version) != nil }
    var told: [Action: Int64] = [:]
    for count in usage.counts {
      told[decider.decide(Client(version: count.version)).action, default: 0] += count.devices
    }
    self.told = told
    let unknown = zip(usage.counts, isRecorded).filter { !$0.1 }.map(\.0)
    let greatest = line.greatestEverLive
    missing = unknown.filter { count in greatest.map { count.version < $0 } ?? false }
    ahead = unknown.filter { count in greatest.map { $0 < count.version } ?? true }
  }

  /// The shell command that records what is missing, with a place for each release date, which no count tells.
  package var importLine: String? {
    guard !missing.isEmpty else { return nil }
    let lines = missing.map { "\($0.version.text),DATE\\n" }.joined()
    return "printf 'version,released_at\\n\(lines)' | pawl import \(slug) - --past"
  }

  package var toldText: String {
    Action.allCases.reversed().compactMap { action in
      told[action].map { "\(usage.part($0).shareText) \(action.rawValue)" }
    }.joined(separator: ", ")
  }

  package var json: JSON {
    [
      "countedAt": .string(usage.countedAt.text), "devices": .integer(usage.total),
      "import": .optional(importLine),
      "told": .object(
        JSON.Object(Action.allCases.map { ($0.rawValue, .integer(told[$0] ?? 0)) })),
      "versions": .array(
        zip(usage.counts, isRecorded).map { count, isRecorded in
          [
            "devices": .integer(count.devices), "recorded": .bool(isRecorded),
            "share": .number(usage.part(count.devices).share), "version": .string(count.version.text),
          ]
        }),
    ]
  }
}
