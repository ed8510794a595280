/// One parameter found among the words: its place in the command's table and what was written for it.
struct Occurrence: Sendable, Equatable {
  let parameter: Int
  let value: String?

  /// Table order, then order of occurrence, so that the order in which options are written means nothing.
  static func canonical(_ found: [Occurrence]) -> [Occurrence] {
    found.enumerated()
      .sorted { ($0.element.parameter, $0.offset) < ($1.element.parameter, $1.offset) }
      .map(\.element)
  }
}
