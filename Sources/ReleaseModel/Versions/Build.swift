/// A build number: one to four numbers, compared as numbers; a missing one counts as 0.
///
/// Teams number builds by the minute (202610022047), so a component may be longer than that of a version; Apple's limit is
/// 18 characters in all, and it strips zeros before a number (developer.apple.com, "CFBundleVersion"; ITMS-90060).
package struct Build: Sendable {
  private let components: [UInt64]

  /// The most characters.
  package static let maximumLength = 18

  private init(_ components: [UInt64]) { self.components = components }

  package static let first = Build([1])

  package var text: String { components.map { String($0) }.joined(separator: ".") }

  private var shortened: ArraySlice<UInt64> {
    components[...(components.lastIndex { $0 != 0 } ?? components.startIndex)]
  }

  /// Whether both are written alike; 5 and 5.0 are equal but not spelled alike.
  package func isSpelled(like other: Build) -> Bool { components == other.components }

  /// The least greater build that is written with as many components, or with fewer where there is no room; nil for none.
  package var next: Build? {
    for index in components.indices.reversed() {
      let (raised, isTooGreat) = components[index].addingReportingOverflow(1)
      let next = Build(Array(components[..<index]) + [raised])
      if !isTooGreat, next.text.utf8.count <= Build.maximumLength { return next }
    }
    return nil
  }
}

extension Build: Comparable, Hashable {
  package static func == (left: Build, right: Build) -> Bool { left.shortened == right.shortened }

  package static func < (left: Build, right: Build) -> Bool {
    left.shortened.lexicographicallyPrecedes(right.shortened)
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(shortened) }
}

extension TextFault {
  fileprivate static let tooLongForBuild = TextFault("it has more than \(Build.maximumLength) characters")
}

extension Build {
  /// - Throws: `TextFault`, the first fault from the left.
  package init(_ text: String) throws(TextFault) {
    var text = text
    let result: Result<Build, TextFault> = text.withUTF8 { bytes in
      Result { () throws(TextFault) in try Build(bytes: bytes) }
    }
    self = try result.get()
  }

  /// - Throws: `TextFault`, the first fault from the left.
  package init(bytes: UnsafeBufferPointer<UInt8>) throws(TextFault) {
    guard !bytes.isEmpty else { throw .empty }
    var components: [UInt64] = []
    for part in bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
      guard !part.isEmpty else { throw .emptyComponent }
      guard components.count < 4 else { throw .tooManyComponents(allowed: 4) }
      var value: UInt64 = 0
      for (index, byte) in part.enumerated() {
        guard 0x30...0x39 ~= byte else {
          throw .notANumber(String(decoding: part.dropFirst(index), as: UTF8.self).first ?? "?")
        }
        guard index == 0 || value > 0 else { throw .leadingZero }
        // The length of the whole is checked before a number could be too great.
        guard index < Build.maximumLength else { throw .tooLongForBuild }
        value = value * 10 + UInt64(byte - 0x30)
      }
      components.append(value)
    }
    guard bytes.count <= Build.maximumLength else { throw .tooLongForBuild }
    self.init(components)
  }
}

extension Build: TextValue {
  package init?(spelled bytes: UnsafeBufferPointer<UInt8>) {
    guard let build = try? Build(bytes: bytes) else { return nil }
    self = build
  }
}
