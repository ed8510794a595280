import Crypto
import JSON
import ReleaseModel
import SQLite

/// What to find out about the chain besides whether it is whole.
struct ChainQuestions: Sendable {
  /// The sizes at which the tree's root is wanted.
  var sizes: Set<UInt64> = []
  /// Whether the root of all events is wanted.
  var hasTree = false
}

/// What was found out about the chain.
struct ChainFindings: Sendable {
  /// How many events there are.
  var count: Int64 = 0
  /// Where the record ends.
  var head = Head(seq: 0, hash: EventRecord.genesis, at: nil)
  /// The tree over the hashes of the events; nil if nobody asked for roots.
  var tree: MerkleTree?
  /// The roots of the trees of the wanted sizes.
  var roots: [UInt64: [UInt8]] = [:]
  /// The last event that says it changed the schedules of some apps, by their slugs as one text.
  var schedules: [[UInt8]: Int64] = [:]

  /// The last event that changed each app's schedule, by slug.
  var generations: [String: Int64] {
    var generations: [String: Int64] = [:]
    for (text, seq) in schedules {
      for slug in String(decoding: text, as: UTF8.self).split(separator: ",") {
        generations[String(slug)] = max(generations[String(slug)] ?? 0, seq)
      }
    }
    return generations
  }
}

/// Goes through the events once, in order, and checks chain, sequence, time, request ids, and the numbers
/// that count up through the whole ledger.
struct EventChain {
  /// The last event that was seen.
  private(set) var seq: Int64 = 0
  /// The number after which the next slice begins.
  private(set) var cursor = Int64.min
  /// The hash that the last event bears.
  private(set) var hash: [UInt8] = Array(EventRecord.genesis.utf8)
  /// When that event was recorded; for a clock correction, what the clock should have shown.
  private(set) var at: [UInt8] = []
  /// The clock corrections that name an earlier event, each with its own number.
  private(set) var corrections: [(seq: Int64, correction: ClockCorrection)] = []
  /// What was found so far.
  private(set) var findings = ChainFindings()
  private let questions: ChainQuestions
  private var requests: Set<Int> = []
  /// The last numbers that a new release and a new rule were given.
  private var lastRelease: Int64 = 0
  private var lastRule: Int64 = 0
  /// The bytes of one event as they are hashed.
  private var buffer: [UInt8] = []
  private var cells = [LentValue](repeating: .null, count: EventChain.columnCount)
  private var columns = EventColumns()
  /// The hash that the current event should bear.
  private var digits = [UInt8](repeating: 0, count: 64)

  init(_ questions: ChainQuestions) {
    self.questions = questions
    if questions.hasTree || !questions.sizes.isEmpty { findings.tree = MerkleTree() }
    if let tree = findings.tree, questions.sizes.contains(0) { findings.roots[0] = tree.root }
    buffer.reserveCapacity(4_096)
  }

  /// How many columns an event has, its hash being the last.
  private static let columnCount = 18

  /// The query for the events after those that were seen, in order.
  static let sql = "SELECT \(Ledger.eventColumns) FROM event WHERE seq > ? ORDER BY seq"

  /// Notes where the record ends, once everything was read.
  mutating func conclude() {
    findings.head = Head(
      seq: seq, hash: String(decoding: hash, as: UTF8.self),
      at: try? Timestamp(String(decoding: at, as: UTF8.self)))
  }

  /// Takes in the next event.
  ///
  /// - Parameter report: Called with each fault.
  mutating func take(_ row: Row, report: (Fault) throws -> Void) throws {
    try row.lend(into: &cells)
    let number = try row.integer(0)
    cursor = number
    try checkSequence(number, report)
    if !fill() {
      try report(
        Fault(
          "event.unreadable", seq: number, "event \(number): a column is of a type that pawl never writes"))
    } else if let objection = columns.objection(to: cells) {
      try report(Fault("event.unreadable", seq: number, "event \(number) \(objection)"))
    }
    try checkTime(number, report)
    try checkHash(number, report)
    try checkNumber(number, report)
    seq = number
    findings.count += 1
    if findings.tree != nil { addLeaf() }
    if case .text(let request) = cells[13] { try checkRequest(request, number, report) }
    if case .text(let slugs) = cells[16], !slugs.isEmpty { findings.schedules[Array(slugs)] = number }
  }

