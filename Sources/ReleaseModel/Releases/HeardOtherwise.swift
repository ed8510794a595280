/// How an answer of App Store Connect came that says otherwise than the ledger, or that a person settled it.
package enum HeardBy: String, WordValue, CaseIterable {
  /// A file is only someone's word.
  case file
  case fetched
  /// A person decided for what the ledger has; nothing new was heard since.
  case settled
}

/// What App Store Connect says of a release otherwise than the ledger has it.
package struct HeardOtherwise<Value: Sendable & Equatable>: Sendable, Equatable {
  package var value: Value?
  package var by: HeardBy?

  /// It as another answer leaves it: a file takes nothing back that was fetched or settled, and what was settled is news
  /// only if it is something else.
  package func heard(_ said: Value?, own: Value?, isFetched: Bool) -> HeardOtherwise {
    guard let said, let own, isFetched || by != .fetched else { return self }
    if said == own { return isFetched || by != .settled ? HeardOtherwise() : self }
    if said == value, by != .file { return self }
    return HeardOtherwise(value: said, by: isFetched ? .fetched : .file)
  }

  /// It once a person has said what is so.
  func settled(by own: Value) -> HeardOtherwise {
    guard let value else { return self }
    return value == own ? HeardOtherwise() : HeardOtherwise(value: value, by: .settled)
  }

  /// Whether a person may make it of another: by settling it, or by undoing that.
  func isSettled(from before: HeardOtherwise, own: Value?, ownBefore: Value?) -> Bool {
    if self == before { return true }
    if value == before.value { return by == .settled || before.by == .settled }
    return value == nil && before.value == own || before.value == nil && value == ownBefore
  }

  /// What it says, while no one has settled it.
  package var open: Value? { by == .settled ? nil : value }
}
