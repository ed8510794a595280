/// A range of client versions: all versions, one version, or the versions between two bounds.
package struct VersionRange: Sendable, Hashable {
  /// One end of a range.
  package struct Bound: Sendable, Hashable {
    package let version: Version
    package let isIncluded: Bool

    package init(_ version: Version, isIncluded: Bool) {
      self.version = version
      self.isIncluded = isIncluded
    }
  }

  package private(set) var lower: Bound?
  package private(set) var upper: Bound?

  package static let all = VersionRange(lower: nil, upper: nil)

  /// One version only.
  package static func exactly(_ version: Version) -> VersionRange {
    let bound = Bound(version, isIncluded: true)
    return VersionRange(lower: bound, upper: bound)
  }

  private init(lower: Bound?, upper: Bound?) {
    self.lower = lower
    self.upper = upper
  }

  /// The versions between two ends; nil if there can be none.
  package init?(from lower: Bound?, to upper: Bound?) {
    self.init(lower: lower, upper: upper)
    if isEmpty { return nil }
  }

  /// The only version of a range that is written for exactly one.
  package var exactVersion: Version? {
    guard let lower, let upper, lower.isIncluded, upper.isIncluded, lower.version == upper.version else {
      return nil
    }
    return lower.version
  }

  /// Whether a version is in the range.
  package func contains(_ version: Version) -> Bool {
    if let lower, version < lower.version || (version == lower.version && !lower.isIncluded) { return false }
    if let upper, upper.version < version || (version == upper.version && !upper.isIncluded) { return false }
    return true
  }

  /// Whether some version is in both ranges.
  package func overlaps(_ other: VersionRange) -> Bool { intersection(other) != nil }

  /// The versions of this range that are also in another; nil if there are none.
  package func intersection(_ other: VersionRange) -> VersionRange? {
    VersionRange(from: other.start < start ? lower : other.lower, to: end < other.end ? upper : other.upper)
  }

  /// Whether every version of another range is in this one.
  package func covers(_ other: VersionRange) -> Bool { start <= other.start && other.end <= end }

  /// Every version from one on.
  package static func from(_ version: Version) -> VersionRange? {
    VersionRange(from: Bound(version, isIncluded: true), to: nil)
  }

  private var isEmpty: Bool { end <= start }
}

extension [Version] {
  /// The positions of the versions between two keys, among ascending versions.
  package func positions(from lo: VersionKey, to hi: VersionKey) -> Range<Int> {
    let first = firstPosition { lo <= VersionKey($0) }
    return first..<Swift.max(first, firstPosition { hi <= VersionKey($0) })
  }
}

extension Sequence<VersionRange> {
  /// The same versions in as few ranges as there can be, ascending.
  package func joined() -> [VersionRange] {
    sorted { $0.start < $1.start }.reduce(into: []) { joined, range in
      if let last = joined.last, range.start <= last.end,
        let both = VersionRange(from: last.start, to: Swift.max(last.end, range.end))
      {
        joined[joined.count - 1] = both
      } else {
        joined.append(range)
      }
    }
  }
}

extension TextFault {
  package static let nothingInside = TextFault("it contains no versions")

  /// A bound that is not a version.
  package static func version(_ text: String, _ fault: TextFault) -> TextFault {
    TextFault("'\(text.prefix(40))' is not a version: \(fault.reason)")
  }
}

extension VersionRange {
  /// Reads `7.2.1`, `all`, `<7.3`, `below:7.3`, `<=7.2`, `upto:7.2`, `>6`, `above:6`, `>=6`, `from:6`,
  /// `6.0..7.2`, or several of these separated by spaces, all of which must hold.
  ///
  /// - Throws: `TextFault` for a term in another form, and for terms that exclude each other.
  package init(_ text: String) throws(TextFault) {
    var range: VersionRange?
    for term in text.split(whereSeparator: { $0 == " " || $0 == "\t" }) {
      let next = try VersionRange.term(String(term))
      guard let both = next.intersection(range ?? next) else { throw .nothingInside }
      range = both
    }
    guard let range else { throw .empty }
    self = range
  }

