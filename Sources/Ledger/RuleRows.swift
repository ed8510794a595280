import ReleaseModel
import SQLite

/// Reads and writes rules, redirects and settings: rows that are made once and then only go up and down.
extension Ledger {
  private func destination(_ row: Row, url: Int, app: Int) throws -> Destination? {
    if let url = try row.optionalText(url) { return .url(url) }
    return try row.optionalText(app).map(Destination.app)
  }

  private static let ofApp = "app_id = (SELECT id FROM app WHERE slug = ?) AND active = 1"

  /// Reads what counts of an app's rules, redirects and settings into its line.
  func readRules(into line: inout ReleaseLine) throws {
    let slug = Value.text(line.app.slug)
    line.rules = try connection.query(
      """
      SELECT number, range, action, from_at, until_at, url, to_app, reason, event_seq FROM rule
      WHERE \(Ledger.ofApp) ORDER BY number
      """, slug
    ) { row in
      Rule(
        number: try row.integer(0), range: try parsed(row, 1) { try VersionRange($0) },
        action: try parsed(row, 2, Action.init(rawValue:)), from: try optionalMoment(row, 3),
        until: try optionalMoment(row, 4), destination: try destination(row, url: 5, app: 6),
        reason: try row.optionalText(7), event: try row.integer(8))
    }
    line.redirects = try connection.query(
      "SELECT number, range, url, to_app, event_seq, from_at, until_at FROM redirect WHERE \(Ledger.ofApp) ORDER BY number",
      slug
    ) { row in
      guard let destination = try destination(row, url: 2, app: 3) else {
        throw LedgerError.unreadableRow("a redirect of \(path)")
      }
      return Redirect(
        number: try row.integer(0), range: try parsed(row, 1) { try VersionRange($0) },
        destination: destination, from: try optionalMoment(row, 5), until: try optionalMoment(row, 6),
        event: try row.integer(4))
    }
    line.settings = try connection.query(
      """
      SELECT number, key, range, during, value, event_seq, from_at, until_at FROM setting
      WHERE \(Ledger.ofApp) ORDER BY number
      """,
      slug
    ) { row in
      Setting(
        number: try row.integer(0), key: try row.text(1), range: try parsed(row, 2) { try VersionRange($0) },
        phase: try optional(row, 3, Setting.Phase.init(rawValue:)), value: try row.text(4),
        from: try optionalMoment(row, 6), until: try optionalMoment(row, 7), event: try row.integer(5))
    }
  }

  func insert(_ rule: Rule, app: String, event: Int64) throws {
    try connection.run(
      """
      INSERT INTO rule (number, app_id, range, action, from_at, until_at, url, to_app, reason, active, made_by, event_seq)
      VALUES (?, (SELECT id FROM app WHERE slug = ?), ?, ?, ?, ?, ?, ?, ?, 1, ?, ?)
      """,
      .integer(rule.number), .text(app), .text(rule.range.text), .text(rule.action.rawValue),
      (rule.from?.text).sqliteValue, (rule.until?.text).sqliteValue, (rule.destination?.url).sqliteValue,
      (rule.destination?.app).sqliteValue, rule.reason.sqliteValue, .integer(event), .integer(event))
  }

  func setActive(rule number: Int64, _ isActive: Bool, event: Int64) throws {
    try connection.run(
      "UPDATE rule SET active = ?, event_seq = ? WHERE number = ?", .integer(isActive ? 1 : 0),
      .integer(event),
      .integer(number))
  }

  /// Puts a redirect or setting in the place of another: the old row goes down, then the new one is made or goes up.
  func replace(_ table: String, _ old: Int64?, by new: Int64?, event: Int64, insert: () throws -> Void) throws
  {
    if let old {
      try connection.run(
        "UPDATE \(table) SET active = 0, replaced_by = ?, event_seq = ? WHERE number = ?", new.sqliteValue,
        .integer(event), .integer(old))
    }
    guard let new else { return }
    let isKnown =
      try connection.first("SELECT 1 FROM \(table) WHERE number = ?", .integer(new)) { try $0.integer(0) }
      != nil
    if isKnown {
      try connection.run(
        "UPDATE \(table) SET active = 1, replaced_by = NULL, event_seq = ? WHERE number = ?", .integer(event),
        .integer(new))
    } else {
      try insert()
    }
  }

  func insert(_ redirect: Redirect, app: String, event: Int64) throws {
    try connection.run(
      """
      INSERT INTO redirect (number, app_id, range, url, to_app, from_at, until_at, active, event_seq)
      VALUES (?, (SELECT id FROM app WHERE slug = ?), ?, ?, ?, ?, ?, 1, ?)
      """,
      .integer(redirect.number), .text(app), .text(redirect.range.text), redirect.destination.url.sqliteValue,
      redirect.destination.app.sqliteValue, (redirect.from?.text).sqliteValue,
      (redirect.until?.text).sqliteValue,
      .integer(event))
  }

  func insert(_ setting: Setting, app: String, event: Int64) throws {
    try connection.run(
      """
      INSERT INTO setting (number, app_id, key, range, during, value, from_at, until_at, active, event_seq)
      VALUES (?, (SELECT id FROM app WHERE slug = ?), ?, ?, ?, ?, ?, ?, 1, ?)
      """,
      .integer(setting.number), .text(app), .text(setting.key), .text(setting.range.text),
      (setting.phase?.rawValue).sqliteValue, .text(setting.value), (setting.from?.text).sqliteValue,
      (setting.until?.text).sqliteValue, .integer(event))
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
