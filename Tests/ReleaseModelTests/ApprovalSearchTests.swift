import TestSupport
import Testing

/// A search for a way around agreement: random lives, in which nothing may grow harsher that nobody agreed to.
///
/// PAWL_SEQUENCES says how many sequences; some hundred where nobody does.
@Suite struct ApprovalSearchTests {
  @Test func `nothing grows harsher without agreement or proof`() throws {
    let sequences = min(environmentNumber("PAWL_SEQUENCES", else: 150), 100_000)
    var (recorded, refused): (Set<String>, Set<String>) = ([], [])
    for seed in 0..<sequences {
      var life = try RandomApprovals(seed: UInt64(seed))
      for _ in 0..<12 {
        if let fault = life.step() {
          Issue.record("seed \(seed): \(fault)\n\(life.log.joined(separator: "\n"))")
          return
        }
      }
      recorded.formUnion(life.recorded)
      refused.formUnion(life.refused)
    }
    // Both ways of ending are met, by each kind of change that may end so; by the rare ones where there are many sequences.
    let either: Set = [
      "app.set", "expires", "redirect.set", "release.amend", "release.mark", "release.publish", "rule.force",
      "rule.lift", "rule.remind",
    ]
    #expect(recorded.isSuperset(of: either.union(["app.retire", "app.stop", "phase", "rule.none"])))
    #expect(refused.isSuperset(of: either.union(["app.restore"])))
    guard sequences >= 2_000 else { return }
    #expect(recorded.isSuperset(of: ["redirect.clear", "release.unmark", "release.void", "setting.set"]))
    #expect(
      refused.isSuperset(of: ["app.resume", "phase", "redirect.clear", "setting.clear", "setting.set"]))
  }
}
