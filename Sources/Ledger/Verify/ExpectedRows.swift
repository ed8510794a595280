/// What a row should be by the events so far, boiled down.
struct ExpectedRow: Findable {
  /// The digest of what the row's own last event says.
  var content: Int
  /// The row's own last event.
  var own: Int64
  /// The last event that changed the row, the one it must name.
  var seq: Int64
  /// Of a release, the row that superseded it; of a rule, the event that made it; of redirects and settings, what
  /// replaced them. 0 for none.
  var link: Int64 = 0
  /// Of a release, the digest of state and moment; of evidence, 1 where its bytes are kept; of the others, 1 while the
  /// row counts.
  var status: Int = 1
  /// Whether the row was found.
  var isSeen = false
}

/// What the notes of a release should be by the events so far, boiled down.
struct ExpectedNotes: Findable {
  /// The digest of what their event says.
  let content: Int
  /// The event that wrote them, which each of their rows must name.
  let own: Int64
  var isSeen = false
}

/// Something that should be found in a table.
protocol Findable {
  /// Whether it was found.
  var isSeen: Bool { get }
}

/// The rows that a table should have, by their number.
///
/// Numbers count up from 1, so most rows lie in blocks that never move as their count grows; those that somebody
/// numbered otherwise lie apart.
struct ExpectedRows<Row: Findable> {
  private static var blockSize: Int { 4_096 }

  private var blocks: [[Row?]] = []
  private var others: [Int64: Row] = [:]
  /// How many rows there are.
  private(set) var count = 0

  subscript(id: Int64) -> Row? {
    get {
      guard let (block, place) = position(of: id) else { return others[id] }
      return blocks[block][place]
    }
    set {
      if position(of: id) == nil, id > 0, id <= Int64(blocks.count + 1) * Int64(ExpectedRows.blockSize) {
        blocks.append(Array(repeating: nil, count: ExpectedRows.blockSize))
        // What came out of turn before its block was there.
        for (other, row) in others where position(of: other) != nil {
          others[other] = nil
          count -= 1
          self[other] = row
        }
      }
      guard let (block, place) = position(of: id) else {
        count += (newValue == nil ? 0 : 1) - (others[id] == nil ? 0 : 1)
        others[id] = newValue
        return
      }
      count += (newValue == nil ? 0 : 1) - (blocks[block][place] == nil ? 0 : 1)
      blocks[block][place] = newValue
    }
    _modify {
      guard let (block, place) = position(of: id) else {
        var row = others[id]
        yield &row
        self[id] = row
        return
      }
      let wasThere = blocks[block][place] != nil
      yield &blocks[block][place]
      count += (blocks[block][place] == nil ? 0 : 1) - (wasThere ? 1 : 0)
    }
  }

  private func position(of id: Int64) -> (block: Int, place: Int)? {
    guard id > 0, id <= Int64(blocks.count) * Int64(ExpectedRows.blockSize) else { return nil }
    let index = Int(id - 1)
    return (index / ExpectedRows.blockSize, index % ExpectedRows.blockSize)
  }

  /// The numbers of all rows, in order.
  private var ids: [(Int64, Row)] {
    var ids: [(Int64, Row)] = others.map { ($0.key, $0.value) }
    for (block, rows) in blocks.enumerated() {
      for (place, row) in rows.enumerated() {
        if let row { ids.append((Int64(block * ExpectedRows.blockSize + place + 1), row)) }
      }
    }
    return ids.sorted { $0.0 < $1.0 }
  }

  /// The greatest number, 0 where there is no row.
  var greatest: Int64 { ids.last?.0 ?? 0 }

  /// The numbers of the rows that were not found, in order.
  var unseen: [Int64] {
    guard hasUnseen else { return [] }
    return ids.filter { !$0.1.isSeen }.map(\.0)
  }

  private var hasUnseen: Bool {
    others.contains { !$0.value.isSeen } || blocks.contains { $0.contains { $0.map { !$0.isSeen } ?? false } }
  }
}
