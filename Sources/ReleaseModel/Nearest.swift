extension ReleaseLine {
  /// The recorded version that was most likely meant by one that is not recorded.
  ///
  /// One of the same digits comes first, for a point is easily lost; then the one that differs least, the leading
  /// component counting most; of two at the same distance the greater.
  package func nearest(to version: Version) -> Version? {
    let counting = releases.reversed().filter { $0.state != .void }.map(\.version)
    func digits(_ version: Version) -> [UInt8] { version.text.utf8.filter { $0 != UInt8(ascii: ".") } }
    func distance(_ other: Version) -> [Int64] {
      (0..<4).map { abs(version.component($0) - other.component($0)) }
    }
    let typed = digits(version)
    return counting.first { digits($0) == typed }
      ?? counting.min { distance($0).lexicographicallyPrecedes(distance($1)) }
  }
}
