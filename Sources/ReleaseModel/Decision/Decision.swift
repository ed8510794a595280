package import JSON

/// A client that asks.
package struct Client: Sendable, Equatable {
  package let version: Version
  package let os: Version?

  package init(version: Version, os: Version? = nil) {
    self.version = version
    self.os = os
  }
}

/// What a client is told, and why.
package struct Decision: Sendable {
  /// What finally decided the answer.
  package enum Reason: String, Sendable, CaseIterable {
    case stopped
    case unreleased
    case rule
    case mandatory
    case policy
    /// A phased release is not over, so the policy does not remind of it yet.
    case phased
    case current
    case noTarget = "no-target"
    /// Somebody else's answer, of which nothing can be read; the decision function never says it.
    case unknown
  }

  /// The answer for a version about which nothing is known except that it may be in review.
  package static let unreleased = Decision(action: .none, review: true, decidedBy: .unreleased)

  package init(action: Action, review: Bool, decidedBy: Reason, rule: Int64? = nil) {
    (self.action, self.review, self.decidedBy, self.rule) = (action, review, decidedBy, rule)
  }

  package var action: Action
  /// Whether the client's version is not released, so that nothing may be shown to a reviewer.
  package var review: Bool
  package var decidedBy: Reason
  /// The number of the rule that decided, even if the action then became `none`.
  package var rule: Int64?
  /// The release that the client is pointed at; nil with action `none`.
  package var target: Release?
  package var targetApp: String?
  package var url: String?
  /// From when the client will be forced, as far as is known; nil if it is forced already, or never will be.
  package var forcedFrom: Timestamp?
}

extension Decision {
  /// The decision in the contract's names, without notes: what every answer is made of.
  package var json: JSON.Object {
    JSON.Object([
      ("action", .string(action.rawValue)), ("decidedBy", .string(decidedBy.rawValue)),
      ("forcedFrom", .optional(forcedFrom?.text)), ("minOS", .optional(target?.minOS?.text)),
      ("review", .bool(review)), ("rule", .optional(rule)), ("target", .optional(target?.version.text)),
      ("targetApp", .optional(targetApp)), ("url", .optional(url)),
    ])
  }
}

extension Decision: Equatable {
  /// Whether both say the same, for the same reason; whatever else became of the target does not count.
  package static func == (left: Decision, right: Decision) -> Bool {
    left.isTold(as: right) && left.decidedBy == right.decidedBy && left.rule == right.rule
      && left.forcedFrom == right.forcedFrom && left.target?.notes == right.target?.notes
  }

  /// Whether a client does the same now on both.
  package func isTold(as other: Decision) -> Bool {
    guard action == other.action, review == other.review else { return false }
    guard let target, let others = other.target else { return target == nil && other.target == nil }
    return target.version.isSpelled(like: others.version) && target.minOS == others.minOS
      && targetApp == other.targetApp && url.isSpelled(as: other.url)
  }
}

/// One step of a decision, for people who ask why.
package struct DecisionStep: Sendable, Equatable {
  package let step: String
  package let result: String
  package var event: Int64?

  /// The step as `check --explain` shows it.
  package var json: JSON {
    ["step": .string(step), "result": .string(result), "event": .optional(event)]
  }
}

extension Snapshot {
  /// A decision, with notes in a locale's language, or else in the target's first.
  package func answer(_ decision: Decision, locale: String? = nil) -> JSON.Object {
    var object = decision.json
    object["notes"] = .optional(decision.target?.note(for: locale))
    object["review"] = nil
    return object
  }

  /// Everything that `check` says about a client, except the ledger's head; any version that is not known is
  /// nil.
  package func answer(
    _ decision: Decision, to version: Version?, settings: [String: String], locale: String? = nil
  ) -> JSON.Object {
    var object = answer(decision, locale: locale)
    object["app"] = .string(line.app.slug)
    object["version"] = .optional(version?.text)
    object["review"] = .bool(decision.review)
    object["remindEvery"] = .string(line.app.remindEvery.rawValue)
    object["settings"] = Setting.json(settings)
    return object
  }

  /// What `check` says about the clients of a range, except the names of the app and the versions.
  package func answer(to range: AnswerRange) -> JSON.Object {
    var object = answer(range.decision, to: nil, settings: range.settings)
    (object["app"], object["version"]) = (nil, nil)
    object["count"] = .integer(Int64(range.count))
    return object
  }
}

/// What a client is told to do.
package enum Action: String, Sendable, CaseIterable, Comparable {
  case none
  /// A prompt that the user can postpone.
  case remind
  /// A prompt that the user cannot postpone.
  case force

  private var strictness: Int {
    switch self {
    case .none: 0
    case .remind: 1
    case .force: 2
    }
  }

  package static func < (left: Action, right: Action) -> Bool { left.strictness < right.strictness }
}

/// Which action a difference in each version component leads to.
package struct SegmentPolicy: Sendable, Hashable {
  /// One action per component; the last one also covers all further components.
  package let actions: [Action]

  /// Force on the first component, remind on the second, nothing on the rest.
  package static let standard = SegmentPolicy(actions: [.force, .remind, .none])

  private init(actions: [Action]) { self.actions = actions }

  /// Reads one to four actions separated by commas; nil for anything else.
  package init?(_ text: String) {
    let words = text.split(separator: ",", omittingEmptySubsequences: false)
    let actions = words.compactMap { Action(rawValue: String($0)) }
    guard actions.count == words.count, (1...4).contains(actions.count) else { return nil }
    self.init(actions: actions)
  }

  package var text: String { actions.map(\.rawValue).joined(separator: ",") }

  /// The action where a component, counted from 0, is the first one that differs.
  package func action(ofComponent index: Int) -> Action { actions[min(max(index, 0), actions.count - 1)] }

  /// The action for a client, chosen by the first component in which it differs from the target.
  package func action(client: Version, target: Version) -> Action {
    for index in 0..<4 where client.component(index) != target.component(index) {
      return action(ofComponent: index)
    }
    return .none
  }
}

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

  /// The same, with a tier only where its decision is not like that on the next newer system.
  package func folded(_ isLike: (Decision, Decision) -> Bool) -> Answer {
    var (above, kept) = (decision, [Tier]())
    for tier in tiers.reversed() where !isLike(tier.decision, above) {
      kept.append(tier)
      above = tier.decision
    }
    return Answer(decision, tiers: kept.reversed(), settings: settings)
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
      folded { Answer.told($0) == Answer.told($1) }.tiers.map { tier in
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
