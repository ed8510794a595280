import JSON
import Ledger
import Platform
import ReleaseModel
import TestSupport
import Testing

@Suite struct CompanionTests {
  private let directory: TemporaryDirectory
  private let ledger: Ledger

  init() throws {
    directory = try TemporaryDirectory()
    ledger = try Ledger.create(directory.file("pawl.db"), now: noon).ledger
  }

  @Test(arguments: Companion.allCases)
  func `a backup cannot have the name of a companion`(companion: Companion) throws {
    let path = directory.file("other.db" + companion.rawValue)
    #expect {
      try ledger.backUp(to: path, replaces: true, recording: Recording(actor: .null, clock: noon))
    } throws: { error in
      if case LedgerError.unusable(let refusal) = error { refusal.id == "backup.unsafe" } else { false }
    }
    #expect((try? FileStatus(of: path)) == nil)
  }

  @Test(.timeLimit(.minutes(10)))
  func `a pipe without a writer is refused without waiting`() throws {
    try directory.pipe("pipe")
    #expect(throws: SystemError.self) { try readFile(directory.file("pipe"), limit: 100) }
    #expect(throws: SystemError.self) { try readPrefix(directory.file("pipe"), limit: 100) }
  }

  @Test(.timeLimit(.minutes(10)))
  func `a pipe or a link in place of the heard file is passed over without waiting`() throws {
    try ledger.noteHeard("taxi", .asc, at: noon)
    #expect(try ledger.heard(of: "taxi")[.asc] == noon)
    removeFile(ledger.path(of: .heard))
    try directory.pipe("pawl.db-heard")
    #expect(try ledger.heard(of: "taxi").isEmpty)
    removeFile(ledger.path(of: .heard))
    try directory.write(#"{"taxi":{"asc":"2027-01-15T12:00:00Z"}}"#, to: "elsewhere")
    try directory.link("pawl.db-heard", to: directory.file("elsewhere"))
    #expect(try ledger.heard(of: "taxi").isEmpty)
  }
}
