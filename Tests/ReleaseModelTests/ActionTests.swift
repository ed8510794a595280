import ReleaseModel
import Testing

@Suite struct ActionTests {
  @Test func `none is milder than remind, and remind than force`() {
    #expect(Action.none < .remind)
    #expect(Action.remind < .force)
    #expect(Action.none < .force)
    #expect([Action.force, .none, .remind].sorted() == [.none, .remind, .force])
    for action in Action.allCases { #expect(!(action < action)) }
  }

  @Test func `actions have the names of the contract`() {
    #expect(Action.allCases.map(\.rawValue) == ["none", "remind", "force"])
  }
}
