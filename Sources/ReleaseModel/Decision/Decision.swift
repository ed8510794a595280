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
  package enum Reason: String, WordValue, CaseIterable {
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

// What it is for two decisions to be the same: to people who see a prompt, to clients, or with the reasons.
extension Decision: Equatable {
  /// Whether a client does the same now on both.
  package func isSeen(as other: Decision) -> Bool {
    guard action == other.action, review == other.review else { return false }
    guard let target, let others = other.target else { return target == nil && other.target == nil }
    return target.version.isSpelled(like: others.version) && target.minOS == others.minOS
      && targetApp == other.targetApp && url.isSpelled(as: other.url)
  }

  /// Whether a client is told the same on both: that, the notes, and what is to come.
  package func isTold(as other: Decision) -> Bool {
    isSeen(as: other) && forcedFrom == other.forcedFrom && target?.notes == other.target?.notes
  }

  /// Whether both say the same, for the same reason; whatever else became of the target does not count.
  package static func == (left: Decision, right: Decision) -> Bool {
    left.isTold(as: right) && left.decidedBy == right.decidedBy && left.rule == right.rule
  }

  /// Where it points: a version, after the name of its app if that is another one than the client's; nil for nowhere.
  package func targetText(in app: String) -> String? {
    target.map { (targetApp.map { $0 == app ? "" : "\($0) " } ?? "") + $0.version.text }
  }

  /// What a client does who follows it; nil where nobody can tell.
  package var prompt: Prompt? { decidedBy == .unknown ? nil : Prompt(action, url: url) }
}

/// What a client does, as far as people notice it.
package struct Prompt: Sendable, Hashable {
  package let action: Action
  /// The page that it opens; nil with action `none`, and where the client itself knows the page.
  package let url: String?
  /// Where it points in a plan: a version, after the name of its app if that is another; nil with action `none`, and
  /// for the release that a case is about.
  package var target: String?

  package init(_ action: Action, url: String? = nil, target: String? = nil) {
    self.action = action
    (self.url, self.target) = action == .none ? (nil, nil) : (url, target)
  }
}

/// One step of a decision, for people who ask why.
package struct DecisionStep: Sendable, Equatable {
  /// What a step follows from: an event, or a row whose fields several events may have set.
  package enum Cause: Sendable, Equatable {
    case event(Int64)
    case app(App)
    case release(Release, of: App)

    /// The event, or the one that touched the row last.
    fileprivate var event: Int64 {
      switch self {
      case .event(let event): event
      case .app(let app): app.event
      case .release(let release, _): release.event
      }
    }
  }

  package let step: String
  package let result: String
  /// Nil if it follows from nothing that is recorded.
  package var cause: Cause?

  package var event: Int64? { cause?.event }

  /// The step as `check --explain` shows it.
  package var json: JSON {
    ["step": .string(step), "result": .string(result), "event": .optional(event)]
  }
}

/// What a client is told to do, the strictest last.
package enum Action: String, WordValue, Ranked {
  case none
  /// A prompt that the user can postpone.
  case remind
  /// A prompt that the user cannot postpone.
  case force
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
    let index = client.commonComponents(with: target)
    return index < 4 ? action(ofComponent: index) : .none
  }
}
