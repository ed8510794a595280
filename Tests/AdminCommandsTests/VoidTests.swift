import AdminCommands
import JSON
import Ledger
import ReleaseModel
import TestSupport
import Testing

/// Mending a slip: what Apple never had is struck out, and what was before is back.
@Suite struct VoidTests {
  private let shell: Shell

  init() throws {
    shell = try Shell.taxi()
    try shell.tell("live taxi 7.3.0")
  }

  @Test func `what went live above it stays live, and can still be taken back`() throws {
    try shell.tell(
      """
      live taxi 7.4.0
      publish taxi 7.5.0
      mark taxi 7.5.0 live
      void taxi 7.4.0 --never-shipped --reason typing --yes → restored=null
      releases taxi → releases.0.state=live
      unmark taxi 7.5.0 --reason wrong → restored=7.3.0 release.state=prepared
      verify
      """)
  }

  @Test func `a past release is struck out, and its number may be used again`() throws {
    let past =
      #"import taxi - --past --yes < "version,released_at\n7.1.0,2026-01-01T00:00:00Z\n7.2.0.4,2026-01-02T00:00:00Z\n""#
    try shell.tell(
      """
      \(past) → past=2
      void taxi 7.1.0 --never-shipped --reason typing --yes → release.state=void
      void taxi 7.2.0.4 --never-shipped --reason typing --yes → release.state=void
      \(past) → past=2
      verify
      """)
  }

  @Test(
    arguments: [
      ("dkim apple.com selector", Evidence.Outcome.applied, "7.4", true),
      ("webhook taxi", .applied, "7.4.0", true),
      ("mx mx.example.com", .applied, "7.4.0", false), (nil, .applied, "7.4.0", false),
      ("dkim apple.com selector", .parked, "7.4.0", false),
      ("dkim apple.com selector", .applied, "7.4.1", false),
    ] as [(String?, Evidence.Outcome, String, Bool)])
  func `proof that Apple has it speaks against it`(
    proof: String?, outcome: Evidence.Outcome, shown: String, refuses: Bool
  ) throws {
    try shell.tell("live taxi 7.4.0")
    let ledger = try Ledger.open(shell.ledger, for: .writing, now: shell.clock)
    let version = try Version(shown)
    _ = try ledger.record(
      Recording(actor: ["user": "engineer"], clock: shell.clock), confirm: { _ in },
      body: { draft in
        var evidence = Evidence(
          id: draft.nextEvidenceID, kind: .mail, sha256: String(repeating: "0", count: 64), size: 1,
          receivedAt: draft.now, outcome: outcome)
        (evidence.app, evidence.version, evidence.proof, evidence.state) = ("taxi", version, proof, .live)
        draft.add(evidence, body: nil)
      }, answer: { _ in [] })
    ledger.close()
    let void = "void taxi 7.4.0 --never-shipped --reason typing --yes"
    guard refuses else { return try shell.tell(void) }
    try shell.tell("\(void) → 1 evidence.contradicts details.evidence=1")
    // The release of another number is not spoken against.
    try shell.done("void taxi 7.3.0 --never-shipped --reason typing --yes")
  }
}
