import Crypto
import JSON
import ReleaseModel
import SQLite

/// Goes through the events in their order, each once: chain, sequence, time, and the replay.
struct EventWalk {
  /// The last event that was seen.
  private(set) var seq: Int64 = 0
  /// Where the next slice goes on.
  private(set) var cursor = Int64.min
  /// How many were seen.
  private(set) var count: Int64 = 0
  /// The hash that the last event bears.
  private(set) var hash: [UInt8] = Array(EventRecord.genesis.utf8)
  /// When it was recorded.
  private(set) var at: [UInt8] = []
  /// The tables as the events leave them.
  var tables: ExpectedTables
  /// The tree over the hashes of the events; nil where nobody asked for roots.
  private(set) var tree: MerkleTree?
  /// The roots of the trees of the sizes that were asked for.
  private(set) var roots: [UInt64: [UInt8]] = [:]
  private let sizes: Set<UInt64>
  private var requests: Set<Int> = []
  /// The bytes of one event as they are hashed.
  private var buffer: [UInt8] = []
  /// The columns of the event that is looked at, lent.
  private var cells = [LentValue](repeating: .null, count: EventWalk.columnCount)
  /// The hash that an event should bear.
  private var digits = [UInt8](repeating: 0, count: 64)

  /// - Parameters:
  ///   - sizes: The sizes at which the tree's root is wanted.
  ///   - hasTree: Whether the root of all events is wanted.
  init(sizes: Set<UInt64>, hasTree: Bool, lookUp: @escaping (Int64) throws -> EventTexts?) {
    self.sizes = sizes
    tables = ExpectedTables(lookUp: lookUp)
    if hasTree || !sizes.isEmpty { tree = MerkleTree() }
    if let tree, sizes.contains(0) { roots[0] = tree.root }
    buffer.reserveCapacity(4_096)
  }

  /// How many columns an event has, its hash being the last.
  private static let columnCount = 17

  /// What comes after the events that were seen, in order.
  static let sql = "SELECT \(Ledger.eventColumns) FROM event WHERE seq > ? ORDER BY seq"

  /// Takes in the next event.
  ///
  /// - Parameter report: Is told of each fault.
  mutating func take(_ row: Row, report: (Fault) throws -> Void) throws {
    try row.lend(into: &cells)
    let number = try row.integer(0)
    cursor = number
    try checkSequence(number, report)
    let isWhole = fill()
    if !isWhole {
      try report(
        Fault(
          "event.unreadable", seq: number, "event \(number): a column is of a type that pawl never writes"))
    }
    try checkTime(number, report)
    try checkHash(number, report)
    seq = number
    count += 1
    if tree != nil { addLeaf() }
    try replay(number, report)
    if case .text(let request) = cells[13] { try checkRequest(request, number, report) }
  }

  /// Writes the event's fields as they are hashed (docs/schema.md).
  private mutating func fill() -> Bool {
    buffer.removeAll(keepingCapacity: true)
    EventWalk.add("pawl event" as StaticString, to: &buffer)
    hash.withUnsafeBytes { EventWalk.add($0, to: &buffer) }
    for cell in cells.prefix(EventWalk.columnCount - 1) {
      switch cell {
      case .null: buffer.append(0)
      case .text(let bytes): EventWalk.add(bytes, to: &buffer)
      case .integer(let value): EventWalk.add(value, to: &buffer)
      case .real, .blob: return false
      }
    }
    return true
  }

  private static func add(_ text: StaticString, to buffer: inout [UInt8]) {
    add(UnsafeRawBufferPointer(text), to: &buffer)
  }

  /// Adds a number as its decimal digits.
  private static func add(_ value: Int64, to buffer: inout [UInt8]) {
    // As many as the least number has, and its sign.
    withUnsafeTemporaryAllocation(byteCount: 20, alignment: 1) { digits in
      var place = digits.count
      var rest = value.magnitude
      repeat {
        place -= 1
        digits[place] = UInt8(truncatingIfNeeded: 0x30 + rest % 10)
        rest /= 10
      } while rest > 0
      if value < 0 {
        place -= 1
        digits[place] = UInt8(ascii: "-")
      }
      add(UnsafeRawBufferPointer(rebasing: digits[place...]), to: &buffer)
    }
  }

