import ReleaseModel
import Testing

@Suite struct EvidenceTests {
  private func release(_ state: ReleaseState) throws -> Release {
    var release = try sampleRelease("7.4", state, id: 1, liveAt: hour(0))
    release.since = hour(0)
    return release
  }

  private static let way: [ReleaseState] = [.prepared, .waiting, .inReview, .approved, .live]

  @Test func `a release moves to any later state on its way, however old the letter`() throws {
    for (index, from) in EvidenceTests.way.enumerated() {
      for to in EvidenceTests.way[(index + 1)...] {
        for moment in [hour(-5), hour(5)] {
          #expect(try release(from).move(to: to, saidAt: moment) == .moves, "\(from) to \(to)")
        }
      }
    }
  }

  @Test func `a state that is reached or passed is overtaken`() throws {
    for (index, from) in (EvidenceTests.way + [.superseded]).enumerated() {
      for to in EvidenceTests.way.prefix(index + 1) {
        #expect(try release(from).move(to: to, saidAt: hour(5)) == .overtaken, "\(from) to \(to)")
      }
    }
    #expect(try release(.rejected).move(to: .rejected, saidAt: hour(5)) == .overtaken)
  }

  @Test func `a letter older than the state that it would undo does not move the release`() throws {
    for state in [ReleaseState.waiting, .inReview, .approved] {
      for to in [ReleaseState.rejected, .withdrawn] {
        #expect(try release(state).move(to: to, saidAt: hour(-1)) == .older)
        #expect(try release(state).move(to: to, saidAt: hour(0)) == .moves)
      }
    }
    #expect(try release(.prepared).move(to: .rejected, saidAt: hour(-1)) == .moves, "nothing was said before")
    for to in EvidenceTests.way {
      #expect(try release(.rejected).move(to: to, saidAt: hour(-1)) == .older)
      #expect(try release(.withdrawn).move(to: to, saidAt: hour(1)) == .moves)
    }
    #expect(
      try release(.removed).move(to: .live, saidAt: hour(-1)) == .older, "the letter of the first going live")
    #expect(try release(.removed).move(to: .live, saidAt: hour(1)) == .moves)
  }

  @Test func `a release that went live is not rejected by an older letter`() throws {
    for state in [ReleaseState.live, .superseded, .removed] {
      #expect(try release(state).move(to: .rejected, saidAt: hour(-1)) == .overtaken)
    }
    #expect(try release(.live).move(to: .removed, saidAt: hour(-1)) == .moves, "a removal is told late")
  }

  @Test func `a hold lasts at least until clients may be told`() throws {
    let app = sampleApp()
    let line = AppState(app: app, releases: [try sampleRelease("7.4", .approved, id: 1)])
    func visibleAt(saidAt: Timestamp, now: Timestamp) throws -> Timestamp? {
      let change = try line.mark(
        try version("7.4"), .live, at: saidAt, isVisibleNow: false, notBefore: now + TimeSpan(seconds: 3_600),
        now: now)
      return change?.release?.visibleAt
    }
    #expect(try visibleAt(saidAt: hour(0), now: hour(1)) == hour(24), "the hold counts from the letter")
    #expect(
      try visibleAt(saidAt: hour(0), now: hour(30)) == hour(31), "a late letter leaves an hour to object")
  }
}
