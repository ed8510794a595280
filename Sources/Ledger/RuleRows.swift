import ReleaseModel
import SQLite

/// Reads and writes rules, redirects and settings: rows that are made once, and then taken down and put in
/// force again.
extension Ledger {
  /// Reads the rules, redirects and settings of an app that are in force into its line.
  func readRules(into line: inout ReleaseLine) throws {
    let slug = Value.text(line.app.slug)
    let inForce = "app_id = (SELECT id FROM app WHERE slug = ?) AND active = 1"
    line.rules = try records(Rule.self, where: inForce, slug)
    line.redirects = try records(Redirect.self, where: inForce, slug)
    line.settings = try records(Setting.self, where: inForce, slug)
  }

  /// Takes a row down, naming the event that does it.
  func takeDown(_ table: RecordTable, _ number: Int64, replacedBy other: Int64? = nil, event: Int64) throws {
    let replaced = table == .rule ? "" : "replaced_by = ?, "
    try connection.run(
      "UPDATE \(table.rawValue) SET active = 0, \(replaced)event_seq = ? WHERE number = ?",
      values: (table == .rule ? [] : [other.sqliteValue]) + [.integer(event), .integer(number)])
  }

  /// Puts a row in force, naming the event that does it: a new row, or one that was taken down.
  func putUp<Value: Liftable>(_ element: Value, app: String, event: Int64) throws {
    var element = element
    element.isInForce = true
    element.event = event
    let table = Value.table
    let isKnown =
      try connection.first("SELECT 1 FROM \(table.rawValue) WHERE number = ?", .integer(element.number)) {
        try $0.integer(0)
      } != nil
    guard isKnown else { return try insert(element, app: app) }
    let replaced = table == .rule ? "" : "replaced_by = NULL, "
    try connection.run(
      "UPDATE \(table.rawValue) SET active = 1, \(replaced)event_seq = ? WHERE number = ?", .integer(event),
      .integer(element.number))
  }

  /// The apps whose rules or redirects lead to any of these.
  func slugs(leadingTo slugs: Set<String>) throws -> Set<String> {
    var leading: Set<String> = []
    for slug in slugs {
      leading.formUnion(
        try connection.query(
          """
          SELECT slug FROM app WHERE id IN (
            SELECT app_id FROM redirect WHERE to_app = ?1 AND active = 1
            UNION SELECT app_id FROM rule WHERE to_app = ?1 AND active = 1)
          """, .text(slug)
        ) { try $0.text(0) })
    }
    return leading
  }

  /// The next number of a rule, redirect or setting.
  func nextNumber(of table: String) throws -> Int64 {
    try connection.first("SELECT coalesce(max(number), 0) + 1 FROM \(table)") { try $0.integer(0) } ?? 1
  }
}
