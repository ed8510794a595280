import JSON
import TestSupport
import Testing

@testable import ReleaseModel

@Suite struct DecisionTableTests {
  /// A line of an app with one release in a state, older ones below it and a newer one in review above.
  private func line(
    _ state: ReleaseState, hold: Bool, mandatory: Int, limits: Int, url: Bool
  ) throws -> AppState {
    var releases = [
      try sampleRelease("1.0", .superseded, id: 1, liveAt: hour(-400)),
      try sampleRelease("1.4", .superseded, id: 2, liveAt: hour(-300)),
      try sampleRelease("2.0", .superseded, id: 3, liveAt: hour(-200)),
    ]
    var middle = try sampleRelease("2.1", state, id: 4, liveAt: hour(-2), visibleAt: hour(hold ? 3 : -1))
    if state == .superseded { middle.supersededBy = 5 }
    releases.append(middle)
    switch state {
    case .superseded:
      releases.append(try sampleRelease("3.0", .live, id: 5, liveAt: hour(-1), visibleAt: hour(2)))
    case .live, .removed: break
    default: releases[2] = try sampleRelease("2.0", .live, id: 3, liveAt: hour(-200))
    }
    releases.append(try sampleRelease("3.1", .inReview, id: 6))
    if mandatory & 1 != 0 { releases[1].isMandatory = true }
    if mandatory & 2 != 0 { releases[3].isMandatory = true }
    if limits > 0 { releases[3].minOS = try version("15.0") }
    if limits > 1 { releases[2].minOS = try version("13") }
    if url { releases[2].url = "https://dl.example.com/2.0" }
    if url { releases[3].url = "https://evil.example/2.1" }
    return AppState(app: sampleApp(), releases: releases)
  }

  private func rules() throws -> [[Rule]] {
    func rule(
      _ number: Int64, _ text: String, _ action: Action, from: Int64? = nil, until: Int64? = nil,
      to destination: Destination? = nil
    ) throws -> Rule {
      Rule(
        number: number, range: try range(text), action: action, from: from.map { hour($0) },
        until: until.map { hour($0) }, destination: destination)
    }
    return [
      [],
      [try rule(1, "1.4", .force)],
      [try rule(1, "below:2.0", .remind)],
      [try rule(3, "all", .none), try rule(7, "1.4.0", .remind), try rule(5, "from:1 below:2.1", .force)],
      [try rule(9, "all", .force), try rule(10, "1.4..1.4.0", .none), try rule(2, "1.4", .force)],
      [try rule(1, "all", .force, from: 0, until: 4)],
      [try rule(1, "upto:2.0", .force, until: 1), try rule(2, "upto:1.4", .remind, from: 1)],
      [try rule(1, "upto:2.1", .force, to: .url("https://dl.example.com/x"))],
      [try rule(1, "1.4", .remind, to: .url("https://evil.example/x")), try rule(2, "all", .none)],
      [try rule(1, "all", .force, to: .app("other"))],
      [try rule(1, "all", .remind, to: .app("nowhere")), try rule(2, "2.0", .force)],
      [try rule(1, "all", .force, to: .app("taxi"))],
    ]
  }

  private func redirects() throws -> [[Redirect]] {
    func redirect(_ number: Int64, _ text: String, _ destination: Destination) throws -> Redirect {
      Redirect(number: number, range: try range(text), destination: destination)
    }
    return [
      [],
      [try redirect(1, "upto:2.0", .url("https://dl.example.com/r"))],
      [try redirect(1, "all", .url("https://evil.example/r"))],
      [try redirect(4, "all", .app("other")), try redirect(2, "1.4", .url("https://apps.apple.com/r"))],
      [
        try redirect(4, "below:2.0", .app("other")),
        try redirect(6, "upto:1.0", .url("https://dl.example.com/s")),
        try redirect(1, "1.0", .app("nowhere")),
      ],
      [try redirect(1, "all", .app("taxi"))],
    ]
  }

