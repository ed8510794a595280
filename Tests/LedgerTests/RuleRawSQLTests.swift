import Ledger
import ReleaseModel
import Testing

private let head = RawLedger.head

/// A ledger with a rule, a redirect that replaced another, and a setting, its last event about none of them.
private func ruled() throws -> RawLedger {
  let raw = try RawLedger()
  try raw.record { book in
    let rule = Rule(number: 1, range: try VersionRange("below:2.0"), action: .force, reason: "crash")
    try book.record(reason: "crash") { draft in try draft.change("taxi") { $0.make(rule, now: noon) } }
    for number in [1, 2] as [Int64] { try book.redirect(number) }
    let setting = Setting(number: 1, key: "map-key", range: .all, phase: nil, value: "paid")
    try book.record { draft in try draft.change("taxi") { $0.placing(setting, now: .distantPast) } }
    try book.mark("2.3", .inReview)
  }
  return raw
}

extension Book {
  fileprivate func redirect(_ number: Int64, _ range: VersionRange = .all) throws {
    let page = Destination.url("https://apps.apple.com/app/id\(number)")
    let redirect = Redirect(number: number, range: range, destination: page)
    try record { draft in try draft.change("taxi") { $0.placing(redirect, now: .distantPast) } }
  }
}

/// An event, and what it does to the active row of its table.
private func ended(_ kind: String, _ number: Int, _ assignments: String) -> String {
  let table = kind.split(separator: ".")[0]
  return event(kind, "'\(table)/\(number)'")
    + "UPDATE \(table) SET \(assignments), event_seq = \(head) WHERE active = 1"
}

@Suite struct RuleRawSQLTests {
  @Test(arguments: [
    Attempt("a rule without an event", rule(number: 2)),
    Attempt("a rule under an event about another", event("rule.force", "'rule/7'") + rule(number: 2)),
    Attempt("a rule under an event of another kind", event("rule.remind", "'rule/2'") + rule(number: 2)),
    Attempt(
      "a rule for another app than its event's",
      event("rule.force", "'rule/2'", app: "van") + rule(number: 2)),
    Attempt(
      "a rule in the place of another",
      event("rule.force", "'rule/1'") + rule(number: 1, verb: "INSERT OR REPLACE INTO")),
    Attempt("a number left out", event("rule.force", "'rule/9'") + rule(number: 9)),
    Attempt("a force without reason", event("rule.force", "'rule/2'") + rule(number: 2, reason: "NULL")),
    Attempt("a range widened", "UPDATE rule SET range = 'all'"),
    Attempt("a rule renumbered", ended("rule.lift", 9, "rowid = 9, active = 0")),
    Attempt("a setting renumbered", ended("setting.clear", 9, "oid = 9, active = 0")),
    Attempt("a redirect renumbered", ended("redirect.clear", 9, "_rowid_ = 9, active = 0")),
    Attempt("a rule that goes on", ended("rule.lift", 1, "active = 1")),
    Attempt("a setting that goes on", ended("setting.set", 1, "active = 1")),
    Attempt("a redirect that goes on", ended("redirect.set", 2, "active = 1")),
    Attempt("a rule moved", ended("rule.lift", 1, "active = 0, from_at = '2020-01-01T00:00:00Z'")),
    Attempt("a setting moved", ended("setting.clear", 1, "active = 0, until_at = '2030-01-01T00:00:00Z'")),
    Attempt("a redirect moved", ended("redirect.clear", 2, "active = 0, from_at = '2020-01-01T00:00:00Z'")),
    Attempt("an action changed", "UPDATE rule SET action = 'none'"),
    Attempt("a rule lifted without an event", "UPDATE rule SET active = 0, event_seq = \(head)"),
    Attempt("a rule lifted under an old event", "UPDATE rule SET active = 0, event_seq = event_seq"),
    Attempt("a rule deleted", "DELETE FROM rule"),
    Attempt(
      "a redirect without an event",
      """
      INSERT INTO redirect (number, app_id, range, url, active, event_seq)
      VALUES (3, 1, 'all', 'https://evil.example.com', 1, \(head))
      """),
    Attempt("a redirect bent", "UPDATE redirect SET url = 'https://evil.example.com'"),
    Attempt(
      "a replaced redirect given back without an event",
      "UPDATE redirect SET active = 1, replaced_by = NULL, event_seq = \(head) WHERE number = 1"),
    Attempt(
      "a redirect put down as if replaced",
      "UPDATE redirect SET active = 0, replaced_by = 3, event_seq = \(head) WHERE number = 2"),
    Attempt("a redirect deleted", "DELETE FROM redirect WHERE number = 1"),
    Attempt("a setting changed", "UPDATE setting SET value = 'free'"),
    Attempt("a setting cleared without an event", "UPDATE setting SET active = 0, event_seq = \(head)"),
    Attempt("a setting deleted", "DELETE FROM setting"),
  ])
  func `rules, redirects and settings change only under their event`(attempt: Attempt) throws {
    try attempt.expect(of: ruled())
  }

  @Test func `the event that replaced one redirect cannot end another`() throws {
    let raw = try RawLedger()
    try raw.record { book in
      for (number, range) in [(1, "1.0"), (2, "1.1"), (3, "1.0")] as [(Int64, String)] {
        try book.redirect(number, VersionRange(range))
      }
    }
    _ = try raw.refuses(
      "UPDATE redirect SET active = 0, replaced_by = 3, event_seq = \(head) WHERE number = 2")
  }
}

private func rule(number: Int, reason: String = "'x'", verb: String = "INSERT INTO") -> String {
  """
  \(verb) rule (number, app_id, range, action, reason, active, made_by, event_seq)
  VALUES (\(number), 1, 'all', 'force', \(reason), 1, \(head), \(head))
  """
}
