import CommandLineKit
import JSON
import Ledger
import Platform
import ReleaseModel

/// How far a receiver has been told: its cursor, kept in files beside the ledger and outside its chain.
///
/// Each message that is taken is noted in a log at once, without waiting for the disk; if a power failure
/// loses a note, the message comes twice. The cursor itself is replaced as a whole, durably, at the end of
/// each run.
struct DeliveryCursor: Equatable {
  var ledger: String
  /// The last event that was taken, and its hash; 0 before the first.
  var seq: Int64
  var hash: String
  /// When an answer next changes by itself, with no message made of it yet.
  var nextChange: Timestamp?
  var pending = 0
  /// Since when the command has failed; nil if the last message was taken.
  var failingSince: Timestamp?

  var json: JSON {
    [
      "failingSince": .optional(failingSince?.text), "hash": .string(hash), "ledger": .string(ledger),
      "nextChange": .optional(nextChange?.text), "pending": .integer(Int64(pending)), "seq": .integer(seq),
    ]
  }
}

extension DeliveryCursor {
  init?(_ json: JSON) {
    guard let ledger = json["ledger"]?.string, let seq = json["seq"]?.integer, seq >= 0,
      let hash = json["hash"]?.string, let pending = json["pending"]?.integer,
      (0...1_000_000).contains(pending)
    else { return nil }
    self.init(ledger: ledger, seq: seq, hash: hash)
    self.pending = Int(pending)
    nextChange = json["nextChange"]?.string.flatMap { try? Timestamp($0) }
    failingSince = json["failingSince"]?.string.flatMap { try? Timestamp($0) }
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

/// What was told about all apps, and the messages about changes that are not taken yet.
struct ToldApps: Equatable {
  var apps: [String: ToldApp] = [:]
  /// In the order of delivery, each with what counts as told once it is taken.
  var pending: [(message: Message, app: String, told: ToldApp)] = []

  static func == (left: ToldApps, right: ToldApps) -> Bool { left.json == right.json }

  var json: JSON {
    [
      "apps": .object(JSON.Object(apps.map { ($0.key, $0.value.json) })),
      "pending": .array(
        pending.map { message, app, told in
          ["app": .string(app), "body": .string(message.body), "id": .string(message.id), "told": told.json]
        }),
    ]
  }

  init() {}

  init?(_ json: JSON) {
    for member in json["apps"]?.object?.members ?? [] {
      guard let told = ToldApp(member.value) else { return nil }
      apps[member.key] = told
    }
    for entry in json["pending"]?.array ?? [] {
      guard let app = entry["app"]?.string, let body = entry["body"]?.string, let id = entry["id"]?.string,
        let told = entry["told"].flatMap(ToldApp.init)
      else { return nil }
      pending.append((Message(id: id, body: body), app, told))
    }
  }
}

extension CompanionFolder {
  /// The cursor of a name, including what was noted since; nil if there is none.
  func cursor(_ name: String) throws -> DeliveryCursor? {
    guard let json = try read("\(name).json") else { return nil }
    guard var cursor = DeliveryCursor(json) else { throw unreadable(name) }
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

  func told(_ name: String) throws -> ToldApps? {
    guard let json = try read("\(name).answers") else { return nil }
    guard let told = ToldApps(json) else { throw unreadable(name) }
    return told
  }

  func keep(_ told: ToldApps, of name: String) throws { try write(told.json, "\(name).answers") }

  /// Replaces the cursor, and removes the notes that it now includes.
  func keep(_ cursor: DeliveryCursor, of name: String) throws {
    try write(cursor.json, "\(name).json")
    try folder.remove("\(name).log")
  }

  private func unreadable(_ name: String) -> CommandFailure {
    CommandFailure("deliver.cursor-unreadable", ["name": name, "path": path(of: "\(name).json")])
  }
}
