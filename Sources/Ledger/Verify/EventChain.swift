import JSON
import ReleaseModel

/// Goes through the events once, in order, and checks chain, sequence, time, request ids, and what needs no replay.
struct EventChain {
  private(set) var head = Head(seq: 0, hash: EventRecord.genesis, at: nil)
  private(set) var count: Int64 = 0
  /// The hashes of the request ids, which are seeded anew in each process, so that no one can prepare another id with the
  /// same one.
  private var requests: Set<Int> = []
  /// The last moment and the last actor that were found good.
  private var at = ""
  private var actor = ""

  typealias Report = (String, Int64?, String) -> Void

  mutating func take(_ event: EventRecord, report: Report) {
    let number = event.seq
    checkSequence(event, report)
    var moment = head.at
    // What cannot be read at all has no kind, which is reported where it is replayed.
    if !event.kind.isEmpty {
      if let objection = objection(to: event) {
        report("event.unreadable", number, "event \(number) \(objection)")
      }
      moment = checkTime(event, report)
      let hash = event.chainedHash(after: head.hash)
      if hash != event.hash {
        report(
          "chain.broken", number,
          "event \(number) is not what was recorded: its hash is \(event.hash.prefix(64)), its fields give \(hash)"
        )
      }
    }
    // What follows is checked against the hash that is there, so that one altered event is one fault.
    head = Head(seq: number, hash: event.hash, at: moment)
    count += 1
    if let request = event.requestID, !requests.insert(request.hashValue).inserted {
      report(
        "request.repeated", number,
        "event \(number) has the request id '\(request.prefix(80))' of an earlier one")
    }
  }

  /// A file that someone else wrote may hold any number, so nothing here may overflow with a trap.
  private func checkSequence(_ event: EventRecord, _ report: Report) {
    let (number, expected) = (event.seq, head.seq &+ 1)
    if event.kind == EventKind.ledgerTakeOver.rawValue {
      let after = event.after.flatMap { try? JSON(parsing: $0.utf8) }
      if after.flatMap({ TakeOver(json: $0) })?.fits(number, after: head.seq) != true {
        report("sequence.gap", number, "event \(number) names other numbers than those it leaves out")
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

  private mutating func checkTime(_ event: EventRecord, _ report: Report) -> Timestamp? {
    let number = event.seq
    if event.at == at { return head.at }
    guard let moment = Timestamp(member: .string(event.at)) else {
      report("event.unreadable", number, "event \(number): '\(event.at.prefix(40))' is not a time")
      return head.at
    }
    if let last = head.at, moment < last {
      report(
        "time.backwards", number, "event \(number) is of \(event.at), earlier than the one before it, \(at)")
    }
    at = event.at
    return moment
  }

  /// What is wrong with columns that need no replay: pawl never writes it.
  private mutating func objection(to event: EventRecord) -> String? {
    if event.actor != actor {
      guard let json = try? JSON(parsing: event.actor.utf8), EventChain.isActor(json) else {
        return "has an actor that pawl never writes"
      }
      actor = event.actor
    }
    if event.reason?.isLine == false { return "has a reason that cannot be typed" }
    guard let kind = EventKind(rawValue: event.kind) else { return nil }
    let (isRequest, isLast) = (event.requestID != nil, event.command != nil)
    if kind == .request, !isRequest { return "lacks the request that events of its kind repeat" }
    if isRequest != (event.request != nil) || isRequest != (event.answer != nil) {
      return "has only a part of a request"
    }
    if isLast != (event.schedules != nil) || (isRequest && !isLast) {
      return "has only a part of what the last event of a command has"
    }
    let columns = kind.traits.columns
    let odd: [(name: String, column: EventTraits.Columns, isThere: Bool)] = [
      ("app", .app, event.app != nil), ("version", .version, event.version != nil),
      ("subject", .subject, event.subject != nil), ("before", .before, event.before != nil),
      ("after", .after, event.after != nil), ("evidence", .evidence, event.evidence != nil),
    ].filter { $0.isThere && !columns.contains($0.column) }
    return odd.first.map { "has what events of its kind, \(kind.rawValue), never have: \($0.name)" }
  }

  private static let membersOfActor = ["claimed", "host", "loginUid", "principal", "uid", "user"]

  private static func isActor(_ json: JSON) -> Bool {
    guard let members = json.object?.members, members.map(\.key) == membersOfActor else { return false }
    return members.allSatisfy { member in
      let value = member.value
      return switch member.key {
      case "user", "host": value.string != nil
      case "uid": value.integer != nil
      case "loginUid": value == .null || value.integer != nil
      case "claimed", "principal": value == .null || value.string != nil
      default: false
      }
    }
  }
}
