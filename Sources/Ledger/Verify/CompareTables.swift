import Crypto
import SQLite

/// Holding the rows of the tables against what the events add up to.
extension Verifier {
  /// The columns of a table as they are read: number, event, content, moved; of evidence also the bytes.
  private static func sql(_ table: Table, where condition: String) -> String {
    let columns = [table.key, "event_seq"] + table.content.map(\.column) + table.moved
    let body = table == .evidence ? ", body" : ""
    return """
      SELECT \(columns.map { "\"\($0)\"" }.joined(separator: ", "))\(body) FROM "\(table.name)" \
      WHERE \(table.key) \(condition) ORDER BY \(table.key)
      """
  }

  /// Compares every row of a table.
  func compare(_ table: Table) throws {
    var cells = RowCells(table)
    try forEachSliced(Verifier.sql(table, where: "> ?")) { row in
      let id = try row.integer(0)
      try compare(table, row, id, &cells)
      return id
    }
  }

  /// Room for the columns of a row as they are read, but for the bytes of evidence.
  private struct RowCells {
    var cells: [LentValue]
    /// Where the moved columns begin.
    private let end: Int

    init(_ table: Table) {
      end = 2 + table.content.count
      cells = Array(repeating: .null, count: end + table.moved.count)
    }

    var event: LentValue { cells[1] }
    var content: ArraySlice<LentValue> { cells[2..<end] }
    var moved: ArraySlice<LentValue> { cells[end...] }
  }

  private func compare(_ table: Table, _ row: Row, _ id: Int64, _ cells: inout RowCells) throws {
    let index = table.rawValue
    try row.lend(into: &cells.cells)
    guard let expected = walk.tables.rows[index][id] else {
      let seq: Int64? = if case .integer(let seq) = cells.event { seq } else { nil }
      report(Fault("row.unexpected", seq: seq, "\(table.name) \(id): no event made this row"))
      return
    }
    walk.tables.rows[index][id]?.isSeen = true
    var digest = CellDigest()
    digest.take(cells.content)
    let isSame =
      digest.finish() == expected.content && isEvent(cells.event, expected.seq)
      && isMoved(table, cells.moved, expected)
    if !isSame { try explain(table, row, id, cells, expected) }
    if table == .evidence { try checkBody(row, id, expected) }
  }

  private func isEvent(_ cell: LentValue, _ seq: Int64) -> Bool {
    if case .integer(let found) = cell { found == seq } else { false }
  }

  /// Whether the columns that other events move are what they should be.
  private func isMoved(_ table: Table, _ cells: ArraySlice<LentValue>, _ expected: ExpectedRow) -> Bool {
    guard let link = cells.first else { return true }
    let first = cells.startIndex
    switch link {
    case .null: guard expected.link == 0 else { return false }
    // 0 stands for none, and no row has the number 0.
    case .integer(let link): guard link == expected.link, link != 0 else { return false }
    default: return false
    }
    guard table == .release else {
      if case .integer(let active) = cells[first + 1] { return active == expected.status }
      return false
    }
    guard case .text(let state) = cells[first + 1], case .text(let since) = cells[first + 2] else {
      return false
    }
    return ExpectedTables.status(state, since) == expected.status
  }

  /// Says which columns of a row differ, and from what.
  private func explain(
    _ table: Table, _ row: Row, _ id: Int64, _ cells: RowCells, _ expected: ExpectedRow
  ) throws {
    var isExplained = false
    func differs(_ column: String, _ found: Value, _ wanted: String?) {
      isExplained = true
      let wanted = wanted.map { ", the events say \($0)" } ?? ", the events say something else"
      report(
        Fault("row.differs", seq: expected.seq, "\(table.name) \(id): \(column) is \(found.shown)\(wanted)"))
    }
    if !isEvent(cells.event, expected.seq) { differs("event_seq", try row.value(1), "\(expected.seq)") }
    var list = CellList()
    if let after = try EventTexts(seq: expected.own, on: connection)?.after {
      try after.withUnsafeBytes { bytes in
        let object = walk.tables.object(of: table)
        guard object.read(bytes), object.emit(into: &list, app: walk.tables.app(of: object)) else { return }
        for (place, wanted) in list.cells.enumerated() {
          let found = try row.value(place + 2)
          if found != wanted { differs(table.content[place].column, found, wanted.shown) }
        }
      }
    }
    let first = 2 + table.content.count
    if !isMoved(table, cells.moved, expected) {
      for (place, column) in table.moved.enumerated() {
        let found = try row.value(first + place)
        switch (place, table) {
        case (0, _):
          let wanted: Value = expected.link == 0 ? .null : .integer(expected.link)
          if found != wanted { differs(column, found, wanted.shown) }
        case (1, .rule), (1, .redirect), (1, .setting):
          if found != .integer(Int64(expected.status)) { differs(column, found, "\(expected.status)") }
        default: differs(column, found, nil)
        }
      }
    }
    // Text that is not UTF-8 looks the same once it is shown.
    if !isExplained {
      report(
        Fault("row.differs", seq: expected.seq, "\(table.name) \(id): its bytes are not what the events say"))
    }
  }

  /// Evidence whose bytes were kept is what its hash says.
  private func checkBody(_ row: Row, _ id: Int64, _ expected: ExpectedRow) throws {
    let columns = Table.evidence.content.map(\.column)
    guard let hash = columns.firstIndex(of: "sha256"), let size = columns.firstIndex(of: "size") else {
      return
    }
    let fault: String
    switch try row.lend(2 + columns.count) {
    case .null:
      guard expected.status != 0 else { return }
      fault = "its bytes are gone"
    case .blob where expected.status == 0: fault = "it has bytes, and came without"
    case .blob(let bytes):
      var digest = SHA256()
      digest.update(bytes)
      let found = hexadecimalText(digest.finish())
      if try row.value(2 + hash) != .text(found) {
        fault = "its bytes have the SHA-256 \(found), not the one recorded"
      } else if try row.value(2 + size) != .integer(Int64(bytes.count)) {
        fault = "it has \(bytes.count) bytes, not as many as were recorded"
      } else {
        return
      }
    default: fault = "its bytes are no bytes"
    }
    report(Fault("evidence.hash", seq: expected.own, "evidence \(id): \(fault)"))
  }

  // MARK: - What was not met

  /// Looks for the rows that the events made and no slice met, once more and one by one: a row may also have been made
  /// after the last slice of its table.
  func sweep() throws {
    for table in Table.allCases {
      var cells = RowCells(table)
      for id in walk.tables.rows[table.rawValue].unseen {
        try sliced {
          try catchUp()
          guard let expected = walk.tables.rows[table.rawValue][id] else { return }
          var isThere = false
          try connection.forEach(Verifier.sql(table, where: "= ?"), .integer(id)) { row in
            isThere = true
            try compare(table, row, id, &cells)
            return true
          }
          guard !isThere else { return }
          report(
            Fault(
              "row.missing", seq: expected.seq,
              "\(table.name) \(id): the row that event \(expected.own) made is gone"))
        }
      }
    }
    try sweepNotes()
  }
}

extension Value {
  /// The value as a message shows it, cut where it is long.
  var shown: String {
    switch self {
    case .null: "NULL"
    case .integer(let value): String(value)
    case .real(let value): String(value)
    case .text(let text): "'\(text.count > 60 ? text.prefix(60) + "…" : text[...])'"
    case .blob(let bytes): "\(bytes.count) bytes"
    }
  }
}
