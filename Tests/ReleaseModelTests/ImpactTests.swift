import JSON
import Testing

@testable import ReleaseModel

@Suite struct ImpactTests {
  private func line() throws -> AppState {
    var releases: [Release] = []
    for (index, text) in ["1.0", "1.1", "1.2", "1.3"].enumerated() {
      releases.append(
        try sampleRelease(text, .superseded, id: Int64(index + 1), liveAt: hour(-400 + Int64(index))))
    }
    releases.append(try sampleRelease("2.0", .live, id: 5, liveAt: hour(-100)))
    var app = sampleApp()
    app.policy = try #require(SegmentPolicy("none"))
    return AppState(app: app, releases: releases)
  }

  private func impact(_ change: (inout Snapshot) throws -> Void) throws -> Impact {
    let before = Snapshot(line: try line(), hosts: StoreURL.storeHosts.union(["dl.example.com"]))
    var after = before
    try change(&after)
    return Impact(before: before, after: after, now: hour(0))
  }

  private func said(_ impact: Impact) -> [String] {
    impact.lines.map {
      "\($0.range.text) \($0.count) \($0.before.rawValue)>\($0.after.rawValue) "
        + "\(($0.at.seconds - hour(0).seconds) / 3_600)\($0.hears ? "" : " deaf")"
    }
  }

  @Test func `versions told alike are folded into one line`() throws {
    let impact = try impact {
      $0.line.rules = [Rule(number: 1, range: try range("below:1.2"), action: .remind)]
    }
    #expect(said(impact) == ["below:1.2 2 none>remind 0"])
    #expect(impact.isStricter && !impact.forces && !impact.changesPage)
    let json = try #require(impact.json.array?.first)
    #expect(json["versions"] == "below:1.2")
    #expect(json["count"] == 2)
    #expect(json["before"] == "none")
    #expect(json["after"] == "remind")
    #expect(json["at"] == .string(hour(0).text))
    #expect(json["app"] == "taxi")
    #expect(json["urlBefore"] == .null)
    #expect(json["urlAfter"] == "https://apps.apple.com/app/id310633997")
    #expect(json["hears"] == true)
  }

  @Test func `a version told otherwise splits the line`() throws {
    let impact = try impact {
      $0.line.rules = [
        Rule(number: 1, range: try range("below:2.0"), action: .remind),
        Rule(number: 2, range: try range("1.1"), action: .force),
        Rule(number: 3, range: try range("1.3"), action: .none),
      ]
    }
    #expect(
      said(impact) == [
        "below:1.1 1 none>remind 0", "1.1 1 none>force 0", "above:1.1 below:1.3 1 none>remind 0",
        "above:1.3 below:2.0 0 none>remind 0",
      ])
    #expect(impact.forces && impact.isStricter)
  }

  @Test func `each later effect has one line with its moment and end`() throws {
    let impact = try impact {
      $0.line.rules = [
        Rule(number: 1, range: try range("upto:1.1"), action: .force, from: hour(5), until: hour(9)),
        Rule(number: 2, range: try range("1.3"), action: .remind, until: hour(7)),
        Rule(number: 3, range: try range("1.0"), action: .none, from: hour(6), until: hour(8)),
      ]
    }
    #expect(
      said(impact) == [
        "1.3 1 none>remind 0", "below:1.0 0 none>force 5", "1.0 1 none>force 5",
        "above:1.0 upto:1.1 1 none>force 5", "1.0 1 none>force 8",
      ])
    #expect(impact.lines.map(\.until) == [hour(7), hour(9), hour(6), hour(9), hour(9)])
  }

  @Test func `more lenient answers are shown without asking`() throws {
    let before = Snapshot(line: try line())
    var harsh = before
    harsh.line.rules = [Rule(number: 1, range: .all, action: .force)]
    let impact = Impact(before: harsh, after: before, now: hour(0))
    #expect(said(impact) == ["below:2.0 4 force>none 0"])
    #expect(!impact.forces && !impact.isStricter && !impact.changesPage)
    var mild = before
    mild.line.rules = [Rule(number: 1, range: .all, action: .remind)]
    let milder = Impact(before: harsh, after: mild, now: hour(0))
    #expect(said(milder) == ["below:2.0 4 force>remind 0"])
    #expect(!milder.forces && !milder.isStricter)
    let harsher = Impact(before: mild, after: harsh, now: hour(0))
    #expect(harsher.forces && harsher.isStricter)
  }

  @Test func `another page asks, even on the same host`() throws {
    let rule = Rule(number: 1, range: .all, action: .remind)
    var before = Snapshot(line: try line(), hosts: StoreURL.storeHosts.union(["dl.example.com"]))
    before.line.rules = [rule]
    var page = before
    page.line.redirects = [
      Redirect(number: 1, range: .all, destination: .url("https://apps.apple.com/other"))
    ]
    let samePlace = Impact(before: before, after: page, now: hour(0))
    #expect(said(samePlace) == ["below:2.0 4 remind>remind 0"])
    #expect(samePlace.lines[0].willBe?.url == "https://apps.apple.com/other")
    #expect(samePlace.changesPage && !samePlace.isStricter)
    var host = before
    host.line.redirects = [Redirect(number: 1, range: .all, destination: .url("https://dl.example.com/app"))]
    #expect(Impact(before: before, after: host, now: hour(0)).changesPage)
  }

  @Test func `versions that do not ask have a line of their own`() throws {
    let impact = try impact {
      $0.line.app.asksSince = try version("1.2")
      $0.line.rules = [Rule(number: 1, range: .all, action: .remind)]
    }
    #expect(said(impact) == ["below:1.2 2 none>remind 0 deaf", "from:1.2 below:2.0 2 none>remind 0"])
  }

  @Test func `an app that was not there told all clients none`() throws {
    var after = Snapshot(line: try line())
    after.line.app.policy = .standard
    #expect(said(Impact(before: nil, after: after, now: hour(0))) == ["below:2.0 4 none>force 0"])
    #expect(Impact([Impact(before: nil, after: after, now: hour(0)), try impact { _ in }]).lines.count == 1)
  }

  @Test func `moments of change are those still to come`() throws {
    var snapshot = Snapshot(line: try line())
    #expect(snapshot.momentsOfChange(after: hour(0)).isEmpty)
    snapshot.line.releases[4].visibleAt = hour(3)
    snapshot.line.put(try sampleRelease("3.0", .removed, id: 6, visibleAt: hour(4)))
    snapshot.line.rules = [Rule(number: 1, range: .all, action: .force, from: hour(0), until: hour(6))]
    snapshot.others = ["other": AppState(app: sampleApp("other"), releases: [snapshot.line.releases[4]])]
    snapshot.others["other"]?.releases[0].visibleAt = hour(8)
    #expect(snapshot.momentsOfChange(after: hour(0)) == [hour(3), hour(6), hour(8)])
    #expect(snapshot.momentsOfChange(after: hour(3)) == [hour(6), hour(8)])
  }
}
