/// What a client is told to do.
package enum Action: String, Sendable, CaseIterable, Comparable {
  /// No prompt.
  case none
  /// A prompt that can be put off.
  case remind
  /// A prompt that cannot.
  case force

  private var harshness: Int {
    switch self {
    case .none: 0
    case .remind: 1
    case .force: 2
    }
  }

  /// Milder before harsher.
  package static func < (left: Action, right: Action) -> Bool { left.harshness < right.harshness }
}

/// Which action a difference in each component of the version means.
package struct SegmentPolicy: Sendable, Hashable {
  /// One action a component, the last one repeating.
  package let actions: [Action]

  /// Force on the first component, remind on the second, nothing on the rest.
  package static let standard = SegmentPolicy(actions: [.force, .remind, .none])

  private init(actions: [Action]) { self.actions = actions }

  /// Reads one to four actions with commas between; nil for anything else.
  package init?(_ text: String) {
    let words = text.split(separator: ",", omittingEmptySubsequences: false)
    let actions = words.compactMap { Action(rawValue: String($0)) }
    guard actions.count == words.count, (1...4).contains(actions.count) else { return nil }
    self.init(actions: actions)
  }

  /// The actions with commas between.
  package var text: String { actions.map(\.rawValue).joined(separator: ",") }

  /// The action for a client, by the first component in which it differs from the target.
  package func action(client: Version, target: Version) -> Action {
    for index in 0..<4 where client.component(index) != target.component(index) {
      return actions[min(index, actions.count - 1)]
    }
    return .none
  }
}
