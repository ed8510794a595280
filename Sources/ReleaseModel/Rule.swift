/// Where clients are sent instead of their own app's store page.
package enum Destination: Sendable, Equatable {
  /// A page of its own.
  case url(String)
  /// Another app of the ledger, by slug.
  case app(String)

  /// The page, if it is one.
  package var url: String? { if case .url(let url) = self { url } else { nil } }

  /// The other app's slug, if it is one.
  package var app: String? { if case .app(let slug) = self { slug } else { nil } }
}

/// What a range of client versions is told, from one moment to another.
package struct Rule: Sendable, Equatable {
  /// Counts up through the ledger; the newer rule has the higher number.
  package let number: Int64
  package let range: VersionRange
  package let action: Action
  /// The first moment at which the rule counts; nil for always.
  package var from: Timestamp?
  /// The first moment at which it no longer counts; nil for never.
  package var until: Timestamp?
  package var destination: Destination?
  package var reason: String?
  /// The number of the event that made the rule.
  package var event: Int64

  package init(
    number: Int64, range: VersionRange, action: Action, from: Timestamp? = nil, until: Timestamp? = nil,
    destination: Destination? = nil, reason: String? = nil, event: Int64 = 0
  ) {
    self.number = number
    self.range = range
    self.action = action
    self.from = from
    self.until = until
    self.destination = destination
    self.reason = reason
    self.event = event
  }

  /// Whether the rule counts at a moment.
  package func isActive(at moment: Timestamp) -> Bool {
    if let from, moment < from { return false }
    if let until, until <= moment { return false }
    return true
  }
}

/// Where a range of client versions is sent.
package struct Redirect: Sendable, Equatable {
  /// Counts up through the ledger; the newer redirect has the higher number.
  package let number: Int64
  package let range: VersionRange
  package var destination: Destination
  /// The number of the event that last changed the redirect.
  package var event: Int64

  package init(number: Int64, range: VersionRange, destination: Destination, event: Int64 = 0) {
    self.number = number
    self.range = range
    self.destination = destination
    self.event = event
  }
}

/// A key and value handed to clients, possibly different while their version is in review and after.
///
/// A setting chooses between services such as two map keys; Apple's guideline 2.3.1 forbids hiding features.
package struct Setting: Sendable, Equatable {
  /// When a setting counts.
  package enum Phase: String, Sendable, CaseIterable {
    /// While the client's version is not released.
    case review
    /// Once it is.
    case released
  }

  /// Counts up through the ledger; the newer setting has the higher number.
  package let number: Int64
  package let key: String
  package let range: VersionRange
  package let phase: Phase?
  package var value: String
  /// The number of the event that last changed the setting.
  package var event: Int64

  package init(
    number: Int64, key: String, range: VersionRange, phase: Phase?, value: String, event: Int64 = 0
  ) {
    self.number = number
    self.key = key
    self.range = range
    self.phase = phase
    self.value = value
    self.event = event
  }
}
