package import JSON

/// What clients of a version are told from one moment to another, by system, and the settings they get.
package struct Answer: Sendable, Equatable {
  /// The answer for systems below one version and not below the previous tier's.
  package struct Tier: Sendable, Equatable {
    package let below: Version
    package let decision: Decision
  }

  /// What is told on an unknown system, and on those that no tier is for.
  package let decision: Decision
  /// For older systems, ascending: the first tier whose bound is above the device's system applies.
  package let tiers: [Tier]
  @Verbatim package private(set) var settings: [String: String]

  package init(_ decision: Decision, tiers: [Tier] = [], settings: [String: String] = [:]) {
    (self.decision, self.tiers, self.settings) = (decision, tiers, settings)
  }

  /// What versions of an app that the ledger does not have are told.
  package static let nothing = Answer(.unreleased)

  /// The answer on a system; nil for an unknown one.
  package func decision(on os: Version?) -> Decision {
    guard let os else { return decision }
    return tiers.first { os < $0.below }?.decision ?? decision
  }

  /// All decisions: on new and unknown systems first, then from the oldest system on.
  package var decisions: [Decision] { [decision] + tiers.map(\.decision) }

  private static func told(_ decision: Decision) -> JSON.Object {
    var object = decision.json
    object["notes"] = Note.json(decision.target?.notes ?? [])
    (object["decidedBy"], object["rule"]) = (nil, nil)
    return object
  }

  /// Everything that a client is told, and nothing else.
  package func told(remindEvery: ReminderFrequency) -> JSON {
    var object = Answer.told(decision)
    object["remindEvery"] = .string(remindEvery.rawValue)
    object["settings"] = Setting.json(settings)
    object["tiers"] = .array(
      tiers.map { tier in
        var told = Answer.told(tier.decision)
        told["osBelow"] = .string(tier.below.text)
        return .object(told)
      })
    return .object(object)
  }
}

extension Answer: Hashable {
  /// Hashes what tells nearly all answers apart; hashing the rest takes longer than comparing it once.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(decision.action)
    hasher.combine(decision.rule)
    hasher.combine(decision.target?.version)
    hasher.combine(decision.forcedFrom)
    hasher.combine(tiers.count)
    hasher.combine(settings)
  }
}