  /// Writes the event's fields as they are hashed (docs/schema.md).
  private mutating func fill() -> Bool {
    buffer.removeAll(keepingCapacity: true)
    EventChain.add("pawl event" as StaticString, to: &buffer)
    hash.withUnsafeBytes { EventChain.add($0, to: &buffer) }
    for cell in cells.prefix(EventChain.columnCount - 1) {
      switch cell {
      case .null: buffer.append(0)
      case .text(let bytes): EventChain.add(bytes, to: &buffer)
      case .integer(let value): EventChain.add(value, to: &buffer)
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
    // Enough for the digits of the least number, and its sign.
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

  /// Checks that no number is missing. A file that somebody else wrote may hold any number, so nothing here
  /// may overflow with a trap.
  private func checkSequence(_ number: Int64, _ report: (Fault) throws -> Void) throws {
    let expected = seq &+ 1
    if case .text(let kind) = cells[3], kind.isSame(as: "ledger.take-over") {
      var reader = RecordReader<TakeOver>()
      guard case .text(let after) = cells[8], let takeOver = reader.read(after, app: nil),
        takeOver.fits(number, after: seq)
      else {
        return try report(
          Fault("sequence.gap", seq: number, "event \(number) names other numbers than those it leaves out"))
      }
      return
    }
    guard number != expected else { return }
    let what =
      if number < expected {
        "an event has the number \(number); numbers start at 1"
      } else if number == expected &+ 1 {
        "event \(expected) is missing"
      } else {
        "events \(expected) to \(number &- 1) are missing"
      }
    try report(Fault("sequence.gap", seq: number, what))
  }

  private mutating func checkTime(_ number: Int64, _ report: (Fault) throws -> Void) throws {
    guard case .text(let moment) = cells[1] else { return }
    let isCorrection = if case .text(let kind) = cells[3] { kind.isSame(as: "clock.correct") } else { false }
    defer { if isCorrection { correctTime(number) } }
    if moment.isSame(as: at) { return }
    guard Timestamp(spelled: moment.bindMemory(to: UInt8.self)) != nil else {
      let text = String(decoding: moment.prefix(40), as: UTF8.self)
      try report(Fault("event.unreadable", seq: number, "event \(number): '\(text)' is not a time"))
      return
    }
    if moment.lexicographicallyPrecedes(at) {
      let (text, last) = (String(decoding: moment, as: UTF8.self), String(decoding: at, as: UTF8.self))
      try report(
        Fault(
          "time.backwards", seq: number,
          "event \(number) is of \(text), earlier than the one before it, \(last)")
      )
    }
    at = Array(moment)
  }

  /// From a correction on, time is what the clock should have shown.
  private mutating func correctTime(_ number: Int64) {
    var reader = RecordReader<ClockCorrection>()
    guard case .text(let after) = cells[8], let correction = reader.read(after, app: nil),
      let moment = try? Timestamp(String(decoding: at, as: UTF8.self))
    else { return }
    if correction.since < number { corrections.append((number, correction)) }
    at = Array(max(correction.corrected(moment), correction.to).text.utf8)
  }

  /// Checks that new releases and rules have new numbers: they count up through the ledger, so that no app
  /// can be given the number of another's. Whether the subject names what the event says is checked in the
  /// replay.
  private mutating func checkNumber(_ number: Int64, _ report: (Fault) throws -> Void) throws {
    guard case .text(let kind) = cells[3], case .text(let subject) = cells[6] else { return }
    func isNew(_ prefix: StaticString, _ last: inout Int64) -> Bool {
      let start = UnsafeRawBufferPointer(prefix)
      guard subject.count > start.count,
        UnsafeRawBufferPointer(rebasing: subject[..<start.count]).isSame(as: start),
        let given = Int64(String(decoding: subject[start.count...], as: UTF8.self)), given > last
      else { return false }
      last = given
      return true
    }
    let isFair: Bool
    if kind.isSame(as: "release.publish") || kind.isSame(as: "release.import") {
      isFair = isNew("release/", &lastRelease)
    } else if kind.isSame(as: "rule.force") || kind.isSame(as: "rule.remind") || kind.isSame(as: "rule.none")
    {
      isFair = isNew("rule/", &lastRule)
    } else {
      return
    }
    guard !isFair else { return }
    try report(
      Fault(
        "law.broken", seq: number,
        "event \(number) (\(String(decoding: kind, as: UTF8.self))) is one that no command could have made: "
          + "'\(String(decoding: subject.prefix(40), as: UTF8.self))' is not a new number"))
  }

  /// Compares the hash with the fields. What follows is checked against the hash that is there, so that one
  /// altered event is one fault.
  private mutating func checkHash(_ number: Int64, _ report: (Fault) throws -> Void) throws {
    guard case .text(let found) = cells[17] else {
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

  /// Adds the event's leaf to the tree: the 32 bytes of its hash.
  private mutating func addLeaf() {
    findings.tree?.append(hexadecimalBytes(String(decoding: hash, as: UTF8.self)) ?? hash)
    if let size = findings.tree?.size, questions.sizes.contains(size) {
      findings.roots[size] = findings.tree?.root
    }
  }

  private mutating func checkRequest(
    _ request: UnsafeRawBufferPointer, _ number: Int64, _ report: (Fault) throws -> Void
  ) throws {
    // The hasher is seeded anew in each process, so that nobody can prepare another id with the same hash.
    var hasher = Hasher()
    hasher.combine(bytes: request)
    guard !requests.insert(hasher.finalize()).inserted else { return }
    try report(
      Fault(
        "request.repeated", seq: number,
        "event \(number) has the request id '\(String(decoding: request.prefix(80), as: UTF8.self))' of an earlier one"
      ))
  }
}
