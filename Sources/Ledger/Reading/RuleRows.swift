import ReleaseModel
import SQLite

/// The tables whose rows are numbered through the whole ledger.
package enum NumberedTable: String, Sendable {
  case rule
  case redirect
  case setting
}

/// Reads rules, redirects and settings: rows that are made once, and then taken down and put in force again.
extension Ledger {
  /// Reads the rules, redirects and settings of an app that are in force into its line.
  func readRules(into line: inout ReleaseLine) throws {
    let slug = Value.text(line.app.slug)
    let inForce = "app_id = (SELECT id FROM app WHERE slug = ?) AND active = 1"
    line.rules = try records(Rule.self, where: inForce, slug)
    line.redirects = try records(Redirect.self, where: inForce, slug)
    line.settings = try records(Setting.self, where: inForce, slug)
  }

  /// The rules, redirects and settings no longer in force that a correction of the clock alters.
  func inactive(correctedBy correction: ClockCorrection, event: Int64) throws -> [TouchedRow] {
    func rows<Value: Liftable>(_ type: Value.Type) throws -> [TouchedRow] {
      try records(type, where: "active = 0 AND event_seq >= ?", .integer(correction.since)).compactMap {
        var row = $0
        return row.correct(correction, event)
      }
    }
    return try rows(Rule.self) + rows(Redirect.self) + rows(Setting.self)
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
