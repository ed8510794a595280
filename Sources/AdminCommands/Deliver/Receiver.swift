import JSON
import Ledger
import Platform
import ReleaseModel

/// A receiver of messages: how far it has been told, kept in a file beside the ledger and outside its chain.
///
/// Each event that is taken is noted in a log at once, without waiting for the disk; if a power failure loses a note, the
/// message comes twice. The file itself is replaced as a whole, durably, whenever answers were told and at the end of
/// each run.
struct Receiver {
  let name: String
  private let ledger: Ledger
  private let folder: CompanionFolder
  /// The last event that was taken, and its hash; 0 before the first.
  private(set) var seq: Int64
  private(set) var hash: String
  private var apps: [String: ToldApp] = [:]
  /// Since when the command has failed; nil if the last message was taken.
  private(set) var failingSince: Timestamp?

  /// How many events are read at a time; none while the command runs, so that no one has to wait for it.
  private static let slice: Int64 = 200

  /// Reads how far it has been told, with what was noted since; nil before its first run.
  init?(_ name: String, _ ledger: Ledger, _ folder: CompanionFolder) throws {
    guard let kept = try folder.read("\(name).json") else { return nil }
    (self.name, self.ledger, self.folder) = (name, ledger, folder)
    (seq, hash) = (kept["seq"]?.integer ?? -1, kept["hash"]?.string ?? "")
    failingSince = kept["failingSince"]?.string.flatMap { try? Timestamp($0) }
    for member in kept["apps"]?.object?.members ?? [] { apps[member.key] = ToldApp(member.value) }
    // What was not written here is not written the same again.
    guard seq >= 0, json == kept else {
      throw CommandFailure(
        "deliver.cursor-unreadable", ["name": name, "path": folder.path(of: "\(name).json")])
    }
    // The last line may be only half written, and so may one that a full disk cut off.
    let log = try folder.folder.read("\(name).log", limit: CompanionFolder.limit) ?? []
    let note = log.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast().reversed().lazy
      .compactMap { KeptHead(String(decoding: $0, as: UTF8.self)) }.first
    if let note, seq < note.seq { (seq, hash, failingSince) = (note.seq, note.hash, nil) }
  }

  /// Begins with one that was told of all before an event, or of everything.
  init(
    _ name: String, _ ledger: Ledger, _ folder: CompanionFolder, from first: Int64?, _ context: PawlContext
  ) throws {
    let last = try ledger.head().seq
    if let first, first > last + 1 { throw LedgerError.noEvent(first, last: last) }
    let known = try first.map { try ledger.asOf(.event($0 - 1)) } ?? ledger
    (self.name, self.ledger, self.folder) = (name, ledger, folder)
    (seq, hash, apps) = try known.snapshotting {
      let head = try known.head()
      // Before the first event, no one was told anything.
      guard let at = try first == nil ? ledger.now(clock: context.clock()) : head.at else {
        return (head.seq, head.hash, [:])
      }
      let told = try known.generations().map { slug, generation in
        (slug, ToldApp(Schedule(try known.snapshot(slug), from: at), generation: generation, at: at))
      }
      return (head.seq, head.hash, Dictionary(told) { $1 })
    }
    try keep()
  }

  private var json: JSON {
    [
      "apps": .object(JSON.Object(apps.map { ($0.key, $0.value.json) })),
      "failingSince": .optional(failingSince?.text), "hash": .string(hash), "seq": .integer(seq),
    ]
  }

  /// Replaces the file, and removes the notes that it now includes.
  private func keep() throws {
    try folder.write(json, "\(name).json")
    try folder.folder.remove("\(name).log")
  }

  /// Why it cannot go on from here although the ledger goes on; nil if it can.
  func fault() throws -> CommandFailure? {
    let isAhead = try ledger.head().seq < seq
    if try !isAhead && (seq == 0 || ledger.hash(of: seq) == hash) { return nil }
    return CommandFailure(
      isAhead ? "deliver.ahead" : "deliver.forked", ["path": folder.path(of: "\(name).json")],
      details: ["hash": .string(hash), "name": .string(name), "seq": .integer(seq)])
  }

  /// How many messages it has not taken, and since when.
  ///
  /// - Parameter now: The moment up to which answers that change by themselves count; nil for those that were noticed.
  func waiting(at now: Timestamp? = nil) throws -> (count: Int64, since: Timestamp?) {
    let unsaid = try ledger.events(after: seq)
    let change = now.flatMap { now in apps.values.compactMap(\.until).filter { $0 <= now }.min() }
    let isKept = apps.values.contains { $0.message != nil }
    return (
      unsaid.count + (isKept ? 1 : 0) + (change == nil ? 0 : 1),
      [unsaid.since, failingSince, change].compactMap(\.self).min()
    )
  }

