import CommandLineKit
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
    case denied = "mirror.denied"
    case failed = "mirror.failed"
    /// The ledger's own answers were altered.
    case unsound = "answers.altered"

    var isTakenOver: Bool { self == .newer || self == .forked || self == .otherCopy }

    /// Whether it is about what was sent, so that the server may have said more.
    var isSending: Bool { self == .lost || self == .denied || self == .failed }
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
  private(set) var canAsk = true
  /// The status of the last command that failed, and what was said, to follow a sentence.
  private var status: Int32 = 0
  private(set) var said = ""
  let takesOver: Bool

  private static let patience: Int64 = 2
  /// About how many bytes of statements one command gets.
  private static let portion = 8 << 20

  init(
    _ name: String, _ kind: MirrorKind, _ command: [String], takesOver: Bool, _ ledger: Ledger,
    _ options: ChangeOptions, _ context: PawlContext
  ) throws {
    (self.name, store, self.command, self.takesOver) = (name, kind.store, command, takesOver)
    (self.ledger, self.options, self.context) = (ledger, options, context)
    (own, file) = (try ledger.name(), try ledger.identity())
  }

  mutating func run(verifies: Bool, repairs: Bool) throws {
    let work = LongWork(context)
    defer { work.pause() }
    try work.step("comparing", 0, of: 1)
    try compare(try heads())
    work.pause()
    if takesOver { try takeOver() }
    if verifies { try verify(repairs: repairs) }
    try send { try work.step("sending schedules, app", $0, of: $1) }
  }

  mutating func ask(_ statements: String) throws -> MirrorReply {
    // A command that does not read what it is given ends, and its status shows that.
    ignoreClosedPipes()
    do {
      let end = try context.captureProgram(command, Array(statements.utf8), true)
      if end.status != 0 { status = end.status }
      let reply = MirrorReply(end.output, errors: end.errors, of: store)
      if !reply.complaints.isEmpty {
        said = ": " + printable(reply.complaints.prefix(3).joined(separator: "; ")).prefix(400)
      }
      return reply
    } catch let error as SystemError where !error.isInterrupted {
      throw CommandFailure("mirror.failed/run", ["name": name, "reason": error.reason])
    }
  }

  /// Asks for heads, and refuses what is no mirror of this format.
  private mutating func heads() throws -> MirrorReply {
    let known = try ledger.storedHeads().map(\.slug)
    let before = context.clock()
    var reply = try ask(store.heads(of: known))
    let after = context.clock()
    guard reply.format == MirrorKind.format, status == 0 else { throw fault(in: reply) }
    let others = reply.names.subtracting(known).filter(App.isSlug)
    if !others.isEmpty { reply.add(try ask(store.heads(of: others.sorted()))) }
    if let clock = reply.clock {
      let (early, late) = (clock - after.seconds, clock - before.seconds)
      skew = early > Self.patience ? early : late < -Self.patience ? late : nil
    }
    (stopped, canAsk) = (reply.stopped, reply.canAsk)
    return reply
  }

  /// Why a mirror cannot be used that did not say that its tables are the right ones.
  private func fault(in reply: MirrorReply) -> CommandFailure {
    func refused(_ key: String, _ what: String = "") -> CommandFailure {
      CommandFailure(
        key,
        [
          "name": name, "what": what, "said": said, "found": String(reply.format ?? 0),
          "known": String(MirrorKind.format),
        ])
    }
    if reply.isDenied { return refused("mirror.denied", "the account may not read its tables") }
    if reply.hasNoTables { return refused("mirror.format") }
    if let format = reply.format, format != MirrorKind.format {
      return refused(format < MirrorKind.format ? "mirror.format/older" : "mirror.format/newer")
    }
    return status == 0
      ? refused("mirror.lost", "it does not say what it has")
      : refused("mirror.failed", "its command failed with status \(status)")
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
    let silent = Set(try ledger.apps().filter(\.isStopped).map(\.slug))
    for index in lines.indices {
      guard let head = lines[index].head, head != lines[index].wanted else { continue }
      guard let (fault, words) = try judge(head, lines[index].wanted, last: last) else { continue }
      // A stop in the file that the mirror belongs to gets out, whatever that file has lost.
      if silent.contains(head.app), fault == .newer || fault == .forked { continue }
      (lines[index].fault, lines[index].words) = (fault, words)
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
      let whole = store.lines(of: made)
      let (missing, alien) = (Set(whole).subtracting(there), Set(there).subtracting(whole))
      guard !missing.isEmpty || !alien.isEmpty || there.count != whole.count else { continue }
      if repairs {
        lines[index].isSent = true
        continue
      }
      lines[index].fault = .altered
      lines[index].words =
        "\(missing.count) of \(whole.count) rows are missing or altered, \(alien.count) are not its own"
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
    var isDenied = false
    for (done, index) in due.enumerated() {
      try progress(done, due.count)
      let line = lines[index]
      if line.wanted != nil {
        guard let made = try mirrored(line.app) else {
          (lines[index].fault, lines[index].words) = (.unsound, "its answers in the ledger were altered")
          continue
        }
        heads[index] = made.head
        statements += store.send(made, over: line.head)
      } else if let head = line.head {
        statements += store.remove(head)
      }
      lines[index].isSent = true
      if statements.utf8.count > Self.portion {
        isDenied = try ask(statements).isDenied || isDenied
        statements = ""
      }
    }
    if !statements.isEmpty { isDenied = try ask(statements).isDenied || isDenied }
    let (failed, words) = (status, said)
    let reply = try ask(store.heads(of: due.map { lines[$0].app }))
    // Another run may have been faster, with the same or with something newer.
    let wanted = try wanted()
    for index in due where lines[index].fault == nil {
      let there = reply.heads[lines[index].app]
      if reply.isThere, there == heads[index] || there == wanted[lines[index].app] {
        if let there { lines[index].wanted = there }
      } else {
        (lines[index].fault, lines[index].head) = (isDenied ? .denied : failed != 0 ? .failed : .lost, there)
        lines[index].words = "what was sent did not arrive" + (failed == 0 ? "" : ", status \(failed)")
      }
    }
    (status, said) = (failed, words)
  }
}
