/// The phase that a rule which was not lifted is in at a moment.
package enum RulePhase: String, Sendable {
  /// It applies.
  case armed
  /// It will apply later.
  case toCome = "to come"
  /// It no longer applies.
  case over
}

extension Rule {
  /// The phase that the rule is in at a moment.
  package func phase(at moment: Timestamp) -> RulePhase {
    if isActive(at: moment) { return .armed }
    return from.map { moment < $0 } == true ? .toCome : .over
  }
}
