package import ReleaseModel
import SQLite

extension Ledger {
  func readRules(into line: inout AppState) throws {
    let slug = Value.text(line.app.slug)
    let inForce = "app_id = (SELECT id FROM app WHERE slug = ?) AND active = 1"
    line.rules = try records(Rule.self, where: inForce, slug)
    line.redirects = try records(Redirect.self, where: inForce, slug)
    line.settings = try records(Setting.self, where: inForce, slug)
  }

  /// What an app had once, and no longer has.
  package func inactive<Value: Liftable>(_ type: Value.Type, of app: String) throws -> [Value] {
    try records(type, where: "app_id = (SELECT id FROM app WHERE slug = ?) AND active = 0", .text(app))
  }

  func slugs(leadingTo slugs: Set<String>) throws -> Set<String> {
    var leading: Set<String> = []
    for slug in slugs {
      leading.formUnion(
        try query(
          """
          SELECT slug FROM app WHERE id IN (
            SELECT app_id FROM redirect WHERE to_app = ?1 AND active = 1
            UNION SELECT app_id FROM rule WHERE to_app = ?1 AND active = 1)
          """, .text(slug)
        ) { try $0.text(0) })
    }
    return leading
  }

  func nextNumber(of table: String) throws -> Int64 {
    try first("SELECT coalesce(max(number), 0) + 1 FROM \(table)") { try $0.integer(0) } ?? 1
  }
}
