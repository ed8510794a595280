/// Where clients are sent instead of their own app's store page.
package enum Destination: Sendable, Equatable {
  case url(String)
  case app(String)

  init?(url: String?, app: String?) throws(FieldFault) {
    switch (url, app) {
    case (.some(let url), nil): self = .url(url)
    case (nil, .some(let app)): self = .app(app)
    case (nil, nil): return nil
    case (.some, .some): throw FieldFault("to")
    }
  }

  package var url: String? { if case .url(let url) = self { url } else { nil } }

  package var app: String? { if case .app(let slug) = self { slug } else { nil } }

  package var text: String {
    switch self {
    case .url(let url): url
    case .app(let slug): slug
    }
  }
}

/// What clients in a range of versions are told, from one moment to another.
package struct Rule: Ranged, Timed, Record {
  @Unsaid package internal(set) var number: Int64
  package internal(set) var range: VersionRange
  package internal(set) var action: Action
  package var from: Timestamp?
  package var until: Timestamp?
  package var destination: Destination?
  @Unsaid package var reason: String?
  @Unsaid package var isInForce = true
  /// The number of the event that made the rule; 0 if none has yet.
  @Unsaid package var madeBy: Int64 = 0
  @Unsaid package var event: Int64

  package init(
    number: Int64, range: VersionRange, action: Action, from: Timestamp? = nil, until: Timestamp? = nil,
    destination: Destination? = nil, reason: String? = nil, event: Int64 = 0
  ) {
    (self.number, self.range, self.action, self.from, self.until) = (number, range, action, from, until)
    (self.destination, self.reason, self.event) = (destination, reason, event)
  }

  package static let table = RecordTable.rule
  package static let columns = Columns(of: Rule.self)
  package static let blank = Rule(number: 0, range: .all, action: .none)

  package var rowID: Int64? { number }

  package mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(FieldFault) {
    try fields.field(&number, "number", "number", .fixed)
    try fields.owner("app_id", "app")
    try fields.field(&range, "range", "range", .fixed)
    try fields.field(&action, "action", "action", .fixed)
    try fields.field(&from, "from_at", "from")
    try fields.field(&until, "until_at", "until")
    var (url, app) = (destination?.url, destination?.app)
    try fields.field(&url, "url", "url", .fixed)
    try fields.field(&app, "to_app", "to", .fixed)
    destination = try Destination(url: url, app: app)
    try fields.field(&reason, "reason", "reason", .fixed)
    try fields.field(&isInForce, "active", nil)
    try fields.field(&madeBy, "made_by", nil, .fixed)
    try fields.field(&event, "event_seq", nil)
  }

  /// The same rule under another number.
  package func numbered(_ number: Int64) -> Rule {
    Rule(
      number: number, range: range, action: action, from: from, until: until, destination: destination,
      reason: reason, event: event)
  }

  /// Whether both are the halves of a grace period: a reminder that ends where a force for the same starts.
  package func isGraceHalf(with other: Rule) -> Bool {
    let (first, second) = number < other.number ? (self, other) : (other, self)
    return first.number + 1 == second.number && first.action == .remind && second.action == .force
      && first.from == nil && first.until != nil && first.until == second.from && first.range == second.range
      && first.destination == second.destination
  }
}

/// Where a range of client versions is sent.
package struct Redirect: Ranged, Timed, Record {
  @Unsaid package internal(set) var number: Int64
  package internal(set) var range: VersionRange
  package var destination: Destination
  package var from: Timestamp?
  package var until: Timestamp?
  @Unsaid package var isInForce = true
  @Unsaid package var replacedBy: Int64?
  @Unsaid package var event: Int64

  package init(
    number: Int64, range: VersionRange, destination: Destination, from: Timestamp? = nil,
    until: Timestamp? = nil, event: Int64 = 0
  ) {
    (self.number, self.range, self.destination, self.from) = (number, range, destination, from)
    (self.until, self.event) = (until, event)
  }

  package static let table = RecordTable.redirect
  package static let columns = Columns(of: Redirect.self)
  package static let blank = Redirect(number: 0, range: .all, destination: .url(""))

  package var rowID: Int64? { number }

  package mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(FieldFault) {
    try fields.field(&number, "number", "number", .fixed)
    try fields.owner("app_id", "app")
    try fields.field(&range, "range", "range", .fixed)
    var (url, app) = (destination.url, destination.app)
    try fields.field(&url, "url", "url", .fixed)
    try fields.field(&app, "to_app", "to", .fixed)
    guard let read = try Destination(url: url, app: app) else { throw FieldFault("url") }
    destination = read
    try fields.field(&from, "from_at", "from")
    try fields.field(&until, "until_at", "until")
    try fields.field(&isInForce, "active", nil)
    try fields.field(&replacedBy, "replaced_by", nil)
    try fields.field(&event, "event_seq", nil)
  }

  /// Whether it is for the same versions and window, so that the newer one replaces the older (law 9).
  package func hasPlace(of other: Redirect) -> Bool { range == other.range && hasWindow(of: other) }
}