  // MARK: - A run

  /// Hands on what it has not taken: events in order, then messages about changed answers.
  ///
  /// - Parameter hand: Hands on a message, and returns whether it was taken.
  mutating func run(clock: () -> Timestamp, _ hand: (Message) throws -> Bool) throws {
    var isTaken = true
    while try isTaken && findChange(now: ledger.now(clock: clock())) {
      isTaken = try handKept(hand) && handEvents(hand)
    }
    failingSince = isTaken ? nil : failingSince ?? clock()
    try keep()
  }

  private mutating func handKept(_ hand: (Message) throws -> Bool) throws -> Bool {
    for (slug, told) in apps {
      guard let message = told.message else { continue }
      guard try hand(message) else { return false }
      apps[slug]?.message = nil
      try keep()
    }
    return true
  }

  private mutating func handEvents(_ hand: (Message) throws -> Bool) throws -> Bool {
    let log = try folder.folder.append(to: "\(name).log", rights: folder.rights)
    let id = try ledger.name()
    // A take-over leaves out numbers.
    while let first = try ledger.firstEvent(after: seq) {
      let (last, isOver) = first.addingReportingOverflow(Receiver.slice - 1)
      let filter = HistoryFilter(first: first, last: isOver ? nil : last)
      for event in try ledger.history(filter).reversed() {
        guard try hand(.recorded(event, ledger: id)) else { return false }
        // It begins with a line end, in case a full disk left half a line.
        try log.write(Array("\n\(event.seq):\(event.hash)\n".utf8))
        (seq, hash) = (event.seq, event.hash)
      }
    }
    return true
  }

  /// Keeps a message about the first answers that changed, unless there are new events, which come first.
  ///
  /// - Returns: Whether there is something to hand on.
  private mutating func findChange(now: Timestamp) throws -> Bool {
    let generations = try ledger.generations()
    if apps.values.contains(where: { $0.message != nil }) { return true }
    for (slug, generation) in generations {
      let before = apps[slug]
      if let before, before.generation == generation, before.until.map({ now < $0 }) ?? true { continue }
      // A short read for each app, all of them of the same state of the ledger.
      let isOld = try ledger.snapshotting {
        guard try ledger.head().seq == seq else { return true }
        apps[slug] = try ToldApp(slug, generation, before, ledger, now: now)
        return false
      }
      if isOld { return true }
      guard apps[slug]?.message == nil else {
        try keep()
        return true
      }
    }
    let slugs = Set(generations.map(\.slug))
    apps = apps.filter { slugs.contains($0.key) }
    return try ledger.head().seq != seq
  }
}

/// What one app's clients were told last, and when the next message is due.
private struct ToldApp {
  let slice: ScheduleSlice
  let generation: Int64
  /// When the answers were compared; the next message needs a later moment, since its id contains the moment.
  var at: Timestamp
  let until: Timestamp?
  /// What tells them, until it is taken.
  var message: Message?

  init(_ schedule: Schedule, generation: Int64, at: Timestamp) {
    (self.generation, self.at) = (generation, at)
    (slice, until) = (ScheduleSlice(schedule, at: at), schedule.nextChange(after: at))
  }

  /// Compares what is told now with what was told before.
  init(_ slug: String, _ generation: Int64, _ before: ToldApp?, _ ledger: Ledger, now: Timestamp) throws {
    let snapshot = try ledger.snapshot(slug)
    self.init(Schedule(snapshot, from: now), generation: generation, at: now)
    let changes = slice.changes(since: before?.slice ?? .nothing)
    guard !changes.isEmpty else {
      at = before?.at ?? now
      return
    }
    at = max(now, before.map { $0.at + TimeSpan(seconds: 1) } ?? now)
    let isByChange = before.map { $0.generation < generation } ?? true
    let what = snapshot.words(
      for: changes, by: Decider(snapshot, at: now), usage: try ledger.usage(of: slug),
      cause: isByChange ? try ledger.event(generation) : nil)
    message = .changed(
      changes, what: what, app: slug, ledger: try ledger.name(), generation: generation, at: at)
  }

  init?(_ json: JSON) {
    guard let slice = ScheduleSlice(json: json["answers"]), let generation = json["generation"]?.integer,
      let at = json["at"]?.string.flatMap({ try? Timestamp($0) })
    else { return nil }
    (self.slice, self.generation, self.at) = (slice, generation, at)
    until = json["until"]?.string.flatMap { try? Timestamp($0) }
    if let id = json["id"]?.string, let body = json["body"]?.string { message = Message(id: id, body: body) }
  }

  var json: JSON {
    [
      "answers": slice.json, "at": .string(at.text), "body": .optional(message?.body),
      "generation": .integer(generation), "id": .optional(message?.id), "until": .optional(until?.text),
    ]
  }
}
