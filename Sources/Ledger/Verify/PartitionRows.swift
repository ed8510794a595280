import ReleaseModel
import SQLite

extension Partition {
  func compareRows() throws {
    guard let slug else {
      try verifier.guarded("trust") { try compareTrusts() }
      try verifier.guarded("publication") { try comparePublication() }
      return try verifier.guarded("evidence") { try compareEvidence() }
    }
    try verifier.guarded("app") { try compareApp(slug) }
    try verifier.guarded("release") { try compareReleases(slug) }
    try compareStanding(Rule.self, \.rules, \.rules)
    try compareStanding(Redirect.self, \.redirects, \.redirects)
    try compareStanding(Setting.self, \.settings, \.settings)
  }

  /// Reads the app's rows in slices, each after replaying the events recorded meanwhile: the query asks for
  /// those of a slug after a place, and the body returns a row's place.
  func slices(_ sql: String, from start: [Value], _ body: (Row) throws -> [Value]) throws {
    var last = start
    var hasMore = true
    while hasMore {
      hasMore = try verifier.sliced {
        try catchUp()
        var read = 0
        var isCut = false
        try connection.forEach(sql, values: [slug.sqliteValue] + last) { row in
          let place = try body(row)
          read += 1
          verifier.countRow()
          isCut = read & 0xFF == 0 && verifier.isTimeUp
          if isCut || read & 0xFF == 0 { last = place }
          return !isCut
        }
        return isCut
      }
    }
  }

  func compareApp(_ slug: String) throws {
    try verifier.sliced {
      try catchUp()
      var isThere = false
      let columns = App.columns
      var reader = RowReader(count: columns.count)
      try connection.forEach(
        "SELECT \(columns.list), id FROM app WHERE slug = ?", .text(slug)
      ) {
        row in
        isThere = true
        compare(row, &reader, state.lines[slug]?.app, id: try row.value(columns.count), app: slug)
        let name: String = if case .integer(let id) = try row.value(columns.count) { "app/\(id)" } else { "" }
        if let subject = subjects[slug], name != subject {
          report("row.differs", state.lines[slug]?.app.event, "app \(slug): id is not that of \(subject)")
        }
        return true
      }
      if !isThere, let line = state.lines[slug] {
        report(
          "row.missing", line.app.event, "app \(slug): the row that event \(line.app.event) made is gone")
      }
    }
  }

  func compareStanding<Value: Liftable>(
    _ type: Value.Type, _ standing: KeyPath<AppState, [Value]>,
    _ inactive: WritableKeyPath<LedgerState.Inactive, [Int64: Value]>
  ) throws {
    guard let slug else { return }
    func expected(_ number: Int64) -> Value? {
      state.lines[slug]?[keyPath: standing].element(number)
        ?? state.inactive[slug]?[keyPath: inactive][number]
    }
    let table = Value.table.rawValue
    var seen: Set<Int64> = []
    try verifier.guarded(table) {
      let columns = type.columns
      var reader = RowReader(count: columns.count)
      try slices(
        """
        SELECT \(columns.list) FROM \(table)
        WHERE app_id = (SELECT id FROM app WHERE slug = ?1) AND number > ?2 ORDER BY number
        """, from: [.integer(.min)]
      ) { row in
        let number = try row.integer(0)
        seen.insert(number)
        compare(row, &reader, expected(number), id: .integer(number), app: slug)
        return [.integer(number)]
      }
    }
    let all =
      (state.lines[slug]?[keyPath: standing] ?? [])
      + (state.inactive[slug]?[keyPath: inactive].values.map { $0 } ?? [])
    for element in all.sorted(by: { $0.number < $1.number }) where !seen.contains(element.number) {
      report(
        "row.missing", element.event,
        "\(table) \(element.number): the row that event \(element.event) made is gone")
    }
  }

  func comparePublication() throws {
    try verifier.sliced {
      try catchUp()
      let columns = Publication.columns
      var reader = RowReader(count: columns.count)
      var isThere = false
      try connection.forEach("SELECT \(columns.list), id FROM publication") { row in
        let id = try row.value(columns.count)
        compare(row, &reader, isThere || id != .integer(1) ? nil : state.publication, id: id, app: nil)
        isThere = true
        return true
      }
      if !isThere, let publication = state.publication {
        report(
          "row.missing", publication.event,
          "publication 1: the row that event \(publication.event) made is gone")
      }
    }
  }

  func compareTrusts() throws {
    try verifier.sliced {
      try catchUp()
      let columns = Trust.columns
      var reader = RowReader(count: columns.count)
      var seen: Set<Int64> = []
      let names = columns.names.map { "trust.\($0)" }.joined(separator: ", ")
      try connection.forEach(
        "SELECT \(names), id, event.subject FROM trust LEFT JOIN event ON seq = event_seq"
      ) { row in
        let id = try row.value(columns.count)
        // Only the subject of its event says which number the row has.
        var expected: Trust?
        if case .integer(let seq) = try row.value(columns.count - 1),
          try row.value(columns.count + 1) == .text("trust/\(id.shown)"), seen.insert(seq).inserted
        {
          expected = state.trusts.first { $0.event == seq }
        }
        compare(row, &reader, expected, id: id, app: nil)
        return true
      }
      for trust in state.trusts where !seen.contains(trust.event) {
        report(
          "row.missing", trust.event,
          "trust of \(trust.value): the row that event \(trust.event) made is gone")
      }
    }
  }

  func report(_ id: String, _ seq: Int64?, _ message: String) {
    verifier.report(id, seq, message)
  }

  func compare<Value: Record>(
    _ row: Row, _ reader: inout RowReader, _ expected: Value?, id: SQLite.Value, app: String?
  ) {
    var name: String { "\(Value.table.rawValue) \(id.shown)" }
    guard let expected else {
      let event: Int64? =
        if let place = Value.columns.names.firstIndex(of: "event_seq"),
          case .integer(let seq)? = try? row.value(place)
        {
          seq
        } else { nil }
      return report("row.unexpected", event, "\(name): no event made this row")
    }
    do {
      let found: Value = try reader.read(row)
      if found.digest != expected.digest { explain(found, expected, name, app: app) }
    } catch {
      let column = (error as? FieldFault)?.name ?? "a column"
      let value = Value.columns.names.firstIndex(of: column).flatMap { try? row.value($0) }
      report(
        "row.differs", expected.event,
        "\(name): \(column) is \((value ?? .null).shown), which pawl never writes")
    }
  }

  func explain<Value: Record>(
    _ found: Value, _ expected: Value, _ name: @autoclosure () -> String, app: String?
  ) {
    guard found.digest != expected.digest else { return }
    let (cells, wanted) = (found.cells(app: app), expected.cells(app: app))
    for (place, column) in Value.columns.names.enumerated() where cells[place] != wanted[place] {
      report(
        "row.differs", expected.event,
        "\(name()): \(column) is \(cells[place].shown), the events say \(wanted[place].shown)")
    }
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
}
