package import Ledger
package import Platform
package import ReleaseModel

/// One run of `sync`: the heads of a mirror held against the ledger, and the apps that differ sent.
package struct SyncRun {
  /// Runs the command with statements on its standard input; its output and errors come back.
  package typealias Asking = (_ statements: [UInt8]) throws -> ProgramEnd

  package let name: String
  package let ledger: Ledger
  private let store: any MirrorStore
  private let asking: Asking
  private let clock: () -> Timestamp
  private let own: String
  private var file: FileIdentity
  package private(set) var lines: [Line] = []
  package private(set) var stopped: Set<String> = []
  /// How many seconds the mirror's clock is ahead, if that matters.
  package private(set) var skew: Int64?
  package private(set) var canAsk = true
  /// The status of the last command that failed, and what was said, to follow a sentence.
  private var status: Int32 = 0
  package private(set) var said = ""

  private static let patience: Int64 = 2
  /// About how many bytes of statements one command gets.
  private static let portion = 8 << 20

  package init(
    _ name: String, _ kind: MirrorKind, _ ledger: Ledger, clock: @escaping () -> Timestamp,
    asking: @escaping Asking
  ) throws {
    (self.name, store, self.ledger) = (name, kind.store, ledger)
    (self.clock, self.asking) = (clock, asking)
    (own, file) = (try ledger.name(), try ledger.identity())
  }

  /// What the mirror tells clients of the apps that another file of the ledger, or another past of it, wrote there, and what
  /// it would tell them; nil if there are none.
  package mutating func replacements(at now: Timestamp) throws -> [Replacement]? {
    let taken = lines.indices.filter { lines[$0].fault?.isTakenOver == true }
    guard !taken.isEmpty else { return nil }
    let there = try answer(to: store.rows(of: taken.map { lines[$0].app })).lines
    return try taken.compactMap { index in
      let app = lines[index].app
      let made = try lines[index].wanted == nil ? nil : mirrored(index)
      // What its own switch has stopped stays so.
      if stopped.contains(app) || lines[index].fault == .unsound { return nil }
      return (
        Schedule(app, lines: there[app] ?? []) ?? .unknown(app, from: now),
        made.flatMap { Schedule(app, lines: store.lines(of: $0)) } ?? .nothing(app, from: now), .nothing
      )
    }
  }

  /// Lets the ledger go on in their place.
  package mutating func takeOver() {
    for index in lines.indices where lines[index].fault?.isTakenOver == true {
      (lines[index].fault, lines[index].words) = (nil, "")
    }
  }

  private mutating func ask(_ statements: String) throws -> MirrorReply {
    do {
      let end = try asking(Array(statements.utf8))
      if end.status != 0 { status = end.status }
      let reply = MirrorReply(end.output, errors: end.errors, of: store)
      if !reply.complaints.isEmpty {
        said = ": " + reply.complaints.prefix(3).joined(separator: "; ").prefix(400)
      }
      return reply
    } catch let error as SystemError where !error.isInterrupted {
      throw Refusal("mirror.failed/run", ["name": name, "reason": error.reason])
    }
  }

  /// Asks a question, and believes the answer only if the mirror gave it and the command ended well.
  private mutating func answer(to question: String) throws -> MirrorReply {
    let reply = try ask(question)
    guard reply.isThere, status == 0 else { throw fault(in: reply) }
    return reply
  }

  /// Asks for heads, and refuses what is no mirror of this format.
  private mutating func heads() throws -> MirrorReply {
    let known = try ledger.storedHeads().map(\.slug)
    let before = clock()
    var reply = try answer(to: store.heads(of: known))
    let after = clock()
    guard reply.format == MirrorKind.format else { throw fault(in: reply) }
    let others = reply.names.subtracting(known).filter(App.isSlug)
    if !others.isEmpty { reply.add(try answer(to: store.heads(of: others.sorted()))) }
    if let there = reply.clock {
      let (early, late) = (there - after.seconds, there - before.seconds)
      skew = early > Self.patience ? early : late < -Self.patience ? late : nil
    }
    (stopped, canAsk) = (reply.stopped, reply.canAsk)
    return reply
  }

  /// Why a mirror cannot be used that did not say that its tables are the right ones.
  private func fault(in reply: MirrorReply) -> Refusal {
    func refused(_ key: String, _ what: String = "") -> Refusal {
      Refusal(
        key,
        [
          "name": name, "what": what, "said": said, "found": String(reply.format ?? 0),
          "known": String(MirrorKind.format),
        ])
    }
    if reply.troubles.contains(.account) { return refused("mirror.denied/account") }
    if reply.troubles.contains(.file) { return refused("mirror.failed/open") }
    if reply.troubles.contains(.rights) {
      return refused("mirror.denied", "the account may not read its tables")
    }
    if reply.troubles.contains(.noTables) { return refused("mirror.format") }
    if let format = reply.format, format != MirrorKind.format {
      return refused(format < MirrorKind.format ? "mirror.format/older" : "mirror.format/newer")
    }
    return status == 0
      ? refused("mirror.lost", "it does not say what it has")
      : refused("mirror.failed", "its command failed with status \(status)")
  }

  /// Asks for heads, and holds each against the ledger's own chain and file.
  package mutating func compare() throws {
    let reply = try heads()
    file = reply.heads.values.reduce(file) { $0.succeeding(FileIdentity($1.file)) }
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
      lines[index].refuse(fault, words)
    }
    self.lines = lines.sorted { $0.app < $1.app }
  }

  private func wanted() throws -> [String: MirrorHead] {
    let heads = try ledger.storedHeads().map { slug, generation, hash, digest in
      MirrorHead(
        app: slug, ledger: own, file: file.text, generation: generation, hash: hash, digest: digest)
    }
    return Dictionary(heads.map { ($0.app, $0) }) { first, _ in first }
  }

  /// Why an app's schedule in a mirror is not to be replaced; nil if it may be.
  private func judge(_ head: MirrorHead, _ wanted: MirrorHead?, last: Int64) throws -> (Fault, String)? {
    if head.ledger != own {
      // No other ledger has an event of that hash.
      return try ledger.hash(of: head.generation) == head.hash
        ? (
          .altered,
          "its head was altered: it names another ledger, and is of this one's event \(head.generation)"
        )
        : (.foreign, "it belongs to another ledger")
    }
    guard let owner = FileIdentity(head.file), owner.isSame(as: file) else {
      let owner = FileIdentity(head.file)?.words(besides: file) ?? "which has no name"
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

  /// Compares every row of what is up to date.
  package mutating func verify(repairs: Bool) throws {
    let same = lines.indices.filter { lines[$0].isSame }
    guard !same.isEmpty else { return }
    let reply = try answer(to: store.rows(of: same.map { lines[$0].app }))
    for index in same {
      guard let made = try mirrored(index) else { continue }
      let (whole, there) = (store.lines(of: made), reply.lines[lines[index].app] ?? [])
      let (missing, alien) = (Set(whole).subtracting(there), Set(there).subtracting(whole))
      guard !missing.isEmpty || !alien.isEmpty || there.count != whole.count else { continue }
      if repairs {
        lines[index].isSent = true
        continue
      }
      lines[index].refuse(
        .altered,
        "rows that are missing or altered: \(missing.count) of \(whole.count); that are not its own: \(alien.count)"
      )
    }
  }

  /// A line's schedule as the mirror should hold it; nil if someone altered the ledger's answers, for which it is refused.
  private mutating func mirrored(_ index: Int) throws -> MirroredApp? {
    let made = try ledger.snapshotting { () -> MirroredApp? in
      let snapshot = try ledger.snapshot(lines[index].app)
      guard try ledger.answerFault(in: snapshot) == nil else { return nil }
      let stored = try ledger.storedSchedule(of: snapshot)
      guard let schedule = Schedule(app: lines[index].app, rows: stored.rows) else { return nil }
      return MirroredApp(
        schedule, ledger: own, file: file.text, generation: stored.generation, hash: stored.hash)
    }
    if made == nil { lines[index].refuse(.unsound, "its answers in the ledger were altered") }
    return made
  }

  /// Sends what differs, and reads the heads again.
  ///
  /// - Parameter between: Called before each app; throws to send nothing.
  package mutating func send(between: () throws -> Void) throws {
    let due = lines.indices.filter {
      lines[$0].fault == nil && (lines[$0].isSent || lines[$0].head != lines[$0].wanted)
    }
    guard !due.isEmpty else { return }
    var statements = ""
    var heads: [Int: MirrorHead] = [:]
    var troubles: Set<MirrorTrouble> = []
    for index in due {
      try between()
      let line = lines[index]
      if line.wanted != nil {
        guard let made = try mirrored(index) else { continue }
        heads[index] = made.head
        statements += store.send(made, over: line.head)
      } else if let head = line.head {
        statements += store.remove(head)
      }
      lines[index].isSent = true
      if statements.utf8.count > Self.portion {
        troubles.formUnion(try ask(statements).troubles)
        statements = ""
      }
    }
    if !statements.isEmpty { troubles.formUnion(try ask(statements).troubles) }
    let (failed, words) = (status, said)
    let reply = try ask(store.heads(of: due.map { lines[$0].app }))
    // Another run may have been faster, with the same or with something newer.
    let wanted = try wanted()
    for index in due where lines[index].fault == nil {
      let there = reply.heads[lines[index].app]
      if reply.isThere {
        lines[index].head = there
        if there == heads[index] || there == wanted[lines[index].app] { continue }
      }
      lines[index].refuse(
        troubles.contains(.rights) ? .denied : failed != 0 ? .failed : .lost,
        "what was sent did not arrive" + (failed == 0 ? "" : ", status \(failed)"))
    }
    (status, said) = (failed, words)
  }
}
