import JSON
import Ledger
import Platform
import ReleaseModel

/// How far a receiver has been told: its cursor, kept in a file beside the ledger and outside its chain.
///
/// Each event that is taken is noted in a log at once, without waiting for the disk; if a power failure loses a note, the
/// message comes twice. The cursor itself is replaced as a whole, durably, whenever answers were told and at the end of
/// each run.
struct DeliveryCursor: Equatable {
  /// The last event that was taken, and its hash; 0 before the first.
  var seq: Int64
  var hash: String
  /// What the clients of each app were told.
  var apps: [String: ToldApp] = [:]
  /// A message about changed answers that is not taken yet.
  var pending: Pending?
  /// Since when the command has failed; nil if the last message was taken.
  var failingSince: Timestamp?

  /// A message of an app, and what counts as told once it is taken.
  struct Pending: Equatable {
    let app: String
    let message: Message
    let told: ToldApp
  }

  /// When an answer next changes by itself, with no message made of it yet.
  var nextChange: Timestamp? { apps.values.compactMap(\.until).min() }

  var json: JSON {
    let pending = pending.map { pending -> JSON in
      [
        "app": .string(pending.app), "body": .string(pending.message.body),
        "id": .string(pending.message.id), "told": pending.told.json,
      ]
    }
    return [
      "apps": .object(JSON.Object(apps.map { ($0.key, $0.value.json) })),
      "failingSince": .optional(failingSince?.text), "hash": .string(hash), "pending": pending ?? .null,
      "seq": .integer(seq),
    ]
  }

  /// Why delivery to a receiver, whose files are in a folder, cannot go on from here although the ledger goes on; nil if it
  /// can.
  func fault(of name: String, in ledger: Ledger, _ folder: CompanionFolder) throws -> CommandFailure? {
    let isAhead = try ledger.head().seq < seq
    if try !isAhead && (seq == 0 || ledger.hash(of: seq) == hash) { return nil }
    return CommandFailure(
      isAhead ? "deliver.ahead" : "deliver.forked", ["path": folder.path(of: "\(name).json")],
      details: ["hash": .string(hash), "name": .string(name), "seq": .integer(seq)])
  }
}

extension DeliveryCursor {
  init?(_ json: JSON) {
    guard let seq = json["seq"]?.integer, seq >= 0, let hash = json["hash"]?.string,
      let apps = json["apps"]?.object
    else { return nil }
    self.init(seq: seq, hash: hash)
    failingSince = json["failingSince"]?.string.flatMap { try? Timestamp($0) }
    for member in apps.members { self.apps[member.key] = ToldApp(member.value) }
    if let entry = json["pending"], let app = entry["app"]?.string, let body = entry["body"]?.string,
      let id = entry["id"]?.string, let told = entry["told"].flatMap(ToldApp.init)
    {
      pending = Pending(app: app, message: Message(id: id, body: body), told: told)
    }
    guard self.json == json else { return nil }
  }
}

/// What one app's clients were told when the last message about it was taken, and when the next one is due.
struct ToldApp: Equatable {
  let slice: ScheduleSlice
  let generation: Int64
  /// When the answers were compared; the next message needs a later moment, since its id contains the moment.
  var at: Timestamp
  let until: Timestamp?

  init(_ schedule: Schedule, generation: Int64, at: Timestamp) {
    (self.generation, self.at) = (generation, at)
    (slice, until) = (ScheduleSlice(schedule, at: at), schedule.nextChange(after: at))
  }

  init?(_ json: JSON) {
    guard let slice = ScheduleSlice(json: json["answers"]), let generation = json["generation"]?.integer,
      let at = json["at"]?.string.flatMap({ try? Timestamp($0) })
    else { return nil }
    (self.slice, self.generation, self.at) = (slice, generation, at)
    until = json["until"]?.string.flatMap { try? Timestamp($0) }
  }

  var json: JSON {
    [
      "answers": slice.json, "at": .string(at.text), "generation": .integer(generation),
      "until": .optional(until?.text),
    ]
  }
}

extension CompanionFolder {
  /// The cursor of a name, including what was noted since, or nil.
  func cursor(_ name: String) throws -> DeliveryCursor? {
    guard let json = try read("\(name).json") else { return nil }
    guard var cursor = DeliveryCursor(json) else {
      throw CommandFailure("deliver.cursor-unreadable", ["name": name, "path": path(of: "\(name).json")])
    }
    // The last line may be only half written, and so may one that a full disk cut off.
    let log = try folder.read("\(name).log", limit: CompanionFolder.limit) ?? []
    let note = log.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast().reversed().lazy
      .compactMap { KeptHead(String(decoding: $0, as: UTF8.self)) }.first
    if let note, cursor.seq < note.seq {
      (cursor.seq, cursor.hash, cursor.failingSince) = (note.seq, note.hash, nil)
    }
    return cursor
  }

  /// Replaces the cursor, and removes the notes that it now includes.
  func keep(_ cursor: DeliveryCursor, of name: String) throws {
    try write(cursor.json, "\(name).json")
    try folder.remove("\(name).log")
  }
}
