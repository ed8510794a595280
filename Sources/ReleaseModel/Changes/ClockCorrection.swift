/// A clock that was wrong, and what it should have said.
package struct ClockCorrection: Fields {
  /// The first event that was recorded by the wrong clock.
  package internal(set) var since: Int64
  package internal(set) var from: Timestamp
  package internal(set) var to: Timestamp

  package init(since: Int64, from: Timestamp, to: Timestamp) {
    self.since = since
    self.from = from
    self.to = to
  }

  package static let columns = Columns(of: ClockCorrection.self)
  package static let blank = ClockCorrection(since: 0, from: .distantPast, to: .distantPast)

  package mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(FieldFault) {
    try fields.field(&since, nil, "since", .fixed)
    try fields.field(&from, nil, "from", .fixed)
    try fields.field(&to, nil, "to", .fixed)
  }

  /// Corrects a moment that the wrong clock produced; other moments stay as they are.
  package func corrected(_ moment: Timestamp) -> Timestamp {
    moment < from ? moment : Timestamp(seconds: to.seconds + (moment.seconds - from.seconds))
  }
}
