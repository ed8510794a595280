import ReleaseModel
import TestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

@Suite struct RandomSequenceTests {
  /// A number from the environment, so that a long run needs no other code.
  private static func number(_ name: String, else standard: UInt64) -> UInt64 {
    guard let text = getenv(name) else { return standard }
    return UInt64(String(cString: text)) ?? standard
  }

  private struct Tally: Sendable {
    var changes = 0
    var refusals = 0
    var answers = 0
    var prompts = 0
    var broken: [String] = []
  }

  private static let length = 20

  private static func run(_ seeds: Range<UInt64>, from seed: UInt64) -> Tally {
    var tally = Tally()
    for index in seeds where tally.broken.isEmpty {
      // Seeds that differ little would start alike otherwise.
      var mixer = Seeded(seed &+ index)
      let own = mixer.next()
      var sequence = RandomSequence(seed: own)
      for step in 0..<length {
        guard let broken = sequence.step() else { continue }
        // Once more, this time writing down what it does.
        var again = RandomSequence(seed: own, keepsLog: true)
        for _ in 0...step { _ = again.step() }
        tally.broken.append(
          "sequence \(index) of seed \(seed): \(broken)\n" + again.log.joined(separator: "\n"))
        break
      }
      tally.changes += sequence.changes
      tally.refusals += sequence.refusals
      tally.answers += sequence.answers
      tally.prompts += sequence.prompts
    }
    return tally
  }

  @Test func `the laws hold after every step of random sequences`() async {
    let count = RandomSequenceTests.number("PAWL_SEQUENCES", else: 1_500)
    let seed = RandomSequenceTests.number("PAWL_SEED", else: 1)
    let share: UInt64 = 50
    let tally = await withTaskGroup(of: Tally.self) { group in
      for start in stride(from: 0, to: count, by: Int(share)) {
        group.addTask { RandomSequenceTests.run(start..<min(count, start + share), from: seed) }
      }
      var whole = Tally()
      for await part in group {
        whole.changes += part.changes
        whole.refusals += part.refusals
        whole.answers += part.answers
        whole.prompts += part.prompts
        whole.broken += part.broken
      }
      return whole
    }
    #expect(tally.broken.isEmpty, "\(tally.broken.sorted().first ?? "")")
    // Sequences that only fail, or never prompt anybody, would prove nothing.
    if count >= 100 {
      #expect(tally.changes > Int(count) * 3, "\(tally)")
      #expect(tally.refusals > Int(count), "\(tally)")
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
