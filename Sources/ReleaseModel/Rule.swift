package import JSON

/// Where clients are sent instead of their own app's store page.
package enum Destination: Sendable, Equatable {
  /// A page of its own.
  case url(String)
  /// Another app of the ledger, by slug.
  case app(String)

  /// Reads a destination back from the members `url` and `to`; nil where there is none.
  init?(json: JSON) {
    if let url = json["url"]?.string {
      self = .url(url)
    } else if let app = json["to"]?.string {
      self = .app(app)
    } else {
      return nil
    }
  }

  /// The page, if it is one.
  package var url: String? { if case .url(let url) = self { url } else { nil } }

  /// The other app's slug, if it is one.
  package var app: String? { if case .app(let slug) = self { slug } else { nil } }
}

/// What a range of client versions is told, from one moment to another.
package struct Rule: Ranged, Sendable, Equatable {
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

  /// The rule as commands and events show it.
  package func json(app: String) -> JSON {
    [
      "number": .integer(number), "app": .string(app), "range": .string(range.text),
      "action": .string(action.rawValue), "from": .optional(from?.text), "until": .optional(until?.text),
      "url": .optional(destination?.url), "to": .optional(destination?.app), "reason": .optional(reason),
    ]
  }

  /// Reads a rule back from what `json(app:)` wrote; nil where it wrote something else.
  package init?(json: JSON) {
    guard let number = json["number"]?.integer,
      let range = json["range"]?.string.flatMap({ try? VersionRange($0) }),
      let action = json["action"]?.string.flatMap(Action.init(rawValue:))
    else { return nil }
    self.init(
      number: number, range: range, action: action, from: json["from"]?.string.flatMap { try? Timestamp($0) },
      until: json["until"]?.string.flatMap { try? Timestamp($0) }, destination: Destination(json: json),
      reason: json["reason"]?.string)
  }

  /// The same rule under another number.
  package func numbered(_ number: Int64) -> Rule {
    Rule(
      number: number, range: range, action: action, from: from, until: until, destination: destination,
      reason: reason, event: event)
  }

  /// Whether another rule says the same of the same versions at the same times.
  package func says(sameAs other: Rule) -> Bool {
    range == other.range && action == other.action && from == other.from && until == other.until
      && destination == other.destination
  }
}

/// Where a range of client versions is sent.
package struct Redirect: Ranged, Sendable, Equatable {
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

  /// The redirect as commands and events show it.
  package func json(app: String) -> JSON {
    [
      "number": .integer(number), "app": .string(app), "range": .string(range.text),
      "url": .optional(destination.url), "to": .optional(destination.app),
    ]
  }

  /// Reads a redirect back from what `json(app:)` wrote; nil where it wrote something else.
  package init?(json: JSON) {
    guard let number = json["number"]?.integer,
      let range = json["range"]?.string.flatMap({ try? VersionRange($0) }),
      let destination = Destination(json: json)
    else { return nil }
    self.init(number: number, range: range, destination: destination)
  }
}
