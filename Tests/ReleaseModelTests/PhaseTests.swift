import JSON
import Testing

@testable import ReleaseModel

@Suite struct PhaseTests {
  private struct Phased {
    let name: String
    let phase: ReleasePhase?
    /// The day on which everybody is reached, counted from the start; nil for at once, greater than all for never.
    let end: Int64?
    var start: Int64? = 0
    var pausedDays: Int64 = 0
    var heardOn: Int64 = 0
  }

  private static let phases: [Phased] =
    [
      Phased(name: "unheard of", phase: nil, end: 7, start: nil),
      Phased(name: "inactive", phase: .inactive, end: 7, start: nil),
    ]
    + (0...30).map { Phased(name: "active, paused \($0)", phase: .active, end: 7 + $0, pausedDays: $0) }
    + [Phased(name: "active, beyond the longest pause", phase: .active, end: 37, pausedDays: 45)]
    + (0...30).map { Phased(name: "paused \($0)", phase: .paused, end: 37, pausedDays: $0) }
    + (0...9).map { Phased(name: "complete on \($0)", phase: .complete, end: min(7, $0), heardOn: $0) }
    + [Phased(name: "complete after a pause", phase: .complete, end: 9, pausedDays: 3, heardOn: 9)]

  private func day(_ count: Int64) -> Timestamp { hour(count * 24) }

  private func line(_ phased: Phased) throws -> AppState {
    var newest = try sampleRelease("2.2", .live, id: 4, liveAt: day(0))
    if let phase = phased.phase {
      newest.remindAt = phase.end(
        of: newest, start: phased.start.map(day), pausedDays: phased.pausedDays, heardAt: day(phased.heardOn))
      newest.phase = phase
    }
    var app = sampleApp()
    app.remindAfter = .phase
    return AppState(
      app: app,
      releases: [
        try sampleRelease("1.0", .superseded, id: 1, liveAt: day(-30)),
        try sampleRelease("2.0", .superseded, id: 2, liveAt: day(-20)),
        try sampleRelease("2.1", .superseded, id: 3, liveAt: day(-10)), newest,
      ])
  }

  private enum Speaker: CaseIterable { case policy, force, remind, allow, mandatory, silentPolicy, hidden }

