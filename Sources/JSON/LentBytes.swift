extension UnsafeRawBufferPointer {
  /// Whether both are the same bytes.
  package func isSame(as other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    var place = 0
    while count - place >= 8 {
      let word = loadUnaligned(fromByteOffset: place, as: UInt64.self)
      guard word == other.loadUnaligned(fromByteOffset: place, as: UInt64.self) else { return false }
      place += 8
    }
    while place < count {
      guard self[place] == other[place] else { return false }
      place += 1
    }
    return true
  }

  /// Whether they are the bytes of an array.
  package func isSame(as other: [UInt8]) -> Bool { other.withUnsafeBytes { isSame(as: $0) } }

  /// Whether they are the bytes of a literal.
  package func isSame(as word: StaticString) -> Bool {
    isSame(as: UnsafeRawBufferPointer(word))
  }

  package init(_ word: StaticString) { self.init(start: word.utf8Start, count: word.utf8CodeUnitCount) }
}
