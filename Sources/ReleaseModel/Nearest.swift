extension ReleaseLine {
  /// Whether a range contains a recorded version.
  package func holdsKnown(_ range: VersionRange) -> Bool {
    releases.contains { $0.state != .void && range.contains($0.version) }
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
    ReleaseLine.nearest(to: range, among: recordedVersions)
  }

  /// The recorded version below a limit that a single unrecorded version most likely meant; nil for a range
  /// of several versions.
  func nearest(to range: VersionRange, below limit: Version) -> Version? {
    guard range.exactVersion != nil, !holdsKnown(range) else { return nil }
    return ReleaseLine.nearest(to: range, among: recordedVersions.filter { $0 < limit })
  }

  /// All versions that count, including past ones, ascending.
  private var recordedVersions: [Version] { releases.filter { $0.state != .void }.map(\.version).sorted() }

  private static func nearest(to range: VersionRange, among versions: [Version]) -> Version? {
    let held = range.positions(in: versions)
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
