import CommandLineKit
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
  /// A message about changed answers that is not taken yet, and what counts as told once it is.
  struct Pending: Equatable {
    let message: Message
    let app: String
    let told: ToldApp
  }

  let ledger: String
  /// The last event that was taken, and its hash; 0 before the first.
  var seq: Int64
  var hash: String
  var apps: [String: ToldApp] = [:]
  /// In the order of delivery.
  var pending: [Pending] = []
  /// Since when the command has failed; nil if the last message was taken.
  var failingSince: Timestamp?

  /// When an answer next changes by itself, with no message made of it yet.
  var nextChange: Timestamp? { apps.values.compactMap(\.until).min() }

  var json: JSON {
    [
      "apps": .object(JSON.Object(apps.map { ($0.key, $0.value.json) })),
      "failingSince": .optional(failingSince?.text), "hash": .string(hash), "ledger": .string(ledger),
      "pending": .array(
        pending.map {
          [
            "app": .string($0.app), "body": .string($0.message.body), "id": .string($0.message.id),
            "told": $0.told.json,
          ]
        }), "seq": .integer(seq),
    ]
  }
}

extension DeliveryCursor {
  init?(_ json: JSON) {
    guard let ledger = json["ledger"]?.string, let seq = json["seq"]?.integer, seq >= 0,
      let hash = json["hash"]?.string, let apps = json["apps"]?.object, let pending = json["pending"]?.array
    else { return nil }
    self.init(ledger: ledger, seq: seq, hash: hash)
    failingSince = json["failingSince"]?.string.flatMap { try? Timestamp($0) }
    for member in apps.members {
      guard let told = ToldApp(member.value) else { return nil }
      self.apps[member.key] = told
    }
    for entry in pending {
      guard let app = entry["app"]?.string, let body = entry["body"]?.string, let id = entry["id"]?.string,
        let told = entry["told"].flatMap(ToldApp.init)
      else { return nil }
      self.pending.append(Pending(message: Message(id: id, body: body), app: app, told: told))
    }
  }

  /// Why delivery to a receiver, whose files are in a folder, cannot go on from here although the ledger goes on; nil if it
  /// can.
  func fault(of name: String, in own: Ledger, _ folder: CompanionFolder) throws -> CommandFailure? {
    let isAhead = try own.name() == ledger && own.head().seq < seq
    if try own.name() == ledger, !isAhead, try seq == 0 || own.hash(of: seq) == hash { return nil }
    return CommandFailure(
      isAhead ? "deliver.ahead" : "deliver.forked", ["path": folder.path(of: "\(name).json")],
      details: ["hash": .string(hash), "name": .string(name), "seq": .integer(seq)])
  }
}

/// What one app's clients were told when the last message about it was taken, and when the next one is due.
struct ToldApp: Equatable {
  var slice: ScheduleSlice
  var generation: Int64
  /// When the answers were compared; the next message needs a later moment, since its id contains the moment.
  var at: Timestamp
  var until: Timestamp?

  var json: JSON {
    [
      "answers": slice.json, "at": .string(at.text), "generation": .integer(generation),
      "until": .optional(until?.text),
    ]
  }
}

extension ToldApp {
  init?(_ json: JSON) {
    guard let slice = ScheduleSlice(json: json["answers"]), let generation = json["generation"]?.integer,
      let at = json["at"]?.string.flatMap({ try? Timestamp($0) })
    else { return nil }
    self.init(
      slice: slice, generation: generation, at: at,
      until: json["until"]?.string.flatMap { try? Timestamp($0) })
  }
}

extension CompanionFolder {
  /// The cursor of a name, including what was noted since, or nil.
  func cursor(_ name: String) throws -> DeliveryCursor? {
    guard let json = try read("\(name).json") else { return nil }
    guard var cursor = DeliveryCursor(json) else {
      throw CommandFailure("deliver.cursor-unreadable", ["name": name, "path": path(of: "\(name).json")])
    }
    let log = try folder.read("\(name).log", limit: CompanionFolder.limit) ?? []
    // The last line may be only half written.
    let lines = log.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast()
    for line in lines.reversed() {
      let words = String(decoding: line, as: UTF8.self).split(separator: " ")
      guard words.count == 2, let seq = Int64(words[0]), words[1].utf8.count == 64 else { continue }
      if cursor.seq < seq {
        cursor.seq = seq
        cursor.hash = String(words[1])
        cursor.failingSince = nil
      }
      break
    }
    return cursor
  }

  /// Replaces the cursor, and removes the notes that it now includes.
  func keep(_ cursor: DeliveryCursor, of name: String) throws {
    try write(cursor.json, "\(name).json")
    try folder.remove("\(name).log")
  }
}
