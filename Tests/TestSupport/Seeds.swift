#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

package func environmentNumber(_ name: String, else standard: Int) -> Int {
  getenv(name).flatMap { Int(String(cString: $0)) } ?? standard
}

@dynamicMemberLookup
package struct Tally: Sendable {
  package var broken: [String] = []
  private var counts: [String: Int] = [:]

  package subscript(dynamicMember name: String) -> Int {
    get { counts[name, default: 0] }
    set { counts[name] = newValue }
  }

  package static func of(
    _ seeds: Range<Int>, inPartsOf share: Int = 1,
    _ work: @escaping @Sendable (Int, inout Tally) throws -> Void
  ) async throws -> Tally {
    try await withThrowingTaskGroup(of: Tally.self) { group in
      for start in stride(from: seeds.lowerBound, to: seeds.upperBound, by: share) {
        group.addTask {
          var part = Tally()
          for seed in start..<min(seeds.upperBound, start + share) { try work(seed, &part) }
          return part
        }
      }
      return try await group.reduce(into: Tally()) { whole, part in
        whole.broken += part.broken
        whole.counts.merge(part.counts, uniquingKeysWith: +)
      }
    }
  }
}
