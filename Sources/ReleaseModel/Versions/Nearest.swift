extension AppState {
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
    let versions = releases.filter { $0.state != .void }.map(\.version).sorted()
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
