import ReleaseModel

/// A way in which shipped clients compare versions, correct only for some of them.
struct Comparator: Sendable {
  /// What the clients do, as in "clients that …".
  let clients: String
  /// Whether they take a version to be older than the one that their document names.
  let isBelow: @Sendable (_ version: Version, _ named: Version) -> Bool

  static let ofLookup = [
    Comparator(clients: "strip the points (1.10.0 is 1100, above 2.0.0)") { number($0) < number($1) },
    Comparator(clients: "strip the points and fill up to three digits (1.10.0 is above 2.0.0)") {
      filledNumber($0) < filledNumber($1)
    },
    Comparator(clients: "count each segment for a thousand of the next (2026.1120 is above 2027.1)") {
      thousands($0) < thousands($1)
    },
    Comparator(clients: "compare decimal numbers (1.10 is below 1.9)") { decimal($0) < decimal($1) },
    Comparator(clients: "look for any greater segment (1.5 is below 2.1, and 2.1 below 1.5)") {
      version, named in
      named.count > version.count
        || (0..<named.count).contains { version.component($0) < named.component($0) }
    },
  ]

  /// Clients of a server that names the required version.
  static let asHundreds = Comparator(
    clients: "make one number of a version (major × 1000 + minor × 100 + patch: 1.11.0 is above 2.0.0)"
  ) { hundreds($0) < hundreds($1) }

  /// Whether they take a version to be older or newer than it is.
  func misreads(_ version: Version, _ named: Version) -> Bool {
    isBelow(version, named) != (version < named)
  }

  /// The digits as one number (`integerValue` stops at the greatest possible value).
  private static func number(_ version: Version) -> Int64 { Int64(digits(version)) ?? .max }

  private static func filledNumber(_ version: Version) -> Float {
    let digits = digits(version)
    return Float(digits + String(repeating: "0", count: max(0, 3 - digits.count))) ?? 0
  }

  private static func digits(_ version: Version) -> String { version.text.filter { $0 != "." } }

  /// Four components fail an assertion in a debug build, and count as 0 in any other.
  private static func thousands(_ version: Version) -> Int64 {
    if version.count > 3 { return 0 }
    return version.component(0) * 1_000_000 + version.component(1) * 1_000 + version.component(2)
  }

  /// In 32 bits, without the fourth component.
  private static func hundreds(_ version: Version) -> Int32 {
    let parts = (0..<3).map { Int32(truncatingIfNeeded: version.component($0)) }
    return parts[0] &* 1_000 &+ parts[1] &* 100 &+ parts[2]
  }

  /// The version read as a decimal number: 1.10.3 becomes 1.1.
  private static func decimal(_ version: Version) -> Float {
    Float(version.text.split(separator: ".").prefix(2).joined(separator: ".")) ?? 0
  }
}

extension AppAnswers {
  /// The next patch, minor and major version, which someone may submit and a reviewer run before the ledger
  /// knows them.
  private var toCome: [Version] {
    guard let newest = snapshot.line.newest?.version else { return [] }
    return (0..<app.channel.versionComponents).compactMap {
      newest.successor(at: $0)?.spelled(components: usualComponents ?? 3)
    }
  }

  /// The finding about versions, known or to come, that shipped clients take to be older or newer than they
  /// are.
  ///
  /// - Parameter named: Returns the versions that a version's documents name.
  func misread(by comparator: Comparator, format: String, _ named: (Version) -> [Version]) -> [ExportFinding]
  {
    func misread(_ versions: [Version]) -> [Version] {
      versions.filter { version in named(version).contains { comparator.misreads(version, $0) } }
    }
    let recorded = misread(known.map(\.version))
    let next = misread(toCome.filter { snapshot.line.counted($0) == nil })
    var words: [String] = []
    if !recorded.isEmpty { words.append("misread \(ExportFinding.named(recorded))") }
    if !next.isEmpty {
      words.append("would prompt the reviewer of \(ExportFinding.named(next.sorted())), if it came next")
    }
    return finding(
      "export.misread", format, versions: Set(recorded + next).sorted(),
      "clients that \(comparator.clients) \(words.joined(separator: " and "))")
  }
}
