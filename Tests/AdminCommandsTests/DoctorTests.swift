import JSON
import ReleaseModel
import SQLite
import TestSupport
import Testing

@Suite struct DoctorTests {
  @Test func `all of many releases are asked where a question is about all`() throws {
    try Shell.taxi().tell(
      """
      live taxi \((0..<66).map { "1.\($0)" }.joined(separator: " "))
      status → apps.0.releaseCount=66 apps.0.releases.*.version=[1.65,1.64] apps.0.answersAltered=null
      allow taxi 1.5 --from 1d --yes
      doctor → findings=[]
      due → due.0.count=1
      lift taxi 1 --yes
      ingest usage taxi - < "version,devices\\n1.5,7\\n1.5.1,3\\n"
      status → apps.0.usage.versions.*.recorded=[true,false]
      """)
  }

  @Test func `a full inbox is said, and an ended alarm is no longer counted`() throws {
    let shell = try Shell.taxi()
    try shell.directory.write(
      "From: no_reply@email.apple.com\r\n\r\n" + String(repeating: "a", count: 1_000_000), to: "claim")
    try shell.tell(
      """
      live taxi 1.0
      lookup taxi 1.1
      doctor → 1 findings.*.id=[inbox.waiting,lookup.unknown-version]
      publish taxi 1.1 --yes
      doctor → findings=[] facts.inbox=0
      set PAWL_EVIDENCE_QUOTA=2
      doctor → facts.evidence.limit=2000000 facts.evidence.full=false
      ingest mail @claim
      doctor → 1 findings.*.id=[inbox.waiting,inbox.full]
      status → evidence.full=true
      """)
  }

  @Test
  func `an old checkpoint is asked about once something followed it, and one of a later ledger at once`()
    throws
  {
    let shell = try Shell.taxi()
    try shell.tell("key new @key\ncheckpoint --key @key --out @note\nset PAWL_CHECKPOINT=@note")
    let image = try shell.bytes("pawl.db")
    try shell.tell(
      """
      sleep 8d
      doctor → findings=[]
      app set taxi --name Taxi
      doctor → findings=[]
      sleep 8d
      doctor → 1 findings.*.id=[checkpoint.old] facts.checkpoint.events=2
      checkpoint --key @key --out @note
      doctor → findings=[]
      """)
    let older = try Shell(image: image, clock: shell.clock)
    try older.tell(
      "set PAWL_CHECKPOINT=\(shell.directory.file("note"))\ndoctor → 1 findings.*.id=[checkpoint.ahead]")
  }

  @Test func `a ledger from before the first release is refused, with how to carry its past over`() throws {
    let shell = try Shell.taxi()
    let connection = try Connection(path: shell.ledger, mode: .readWrite)
    try connection.setPragma("user_version", to: 9)
    try connection.close()
    for command in ["doctor", "status", "publish taxi 1.0 --yes", "verify", "init"] {
      let ran = shell.run("\(command) --json")
      #expect(ran.status == 65 && ran.errorID == "ledger.too-old", "\(command): \(ran.err)")
      #expect(ran.error["hint"]?.string?.contains("pawl import APP FILE") == true)
    }
  }
}
