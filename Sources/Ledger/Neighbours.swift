import SQLite

extension Ledger {
  /// The numbers of the events before and after one that are about the same row; nil if there is none.
  ///
  /// Read in slices, as the past is.
  ///
  /// - Throws: `LedgerError`.
  package func neighbours(of event: EventRecord) throws -> (previous: Int64?, next: Int64?) {
    guard let subject = event.subject else { return (nil, nil) }
    var previous: Int64?
    var last = event.seq
    while previous == nil, last > 1, let top = try number(atMost: last - 1, from: 1) {
      last = max(1, top - (sliceOfEvents - 1))
      previous = try neighbour(in: last...top, "DESC", event.app, subject)
    }
    var next: Int64?
    var first = event.seq
    while next == nil, let bottom = try number(after: first) {
      // Not beyond the greatest number there can be.
      first = bottom &+ (sliceOfEvents - 1) < bottom ? .max : bottom + (sliceOfEvents - 1)
      next = try neighbour(in: bottom...first, "ASC", event.app, subject)
    }
    return (previous, next)
  }

  private func neighbour(
    in numbers: ClosedRange<Int64>, _ order: String, _ app: String?, _ subject: String
  ) throws -> Int64? {
    try reading {
      try connection.first(
        """
        SELECT seq FROM event WHERE seq BETWEEN ? AND ? AND app IS ? AND subject = ? ORDER BY seq \(order) LIMIT 1
        """, .integer(numbers.lowerBound), .integer(numbers.upperBound), app.sqliteValue, .text(subject)
      ) { try $0.integer(0) }
    }
  }
}
