import JSON
import ReleaseModel
import SQLite
import TestSupport
import Testing

@Suite struct DoctorTests {
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
