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
  /// The ledger's own name.
  var ledger: String
  /// The last event that was taken, and its hash; 0 before the first.
  var seq: Int64
  var hash: String
  /// When an answer next changes by itself, with no message made of it yet.
  var nextChange: Timestamp?
  /// How many messages have been made but not taken.
  var pending = 0
  /// Since when the command has failed; nil if the last message was taken.
  var failingSince: Timestamp?

  init(ledger: String, seq: Int64, hash: String) {
    self.ledger = ledger
    self.seq = seq
    self.hash = hash
  }

  var json: JSON {
    [
      "failingSince": .optional(failingSince?.text), "hash": .string(hash), "ledger": .string(ledger),
      "nextChange": .optional(nextChange?.text), "pending": .integer(Int64(pending)), "seq": .integer(seq),
    ]
  }

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
}

/// What one app's clients were told when the last message about it was taken, and when the next one is due.
struct ToldApp: Equatable {
  var slice: ScheduleSlice
  var generation: Int64
  /// When the answers were compared; the next message needs a later moment, since its id contains the moment.
  var at: Timestamp
  /// When an answer next changes by itself.
  var until: Timestamp?

  var json: JSON {
    [
      "answers": slice.json, "at": .string(at.text), "generation": .integer(generation),
      "until": .optional(until?.text),
    ]
  }

  init(_ slice: ScheduleSlice, generation: Int64, at: Timestamp, until: Timestamp?) {
    self.slice = slice
    self.generation = generation
    self.at = at
    self.until = until
  }

  init?(_ json: JSON) {
    guard let slice = ScheduleSlice(json: json["answers"]), let generation = json["generation"]?.integer,
      let at = json["at"]?.string.flatMap({ try? Timestamp($0) })
    else { return nil }
    self.init(
      slice, generation: generation, at: at,
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

/// The files of a ledger's deliveries.
struct DeliveryFolder {
  let folder: CompanionFolder

  /// Opens the folder of a ledger; nil if there is none and it is not to be made.
  ///
  /// - Throws: `Obstruction`, `SystemError`, `UnsafeDirectory`.
  init?(of ledger: Ledger, makes: Bool) throws {
    guard let folder = try CompanionFolder(.deliver, of: ledger, makes: makes) else { return nil }
    self.folder = folder
  }

  func names() throws -> [String] { try folder.names() }

  /// The path of a name's cursor, for messages.
  func path(of name: String) -> String { folder.path(of: "\(name).json") }

  /// The lock of a name, not yet taken.
  func lock(_ name: String) throws -> FileLock {
    try folder.folder.lock("\(name).lock", rights: folder.rights)
  }

  /// The cursor of a name, including what was noted since; nil if there is none.
  ///
  /// - Throws: `CommandFailure` if the cursor is malformed.
  func cursor(_ name: String) throws -> DeliveryCursor? {
    guard let json = try folder.read("\(name).json") else { return nil }
    guard var cursor = DeliveryCursor(json) else { throw unreadable(name) }
    let log = try folder.folder.read("\(name).log", limit: CompanionFolder.limit) ?? []
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

  /// What was told about all apps; nil if that was never kept.
  func told(_ name: String) throws -> ToldApps? {
    guard let json = try folder.read("\(name).answers") else { return nil }
    guard let told = ToldApps(json) else { throw unreadable(name) }
    return told
  }

  func keep(_ told: ToldApps, of name: String) throws { try folder.write(told.json, "\(name).answers") }

  /// Replaces the cursor, and removes the notes that it now includes.
  func keep(_ cursor: DeliveryCursor, of name: String) throws {
    try folder.write(cursor.json, "\(name).json")
    try folder.folder.remove("\(name).log")
  }

  /// Opens the log of messages taken.
  func log(_ name: String) throws -> FileWriter {
    try folder.folder.append(to: "\(name).log", rights: folder.rights)
  }

  private func unreadable(_ name: String) -> CommandFailure {
    CommandFailure(
      "deliver.cursor-unreadable",
      "cannot read how far '\(name)' has been told: \(printable(path(of: name)))",
      hint:
        "find out from the receiver what it has, remove \(name).* beside that file, and start with --since-event SEQ",
      exit: .data)
  }
}
