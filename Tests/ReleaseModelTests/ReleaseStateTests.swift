import ReleaseModel
import Testing

@Suite struct ReleaseStateTests {
  // The columns are the states in the order of the rows; x where `mark` may move a release from row to column.
  private static let table = """
    prepared    . x x x x x x . . .
    waiting     . . x x x x x . . .
    in-review   . . . x x x x . . .
    approved    . . . . x x x . . .
    live        . . . . . . . . x .
    rejected    x x x x x . x . . .
    withdrawn   x x x x x x . . . .
    superseded  . . . . . . . . x .
    removed     . . . . x . . . . .
    void        . . . . . . . . . .
    """

  @Test func `states move as the table says and in no other way`() throws {
    let rows = ReleaseStateTests.table.split(separator: "\n").map {
      $0.split(separator: " ").map(String.init)
    }
    let states = try rows.map { try #require(ReleaseState(rawValue: $0[0])) }
    #expect(Set(states) == Set(ReleaseState.allCases))
    #expect(states.count == 10)
    for (row, from) in zip(rows, states) {
      #expect(row.count == 11)
      for (cell, to) in zip(row.dropFirst(), states) {
        #expect(from.mayBecome(to) == (cell == "x"), "\(from.rawValue) to \(to.rawValue)")
      }
    }
  }

  @Test func `the released states are live, superseded and removed`() {
    #expect(ReleaseState.allCases.filter(\.isReleased) == [.live, .superseded, .removed])
  }
}
