import Crypto
import JSON
import ReleaseModel

// The statements that all of SQL's databases get, each in its own spelling.
extension SQLDialect {
  func lines(of app: MirroredApp) -> [String] { app.lines }

  private func table(_ name: String) -> String { prefix + name }

  private func literal(_ text: String?) -> String {
    guard let text else { return "NULL" }
    return isPlain(text) ? "'\(text)'" : literal(hex: hexadecimalText(Array(text.utf8)))
  }

  private func script(_ statements: [String]) -> String {
    statements.isEmpty ? "" : statements.joined(separator: ";\n") + ";\n"
  }

  func heads(of apps: [String]) -> String {
    let head = ["'pawl'", "app", "ledger", "file", "generation", "hash", "digest", clock]
    return script(
      opening + [
        "SELECT 'pawl-here'"
      ] + questions + [
        "SELECT \(words(["'pawl-mirror'", "version", clock])) FROM \(table("format"))",
        "SELECT \(words(head)) FROM \(table("app"))",
        "SELECT \(words(["'pawl-state'", "app", "fence", "stopped"])) FROM \(table("app"))",
      ])
  }

  func rows(of apps: [String]) -> String {
    let list = apps.map { "'\($0)'" }.joined(separator: ", ")
    func all(_ line: String, from rows: String, order: String) -> String {
      "SELECT \(words(["'pawl-row'", "p.app", line])) FROM \(table("app")) p\(rows) WHERE p.app IN (\(list)) "
        + "ORDER BY p.app\(order)"
    }
    func of(_ name: String) -> String {
      " JOIN \(table(name)) r ON r.app = p.app AND r.generation = p.generation"
    }
    return script(
      opening + [
        all("not_before", from: "", order: ""),
        all(answerLine, from: of("answer"), order: ", r.lo, r.valid_from"),
        all(noteLine, from: of("note"), order: ", r.target_app, r.version"),
        "SELECT 'pawl-here'",
      ])
  }

  func send(_ app: MirroredApp, over old: MirrorHead?) -> String {
    let (name, generation) = ("'\(app.head.app)'", String(app.head.generation))
    var statements = opening + ["BEGIN"]
    // What no pointer names, and what is to be replaced.
    for name in ["answer", "note"] {
      statements.append(
        "DELETE FROM \(table(name)) WHERE app = '\(app.head.app)' AND (generation = \(generation) OR NOT EXISTS ("
          + "SELECT 1 FROM \(table("app")) p WHERE p.app = \(table(name)).app "
          + "AND p.generation = \(table(name)).generation))")
    }
    statements += inserts(
      "answer", Tile.columns.map(\.column),
      app.rows.map { row in
        [name, generation]
          + zip(Tile.columns, row.cells).map { $0.isNumber ? $1 ?? "NULL" : literal($1) }
      })
    statements += inserts(
      "note", ["target_app", "version", "notes"],
      app.notes.map { note in
        [
          name, generation, literal(note.app), literal(note.version.text),
          literal(Note.text(note.notes)),
        ]
      })
    func rows(_ line: String, _ name: String, order: String) -> String {
      lines(
        joined([line, lineFeed]),
        from: "\(table(name)) r WHERE r.app = '\(app.head.app)' AND r.generation = \(generation)",
        order: order)
    }
    let there = joined([
      rows(answerLine, "answer", order: "r.lo, r.valid_from"),
      rows(noteLine, "note", order: "r.target_app, r.version"),
    ])
    let cells =
      [("app", name)] + app.head.cells(fence: old?.nextFence ?? 1).map { ($0.column, value($0)) }
      + [("not_before", "\(app.notBefore)")]
    statements += preparation(there) + flip(cells, where: holds(there, app), old: old.map(condition))
    return script(statements)
  }

