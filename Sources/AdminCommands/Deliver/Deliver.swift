import CommandLineKit
import JSON
import Ledger
import Platform
import ReleaseModel

extension Command where Context == PawlContext {
  static var deliver: Command {
    Command(
      "deliver", summary: "Run a command for each new event",
      discussion: """
        Runs COMMAND once for each message that NAME has not received, in order, with the message on standard input: \
        event.recorded for every event, and answers.changed for each app whose clients are now told something else, \
        whether because of a change, evidence or the passing of time. Exit status 0 means that the command has taken the \
        message. After any other status pawl stops, and the next run begins with the same message. Run it from a timer. \
        The first call for a NAME only notes where the ledger ends. The command has no time limit: give it one of its \
        own, with curl --max-time or timeout(1). With --secret-file the command gets PAWL_WEBHOOK_ID, PAWL_WEBHOOK_TIMESTAMP and \
        PAWL_WEBHOOK_SIGNATURE as Standard Webhooks 1.0.0 defines them. See 'pawl help notifications'.
        """,
      examples: [
        .init("pawl deliver chat -- docs/deliver/chat.py /etc/pawl/chat.url", "tell a chat"),
        .init(
          "pawl deliver hooks --secret-file hooks.secret -- docs/deliver/webhook.sh https://hooks.example.com/pawl",
          "signed webhooks"),
        .init("pawl deliver copy --since-event 1 -- sh -c 'cat >>events.jsonl'", "all of the past, too"),
      ]
    ) {
      (
        .argument("NAME", .receiver, help: "The receiver; each name has its own cursor"),
        .option(
          "--since-event", "SEQ", .integer(1...Int.max),
          help: "On the first call: begin with this event; default: after the last"),
        .option(
          "--secret-file", "FILE", .path, help: "Secrets to sign messages with (whsec_…), one per line"),
        .arguments("COMMAND", .text, help: "The program and its arguments, after --"), .common
      )
    } run: { context, name, first, secretFile, command, common in
      let secret = try secretFile.map { try MessageSecret($0) }
      let ledger = try common.open(context)
      let folder = try CompanionFolder(.deliver, of: ledger, makes: true)
      let lock = try folder.folder.lock("\(name).lock", rights: folder.rights)
      guard try lock.take(waiting: 0) else {
        throw CommandFailure("deliver.busy", ["name": name])
      }
      defer { lock.release() }
      try ledger.checkHead()
      var run = try DeliveryRun(name, ledger, folder, command, secret, from: first.map { Int64($0) }, context)
      try run.run()
      let waiting = try run.waiting()
      let json: JSON = [
        "delivered": .integer(Int64(run.delivered)), "failingSince": .optional(run.failingSince?.text),
        "name": .string(name), "waiting": .integer(waiting),
      ]
      try common.print(json, context) {
        run.startsAfter.map { "Nothing delivered yet: \(name) starts after event \($0).\n" }
          ?? "\(run.delivered) delivered to \(name)" + (waiting > 0 ? ", \(waiting) waiting" : "") + ".\n"
      }
      guard let fault = run.fault else { return .success }
      throw CommandFailure(
        "deliver.failed", ["name": name, "fault": fault],
        details: ["delivered": .integer(Int64(run.delivered)), "waiting": .integer(waiting)])
    }
  }
}

/// One run of a delivery: events in order, then messages about changed answers.
struct DeliveryRun {
  let name: String
  let ledger: Ledger
  let folder: CompanionFolder
  let command: [String]
  let secret: MessageSecret?
  let context: PawlContext
  private var cursor: DeliveryCursor
  private(set) var delivered = 0
  /// The event after which a first call without `--from` begins; nil for any other call.
  private(set) var startsAfter: Int64?
  private(set) var fault: String?

  /// How many events are read at a time; none while the command runs, so that no one has to wait for it.
  private static let slice: Int64 = 200

  init(
    _ name: String, _ ledger: Ledger, _ folder: CompanionFolder, _ command: [String],
    _ secret: MessageSecret?,
    from first: Int64?, _ context: PawlContext
  ) throws {
    (self.name, self.ledger, self.folder, self.context) = (name, ledger, folder, context)
    (self.command, self.secret) = (command, secret)
    if let cursor = try folder.cursor(name) {
      self.cursor = cursor
      if let fault = try cursor.fault(of: name, in: ledger, folder) { throw fault }
      if first != nil {
        context.note(
          "note: '\(name)' has been told of everything up to event \(cursor.seq); --since-event is for a first call\n"
        )
      }
      return
    }
    cursor = try DeliveryRun.start(from: first, ledger, context)
    if first == nil { startsAfter = cursor.seq }
    try folder.keep(cursor, of: name)
  }

