import JSON
import Ledger
import Mirror
import Platform
import ReleaseModel

/// One run of `sync`: the heads of a mirror held against the ledger, and the apps that differ sent.
struct SyncRun {
  /// Why an app's schedule is not put into the mirror.
  enum Fault: String {
    case newer = "mirror.newer"
    case forked = "mirror.forked"
    case otherCopy = "mirror.other-copy"
    case foreign = "mirror.foreign"
    case altered = "mirror.altered"
    case lost = "mirror.lost"
    /// The ledger's own answers were altered.
    case unsound = "answers.altered"

    var isTakenOver: Bool { self == .newer || self == .forked || self == .otherCopy }
  }

  struct Line {
    let app: String
    var head: MirrorHead?
    /// What it should say; nil if the app was struck out.
    var wanted: MirrorHead?
    var fault: Fault?
    /// What exactly is wrong, after "taxi: ".
    var words = ""
    var isSent = false

    var outcome: String {
      fault != nil ? "refused" : !isSent ? "same" : wanted == nil ? "removed" : "sent"
    }

    var json: JSON {
      [
        "app": .string(app), "generation": .optional((fault == nil ? wanted ?? head : head)?.generation),
        "id": .optional(fault?.rawValue), "outcome": .string(outcome),
      ]
    }
  }

  let name: String
  let store: any MirrorStore
  let command: [String]
  let ledger: Ledger
  let options: ChangeOptions
  let context: PawlContext
  let own: String
  let file: FileIdentity
  var lines: [Line] = []
  private(set) var stopped: Set<String> = []
  /// How many seconds the mirror's clock is ahead, if that matters.
  private(set) var skew: Int64?
  /// The status of the last command that failed.
  private(set) var status: Int32 = 0
  var change: JSON?
  var documentsFailure: CommandFailure?

  private static let patience: Int64 = 2
  /// About how many bytes of statements one command gets.
  private static let portion = 8 << 20

  init(
    _ name: String, _ kind: MirrorKind, _ command: [String], _ ledger: Ledger, _ options: ChangeOptions,
    _ context: PawlContext
  ) throws {
    (self.name, store, self.command) = (name, kind.store, command)
    (self.ledger, self.options, self.context) = (ledger, options, context)
    (own, file) = (try ledger.name(), try ledger.identity())
  }

  mutating func run(takesOver: Bool, verifies: Bool, repairs: Bool) throws {
    let work = LongWork(context)
    defer { work.pause() }
    try work.step("comparing", 0, of: 1)
    try compare(try heads())
    work.pause()
    if takesOver {
      try takeOver()
      if options.isDryRun { return }
    } else {
      outrun()
    }
    if verifies { try verify(repairs: repairs) }
    try send { try work.step("sending schedules, app", $0, of: $1) }
  }

  mutating func ask(_ statements: String) throws -> MirrorReply {
    // A command that does not read what it is given ends, and its status shows that.
    ignoreClosedPipes()
    do {
      let end = try context.captureProgram(command, Array(statements.utf8))
      if end.status != 0 { status = end.status }
      return MirrorReply(end.output)
    } catch let error as SystemError where !error.isInterrupted {
      throw CommandFailure(
        "mirror.failed", "cannot run the command of mirror '\(name)': \(error.reason)",
        hint: "check its name, and its path", exit: .io)
    }
  }

  /// Asks for heads, and refuses what is no mirror of this format.
  private mutating func heads() throws -> MirrorReply {
    let known = try ledger.storedHeads().map(\.slug)
    let before = context.clock()
    var reply = try ask(store.heads(of: known))
    let after = context.clock()
    guard reply.isThere else { throw silence(of: "answer") }
    guard reply.format == MirrorKind.format else {
      throw CommandFailure(
        "mirror.format",
        "cannot use mirror '\(name)': "
          + (reply.format.map { "its tables are of version \($0), not \(MirrorKind.format)" }
            ?? "it has no tables that this account can read"),
        hint: "make them: pawl sync \(name) --as KIND --schema", exit: .data)
    }
    guard status == 0 else { throw silence(of: "end well") }
    let others = reply.names.subtracting(known).filter(App.isSlug)
    if !others.isEmpty { reply.add(try ask(store.heads(of: others.sorted()))) }
    if let clock = reply.clock {
      let (early, late) = (clock - after.seconds, clock - before.seconds)
      skew = early > Self.patience ? early : late < -Self.patience ? late : nil
    }
    stopped = reply.stopped
    return reply
  }

  private func silence(of what: String) -> CommandFailure {
    status == 0
      ? CommandFailure(
        "mirror.lost", "mirror '\(name)' does not \(what): what was sent may be lost",
        hint: "the next run finds out", exit: .busy)
      : CommandFailure(
        "mirror.failed", "the command of mirror '\(name)' failed with status \(status)",
        hint: "run it by hand and read its errors", details: ["status": .integer(Int64(status))], exit: .io)
  }

