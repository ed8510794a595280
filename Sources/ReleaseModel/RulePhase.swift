/// How a rule that was not lifted stands to a moment.
package enum RulePhase: String, Sendable {
  /// It counts.
  case armed
  /// It counts later.
  case toCome = "to come"
  /// It no longer counts.
  case over
}

extension Rule {
  /// How the rule stands to a moment.
  package func phase(at moment: Timestamp) -> RulePhase {
    if isActive(at: moment) { return .armed }
    return from.map { moment < $0 } == true ? .toCome : .over
  }
}
