import JSON
import Platform
import ReleaseModel
import TestSupport
import Testing

@Suite struct ExportTests {
  private let shell: Shell

  init() throws {
    shell = try Shell.taxi()
    try shell.tell("past taxi 1.0 1.1")
  }

  @Test func `a version's document has what check prints, except asOf, and members of its own`() throws {
    try shell.tell("setting taxi map paid\nexport @out")
    for version in ["1.0", "1.1"] {
      let check = try #require(shell.done("check taxi \(version) --json").json.object)
      let found = try shell.json("out/v1/taxi/\(version).json")
      for member in check.members where !["asOf", "noFile"].contains(member.key) {
        #expect(found[member.key] == member.value, "\(version) \(member.key)")
      }
      #expect(
        keys(found).symmetricDifference(check.members.map(\.key)) == [
          "asOf", "generation", "noFile", "notesByLocale", "tiers", "validFrom", "validUntil",
        ])
    }
  }
}