  private func others() throws -> [[String: AppState]] {
    let running = AppState(
      app: sampleApp("other"),
      releases: [
        try sampleRelease("0.8", .superseded, id: 20),
        try sampleRelease("0.9", .live, id: 21, liveAt: hour(-5), visibleAt: hour(1)),
      ],
      rules: [Rule(number: 50, range: .all, action: .none)],
      redirects: [Redirect(number: 51, range: .all, destination: .url("https://dl.example.com/hop"))])
    var stopped = running
    stopped.app.isStopped = true
    var removed = running
    removed.releases[1].state = .removed
    removed.releases[1].removedAt = hour(-4)
    var pageless = running
    pageless.app.appleID = nil
    pageless.releases[1].minOS = try version("15")
    return [running, stopped, removed, pageless].map { ["other": $0] }
  }

  @Test(arguments: ReleaseState.allCases)
  func `the decision function agrees with a simple model of the contract`(state: ReleaseState) throws {
    let clients = try [
      "0.1", "1.0", "1.0.0.1", "1.3.9", "1.4", "1.4.0.0", "1.4.1", "2.0", "2.0.0.7", "2.1.0", "2.1.1", "3.0",
      "3.1", "9",
    ].map { try version($0) }
    let systems = try [nil, version("12.4"), version("13"), version("15.0.1")]
    let (rules, redirects, others) = (try rules(), try redirects(), try others())
    let moments = [-300, -1, 0, 1, 3, 4].map { hour($0) }
    var random = Seeded(UInt64(state.rawValue.utf8.count) + 100)
    var seen: [String: Int] = [:]
    var rows = 0
    for (index, rule) in rules.enumerated() {
      for (place, redirect) in redirects.enumerated() {
        // The cross of rules and redirects whole; the rest of the row drawn, and the same for every run.
        for _ in 0..<8 {
          var line = try line(
            state, hold: random.oneIn(2), mandatory: random.below(4), limits: random.below(3),
            url: random.oneIn(3))
          line.rules = rule.shuffled(using: &random)
          line.redirects = redirect.shuffled(using: &random)
          line.app.isStopped = random.oneIn(12)
          line.app.policy =
            random.pick(
              [.standard, .standard, SegmentPolicy("none,force"), SegmentPolicy("remind")].compactMap(\.self))
            ?? .standard
          if random.oneIn(6) { line.app.appleID = nil }
          // Phased releases and builds that expire.
          if random.oneIn(2) { line.app.remindAfter = .phase }
          for index in line.releases.indices where random.oneIn(2) {
            if random.oneIn(6) { line.releases[index].expires = random.pick(moments) }
            if random.oneIn(2) {
              line.releases[index].phase = .active
              line.releases[index].remindAt = random.pick(moments)
            } else if random.oneIn(2) {
              line.releases[index].phase = .inactive
            }
          }
          if random.oneIn(6) { line.app.storeURL = "https://dl.example.com/store" }
          let hosts = StoreURL.storeHosts.union(random.oneIn(3) ? [] : ["dl.example.com"])
          var others = random.pick(others) ?? [:]
          if random.oneIn(4) {
            others["other"]?.app.remindAfter = .phase
            others["other"]?.releases[random.below(2)].remindAt = random.pick(moments)
          }
          if random.oneIn(8) { others["other"]?.releases[random.below(2)].expires = random.pick(moments) }
          let snapshot = Snapshot(
            line: line, others: others,
            hosts: random.oneIn(9) ? ["dl.example.com"] : hosts)
          let moment = random.pick(moments) ?? hour(0)
          let decider = Decider(snapshot, at: moment)
          let naive = NaiveModel(snapshot: snapshot, moment: moment)
          let os = random.pick(systems) ?? nil
          for client in clients {
            let decision = decider.decide(Client(version: client, os: os))
            let expected = naive.answer(client, os: os)
            #expect(
              NaiveModel.Answer(decision) == expected,
              "rules \(index), redirects \(place), client \(client.text), os \(os?.text ?? "-"), \(moment.text)"
            )
            #expect(decider.explain(Client(version: client, os: os)).decision == decision)
            #expect(decision.target == nil || decision.action != .none)
            seen["\(decision.action.rawValue) \(decision.decidedBy.rawValue)", default: 0] += 1
            rows += 1
          }
        }
      }
    }
    #expect(rows == 12 * 6 * 8 * clients.count)
    // A table whose rows all say the same would prove nothing.
    for kind in [
      "none stopped", "none unreleased", "none rule", "force rule", "remind rule", "none no-target",
      "none current",
      "remind policy", "none policy", "none phased",
    ] where state != .removed {
      #expect(seen[kind, default: 0] > 0, "\(kind)")
    }
  }

  @Test func `a rule that leads to the app itself does not prompt for the same release`() throws {
    var line = try line(.live, hold: false, mandatory: 0, limits: 0, url: false)
    line.rules = [Rule(number: 1, range: .all, action: .force, destination: .app("taxi"))]
    let snapshot = Snapshot(line: line, others: ["taxi": line])
    let decision = try Decider(snapshot, at: hour(0)).decide(Client(version: version("2.1")))
    #expect(decision.action == .none)
    #expect(decision.decidedBy == .current)
    #expect(decision.rule == 1)
  }

  @Test func `settings are chosen by phase, then exactness, then number`() throws {
    var random = Seeded(9)
    let ranges = try ["all", "1.4", "below:2", "from:1.4", "2.1..2.1"].map { try range($0) }
    let clients = try ["1.0", "1.4", "2.1", "3.1"].map { try version($0) }
    for _ in 0..<300 {
      let settings = (0..<random.below(12)).map { number in
        Setting(
          number: Int64(number), key: random.oneIn(2) ? "map" : "ads", range: random.pick(ranges) ?? .all,
          phase: random.pick([nil, .review, .released]) ?? nil, value: "v\(number)")
      }.shuffled(using: &random)
      let snapshot = Snapshot(line: AppState(app: sampleApp(), settings: settings))
      let decider = Decider(snapshot, at: hour(0))
      let naive = NaiveModel(snapshot: snapshot, moment: hour(0))
      for client in clients {
        for inReview in [true, false] {
          #expect(
            decider.settings(of: client, inReview: inReview) == naive.settings(of: client, inReview: inReview)
          )
        }
      }
    }
  }

  @Test func `every step of an explanation has its event`() throws {
    var line = try line(.live, hold: false, mandatory: 2, limits: 0, url: false)
    for index in line.releases.indices { line.releases[index].event = Int64(10 + index) }
    line.redirects = [
      Redirect(number: 1, range: .all, destination: .url("https://apps.apple.com/r"), event: 33)
    ]
    let decider = Decider(Snapshot(line: line), at: hour(0))
    let steps = try decider.explain(Client(version: version("1.4"))).steps
    #expect(steps.map(\.step) == ["released", "rule", "redirect", "target", "mandatory", "url"])
    #expect(steps.map(\.event) == [11, nil, 33, 13, 13, 33])
    line.rules = [Rule(number: 1, range: .all, action: .force, event: 44)]
    let ruled = try Decider(Snapshot(line: line), at: hour(0)).explain(Client(version: version("2.1"))).steps
    #expect(ruled.map(\.step) == ["released", "rule", "redirect", "target", "guard"])
    #expect(ruled.dropFirst().first?.event == 44)
    #expect(ruled.dropFirst().first?.json["step"] == "rule")
    (line.rules, line.redirects, line.app.event) = ([], [], 5)
    for (url, event) in [(nil, 5), ("https://apps.apple.com/own", 13)] {
      line.releases[3].url = url
      let asked = Decider(Snapshot(line: line), at: hour(0))
      #expect(try asked.explain(Client(version: version("1.4"))).steps.last?.event == Int64(event))
    }
  }
}