  private static let prefixes: [(String, isLower: Bool, isIncluded: Bool)] = [
    ("<=", false, true), ("upto:", false, true), ("<", false, false), ("below:", false, false),
    (">=", true, true), ("from:", true, true), (">", true, false), ("above:", true, false),
  ]

  private static func term(_ term: String) throws(TextFault) -> VersionRange {
    if term == "all" { return .all }
    // Most ranges are a single version, which begins with a digit; no prefix does.
    let isWord = term.utf8.first.map { !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? false
    for (prefix, isLower, isIncluded) in isWord ? prefixes : [] where term.hasPrefix(prefix) {
      let bound = Bound(try version(term.dropFirst(prefix.count)), isIncluded: isIncluded)
      return isLower ? VersionRange(lower: bound, upper: nil) : VersionRange(lower: nil, upper: bound)
    }
    if let last = term.rest(after: "..") {
      return VersionRange(
        lower: Bound(try version(term.dropLast(last.count + 2)), isIncluded: true),
        upper: Bound(try version(last), isIncluded: true))
    }
    return exactly(try version(term[...]))
  }

  private static func version(_ text: Substring) throws(TextFault) -> Version {
    do {
      return try Version(String(text))
    } catch {
      throw .version(String(text), error)
    }
  }

  /// The range in words; reading it back gives the same range.
  package var text: String { text(\.text) }

  /// The same, with each version as it is spelled.
  package func text(_ spelled: (Version) -> String) -> String {
    if let exactVersion { return spelled(exactVersion) }
    let first = lower.map { ($0.isIncluded ? "from:" : "above:") + spelled($0.version) }
    let last = upper.map { ($0.isIncluded ? "upto:" : "below:") + spelled($0.version) }
    if let lower, let upper, lower.isIncluded, upper.isIncluded {
      return "\(spelled(lower.version))..\(spelled(upper.version))"
    }
    let ends = [first, last].compactMap(\.self)
    return ends.isEmpty ? "all" : ends.joined(separator: " ")
  }
}

extension AppState {
  /// Whether a range contains a recorded version.
  package func holdsKnown(_ range: VersionRange) -> Bool {
    !recordedVersions.positions(from: range.start, to: range.end).isEmpty
  }

  /// The recorded version that an unrecorded one most likely meant.
  package func nearest(to version: Version) -> Version? { nearest(to: .exactly(version)) }

  /// The recorded version that a range without any most likely meant; nil if the range contains one, or
  /// nothing is recorded.
  ///
  /// For a single version, a recorded one with the same digits comes first, since a dot is easily lost.
  /// Otherwise it is the recorded version just below or just above the range, whichever differs less from
  /// that end of the range, leading components counting most; at equal distance, the greater one.
  package func nearest(to range: VersionRange) -> Version? {
    let versions = recordedVersions
    let held = versions.positions(from: range.start, to: range.end)
    guard held.isEmpty else { return nil }
    func digits(_ version: Version) -> [UInt8] { version.text.utf8.filter { $0 != UInt8(ascii: ".") } }
    if let typed = range.exactVersion.map(digits), let same = versions.last(where: { digits($0) == typed }) {
      return same
    }
    func distance(_ version: Version, _ bound: VersionRange.Bound?) -> [Int64] {
      (0..<4).map { abs(version.component($0) - (bound?.version.component($0) ?? 0)) }
    }
    let below = held.lowerBound > 0 ? versions[held.lowerBound - 1] : nil
    let above = held.upperBound < versions.count ? versions[held.upperBound] : nil
    guard let below, let above else { return below ?? above }
    let isBelow = distance(below, range.lower).lexicographicallyPrecedes(distance(above, range.upper))
    return isBelow ? below : above
  }
}
