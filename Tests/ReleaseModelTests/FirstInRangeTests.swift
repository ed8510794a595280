import TestSupport
import Testing

@testable import ReleaseModel

@Suite struct FirstInRangeTests {
  @Test func `it finds the range that looking at each in turn would find`() throws {
    var random = Seeded(7)
    let versions = try ["0", "0.1", "1", "1.0.0.1", "1.1", "1.2", "2", "2.0.1", "9", "10"].map {
      try Version($0)
    }
    let texts = ["0", "1", "1.1", "1.2", "2", "9"]
    func bound() -> String { texts[Int(random.next() % UInt64(texts.count))] }
    for _ in 0..<2_000 {
      let ranges = (0..<Int(random.next() % 8)).compactMap { _ -> VersionRange? in
        let shape = random.next() % 7
        let text =
          switch shape {
          case 0: bound()
          case 1: "below:\(bound())"
          case 2: "upto:\(bound())"
          case 3: "above:\(bound())"
          case 4: "from:\(bound())"
          case 5: "above:\(bound()) below:\(bound())"
          default: random.next() % 4 == 0 ? "all" : "\(bound())..\(bound())"
          }
        return try? VersionRange(text)
      }
      let finder = FirstInRange(ranges)
      for version in versions {
        #expect(
          finder.index(of: version) == ranges.firstIndex { $0.contains(version) },
          "\(version.text) in \(ranges.map(\.text))")
      }
    }
  }
}
