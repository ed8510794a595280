import Crypto
import JSON
import ReleaseModel
import SQLite

/// Goes through the events once, in order, and checks chain, sequence, time, request ids, and what needs no replay.
struct EventChain {
  private var seq: Int64 = 0
  private var hash: [UInt8] = Array(EventRecord.genesis.utf8)
  /// When that event was recorded.
  private var at: [UInt8] = []
  private(set) var count: Int64 = 0
  private var requests: Set<Int> = []
  private var buffer = EventBytes()
  private var cells = [LentValue](repeating: .null, count: EventChain.columnCount)
  private var columns = EventColumns()
  private var digits = [UInt8](repeating: 0, count: 64)

  typealias Report = (String, Int64?, String) -> Void

  private static let columnCount = EventRecord.columns.count

  var head: Head {
    Head(
      seq: seq, hash: String(decoding: hash, as: UTF8.self),
      at: try? Timestamp(String(decoding: at, as: UTF8.self)))
  }

  mutating func take(_ row: Row, report: Report) throws {
    try row.lend(into: &cells)
    let number = try row.integer(0)
    checkSequence(number, report)
    if !fill() {
      report("event.unreadable", number, "event \(number): a column is of a type that pawl never writes")
    } else if let objection = columns.objection(to: cells) {
      report("event.unreadable", number, "event \(number) \(objection)")
    }
    checkTime(number, report)
    checkHash(number, report)
    seq = number
    count += 1
    if case .text(let request) = cells[13] { checkRequest(request, number, report) }
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

  /// A file that someone else wrote may hold any number, so nothing here may overflow with a trap.
  private func checkSequence(_ number: Int64, _ report: Report) {
    let expected = seq &+ 1
    if case .text(let kind) = cells[3], kind.elementsEqual("ledger.take-over".utf8) {
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
    if moment.elementsEqual(at) { return }
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

  /// What follows is checked against the hash that is there, so that one altered event is one fault.
  private mutating func checkHash(_ number: Int64, _ report: Report) {
    guard case .text(let found) = cells[EventChain.columnCount - 1] else {
      report("chain.broken", number, "event \(number) has no hash")
      return
    }
    hexadecimalDigits(SHA256.digest(of: buffer.all), into: &digits)
    if !found.elementsEqual(digits) {
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

  private mutating func checkRequest(
    _ request: UnsafeRawBufferPointer, _ number: Int64, _ report: Report
  ) {
    // The hasher is seeded anew in each process, so that no one can prepare another id with the same hash.
    var hasher = Hasher()
    hasher.combine(bytes: request)
    guard !requests.insert(hasher.finalize()).inserted else { return }
    report(
      "request.repeated", number,
      "event \(number) has the request id '\(String(decoding: request.prefix(80), as: UTF8.self))' of an earlier one"
    )
  }
}

/// Checks the columns of an event that need no replay against what pawl writes into them.
struct EventColumns {
  private var actor: [UInt8] = []

  mutating func objection(to cells: [LentValue]) -> String? {
    guard cells.count > 15 else { return nil }
    if !isActor(cells[10]) { return "has an actor that pawl never writes" }
    if !isReason(cells[11]) { return "has a reason that cannot be typed" }
    guard let name = cells[3].text,
      let kind = EventKind(rawValue: String(decoding: name.prefix(40), as: UTF8.self))
    else { return nil }
    if kind == .request, cells[13].text == nil { return "lacks the request that events of its kind repeat" }
    let columns = kind.traits.columns
    for (column, name, index) in EventColumns.indices where !columns.contains(column) {
      guard case .null = cells[index] else {
        return "has what events of its kind, \(kind.rawValue), never have: \(name)"
      }
    }
    return nil
  }

  private static let indices: [(EventTraits.Columns, String, Int)] = [
    (.app, "app", 4), (.version, "version", 5), (.subject, "subject", 6), (.before, "before", 7),
    (.after, "after", 8), (.evidence, "evidence", 12),
  ]

  private func isReason(_ cell: LentValue) -> Bool {
    guard let text = cell.text else { return true }
    return String(validating: text, as: UTF8.self)?.isLine == true
  }

  private mutating func isActor(_ cell: LentValue) -> Bool {
    guard let text = cell.text else { return false }
    if text.elementsEqual(actor) { return true }
    guard let json = try? JSON(parsing: text), EventColumns.isActor(json) else { return false }
    actor = Array(text)
    return true
  }

  private static let membersOfActor = [
    "ci", "claimed", "host", "loginUid", "principal", "ssh", "terminal", "uid", "user",
  ]

  private static func isActor(_ json: JSON) -> Bool {
    guard let members = json.object?.members, members.map(\.key) == membersOfActor else { return false }
    return members.allSatisfy { member in
      let value = member.value
      return switch member.key {
      case "user", "host": value.string != nil
      case "uid": value.integer != nil
      case "loginUid": value == .null || value.integer != nil
      case "claimed", "principal": value == .null || value.string != nil
      case "terminal": value.bool != nil
      case "ssh", "ci": value == .null || value.object.map { $0.members.allSatisfy(\.value.isPlain) } ?? false
      default: false
      }
    }
  }
}

extension JSON {
  fileprivate var isPlain: Bool { object == nil && array == nil }
}
