import ReleaseModel
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A search for a way around agreement: random lives, in which nothing may grow harsher that nobody agreed to.
///
/// PAWL_SEQUENCES says how many sequences; some hundred where nobody does.
@Suite struct ApprovalSearchTests {
  @Test func `nothing grows harsher without agreement or proof`() throws {
    let sequences =
      getenv("PAWL_SEQUENCES").flatMap { Int(String(cString: $0)) }.map { min($0, 100_000) } ?? 600
    var (recorded, refused) = (0, 0)
    for seed in 0..<sequences {
      var life = try RandomApprovals(seed: UInt64(seed))
      for _ in 0..<12 {
        if let fault = life.step() {
          Issue.record("seed \(seed): \(fault)\n\(life.log.joined(separator: "\n"))")
          return
        }
      }
      recorded += life.recorded
      refused += life.refused
    }
    // Both ways of ending are met.
    #expect(recorded > sequences && refused > sequences)
  }
}