  private static func start(
    from first: Int64?, _ ledger: Ledger, _ context: PawlContext
  ) throws -> DeliveryCursor {
    let last = try ledger.head().seq
    if let first, first > last + 1 { throw LedgerError.noEvent(first, last: last) }
    let known = try first.map { try ledger.asOf(.event($0 - 1)) } ?? ledger
    return try known.snapshotting {
      let head = try known.head()
      var cursor = DeliveryCursor(
        ledger: try ledger.name(), seq: first.map { $0 - 1 } ?? head.seq, hash: head.hash)
      // Before the first event, no one was told anything.
      guard let at = try first == nil ? ledger.now(clock: context.clock()) : head.at else { return cursor }
      let generations = Dictionary(try ledger.generations().map { ($0.slug, $0.generation) }) { $1 }
      for slug in try known.apps().map(\.slug) {
        let generation = generations[slug] ?? 0
        let schedule = Schedule(try known.snapshot(slug), from: at)
        // An app that was changed since is compared at once; any other when an answer changes by itself.
        cursor.apps[slug] = ToldApp(
          slice: ScheduleSlice(schedule, at: at), generation: generation <= head.seq ? generation : 0, at: at,
          until: schedule.nextChange(after: at))
      }
      return cursor
    }
  }

  mutating func run() throws {
    while true {
      guard try handPending(), try handEvents() else { return try end() }
      if try compare() { break }
    }
    _ = try handPending()
    try end()
  }

  func waiting() throws -> Int64 {
    try ledger.events(after: cursor.seq).count + Int64(cursor.pending.count)
  }

  var failingSince: Timestamp? { cursor.failingSince }

  private mutating func end() throws {
    cursor.failingSince = fault == nil ? nil : cursor.failingSince ?? context.clock()
    try folder.keep(cursor, of: name)
  }

  private mutating func handEvents() throws -> Bool {
    let log = try folder.folder.append(to: "\(name).log", rights: folder.rights)
    let head = try ledger.head()
    while cursor.seq < head.seq {
      let last = min(head.seq, cursor.seq + DeliveryRun.slice)
      for event in try ledger.history(HistoryFilter(first: cursor.seq + 1, last: last)).reversed() {
        guard try hand(.recorded(event, ledger: cursor.ledger)) else { return false }
        // It begins with a line end, in case a full disk left half a line.
        try log.write(Array("\n\(event.seq) \(event.hash)\n".utf8))
        (cursor.seq, cursor.hash) = (event.seq, event.hash)
      }
      // A take-over leaves out numbers.
      cursor.seq = max(cursor.seq, last)
    }
    return true
  }

  private mutating func handPending() throws -> Bool {
    while let next = cursor.pending.first {
      guard try hand(next.message) else { return false }
      cursor.pending.removeFirst()
      cursor.apps[next.app] = next.told
      try folder.keep(cursor, of: name)
    }
    return true
  }

  /// Stores messages about the answers that changed; false if there are new events, which come first.
  private mutating func compare() throws -> Bool {
    let known = cursor
    var isMoved = false
    let generations = try ledger.generations()
    for (slug, generation) in generations where !isMoved {
      let before = cursor.apps[slug]
      let now = try ledger.now(clock: context.clock())
      if let before, before.generation == generation, before.until.map({ now < $0 }) ?? true { continue }
      // A short read for each app, all of them of the same state of the ledger.
      try ledger.snapshotting {
        guard try ledger.head().seq == cursor.seq else {
          isMoved = true
          return
        }
        let snapshot = try ledger.snapshot(slug)
        let schedule = Schedule(snapshot, from: now)
        let slice = ScheduleSlice(schedule, at: now)
        let changes = slice.changes(since: before?.slice ?? .nothing)
        let at = max(now, before.map { $0.at + TimeSpan(seconds: 1) } ?? now)
        let entry = ToldApp(
          slice: slice, generation: generation, at: changes.isEmpty ? before?.at ?? now : at,
          until: schedule.nextChange(after: now))
        guard !changes.isEmpty else {
          cursor.apps[slug] = entry
          return
        }
        let isByChange = before.map { $0.generation < generation } ?? true
        let what = snapshot.words(
          for: changes, by: Decider(snapshot, at: now), usage: try ledger.usage(of: slug),
          cause: isByChange ? try ledger.event(generation) : nil)
        let message = Message.changed(
          changes, what: what, app: slug, ledger: cursor.ledger, generation: generation, at: at)
        cursor.pending.append(DeliveryCursor.Pending(message: message, app: slug, told: entry))
      }
    }
    if isMoved {
      cursor = known
      return false
    }
    let slugs = Set(generations.map(\.slug))
    for slug in cursor.apps.keys where !slugs.contains(slug) { cursor.apps[slug] = nil }
    if cursor != known { try folder.keep(cursor, of: name) }
    return true
  }

  private mutating func hand(_ message: Message) throws -> Bool {
    let environment = secret?.environment(of: message, at: context.clock().seconds) ?? []
    do {
      let status = try context.runProgram(command, Array(message.body.utf8), environment)
      if status == 0 {
        delivered += 1
        return true
      }
      fault = "it ended with status \(status)"
    } catch let error as SystemError where error.operation == "run" {
      fault = "it cannot be run: \(error.reason)"
    }
    return false
  }
}
