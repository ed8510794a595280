import Testing

@testable import ReleaseModel

@Suite struct SnapshotTests {
  private func line() throws -> AppState {
    let releases = [try sampleRelease("1.0", .superseded, id: 1), try sampleRelease("2.0", .live, id: 2)]
    return AppState(app: sampleApp(), releases: releases)
  }

  @Test func `releases are in order of version, struck-out ones apart, each once`() throws {
    let recorded = try [
      ("2.0", .live, 2), ("3.0", .void, 4), ("1.0", .superseded, 5), ("3.0", .void, 3), ("2.0", .live, 2),
    ].map { text, state, id in try sampleRelease(text, state, id: id) }
    var line = AppState(app: sampleApp(), releases: recorded)
    #expect(line.releases.map(\.id) == [5, 2] && line.struckOut.map(\.id) == [3, 4])
    #expect(line.known.map(\.id) == [5, 2, 4] && line.everRecorded.map(\.id) == [2, 3, 4, 5])
    let (one, three) = try (version("1.0.0"), version("3"))
    #expect(line.release(one)?.id == 5 && line.counted(three) == nil && line.release(three)?.id == 4)
    line.put(try sampleRelease("3.0", .prepared, id: 6))
    #expect(line.release(three)?.id == 6 && line.known.map(\.id) == [5, 2, 6] && line.isStruckOut(three))
    line.put(try sampleRelease("1.0", .void, id: 5))
    #expect(line.releases.map(\.id) == [2, 6] && line.release(one)?.id == 5)
  }

  @Test func `a past release of four numbers does not make newer versions released`() throws {
    var line = try line()
    var past = try sampleRelease("9.0.0.1", .superseded, id: 3)
    past.isPast = true
    line.put(past)
    #expect(try line.greatestEverLive == version("2.0"))
  }

  @Test func `the board names where prompted clients are sent`() throws {
    var line = try line()
    let page = Redirect(number: 1, range: .all, destination: .url("https://apps.apple.com/r"))
    line.redirects = [page]
    #expect(Snapshot(line: line).lead(at: hour(0))?.target?.version.text == "2.0")
    #expect(Snapshot(line: line).lead(at: hour(0), by: page)?.url == "https://apps.apple.com/r")
  }

  @Test func `a version without a file has the settings that every version in review has, or an old one too`()
    throws
  {
    var line = try line()
    for (text, phase, has, hasAlso) in [
      ("all", nil, true, true), ("from:2.0", nil, true, false), ("from:2.1", nil, false, false),
      ("upto:9", nil, false, false), ("2.0", nil, false, nil), ("3.0", nil, false, false),
      ("all", .review, true, false), ("all", .released, false, false),
    ] as [(String, Setting.Phase?, Bool, Bool?)] {
      line.settings = [Setting(number: 1, key: "k", range: try range(text), phase: phase, value: "v")]
      var whole = line
      whole.app.past = .whole
      let inReview = Snapshot(line: whole).settingsOfUnknown(at: hour(0))
      let isOfSome = !has && hasAlso == false && phase == nil
      #expect(inReview.values == (has ? ["k": "v"] : [:]), "\(text)")
      #expect(inReview.withheld == (isOfSome ? ["k"] : []), "\(text)")
      let settings = Snapshot(line: line).settingsOfUnknown(at: hour(0))
      #expect(settings.values == (hasAlso == true ? ["k": "v"] : [:]), "\(text)")
      #expect(settings.withheld == (hasAlso == false ? ["k"] : []), "\(text)")
    }
    // A value of its own for one version that has a file is withheld from none of the others.
    line.settings = try [("all", "v"), ("2.0", "w")].enumerated().map { number, of in
      Setting(number: Int64(number), key: "k", range: try range(of.0), phase: nil, value: of.1)
    }
    #expect(Snapshot(line: line).settingsOfUnknown(at: hour(0)).values == ["k": "v"])
  }

  @Test func `documents misinform where a range has no file, or below the oldest file`() throws {
    let documented = DocumentedVersions(Snapshot(line: try line()), at: hour(0))
    func misinformed(_ text: String, _ action: Action = .force, _ settings: [String: String] = [:]) throws
      -> String?
    {
      documented.misinformed(
        try range(text),
        told: Told(
          Decision(action: action, review: false, decidedBy: .policy), settings: settings, remindEvery: .once)
      )?
      .range.text
    }
    #expect(try misinformed("below:0.9") == "below:0.9" && misinformed("below:1.5") == "below:1.0")
    #expect(try misinformed("1.5") == "1.5" && misinformed("from:1.0") == nil)
    #expect(try misinformed("1.5", .none) == nil && misinformed("1.5", .none, ["k": "v"]) == "1.5")
  }

  @Test func `versions told the same are one slab, whatever rules begin or end there`() throws {
    var line = try line()
    line.rules = [Rule(number: 1, range: try range("2.0"), action: .none)]
    #expect(
      Schedule(Snapshot(line: AppState(app: line.app, rules: line.rules)), from: hour(0)).slabs.count == 1)
    let steps = Schedule(Snapshot(line: line), from: hour(0)).current(at: hour(0), cutAt: [.end])
    #expect(steps.last?.hi == .end && steps.allSatisfy { $0.from < $0.hi })
  }

  @Test func `another reminder frequency is a change that prompts no client`() throws {
    var line = try line()
    let before = Snapshot(line: line)
    line.app.remindEvery = .always
    let impact = Impact(before: before, after: Snapshot(line: line), now: hour(0))
    #expect(impact.lines.isEmpty && impact.rest == .details)
  }

  @Test func `a rule counts the versions that it decides for`() throws {
    var line = try line()
    let rule = Rule(number: 1, range: try range("below:2.0"), action: .remind)
    line.rules = [rule]
    func count() -> Int {
      Schedule(Snapshot(line: line), at: hour(0)).current(at: hour(0))
        .count(of: line.recordedVersions, saidBy: rule)
    }
    #expect(count() == 1)
    line.app.isStopped = true
    #expect(count() == 0)
  }

  @Test func `a line covers another of fewer versions with the same target or none`() throws {
    func line(_ text: String, _ target: String?) throws -> ImpactLine {
      let range = try range(text)
      func prompt(_ action: Action) -> Prompt {
        Prompt(action, target: target)
      }
      return ImpactLine(
        app: "taxi", lo: range.start, hi: range.end, count: 0, was: prompt(.none), willBe: prompt(.force),
        at: hour(0))
    }
    let all = try line("all", "2.0")
    #expect(try all.covers(line("1.0", "2.0")) && all.covers(line("1.0", nil)))
    #expect(try !all.covers(line("1.0", "3.0")) && !line("1.0", "2.0").covers(all))
  }
}
