import SQLite

/// Takes the cells of a row one by one, in the order of a shape.
protocol CellSink {
  mutating func null()
  mutating func integer(_ value: Int64)
  mutating func text(_ bytes: UnsafeRawBufferPointer)
}

/// Boils a row down to one number.
///
/// `Hasher` is keyed anew in each process, so that nobody can make up another row of the same number beforehand.
struct CellDigest: CellSink {
  private var hasher = Hasher()

  mutating func null() { hasher.combine(0 as UInt8) }

  mutating func integer(_ value: Int64) {
    hasher.combine(1 as UInt8)
    hasher.combine(value)
  }

  mutating func text(_ bytes: UnsafeRawBufferPointer) {
    // The kind stands in the lowest byte, which is hashed first, and the length above it.
    hasher.combine(bytes.count << 8 | 2)
    hasher.combine(bytes: bytes)
  }

  /// What pawl never writes: it equals nothing that an event says.
  mutating func other() { hasher.combine(3 as UInt8) }

  /// The number of a row whose cells were all taken in.
  func finish() -> Int { hasher.finalize() }
}

/// Keeps the cells, to say which of them differs.
struct CellList: CellSink {
  private(set) var cells: [Value] = []

  mutating func null() { cells.append(.null) }
  mutating func integer(_ value: Int64) { cells.append(.integer(value)) }
  mutating func text(_ bytes: UnsafeRawBufferPointer) {
    cells.append(.text(String(decoding: bytes, as: UTF8.self)))
  }
}

extension CellSink {
  mutating func integer(_ value: Int64?) {
    if let value { integer(value) } else { null() }
  }

  mutating func text(_ text: String) {
    var text = text
    text.withUTF8 { self.text(UnsafeRawBufferPointer($0)) }
  }

  mutating func text(_ text: String?) {
    if let text { self.text(text) } else { null() }
  }

  mutating func text(_ text: StaticString) {
    self.text(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }
}

extension CellDigest {
  /// Takes in a column as it is stored.
  mutating func take(_ row: Row, _ column: Int) throws(SQLiteError) {
    switch try row.lend(column) {
    case .null: null()
    case .integer(let value): integer(value)
    case .text(let bytes): text(bytes)
    case .real, .blob: other()
    }
  }
}