  func remove(_ head: MirrorHead) -> String {
    script(
      opening + ["BEGIN", "DELETE FROM \(table("app")) WHERE \(condition(head))"]
        + ["answer", "note"].map { name in
          "DELETE FROM \(table(name)) WHERE app = '\(head.app)' "
            + "AND NOT EXISTS (SELECT 1 FROM \(table("app")) p WHERE p.app = '\(head.app)')"
        } + ["COMMIT"])
  }

  private func value(_ cell: MirrorHead.Cell) -> String {
    cell.kind == .integer ? cell.value : literal(cell.value)
  }

  private func condition(_ head: MirrorHead) -> String {
    (["app = '\(head.app)'"] + head.cells.map { "\($0.column) = \(value($0))" }).joined(separator: " AND ")
  }

  private func words(_ parts: [String]) -> String {
    joined(parts.enumerated().flatMap { $0 == 0 ? [$1] : ["' '", $1] })
  }

  /// The line of a row, as `Schedule.lines` has it.
  private var answerLine: String {
    words(
      Tile.columns.map { column in
        let hex = hex("r." + column.column)
        return column.isOfTarget ? "coalesce(\(hex), '-')" : hex
      })
  }

  private var noteLine: String { words(["target_app", "version", "notes"].map { hex("r." + $0) }) }

  /// The rows in statements of at most 100 rows or about a megabyte, since servers limit what they take.
  private func inserts(_ name: String, _ columns: [String], _ rows: [[String]]) -> [String] {
    let start = "INSERT INTO \(table(name)) (app, generation, \(columns.joined(separator: ", "))) VALUES\n"
    var statements: [String] = []
    var left = 0
    for row in rows {
      let values = "(\(row.joined(separator: ", ")))"
      if left > 0, let last = statements.indices.last,
        statements[last].utf8.count + values.utf8.count < 1 << 20
      {
        statements[last] += ",\n" + values
        left -= 1
      } else {
        statements.append(start + values)
        left = 99
      }
    }
    return statements
  }

  var schema: String {
    func define(
      _ columns: [(name: String, kind: ColumnKind)], optional: [String] = [], _ more: [String]
    ) -> String {
      let lines = columns.map {
        "\($0.name) \(type($0.kind))\(optional.contains($0.name) ? "" : " NOT NULL")"
      }
      return (lines + more).map { "  " + $0 }.joined(separator: ",\n")
    }
    let owned: [(String, ColumnKind)] = [("app", .word), ("generation", .integer)]
    let app = define(
      [("app", .word)] + MirrorHead.columns + [("not_before", .integer)],
      ["stopped \(type(.flag)) NOT NULL DEFAULT 0 CHECK (stopped IN (0, 1))", "PRIMARY KEY (app)"])
    let answer = define(
      owned + Tile.columns.map { ($0.column, $0.kind) },
      optional: Tile.columns.filter(\.isOfTarget).map(\.column),
      [
        "PRIMARY KEY (app, generation, lo, valid_from)", "CHECK ((action = 'none') = (target IS NULL))",
        "CHECK (review = 0 OR action = 'none')",
      ])
    let note = define(
      owned + [("target_app", .word), ("version", .word), ("notes", .text)],
      ["PRIMARY KEY (app, generation, target_app, version)"])
    let format = table("format")
    return """
      \(beginning)\(functions)CREATE TABLE IF NOT EXISTS \(format) (version INTEGER NOT NULL PRIMARY KEY)\(endings.format);

      INSERT INTO \(format) SELECT \(MirrorKind.format)\(nothing) WHERE NOT EXISTS (SELECT 1 FROM \(format));

      -- Which schedule of an app counts, and whose it is. `stopped` is the backend's own switch: sync leaves it as it is.
      CREATE TABLE IF NOT EXISTS \(table("app")) (
      \(app)
      )\(endings.app);

      -- The versions with lo <= key < hi, from one moment until another, in seconds since 1970.
      CREATE TABLE IF NOT EXISTS \(table("answer")) (
      \(answer)
      )\(endings.rows);

      CREATE TABLE IF NOT EXISTS \(table("note")) (
      \(note)
      )\(endings.rows);

      \(access)
      """
  }
}
