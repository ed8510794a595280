import TestSupport
import Testing

@Suite struct RandomSequenceTests {
  private static func run(_ seed: Int, _ tally: inout Tally) {
    // Seeds that differ little would start alike otherwise.
    var mixer = Seeded(UInt64(seed))
    let own = mixer.next()
    var sequence = RandomSequence(seed: own)
    for step in 0..<20 {
      guard let broken = sequence.step() else { continue }
      // Once more, this time writing down what it does.
      var again = RandomSequence(seed: own, keepsLog: true)
      for _ in 0...step { _ = again.step() }
      tally.broken.append("PAWL_SEED=\(seed): \(broken)\n" + again.log.joined(separator: "\n"))
      break
    }
    tally.changes += sequence.changes
    tally.refusals += sequence.refusals
    tally.answers += sequence.answers
    tally.prompts += sequence.prompts
  }

  @Test func `the laws hold after every step of random sequences`() async throws {
    let (count, seed) = (
      environmentNumber("PAWL_SEQUENCES", else: 1_500), environmentNumber("PAWL_SEED", else: 1)
    )
    let tally = try await Tally.of(seed..<seed + count, inPartsOf: 50, RandomSequenceTests.run)
    #expect(tally.broken.isEmpty, "\(tally.broken.sorted().first ?? "")")
    // Sequences that only fail, or never prompt anybody, would prove nothing.
    if count >= 100 {
      #expect(tally.changes > count * 3, "\(tally)")
      #expect(tally.refusals > count, "\(tally)")
      #expect(tally.prompts > tally.answers / 100, "\(tally)")
    }
  }

  @Test func `a seed always gives the same sequence`() {
    var one = RandomSequence(seed: 42, keepsLog: true)
    var other = RandomSequence(seed: 42, keepsLog: true)
    for _ in 0..<50 {
      _ = one.step()
      _ = other.step()
    }
    #expect(one.log == other.log)
    #expect(one.line == other.line)
  }
}
