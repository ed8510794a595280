import Crypto
import ReleaseModel
import SQLite

/// A table that events add up to, with its columns and its key as the schema has them.
struct ComparedTable {
  /// Its view's, which people read.
  let name: String
  let columns: [String]
  private let keys: [String]
  private let isOfRecords: Bool

  /// Every table but the events themselves, and the list of migrations.
  static func all(in connection: Connection) throws -> [ComparedTable] {
    let names = try connection.query(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('event_row', 'migration') ORDER BY rowid"
    ) { try $0.text(0) }
    return try names.map { name in
      let columns = try connection.query("SELECT name, pk FROM pragma_table_info(?)", values: [.text(name)]) {
        (name: try $0.text(0), key: try $0.integer(1))
      }
      return ComparedTable(
        name: String(name.dropLast("_row".count)),
        // The bytes of evidence are held against their hash.
        columns: columns.map(\.name).filter { $0 != "body" },
        keys: columns.filter { $0.key > 0 }.sorted { $0.key < $1.key }.map(\.name),
        isOfRecords: !["answer_row", "generation_row"].contains(name))
    }
  }

  /// What a difference in it is called.
  func fault(_ kind: String) -> String { isOfRecords ? "row.\(kind)" : "answer.differs" }

  func shown(_ key: [Value]) -> String {
    "\(name) \(key.map { if case .text(let text) = $0 { text } else { $0.shown } }.joined(separator: "/"))"
  }

  /// The key of a row.
  func key(of row: [Value]) -> [Value] { keys.compactMap(columns.firstIndex(of:)).map { row[$0] } }

  /// The rows after a key and up to another, at most so many, in order of their keys.
  func rows(
    in connection: Connection, after first: [Value]?, upTo last: [Value]? = nil, atMost most: Int = .max
  ) throws -> ArraySlice<[Value]> {
    let bounds = [first.map { _ in ">" }, last.map { _ in "<=" }].compactMap(\.self).map {
      "(\(keys.joined(separator: ", "))) \($0) (\(keys.map { _ in "?" }.joined(separator: ", ")))"
    }
    var found: [[Value]] = []
    try connection.forEach(
      "SELECT \(columns.joined(separator: ", ")) FROM \(name)_row\(bounds.isEmpty ? "" : " WHERE ")"
        + "\(bounds.joined(separator: " AND ")) ORDER BY \(keys.joined(separator: ", "))",
      values: (first ?? []) + (last ?? [])
    ) { row in
      let values = try columns.indices.map { index in
        guard case .text(let bytes) = try row.lend(index) else { return try row.value(index) }
        // Text that is not UTF-8 would be read as other text.
        return String(spelled: bytes.bindMemory(to: UInt8.self)).map(Value.text) ?? .blob([UInt8](bytes))
      }
      found.append(values)
      return found.count < most
    }
    return found[...]
  }
}

extension Value {
  var shown: String {
    switch self {
    case .null: "NULL"
    case .integer(let value): String(value)
    case .real(let value): String(value)
    case .text(let text): "'\(text.count > 60 ? text.prefix(60) + "…" : text[...])'"
    case .blob(let bytes): "\(bytes.count) bytes"
    }
  }

  /// The order in which SQLite sorts (sqlite.org/datatype3.html, 4.1), of keys: numbers before texts.
  fileprivate static func isLess(_ left: Value, _ right: Value) -> Bool {
    switch (left, right) {
    case (.integer(let one), .integer(let other)): one < other
    case (.text(let one), .text(let other)): one.utf8.lexicographicallyPrecedes(other.utf8)
    case (.integer, .text): true
    default: false
    }
  }
}

extension Verifier {
  private var witnessed: Connection { get throws { try replaying().witness.ledger.connection } }

  /// Compares each table with the witness's by key, in slices: in each one the witness has caught up with the events
  /// recorded meanwhile, so that both are of one moment.
  func compareRows() throws {
    for table in try ComparedTable.all(in: witnessed) {
      try guarded(table.name) { try compare(table) }
    }
    try guarded("evidence") { try compareBodies() }
  }

  private func compare(_ table: ComparedTable) throws {
    var last: [Value]?
    // Of the answers of one app the first difference says enough.
    var apps: Set<String> = []
    repeat {
      last = try sliced {
        try catchUp()
        var found = try table.rows(in: connection, after: last, atMost: 256)
        let next = found.count < 256 ? nil : found.last.map(table.key)
        var wanted = try table.rows(in: witnessed, after: last, upTo: next)
        if found == wanted { return next }
        func isBefore(_ one: [Value], _ other: [Value]) -> Bool {
          one.lexicographicallyPrecedes(other, by: Value.isLess)
        }
        while let key = [found, wanted].compactMap({ $0.first.map(table.key) }).min(by: isBefore) {
          func take(_ rows: inout ArraySlice<[Value]>) -> [Value]? {
            rows.first.map(table.key) == key ? rows.popFirst() : nil
          }
          let (one, other) = (take(&found), take(&wanted))
          if one == other || table.name == "answer" && !apps.insert(key.first?.shown ?? "").inserted {
            continue
          }
          try explain(table, key, one, other)
        }
        return next
      }
    } while last != nil
  }

