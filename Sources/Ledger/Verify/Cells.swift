import JSON
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
  /// How many cells came last that are NULL: half of a row is, so that they are hashed with what comes next.
  private var nulls = 0

  mutating func null() { nulls += 1 }

  mutating func integer(_ value: Int64) {
    begin(kind: 1)
    hasher.combine(value)
  }

  mutating func text(_ bytes: UnsafeRawBufferPointer) {
    begin(kind: 2, count: bytes.count)
    hasher.combine(bytes: bytes)
  }

  /// What pawl never writes: it equals nothing that an event says.
  mutating func other() { begin(kind: 3) }

  /// A row has far fewer than 65,536 columns, and no value has 2^40 bytes (sqlite.org/limits.html).
  private mutating func begin(kind: Int, count: Int = 0) {
    hasher.combine(count << 24 | nulls << 8 | kind)
    nulls = 0
  }

  /// The number of a row whose cells were all taken in.
  func finish() -> Int {
    var digest = self
    digest.begin(kind: 0)
    return digest.hasher.finalize()
  }
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
    self.text(UnsafeRawBufferPointer(text))
  }
}

extension CellDigest {
  /// Takes in columns as they are stored.
  mutating func take(_ cells: ArraySlice<LentValue>) {
    for cell in cells {
      switch cell {
      case .null: null()
      case .integer(let value): integer(value)
      case .text(let bytes): text(bytes)
      case .real, .blob: other()
      }
    }
  }
}
