/// A version or build number: one to four numbers, compared as numbers; a missing one counts as 0.
///
/// 1.10 is greater than 1.9, and 1.2 equals 1.2.0, as Apple compares `CFBundleShortVersionString`
/// (developer.apple.com, "CFBundleShortVersionString"; errors ITMS-90060 and ITMS-90062).
package struct Version: Sendable {
  // Four components of at most nine digits in two words: comparing is two integer comparisons.
  private let high: UInt64
  private let low: UInt64
  /// How many components were written, 1 to 4.
  package let count: Int

  package static let zero = Version((0, 0, 0, 0), count: 1)

  init(_ components: (UInt64, UInt64, UInt64, UInt64), count: Int) {
    high = components.0 << 32 | components.1
    low = components.2 << 32 | components.3
    self.count = count
  }

  /// Makes a version of one to four components; nil for any other count, or a number that is out of range.
  package init?(components: [Int64]) {
    guard (1...4).contains(components.count), components.allSatisfy({ (0...999_999_999).contains($0) }) else {
      return nil
    }
    let all = components.map(UInt64.init) + [0, 0, 0]
    self.init((all[0], all[1], all[2], all[3]), count: components.count)
  }

  /// The component at an index; 0 if none was written.
  package func component(_ index: Int) -> Int64 {
    guard (0..<4).contains(index) else { return 0 }
    let pair = index < 2 ? high : low
    return Int64(index % 2 == 0 ? pair >> 32 : pair & 0xFFFF_FFFF)
  }

  package var text: String {
    var text = String(component(0))
    for index in 1..<max(1, count) { text += ".\(component(index))" }
    return text
  }

  /// Whether both are written alike; 1.2 and 1.2.0 are equal but not spelled alike.
  package func isSpelled(like other: Version) -> Bool { self == other && count == other.count }
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
  package static let emptyComponent = TextFault("a component is empty")
  package static let leadingZero = TextFault("a component has leading zeros")
  package static let tooLong = TextFault("a component has more than nine digits")

  /// A character other than ASCII digits and dots: `v1.2`, `1.2b1`, a space, a full-width digit.
  package static func notANumber(_ character: Character) -> TextFault {
    TextFault("'\(character)' is not a digit")
  }

  /// More components than there is room for: the App Store takes three.
  package static func tooManyComponents(allowed: Int) -> TextFault {
    TextFault("more than \(allowed) components")
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
    var parts: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    var count = 0
    var value: UInt64 = 0
    var digits = 0
    var index = 0
    while true {
      let atEnd = index == bytes.count
      let byte = atEnd ? UInt8(ascii: ".") : bytes[index]
      index += 1
      if byte == UInt8(ascii: ".") {
        guard digits > 0 else { throw .emptyComponent }
        guard count < min(allowed, 4) else { throw .tooManyComponents(allowed: min(allowed, 4)) }
        switch count {
        case 0: parts.0 = value
        case 1: parts.1 = value
        case 2: parts.2 = value
        default: parts.3 = value
        }
        count += 1
        if atEnd { break }
        value = 0
        digits = 0
      } else {
        guard byte >= 0x30, byte <= 0x39 else {
          let rest = String(decoding: bytes[(index - 1)...], as: UTF8.self)
          throw .notANumber(rest.first ?? "?")
        }
        // A zero may stand alone, but never before another digit.
        guard !(digits > 0 && value == 0) else { throw .leadingZero }
        guard digits < Version.maximumDigits else { throw .tooLong }
        value = value * 10 + UInt64(byte - 0x30)
        digits += 1
      }
    }
    self.init(parts, count: count)
  }
}

extension Version {
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
