extension ReleaseLine {
  /// Whether a range holds a version that is recorded.
  package func holdsKnown(_ range: VersionRange) -> Bool {
    releases.contains { $0.state != .void && range.contains($0.version) }
  }

  /// The recorded version that was most likely meant by one that is not recorded.
  package func nearest(to version: Version) -> Version? { nearest(to: .exactly(version)) }

  /// The recorded version that was most likely meant by a range that holds none; nil where it holds one, and where
  /// nothing is recorded.
  ///
  /// For one version, another of the same digits comes first, for a point is easily lost. Else it is, of those just
  /// below and just above the range, the one that differs least from its end there, the leading component counting
  /// most; at the same distance the greater.
  package func nearest(to range: VersionRange) -> Version? {
    ReleaseLine.nearest(to: range, among: recordedVersions)
  }

  /// The recorded version below another that was most likely meant by one version that is not recorded; nil for a range
  /// of several.
  func nearest(to range: VersionRange, below limit: Version) -> Version? {
    guard range.exactVersion != nil, !holdsKnown(range) else { return nil }
    return ReleaseLine.nearest(to: range, among: recordedVersions.filter { $0 < limit })
  }

  /// Every version that counts, past ones too, ascending.
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