  @Test func `only reminders of the policy wait for a phased release, for every day and pause`() throws {
    var rows = 0
    for phased in PhaseTests.phases {
      for speaker in Speaker.allCases {
        var line = try line(phased)
        switch speaker {
        case .policy: break
        case .force: line.rules = [Rule(number: 1, range: try range("from:2.0"), action: .force)]
        case .remind: line.rules = [Rule(number: 1, range: try range("from:2.0"), action: .remind)]
        case .allow: line.rules = [Rule(number: 1, range: try range("from:2.0"), action: .none)]
        case .mandatory: line.releases[3].isMandatory = true
        case .silentPolicy: line.app.policy = try #require(SegmentPolicy("force,none"))
        case .hidden: line.app.remindAfter = .visible
        }
        for today in Int64(0)...39 {
          let isOver = speaker == .hidden || phased.end.map { $0 <= today } ?? true
          let decider = Decider(Snapshot(line: line), at: day(today))
          func told(_ text: String) throws -> String {
            let decision = decider.decide(Client(version: try version(text)))
            return
              "\(decision.action.rawValue) \(decision.decidedBy.rawValue) \(decision.target?.version.text ?? "-")"
          }
          let expected: (old: String, middle: String) =
            switch speaker {
            case .policy, .hidden:
              isOver ? ("remind policy 2.2", "remind policy 2.2") : ("remind policy 2.1", "none phased -")
            case .force: ("force rule 2.2", "force rule 2.2")
            case .remind: ("remind rule 2.2", "remind rule 2.2")
            case .allow: ("none rule -", "none rule -")
            case .mandatory: ("force mandatory 2.2", "force mandatory 2.2")
            case .silentPolicy: ("none policy -", "none policy -")
            }
          let place = "\(phased.name), \(speaker), day \(today)"
          #expect(try told("2.0") == expected.old, "\(place)")
          #expect(try told("2.1") == expected.middle, "\(place)")
          // What is another major version is forced by the policy, which does not wait.
          if speaker != .mandatory { #expect(try told("1.0") == "force policy 2.2", "\(place)") }
          #expect(try told("2.2").hasPrefix("none"), "\(place)")
          rows += 4
        }
      }
    }
    #expect(rows == PhaseTests.phases.count * Speaker.allCases.count * 40 * 4)
  }

  @Test func `a phased release that was complete keeps its end`() throws {
    var release = try sampleRelease("2.2", .live, id: 4, liveAt: day(0))
    release.phase = .complete
    release.remindAt = day(3)
    let end = ReleasePhase.complete.end(of: release, start: day(0), pausedDays: 0, heardAt: day(20))
    #expect(end == day(3))
  }

  @Test func `the ends of phases and builds are moments of change, and the steps name them`() throws {
    var line = try line(Phased(name: "active", phase: .active, end: 7))
    line.releases[3].expires = day(100)
    let snapshot = Snapshot(line: line)
    #expect(snapshot.momentsOfChange(after: day(1)) == [day(7), day(100)])
    #expect(line.passages(of: line.releases[3], at: day(7)).count == 1)
    #expect(line.passages(of: line.releases[3], at: day(100)) == ["expires"])
    let steps = Decider(snapshot, at: day(1)).explain(Client(version: try version("2.1"))).steps
    #expect(steps.map(\.step) == ["released", "rule", "target", "policy", "phased"])
    let late = Decider(snapshot, at: day(100)).explain(Client(version: try version("2.1"))).steps
    #expect(late.first { $0.step == "target" }?.result == "2.2 of taxi has expired: no target")
    // A partial reading of the app may not end while a phase still runs.
    #expect(!line.releases[3].hidesOlder(on: nil, at: day(1)))
    #expect(line.releases[3].hidesOlder(on: nil, at: day(7)))
    #expect(line.releases[2].hidesOlder(on: nil, at: day(1)))
  }

  @Test func `no client is sent to an expired build, nor to an older one`() throws {
    for hasRule in [false, true] {
      for today in Int64(0)...20 {
        var line = try line(Phased(name: "none", phase: nil, end: nil))
        line.app.remindAfter = .visible
        line.releases[3].expires = day(10)
        if hasRule { line.rules = [Rule(number: 1, range: try range("below:2.2"), action: .force)] }
        let decider = Decider(Snapshot(line: line), at: day(today))
        for text in ["1.0", "2.0", "2.1", "2.2"] {
          let decision = decider.decide(Client(version: try version(text)))
          #expect((decision.action != .none) == (today < 10 && text != "2.2"), "\(text) on day \(today)")
          if today >= 10 { #expect(decision.decidedBy == .noTarget) }
        }
        #expect((line.target(at: day(today)) == nil) == (today >= 10))
        #expect((line.expiredTarget(at: day(today)) != nil) == (today >= 10))
      }
    }
  }

  @Test func `a rule cannot force to a build that has expired by then`() throws {
    var line = try line(Phased(name: "none", phase: nil, end: nil))
    line.releases[3].expires = day(10)
    let snapshot = Snapshot(line: line)
    func refusal(from day: Timestamp?) throws -> Refusal? {
      do {
        try snapshot.checkForce(
          Rule(number: 1, range: try range("below:2.1"), action: .force, from: day), isForLater: false,
          now: self.day(1))
        return nil
      } catch let refusal as Refusal {
        return refusal
      }
    }
    #expect(try refusal(from: nil) == nil)
    #expect(
      try refusal(from: day(10))
        == Refusal(
          "target.expired", ["version": "2.2"],
          details: ["target": "taxi", "expires": .string(day(10).text)]))
  }

  @Test func `an expiry is reported 60 days before, as due from 30 days on, and once it is past`() throws {
    var line = try line(Phased(name: "none", phase: nil, end: nil))
    line.releases[3].expires = day(100)
    for left in Int64(-2)...70 {
      let due = left > 30 ? "release.expires/later" : left > 0 ? "release.expires" : "release.expired"
      let findings = Snapshot(line: line).expiryFindings(now: day(100 - left))
      #expect(findings.map(\.key) == (left > 60 ? [] : [due]), "\(left) days")
    }
  }
}
