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
  /// The event after which a first call without `--since-event` begins; nil for any other call.
  private(set) var startsAfter: Int64?
  private(set) var fault: String?

  /// How many events are read at a time; none while the command runs, so that no one has to wait for it.
  private static let slice: Int64 = 200

  init(
    _ name: String, _ ledger: Ledger, _ folder: CompanionFolder, _ command: [String],
    _ secret: MessageSecret?, from first: Int64?, _ context: PawlContext
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
    } else {
      cursor = try DeliveryRun.start(from: first, ledger, context)
      if first == nil { startsAfter = cursor.seq }
      try folder.keep(cursor, of: name)
    }
  }

  /// The cursor of a receiver that was told of all before an event, or of everything.
  private static func start(
    from first: Int64?, _ ledger: Ledger, _ context: PawlContext
  ) throws -> DeliveryCursor {
    let last = try ledger.head().seq
    if let first, first > last + 1 { throw LedgerError.noEvent(first, last: last) }
    let known = try first.map { try ledger.asOf(.event($0 - 1)) } ?? ledger
    return try known.snapshotting {
      let head = try known.head()
      var cursor = DeliveryCursor(seq: head.seq, hash: head.hash)
      // Before the first event, no one was told anything.
      guard let at = try first == nil ? ledger.now(clock: context.clock()) : head.at else { return cursor }
      for (slug, generation) in try known.generations() {
        let schedule = Schedule(try known.snapshot(slug), from: at)
        cursor.apps[slug] = ToldApp(schedule, generation: generation, at: at)
      }
      return cursor
    }
  }

  mutating func run() throws {
    while try handPending() && handEvents() && findChange() {}
    cursor.failingSince = fault == nil ? nil : cursor.failingSince ?? context.clock()
    try folder.keep(cursor, of: name)
  }

  func waiting() throws -> Int64 {
    try ledger.events(after: cursor.seq).count + (cursor.pending == nil ? 0 : 1)
  }

  var failingSince: Timestamp? { cursor.failingSince }

  private mutating func handPending() throws -> Bool {
    guard let next = cursor.pending else { return true }
    guard try hand(next.message) else { return false }
    (cursor.apps[next.app], cursor.pending) = (next.told, nil)
    try folder.keep(cursor, of: name)
    return true
  }

  private mutating func handEvents() throws -> Bool {
    let log = try folder.folder.append(to: "\(name).log", rights: folder.rights)
    let (id, head) = (try ledger.name(), try ledger.head().seq)
    // A take-over leaves out numbers, so a slice may hold no event.
    for first in stride(from: cursor.seq + 1, through: head, by: Int(DeliveryRun.slice)) {
      let filter = HistoryFilter(first: first, last: min(head, first + DeliveryRun.slice - 1))
      for event in try ledger.history(filter).reversed() {
        guard try hand(.recorded(event, ledger: id)) else { return false }
        // It begins with a line end, in case a full disk left half a line.
        try log.write(Array("\n\(event.seq):\(event.hash)\n".utf8))
        (cursor.seq, cursor.hash) = (event.seq, event.hash)
      }
    }
    return true
  }

  /// Keeps a message about the first answers that changed; false if there are none, and no new events, which come first.
  private mutating func findChange() throws -> Bool {
    let generations = try ledger.generations()
    for (slug, generation) in generations {
      let before = cursor.apps[slug]
      let now = try ledger.now(clock: context.clock())
      if let before, before.generation == generation, before.until.map({ now < $0 }) ?? true { continue }
      // A short read for each app, all of them of the same state of the ledger.
      let isMore = try ledger.snapshotting {
        guard try ledger.head().seq == cursor.seq else { return true }
        let snapshot = try ledger.snapshot(slug)
        var told = ToldApp(Schedule(snapshot, from: now), generation: generation, at: now)
        let changes = told.slice.changes(since: before?.slice ?? .nothing)
        guard !changes.isEmpty else {
          told.at = before?.at ?? now
          cursor.apps[slug] = told
          return false
        }
        told.at = max(now, before.map { $0.at + TimeSpan(seconds: 1) } ?? now)
        let isByChange = before.map { $0.generation < generation } ?? true
        let what = snapshot.words(
          for: changes, by: Decider(snapshot, at: now), usage: try ledger.usage(of: slug),
          cause: isByChange ? try ledger.event(generation) : nil)
        let message = Message.changed(
          changes, what: what, app: slug, ledger: try ledger.name(), generation: generation, at: told.at)
        cursor.pending = DeliveryCursor.Pending(app: slug, message: message, told: told)
        return true
      }
      if isMore {
        try folder.keep(cursor, of: name)
        return true
      }
    }
    let slugs = Set(generations.map(\.slug))
    cursor.apps = cursor.apps.filter { slugs.contains($0.key) }
    return false
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
