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
