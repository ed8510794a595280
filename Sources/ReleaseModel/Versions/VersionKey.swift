/// A place on the version line: just below a version, or above all versions.
///
/// A range of versions is `lo` ≤ key < `hi`. As text a key has 36 digits, four components of nine, so that
/// bytes sort as versions do; the end of the line is `:`, which sorts after `9`.
package struct VersionKey: Sendable, Hashable, Comparable {
  /// The least version above the place; nil at the end of the line.
  package let version: Version?

  package init(_ version: Version?) { self.version = version }

  package static let least = VersionKey(.zero)
  package static let end = VersionKey(nil)

  /// Just above a version.
  package static func after(_ version: Version) -> VersionKey { VersionKey(version.after) }

  package static func < (left: VersionKey, right: VersionKey) -> Bool {
    guard let one = left.version else { return false }
    return right.version.map { one < $0 } ?? true
  }

  package var text: String {
    guard let version else { return ":" }
    var bytes = [UInt8](repeating: 0x30, count: 36)
    for index in 0..<4 {
      var rest = version.component(index)
      for digit in (index * 9..<index * 9 + 9).reversed() where rest > 0 {
        bytes[digit] = UInt8(0x30 + rest % 10)
        rest /= 10
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Reads a key; nil for anything else.
  package init?(_ text: String) {
    var text = text
    guard let key = text.withUTF8({ VersionKey(spelled: $0) }) else { return nil }
    self = key
  }
}

extension VersionKey: TextValue {
  package init?(spelled bytes: UnsafeBufferPointer<UInt8>) {
    if bytes.count == 1, bytes[0] == UInt8(ascii: ":") {
      self = .end
      return
    }
    guard bytes.count == 36, bytes.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
    var components: SIMD4<UInt64> = .zero
    for (index, byte) in bytes.enumerated() {
      components[index / 9] = components[index / 9] * 10 + UInt64(byte - 0x30)
    }
    self.init(Version(components, count: 4))
  }
}

extension VersionRange {
  package var start: VersionKey {
    lower.map { $0.isIncluded ? VersionKey($0.version) : .after($0.version) } ?? .least
  }

  package var end: VersionKey {
    upper.map { $0.isIncluded ? .after($0.version) : VersionKey($0.version) } ?? .end
  }

  /// The versions between two keys; nil if there are none.
  package init?(from lo: VersionKey, to hi: VersionKey) {
    guard lo < hi, let first = lo.version else { return nil }
    /// The end of a range just above a version is written with that version.
    func bound(_ version: Version, isLower: Bool) -> Bound {
      guard version.component(3) == 1 else { return Bound(version.shortened, isIncluded: isLower) }
      return Bound(version.truncated(to: 3).shortened, isIncluded: !isLower)
    }
    let last = hi.version
    if let last, VersionKey.after(first) == hi, last.component(3) == 1 || first.component(3) > 0 {
      self = .exactly(first.shortened)
    } else {
      self.init(
        from: lo == .least ? nil : bound(first, isLower: true), to: last.map { bound($0, isLower: false) })
    }
  }
}

extension Version {
  private static let greatestComponent: Int64 = 999_999_999

  private var parts: [Int64] { (0..<4).map(component) }

  /// The version with every component after the first `count` set to 0.
  package func truncated(to count: Int) -> Version {
    Version(components: parts.enumerated().map { $0 < count ? $1 : 0 }) ?? self
  }

  /// The version with as many components as it needs, and at least as many as asked for.
  package func spelled(components count: Int) -> Version {
    let needed = (parts.lastIndex { $0 != 0 } ?? 0) + 1
    return Version(components: Array(parts.prefix(max(count, needed)))) ?? self
  }

  /// The version with as many components as it needs, and at least two, as people write it.
  package var shortened: Version { spelled(components: 2) }

  /// The least version that is greater than this one in the given component, or nil.
  package func successor(at component: Int) -> Version? {
    guard self.component(component) < Version.greatestComponent else { return nil }
    return Version(
      components: (0...max(2, component)).map { index in
        index < component ? self.component(index) : index == component ? self.component(index) + 1 : 0
      })
  }

  package var nextPatch: Version? { successor(at: 2) }

  /// The least version above this one; nil for the greatest.
  package var after: Version? {
    guard let index = parts.lastIndex(where: { $0 < Version.greatestComponent }) else { return nil }
    return Version(
      components: parts.enumerated().map { $0 < index ? $1 : $0 == index ? $1 + 1 : 0 })
  }
}
