import JSON
import Ledger
import ReleaseModel

/// How far a receiver has been told, as the board and `doctor` show it.
struct DeliveryStanding {
  /// Why nothing can be delivered although the ledger goes on.
  enum Fault: String {
    /// The cursor is at a later event than the ledger has: a backup was restored.
    case ahead = "deliver.ahead"
    /// The cursor is at an event that this ledger does not have.
    case forked = "deliver.forked"

    func words(_ cursor: DeliveryCursor) -> String {
      switch self {
      case .ahead:
        "it has been told of event \(cursor.seq), which the ledger does not have: an older ledger was restored"
      case .forked: "it has been told of an event \(cursor.seq) that differs from the ledger's"
      }
    }
  }

  let name: String
  let cursor: DeliveryCursor
  let fault: Fault?
  /// How many messages wait, as far as is known.
  let waiting: Int64
  /// Since when the oldest of them has waited.
  let since: Timestamp?

  /// How long a receiver may be behind before somebody should act.
  private static let patience = TimeSpan(seconds: 3_600)

  /// Why delivery cannot go on from a cursor; nil if it can.
  static func fault(of cursor: DeliveryCursor, in ledger: Ledger, _ own: String) throws -> Fault? {
    let head = try ledger.head()
    if cursor.ledger != own { return .forked }
    if head.seq < cursor.seq { return .ahead }
    guard cursor.seq > 0 else { return nil }
    return try ledger.hash(of: cursor.seq) == cursor.hash ? nil : .forked
  }

  /// All names that have a cursor; none if the folder cannot be read, which is its owner's business.
  static func all(of ledger: Ledger, now: Timestamp) throws -> [DeliveryStanding] {
    guard let folder = try? DeliveryFolder(of: ledger, makes: false) else { return [] }
    let own = try ledger.name()
    return try folder.names().compactMap { name in
      guard let cursor = try? folder.cursor(name) else { return nil }
      return try DeliveryStanding(name, cursor, ledger, own, now: now)
    }
  }

  private init(
    _ name: String, _ cursor: DeliveryCursor, _ ledger: Ledger, _ own: String, now: Timestamp
  ) throws {
    self.name = name
    self.cursor = cursor
    fault = try DeliveryStanding.fault(of: cursor, in: ledger, own)
    let unsaid = try ledger.events(after: cursor.seq)
    let isChanged = cursor.nextChange.map { $0 <= now } ?? false
    waiting = unsaid.count + Int64(cursor.pending) + (isChanged ? 1 : 0)
    since = [unsaid.since, cursor.failingSince, isChanged ? cursor.nextChange : nil].compactMap(\.self).min()
  }

  /// What somebody should know; nil if everything has been told.
  func finding(now: Timestamp) -> Finding? {
    if let fault {
      return Finding(
        id: fault.rawValue, app: "", message: "deliver \(name): \(fault.words(cursor))",
        hint: "pawl verify --head \(cursor.seq):\(cursor.hash)")
    }
    guard waiting > 0 else { return nil }
    let count = waiting == 1 ? "1 message waiting" : "\(waiting) messages waiting"
    let when = since.map { " since \($0.text)" } ?? ""
    if let failing = cursor.failingSince {
      return Finding(
        id: "deliver.failing", app: "",
        message: "deliver \(name): its command has been failing since \(failing.text), \(count)",
        hint: "run its command by hand and read the error")
    }
    let isLong = since.map { $0 + DeliveryStanding.patience < now } ?? false
    return Finding(
      id: "deliver.behind", app: "", message: "deliver \(name): \(count)\(when)",
      hint: "check that its timer runs", weight: isLong ? .act : .note)
  }

  var json: JSON {
    [
      "failingSince": .optional(cursor.failingSince?.text), "fault": .optional(fault?.rawValue),
      "name": .string(name), "seq": .integer(cursor.seq), "since": .optional(since?.text),
      "waiting": .integer(waiting),
    ]
  }
}
