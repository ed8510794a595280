import TestSupport
import Testing

@testable import ReleaseModel

@Suite struct FindingsTests {
  /// Whether a rule applies to some version at some moment, found by asking for every version and moment.
  private func applies(_ rule: Rule, of rules: [Rule], from now: Timestamp) -> Bool {
    let versions = rules.flatMap { [$0.range.start.version, $0.range.end.version] }.compactMap(\.self)
    let moments = [now] + rules.flatMap(\.moments).filter { now < $0 }
    // One that ends before it starts is for nobody to override.
    guard moments.contains(where: rule.isActive) else { return true }
    return moments.contains { moment in
      versions.contains { version in
        rules.filter { $0.isActive(at: moment) && $0.range.contains(version) }.byPrecedence().first?.number
          == rule.number
      }
    }
  }

  @Test func `hidden rules and rules that match nothing are found as by asking for each version`() throws {
    var hidden = 0
    var empty = 0
    for seed in 0..<1_500 {
      var mixer = Seeded(UInt64(seed))
      var random = RandomSnapshot(seed: mixer.next())
      let snapshot = random.snapshot()
      let now = hour(-8)
      let findings = snapshot.findings(now: now) { _ in nil }
      var expected: [String] = []
      for rule in snapshot.line.rules where rule.until.map({ now < $0 }) ?? true {
        if !applies(rule, of: snapshot.line.rules, from: now) {
          expected.append("rule.hidden \(rule.number)")
          hidden += 1
        } else if !snapshot.line.releases.contains(where: {
          $0.state.isReleased && rule.range.contains($0.version)
        }) {
          expected.append("rule.matches-nothing \(rule.number)")
          empty += 1
        }
      }
      let found = findings.filter { ["rule.hidden", "rule.matches-nothing"].contains($0.id) }
      #expect(found.map { "\($0.id) \($0.values["rule"] ?? "")" } == expected, "seed \(seed)")
    }
    #expect(hidden > 500 && empty > 100, "\(hidden) hidden, \(empty) matching nothing")
  }

  @Test func `a finding names the rules that override a hidden one`() throws {
    let release = try sampleRelease("1.0", .live, id: 1)
    var line = AppState(app: sampleApp(), releases: [release])
    line.rules = [
      Rule(number: 1, range: try range("1.0"), action: .force),
      Rule(number: 2, range: try range("below:2.0"), action: .remind, from: hour(1), until: hour(9)),
      Rule(number: 3, range: try range("all"), action: .none, from: hour(1)),
    ]
    let findings = Snapshot(line: line).findings(now: hour(0)) { _ in nil }
    #expect(findings.map(\.id) == ["rule.hidden"])
    #expect(findings.first?.values["why"] == "overridden by rules 1, 3")
    line.rules[2].until = hour(3)
    #expect(line.overridden(at: hour(2)) == [2: Overriding(rules: [1, 3], until: hour(3))])
    #expect(line.overridden(at: hour(2))[2]?.text() == "overridden by rules 1, 3 until \(hour(3).text)")
    #expect(line.overridden(at: hour(3)).isEmpty)
  }

  @Test(arguments: [
    ("all", nil), ("7.2.6", nil), ("7.2.7", "7.2.6"), ("726", "7.2.6"), ("above:7.2.6 below:7.4", "7.2.6"),
    ("7.3..7.3.9", "7.2.6"), ("below:6.0", "6.0"), ("above:8.1", "8.1"), ("7.9..8.0", "8.1"), ("9.0", "8.1"),
    ("above:7.2.6 below:8.1", "8.1"),
  ])
  func `the recorded version nearest to a range is found`(text: String, nearest: String?) throws {
    var releases: [Release] = []
    for (index, text) in ["6.0", "7.2.6", "7.4", "8.1"].enumerated() {
      // What was struck out is not recorded as far as this goes.
      releases.append(try sampleRelease(text, text == "7.4" ? .void : .superseded, id: Int64(index + 1)))
    }
    let line = AppState(app: sampleApp(), releases: releases)
    #expect(line.nearest(to: try range(text))?.text == nearest)
    #expect(AppState(app: sampleApp()).nearest(to: try range(text)) == nil)
  }

  @Test func `ranges cover and meet as their versions do`() throws {
    let texts = [
      "all", "1", "1.0.0.1", "below:1", "upto:1", "above:1", "from:1", "1..2", "above:1 below:2", "from:0",
      "above:1 upto:2", "below:2", "2",
    ]
    let versions = try ["0", "0.9", "1", "1.0.0.1", "1.5", "2", "3"].map { try version($0) }
    for one in try texts.map({ try range($0) }) {
      for other in try texts.map({ try range($0) }) {
        let both = one.intersection(other)
        #expect((both != nil) == one.overlaps(other), "\(one.text) and \(other.text)")
        for version in versions {
          #expect(
            (both?.contains(version) ?? false) == (one.contains(version) && other.contains(version)),
            "\(version.text) in \(one.text) and \(other.text)")
          if one.covers(other) { #expect(!other.contains(version) || one.contains(version)) }
        }
        #expect(one.covers(other) == (both == other), "\(one.text) and \(other.text)")
        let inside = versions.positions(from: one.start, to: one.end)
        #expect(versions.indices.allSatisfy { inside.contains($0) == one.contains(versions[$0]) })
      }
    }
  }
}
