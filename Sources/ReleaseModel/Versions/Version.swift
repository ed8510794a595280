/// The version of a release or of a system: one to four numbers, compared as numbers; a missing one counts as 0.
///
/// 1.10 is greater than 1.9, and 1.2 equals 1.2.0 and 1.02, as Apple compares `CFBundleShortVersionString`
/// (developer.apple.com, "CFBundleShortVersionString"; errors ITMS-90060 and ITMS-90062). How it was written is kept.
package struct Version: Sendable {
  // Four components of at most nine digits in two words: comparing is two integer comparisons.
  private let high: UInt64
  private let low: UInt64
  /// How many components were written, and in four bits for each how many zeros stood before its number.
  private let written: UInt32

  package static let zero = Version(.zero, count: 1)

  init(_ components: SIMD4<UInt64>, count: Int, zeros: UInt32 = 0) {
    high = components[0] << 32 | components[1]
    low = components[2] << 32 | components[3]
    written = zeros << 4 | UInt32(count)
  }

  /// How many components were written, 1 to 4.
  package var count: Int { Int(written & 0xF) }

  /// Whether a component was written with zeros before its number: 1.02.
  package var hasZeros: Bool { written > 0xF }

  /// Makes a version of one to four components; nil for any other count, or a number that is out of range.
  package init?(components: [Int64]) {
    guard (1...4).contains(components.count), components.allSatisfy({ (0...999_999_999).contains($0) }) else {
      return nil
    }
    var all: SIMD4<UInt64> = .zero
    for (index, component) in components.enumerated() { all[index] = UInt64(component) }
    self.init(all, count: components.count)
  }

  /// The component at an index; 0 if none was written.
  package func component(_ index: Int) -> Int64 {
    guard (0..<4).contains(index) else { return 0 }
    let pair = index < 2 ? high : low
    return Int64(index % 2 == 0 ? pair >> 32 : pair & 0xFFFF_FFFF)
  }

  package var text: String {
    var text = ""
    for index in 0..<count {
      if index > 0 { text += "." }
      for _ in 0..<(written >> (4 * index + 4) & 0xF) { text += "0" }
      text += String(component(index))
    }
    return text
  }

  /// Whether both are written alike; 1.2, 1.2.0 and 1.02 are equal but not spelled alike.
  package func isSpelled(like other: Version) -> Bool { self == other && written == other.written }

  /// The version as it is written without zeros that mean nothing.
  package var withoutZeros: Version {
    Version([high >> 32, high & 0xFFFF_FFFF, low >> 32, low & 0xFFFF_FFFF], count: count)
  }
}

extension Version: Comparable, Hashable {
  package static func == (left: Version, right: Version) -> Bool {
    left.high == right.high && left.low == right.low
  }

  package static func < (left: Version, right: Version) -> Bool {
    left.high != right.high ? left.high < right.high : left.low < right.low
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(high)
    hasher.combine(low)
  }
}

extension TextFault {
  /// A component has no digit: `1..2`, `.1`, `1.`.
  package static let emptyComponent = TextFault("a segment is empty")
  package static let leadingZero = TextFault("a segment has leading zeros")
  package static let tooLong = TextFault("a segment has more than nine digits")

  /// A character other than ASCII digits and dots: `v1.2`, `1.2b1`, a space, a full-width digit.
  package static func notANumber(_ character: Character) -> TextFault {
    TextFault("'\(character)' is not a digit")
  }

  /// More components than there is room for: the App Store takes three.
  package static func tooManyComponents(allowed: Int) -> TextFault {
    TextFault("more than \(allowed) segments")
  }
}

extension Version {
  /// The most digits a component may have, so that four fit in two machine words.
  package static let maximumDigits = 9

  /// - Throws: `TextFault`, the first fault from the left.
  package init(_ text: String, components allowed: Int = 4) throws(TextFault) {
    var text = text
    let result: Result<Version, TextFault> = text.withUTF8 { bytes in
      Result { () throws(TextFault) in try Version(bytes: bytes, components: allowed) }
    }
    self = try result.get()
  }

  /// - Throws: `TextFault`, the first fault from the left.
  package init(bytes: UnsafeBufferPointer<UInt8>, components allowed: Int = 4) throws(TextFault) {
    guard !bytes.isEmpty else { throw .empty }
    var parts: SIMD4<UInt64> = .zero
    var (count, zeros): (Int, UInt32) = (0, 0)
    var start = 0
    while start <= bytes.count {
      var (index, value, leading): (Int, UInt64, UInt32) = (start, 0, 0)
      while index < bytes.count, bytes[index] != UInt8(ascii: ".") {
        guard 0x30...0x39 ~= bytes[index] else {
          throw .notANumber(String(decoding: bytes[index...], as: UTF8.self).first ?? "?")
        }
        guard index - start < Version.maximumDigits else { throw .tooLong }
        value = value * 10 + UInt64(bytes[index] - 0x30)
        if value == 0 { leading += 1 }
        index += 1
      }
      guard index > start else { throw .emptyComponent }
      guard count < min(allowed, 4) else { throw .tooManyComponents(allowed: min(allowed, 4)) }
      parts[count] = value
      // The number 0 is a digit itself.
      zeros |= (value == 0 ? leading - 1 : leading) << UInt32(4 * count)
      count += 1
      start = index + 1
    }
    self.init(parts, count: count, zeros: zeros)
  }

  /// Reads the version of a system: one to three components.
  ///
  /// - Throws: `TextFault`; zeros before a number are refused, since no system says them.
  package init(system text: String) throws(TextFault) {
    try self.init(text, components: 3)
    if hasZeros { throw .leadingZero }
  }

  /// Whether a system can have the version.
  package var isOfSystem: Bool { count <= 3 && !hasZeros }
}

extension Version {
  /// How many of the four components are the same, up to the first that differs.
  package func commonComponents(with other: Version) -> Int {
    (0..<4).first { component($0) != other.component($0) } ?? 4
  }

  /// Whether it is so far above another version that one of the two looks mistyped: its first or second
  /// number is ten times as great, or it is ten or more major versions ahead.
  package func isJump(from other: Version) -> Bool {
    for index in 0...1 where component(index) != other.component(index) {
      let (before, after) = (other.component(index), component(index))
      if after < before { return false }
      return (after >= 10 && after >= before * 10) || (index == 0 && after - before >= 10)
    }
    return false
  }
}
