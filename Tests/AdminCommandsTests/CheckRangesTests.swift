import JSON
import ReleaseModel
import Testing

@Suite struct CheckRangesTests {
  /// `taxi` with rules that start and end, a redirect, a setting, a count, and a release that waits for its hold.
  private func taxi() throws -> Shell {
    let shell = try Shell.taxi()
    try shell.tell(
      #"""
      app set taxi --policy remind --yes
      trust host example.com --yes
      past taxi 7.0 7.9 8.0 8.2
      publish taxi 8.3 --yes --min-os 17.0
      mark taxi 8.3 live --yes
      publish taxi 9.0 --yes
      force taxi below:7.5 --reason crash --from 2d --yes
      allow taxi 7.0 --until 5d --yes
      redirect taxi 8.0 --url https://example.com/why --yes
      setting taxi map paid --versions from:7.9 --from 3d --yes
      ingest usage taxi - < "version,devices\n7.0,10\n7.1,5\n8.2,100\n9.9,1\n"
      """#)
    return shell
  }

  private static let members = [
    "action", "review", "target", "targetApp", "minOS", "url", "notes", "decidedBy", "rule", "settings",
    "remindEvery", "forcedFrom",
  ]

  @Test func `every possible version is in one range and gets that range's answer until it ends`() throws {
    let shell = try taxi()
    for at in ["1h", "36h", "4d", "30d"] {
      let answer = try shell.done("check taxi --at \(at) --json").json
      #expect(answer["app"] == "taxi" && answer["asOf"]?.integer == shell.head())
      let ranges = try #require(answer["ranges"]?.array).reversed()
      #expect(ranges.compactMap { $0["count"]?.integer }.reduce(0, +) == 6)
      #expect(ranges.compactMap { $0["devices"]?.integer }.reduce(0, +) == 116)
      var start = VersionKey.least
      for told in ranges {
        let range = try VersionRange(try #require(told["versions"]?.string))
        #expect(range.start == start, "\(range.text) at \(at)")
        start = range.end
        let first = try #require(range.start.version)
        let known = ["7.0", "7.9", "8.0", "8.2", "8.3", "9.0"].map { try? Version($0) }.compactMap(\.self)
        let until = try told["until"]?.string.map { try Timestamp($0) - TimeSpan(seconds: 1) }
        for version in [first] + known.filter(range.contains) {
          for moment in [at, until?.text].compactMap(\.self) {
            let one = try shell.done("check taxi \(version.text) --at \(moment) --json").json
            for member in Self.members {
              #expect(told[member] == one[member], "\(member) of \(version.text) in \(range.text), \(moment)")
            }
          }
        }
      }
      #expect(start == .end)
    }
  }

  @Test func `a version is forced from the moment in forcedFrom, and not a second earlier`() throws {
    let shell = try taxi()
    var count = 0
    for version in ["6.0", "7.0", "7.4", "7.9", "8.2", "9.5"] {
      for os in ["", "--os 16.0"] {
        let words = "check taxi \(version) \(os) --json"
        guard let forced = try shell.done(words).json["forcedFrom"]?.string.map({ try Timestamp($0) }) else {
          continue
        }
        count += 1
        for (moment, isForced) in [(forced, true), (forced - TimeSpan(seconds: 1), false)] {
          let answer = try shell.done("\(words) --at \(moment.text)").json
          #expect((answer["action"] == "force") == isForced, "\(version) at \(moment.text)")
        }
      }
    }
    #expect(count >= 4)
  }
}
