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

  /// The action for a client, chosen by the first component in which it differs from the target.
  package func action(client: Version, target: Version) -> Action {
    for index in 0..<4 where client.component(index) != target.component(index) {
      return actions[min(index, actions.count - 1)]
    }
    return .none
  }
}