  /// Holds each head against the ledger's own chain and file.
  private mutating func compare(_ reply: MirrorReply) throws {
    let last = try ledger.head().seq
    let wanted = try wanted()
    var lines = wanted.map { slug, head in Line(app: slug, head: reply.heads[slug], wanted: head) }
    let known = Set(wanted.keys)
    lines += reply.heads.values.filter { !known.contains($0.app) && $0.ledger == own }.map {
      Line(app: $0.app, head: $0)
    }
    for index in lines.indices {
      guard let head = lines[index].head, head != lines[index].wanted else { continue }
      (lines[index].fault, lines[index].words) = try judge(head, lines[index].wanted, last: last) ?? (nil, "")
    }
    self.lines = lines.sorted { $0.app < $1.app }
  }

  func wanted() throws -> [String: MirrorHead] {
    let heads = try ledger.storedHeads().map { slug, generation, hash, digest in
      MirrorHead(
        app: slug, ledger: own, file: file.text, generation: generation, hash: hash, digest: digest)
    }
    return Dictionary(heads.map { ($0.app, $0) }) { first, _ in first }
  }

  /// Why an app's schedule in a mirror is not to be replaced; nil if it may be.
  private func judge(_ head: MirrorHead, _ wanted: MirrorHead?, last: Int64) throws -> (Fault, String)? {
    if head.ledger != own { return (.foreign, "it belongs to another ledger") }
    guard let owner = FileIdentity(head.file), owner.isSame(as: file) else {
      let owner = FileIdentity(head.file)?.words ?? "which has no name"
      return (.otherCopy, "it belongs to another file of this ledger, \(owner)")
    }
    let there = "it is of event \(head.generation)"
    if last < head.generation { return (.newer, "\(there), and the ledger ends at event \(last)") }
    if try ledger.hash(of: head.generation) != head.hash {
      return (.forked, "\(there), which this ledger does not have")
    }
    if let wanted, wanted.generation < head.generation {
      return (.newer, "\(there), and the app's last change is event \(wanted.generation)")
    }
    return nil
  }

  private mutating func verify(repairs: Bool) throws {
    let same = lines.filter { $0.fault == nil && $0.wanted != nil && $0.head == $0.wanted }.map(\.app)
    guard !same.isEmpty else { return }
    let reply = try ask(store.rows(of: same))
    for index in lines.indices where same.contains(lines[index].app) {
      let there = reply.lines[lines[index].app] ?? []
      guard let made = try mirrored(lines[index].app) else { continue }
      let (missing, alien) = (Set(made.lines).subtracting(there), Set(there).subtracting(made.lines))
      guard !missing.isEmpty || !alien.isEmpty || there.count != made.lines.count else { continue }
      if repairs {
        lines[index].isSent = true
        continue
      }
      lines[index].fault = .altered
      lines[index].words =
        "\(missing.count) of \(made.lines.count) rows are missing or altered, \(alien.count) are not its own"
        + (alien.union(missing).compactMap(MirrorReply.firstVersion).min().map { ", from \($0.text) on" }
          ?? "")
    }
  }

  /// An app's schedule as the mirror should hold it; nil if somebody altered the ledger's answers.
  private func mirrored(_ slug: String) throws -> MirroredApp? {
    try ledger.snapshotting {
      let snapshot = try ledger.snapshot(slug)
      guard try ledger.answerFault(in: snapshot) == nil else { return nil }
      let stored = try ledger.storedSchedule(of: snapshot)
      guard let schedule = Schedule(app: slug, rows: stored.rows) else { return nil }
      return MirroredApp(
        schedule, ledger: own, file: file.text, generation: stored.generation, hash: stored.hash)
    }
  }

  /// Sends what differs, and reads the heads again.
  private mutating func send(progress: (Int, Int) throws -> Void) throws {
    let due = lines.indices.filter { index in
      let line = lines[index]
      return line.fault == nil && (line.isSent || line.head != line.wanted)
    }
    guard !due.isEmpty else { return }
    var statements = ""
    var heads: [Int: MirrorHead] = [:]
    for (done, index) in due.enumerated() {
      try progress(done, due.count)
      let line = lines[index]
      if line.wanted != nil {
        guard let made = try mirrored(line.app) else {
          (lines[index].fault, lines[index].words) = (.unsound, "somebody altered its answers in the ledger")
          continue
        }
        heads[index] = made.head
        statements += store.send(made, over: line.head)
      } else if let head = line.head {
        statements += store.remove(head)
      }
      lines[index].isSent = true
      if statements.utf8.count > Self.portion {
        _ = try ask(statements)
        statements = ""
      }
    }
    if !statements.isEmpty { _ = try ask(statements) }
    let failed = status
    let reply = try ask(store.heads(of: due.map { lines[$0].app }))
    for index in due where lines[index].fault == nil {
      let there = reply.heads[lines[index].app]
      if reply.isThere, there == heads[index] {
        if let there { lines[index].wanted = there }
      } else {
        (lines[index].fault, lines[index].head) = (.lost, there)
        lines[index].words = "what was sent did not arrive" + (failed == 0 ? "" : ", status \(failed)")
      }
    }
    status = failed
  }
}
