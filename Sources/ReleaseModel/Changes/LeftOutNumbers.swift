/// Why numbers of events are left out: documents elsewhere bear them, and no client may see a number twice.
package struct TakeOver: Fields {
  /// The first and the last number that is left out; both nil if none is.
  package internal(set) var from: Int64?
  package internal(set) var to: Int64?
  /// What was taken over, such as a directory; nil if the ledger only went on above it.
  package internal(set) var place: String?

  package static let most: Int64 = 1_000_000

  /// Goes on above the highest number that clients were told of; `next` is the number the event would have.
  package init(_ place: String?, next: Int64, above served: Int64) {
    self.place = place
    if next <= served { (from, to) = (next, served) }
  }

  private init() {}

  package static let columns = Columns(of: TakeOver.self)
  package static let blank = TakeOver()

  package mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(FieldFault) {
    try fields.field(&from, nil, "from", .fixed)
    try fields.field(&to, nil, "to", .fixed)
    try fields.field(&place, nil, "place", .fixed)
  }

  /// Whether an event of this number, after one of that number, may leave out what it names.
  package func fits(_ seq: Int64, after last: Int64) -> Bool {
    guard let from, let to else { return from == nil && to == nil && seq == last &+ 1 }
    return from == last &+ 1 && to == seq &- 1 && from <= to && to - from < TakeOver.most
  }
}