  private func explain(_ table: ComparedTable, _ key: [Value], _ found: [Value]?, _ wanted: [Value]?) throws {
    let name = table.shown(key)
    var seq: Int64?
    if let index = table.columns.firstIndex(of: "event_seq"),
      case .integer(let event)? = (wanted ?? found)?[index]
    {
      seq = event
    } else if table.name == "answer", let app = key.first {
      seq = try witnessed.first("SELECT event_seq FROM generation_row WHERE app_id = ?", app) {
        try $0.integer(0)
      }
    }
    guard let wanted else {
      return report(table.fault("unexpected"), seq, "\(name): no event made this row")
    }
    guard let found else {
      let maker = seq.map { " that event \($0) made" } ?? ""
      return report(table.fault("missing"), seq, "\(name): the row\(maker) is gone")
    }
    for (column, (one, other)) in zip(table.columns, zip(found, wanted)) where one != other {
      report(
        table.fault("differs"), seq,
        "\(name): \(column) is \(one.shown), the events say \(other.shown)")
    }
  }

  /// Holds the bytes of evidence against its hash, and whether there are any against the events.
  private func compareBodies() throws {
    var last: Int64 = .min
    var hasMore = true
    while hasMore {
      hasMore = try sliced {
        try catchUp()
        var isCut = false
        try connection.forEach(
          "SELECT id, sha256, size, body FROM evidence_row WHERE id > ? ORDER BY id", .integer(last)
        ) { row in
          last = try row.integer(0)
          if let fault = try faultOfBody(row) {
            report("evidence.hash", fault.seq, "evidence \(last): \(fault.text)")
          }
          isCut = isTimeUp
          return !isCut
        }
        return isCut
      }
    }
  }

  private func faultOfBody(_ row: Row) throws -> (seq: Int64?, text: String)? {
    let wanted = try witnessed.first(
      "SELECT body IS NOT NULL, event_seq FROM evidence_row WHERE id = ?", .integer(row.integer(0))
    ) { (hasBody: try $0.integer(0) == 1, seq: try $0.integer(1)) }
    guard let (hasBody, seq) = wanted else { return nil }
    switch try row.lend(3) {
    case .null: return hasBody ? (seq, "its bytes are missing") : nil
    case .blob where !hasBody: return (seq, "it has bytes, but came without any")
    case .blob(let bytes):
      var digest = SHA256()
      digest.update(bytes)
      let found = hexadecimalText(digest.finish())
      if try row.value(1) != .text(found) {
        return (seq, "its bytes have the SHA-256 \(found), not the one recorded")
      }
      return try row.value(2) == .integer(Int64(bytes.count))
        ? nil : (seq, "it has \(bytes.count) bytes, not the number recorded")
    default: return (seq, "its body is of a type that pawl never writes")
    }
  }

  /// Holds the generation of each app against the events, and its schedule against what is told at the head.
  func compareSchedules() throws {
    try sliced {
      try catchUp()
      let replay = try replaying()
      var draft = replay.witness.draft
      var generations: [String: Int64] = [:]
      try connection.forEach(
        "SELECT slug, generation_row.event_seq FROM app_row LEFT JOIN generation_row ON app_id = id"
      ) {
        row in
        if case .text(let slug) = try row.value(0), draft.after[slug] != nil {
          generations[slug] = if case .integer(let seq) = try row.value(1) { seq } else { 0 }
        }
        return true
      }
      for (slug, seq) in generations.sorted(by: { $0.key < $1.key }) {
        let last = replay.lastChanges[slug] ?? 0
        if seq != last {
          report(
            "answer.differs", last,
            "generation of \(slug): it is \(seq), but event \(last) is the last one that changed its schedule"
          )
        }
        guard let made = replay.schedules[slug], let snapshot = try? draft.snapshot(slug) else { continue }
        let now = max(replay.at, made.from)
        guard !Schedule(snapshot, from: now).saysTheSame(as: made, since: now) else { continue }
        report(
          "answer.differs", seq,
          "generation of \(slug): what clients are told has changed since, and no event recorded that")
      }
    }
  }
}
