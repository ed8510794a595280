import Crypto
import JSON
import ReleaseModel
import SQLite

struct ChainQuestions: Sendable {
  var sizes: Set<UInt64> = []
  var hasTree = false
}

struct ChainFindings: Sendable {
  var count: Int64 = 0
  var head = Head(seq: 0, hash: EventRecord.genesis, at: nil)
  var tree: MerkleTree?
  var roots: [UInt64: [UInt8]] = [:]
  /// The last event that says it changed the schedules of some apps, by their slugs as one text.
  var schedules: [[UInt8]: Int64] = [:]

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

/// Goes through the events once, in order, and checks chain, sequence, time, request ids, and new numbers.
struct EventChain {
  private(set) var seq: Int64 = 0
  private(set) var cursor = Int64.min
  private(set) var hash: [UInt8] = Array(EventRecord.genesis.utf8)
  /// When that event was recorded.
  private(set) var at: [UInt8] = []
  private(set) var findings = ChainFindings()
  private let questions: ChainQuestions
  private var requests: Set<Int> = []
  private var lastRelease: Int64 = 0
  private var lastRule: Int64 = 0
  private var buffer = EventBytes()
  private var cells = [LentValue](repeating: .null, count: EventChain.columnCount)
  private var columns = EventColumns()
  private var digits = [UInt8](repeating: 0, count: 64)

  init(_ questions: ChainQuestions) {
    self.questions = questions
    if questions.hasTree || !questions.sizes.isEmpty { findings.tree = MerkleTree() }
    if let tree = findings.tree, questions.sizes.contains(0) { findings.roots[0] = tree.root }
  }

  typealias Report = (String, Int64?, String) -> Void

  private static let columnCount = EventRecord.columns.count

  static let sql = "SELECT \(Ledger.eventColumns) FROM event WHERE seq > ? ORDER BY seq"

  mutating func conclude() {
    findings.head = Head(
      seq: seq, hash: String(decoding: hash, as: UTF8.self),
      at: try? Timestamp(String(decoding: at, as: UTF8.self)))
  }

  mutating func take(_ row: Row, report: Report) throws {
    try row.lend(into: &cells)
    let number = try row.integer(0)
    cursor = number
    checkSequence(number, report)
    if !fill() {
      report("event.unreadable", number, "event \(number): a column is of a type that pawl never writes")
    } else if let objection = columns.objection(to: cells) {
      report("event.unreadable", number, "event \(number) \(objection)")
    }
    checkTime(number, report)
    checkHash(number, report)
    checkNumber(number, report)
    seq = number
    findings.count += 1
    if findings.tree != nil { addLeaf() }
    if case .text(let request) = cells[13] { checkRequest(request, number, report) }
    if case .text(let slugs) = cells[16], !slugs.isEmpty { findings.schedules[Array(slugs)] = number }
  }

  private mutating func fill() -> Bool {
    buffer.begin(after: hash)
    for cell in cells.prefix(EventChain.columnCount - 1) {
      switch cell {
      case .null: buffer.addNull()
      case .text(let bytes): buffer.add(bytes)
      case .integer(let value): buffer.add(value)
      case .real, .blob: return false
      }
    }
    return true
  }

  /// A file that somebody else wrote may hold any number, so nothing here may overflow with a trap.
  private func checkSequence(_ number: Int64, _ report: Report) {
    let expected = seq &+ 1
    if case .text(let kind) = cells[3], kind.isSame(as: "ledger.take-over") {
      guard case .text(let after) = cells[8], let json = try? JSON(parsing: after),
        let takeOver = TakeOver(json: json),
        takeOver.fits(number, after: seq)
      else {
        return report("sequence.gap", number, "event \(number) names other numbers than those it leaves out")
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
    report("sequence.gap", number, what)
  }

  private mutating func checkTime(_ number: Int64, _ report: Report) {
    guard case .text(let moment) = cells[1] else { return }
    if moment.isSame(as: at) { return }
    guard Timestamp(spelled: moment.bindMemory(to: UInt8.self)) != nil else {
      let text = String(decoding: moment.prefix(40), as: UTF8.self)
      report("event.unreadable", number, "event \(number): '\(text)' is not a time")
      return
    }
    if moment.lexicographicallyPrecedes(at) {
      let (text, last) = (String(decoding: moment, as: UTF8.self), String(decoding: at, as: UTF8.self))
      report(
        "time.backwards", number,
        "event \(number) is of \(text), earlier than the one before it, \(last)")
    }
    at = Array(moment)
  }

  /// Numbers of releases and rules count up through the ledger, so that no app can be given another's.
  private mutating func checkNumber(_ number: Int64, _ report: Report) {
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
    report(
      "law.broken", number,
      "event \(number) (\(String(decoding: kind, as: UTF8.self))) is one that no command could have made: "
        + "'\(String(decoding: subject.prefix(40), as: UTF8.self))' is not a new number")
  }

  /// What follows is checked against the hash that is there, so that one altered event is one fault.
  private mutating func checkHash(_ number: Int64, _ report: Report) {
    guard case .text(let found) = cells[EventChain.columnCount - 1] else {
      report("chain.broken", number, "event \(number) has no hash")
      return
    }
    hexadecimalDigits(SHA256.digest(of: buffer.all), into: &digits)
    if !found.isSame(as: digits) {
      report(
        "chain.broken", number,
        "event \(number) is not what was recorded: its hash is \(String(decoding: found.prefix(64), as: UTF8.self)), "
          + "its fields give \(String(decoding: digits, as: UTF8.self))")
    }
    if hash.count == found.count {
      hash.withUnsafeMutableBytes { $0.copyMemory(from: found) }
    } else {
      hash = Array(found)
    }
  }

  private mutating func addLeaf() {
    findings.tree?.append(hexadecimalBytes(String(decoding: hash, as: UTF8.self)) ?? hash)
    if let size = findings.tree?.size, questions.sizes.contains(size) {
      findings.roots[size] = findings.tree?.root
    }
  }

  private mutating func checkRequest(
    _ request: UnsafeRawBufferPointer, _ number: Int64, _ report: Report
  ) {
    // The hasher is seeded anew in each process, so that nobody can prepare another id with the same hash.
    var hasher = Hasher()
    hasher.combine(bytes: request)
    guard !requests.insert(hasher.finalize()).inserted else { return }
    report(
      "request.repeated", number,
      "event \(number) has the request id '\(String(decoding: request.prefix(80), as: UTF8.self))' of an earlier one"
    )
  }
}
