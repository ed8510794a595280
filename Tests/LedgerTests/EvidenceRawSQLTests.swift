import JSON
import Ledger
import ReleaseModel
import SQLite
import Testing

private let head = RawLedger.head

private func letter(_ id: Int64, _ digit: Character, _ outcome: Evidence.Outcome) -> Evidence {
  var evidence = Evidence(
    id: id, kind: .mail, sha256: String(repeating: digit, count: 64), size: 4, receivedAt: later(120),
    outcome: outcome)
  evidence.messageID = "\(digit)@email.apple.com"
  evidence.reason = outcome == .parked ? "mail.unclear" : "mail.not-apple"
  return evidence
}

/// A ledger with a parked mail (1), an ignored one (2) and one that moved a release (3), the last event of another.
private func intake() throws -> RawLedger {
  let raw = try RawLedger()
  try raw.record { book in
    try book.record { $0.add(letter(1, "a", .parked), body: Array("mail".utf8)) }
    try book.record { $0.add(letter(2, "b", .ignored), body: nil) }
    try book.record { draft in
      var evidence = letter(3, "c", .applied)
      (evidence.app, evidence.version, evidence.state) = ("taxi", try Version("2.4"), .waiting)
      draft.add(evidence, body: Array("mail".utf8))
      try draft.mark("2.4", .waiting, evidence: 3)
    }
    try book.mark("2.3", .inReview)
  }
  return raw
}

private func row(
  id: Int = 4, sha256: String = String(repeating: "d", count: 64), outcome: String = "parked",
  verb: String = "INSERT INTO", event: String = head
) -> String {
  """
  \(verb) evidence (id, kind, sha256, size, received_at, outcome, event_seq)
  VALUES (\(id), 'mail', '\(sha256)', 4, '2027-01-16T00:00:00Z', '\(outcome)', \(event))
  """
}

private func added(
  _ kind: String = "evidence.add", id: Int = 4, names: String = "4",
  sha256: String = String(repeating: "d", count: 64), outcome: String = "parked"
) -> String {
  event(
    kind, "'evidence/\(id)'", app: nil,
    after: "{\"sha256\":\"\(sha256)\",\"outcome\":\"\(outcome)\"}"
  ).replacing(", also, actor,", with: ", also, evidence, actor,").replacing(
    "'\(Book.actor.text())'", with: "\(names), '\(Book.actor.text())'")
}

/// Settles evidence, with an event that says how and the row that says the same, unless told otherwise.
private func settled(_ id: Int, as said: String, row: String? = nil, about: Int? = nil) -> String {
  added("evidence.settle", id: about ?? id, names: "\(about ?? id)", outcome: said)
    + "UPDATE evidence SET outcome = '\(row ?? said)', event_seq = \(head) WHERE id = \(id);"
}

@Suite struct EvidenceRawSQLTests {
  @Test(arguments: [
    Attempt("evidence without an event", row()),
    Attempt("evidence under an event of another kind", added("release.mark") + row()),
    Attempt("evidence under an event about another", added(id: 5) + row()),
    Attempt("evidence under an event that names none", added(names: "NULL") + row()),
    Attempt("evidence of another hash than its event's", added(sha256: "e") + row()),
    Attempt("evidence of another outcome than its event's", added() + row(outcome: "applied")),
    Attempt("evidence under an old event", row(event: "1")),
    Attempt("a number left out", added(id: 9, names: "9") + row(id: 9)),
    Attempt(
      "evidence in the place of another",
      added(id: 1, names: "1") + row(id: 1, verb: "INSERT OR REPLACE INTO")),
    Attempt("evidence replaced", added(id: 1, names: "1") + row(id: 1, verb: "REPLACE INTO")),
    Attempt("an invalid hash", added(sha256: "x") + row(sha256: "x")),
    Attempt("an invalid outcome", added(outcome: "duplicate") + row(outcome: "duplicate")),
    Attempt("a body altered", "UPDATE evidence SET body = x'00' WHERE id = 1"),
    Attempt("a body taken away", "UPDATE evidence SET body = NULL WHERE id = 1"),
    Attempt(
      "a hash altered", "UPDATE evidence SET sha256 = '\(String(repeating: "d", count: 64))' WHERE id = 1"),
    Attempt("a Message-ID altered", "UPDATE evidence SET message_id = 'x' WHERE id = 1"),
    Attempt("a receipt altered", "UPDATE evidence SET received_at = '2027-01-17T00:00:00Z' WHERE id = 1"),
    Attempt(
      "a number altered by another name of its column",
      settled(1, as: "dismissed", about: 9).replacing("SET ", with: "SET rowid = 9, ")),
    Attempt("a number altered", "UPDATE evidence SET id = 9 WHERE id = 1"),
    Attempt(
      "evidence settled without an event",
      "UPDATE evidence SET outcome = 'dismissed', event_seq = \(head) WHERE id = 1"),
    Attempt("evidence settled under its own event", "UPDATE evidence SET outcome = 'dismissed' WHERE id = 1"),
    Attempt("evidence settled under an event about another", settled(1, as: "dismissed", about: 2)),
    Attempt("evidence settled otherwise than its event says", settled(1, as: "dismissed", row: "applied")),
    Attempt("evidence settled that was ignored", settled(2, as: "applied")),
    Attempt("evidence settled that was applied", settled(3, as: "dismissed")),
    Attempt("evidence settled twice", settled(1, as: "dismissed") + settled(1, as: "applied")),
    Attempt("evidence deleted", "DELETE FROM evidence WHERE id = 1"),
  ])
  func `evidence changes only under its event`(attempt: Attempt) throws {
    try attempt.expect(of: intake())
  }

  @Test func `statements that are in order are let through`() throws {
    let raw = try intake()
    for script in [added() + row(), settled(1, as: "dismissed")] {
      try raw.connection.execute("BEGIN; \(behind(script)); COMMIT")
    }
  }
}