  private static func add(_ bytes: UnsafeRawBufferPointer, to buffer: inout [UInt8]) {
    buffer.append(1)
    withUnsafeBytes(of: UInt64(bytes.count).bigEndian) { buffer.append(contentsOf: $0) }
    buffer.append(contentsOf: bytes)
  }

  /// Numbers may be anything in a file that somebody else wrote, so none is counted up with a trap.
  private func checkSequence(_ number: Int64, _ report: (Fault) throws -> Void) throws {
    let expected = seq &+ 1
    guard number != expected else { return }
    let what =
      if number < expected {
        "an event has the number \(number); they count up from 1"
      } else if number == expected &+ 1 {
        "event \(expected) is missing"
      } else {
        "events \(expected) to \(number &- 1) are missing"
      }
    try report(Fault("sequence.gap", seq: number, what))
  }

  private mutating func checkTime(_ number: Int64, _ report: (Fault) throws -> Void) throws {
    guard case .text(let moment) = cells[1] else { return }
    if moment.isSame(as: at) { return }
    let text = String(decoding: moment, as: UTF8.self)
    guard moment.count == 20, let parsed = try? Timestamp(text), parsed.text == text else {
      try report(Fault("event.unreadable", seq: number, "event \(number): '\(text.prefix(40))' is no moment"))
      return
    }
    if moment.lexicographicallyPrecedes(at) {
      try report(
        Fault(
          "time.backwards", seq: number,
          "event \(number) is of \(text), before the event before it, \(String(decoding: at, as: UTF8.self))")
      )
    }
    at = Array(moment)
  }

  /// Holds the hash against the fields; what follows is held against the hash that is there, so that one altered
  /// event is one fault.
  private mutating func checkHash(_ number: Int64, _ report: (Fault) throws -> Void) throws {
    guard case .text(let found) = cells[16] else {
      try report(Fault("chain.broken", seq: number, "event \(number) has no hash"))
      return
    }
    hexadecimalDigits(SHA256.digest(of: buffer), into: &digits)
    if !found.isSame(as: digits) {
      try report(
        Fault(
          "chain.broken", seq: number,
          "event \(number) is not what was recorded: its hash is \(String(decoding: found.prefix(64), as: UTF8.self)), "
            + "its fields give \(String(decoding: digits, as: UTF8.self))"))
    }
    if hash.count == found.count {
      hash.withUnsafeMutableBytes { $0.copyMemory(from: found) }
    } else {
      hash = Array(found)
    }
  }

  /// A leaf of the tree is the 32 bytes that the event's hash stands for.
  private mutating func addLeaf() {
    tree?.append(hexadecimalBytes(String(decoding: hash, as: UTF8.self)) ?? hash)
    if let size = tree?.size, sizes.contains(size) { roots[size] = tree?.root }
  }

  private mutating func replay(_ number: Int64, _ report: (Fault) throws -> Void) throws {
    func unreadable(_ why: String) throws {
      try report(Fault("event.unreadable", seq: number, "event \(number) \(why)"))
    }
    guard case .integer(let format) = cells[2], (1...EventRecord.currentFormat).contains(format) else {
      return try unreadable("is of a format that this build does not read")
    }
    guard case .text(let name) = cells[3] else { return try unreadable("has no kind") }
    let event = LentEvent(
      seq: number, kind: LentEvent.kind(name), before: cells[7].text, after: cells[8].text)
    if try !tables.apply(event) {
      try unreadable(
        "does not say what its kind, \(String(decoding: name.prefix(40), as: UTF8.self)), should say")
    }
  }

  private mutating func checkRequest(
    _ request: UnsafeRawBufferPointer, _ number: Int64, _ report: (Fault) throws -> Void
  ) throws {
    var digest = CellDigest()
    digest.text(request)
    guard !requests.insert(digest.finish()).inserted else { return }
    try report(
      Fault(
        "request.repeated", seq: number,
        "event \(number) has the request id '\(String(decoding: request.prefix(80), as: UTF8.self))' of an earlier one"
      ))
  }
}
