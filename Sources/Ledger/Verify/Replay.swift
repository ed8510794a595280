import Crypto
import JSON
import ReleaseModel
import SQLite

/// Records a ledger's events anew in a witness, one command after the other: asks the laws of each change, and who had
/// to agree, and lets the ordinary writer write it.
final class Replay {
  private(set) var witness: Witness
  private(set) var chain = EventChain()
  private let source: Ledger
  private let report: (_ id: String, _ seq: Int64?, _ message: String) -> Void
  /// The number of the last event that was taken, and its moment as it spells it.
  private var (seq, time): (Int64, String) = (.min, "")
  /// The events of the command under way that are not written yet, each with the place of its change among theirs.
  private var command: [(event: EventRecord, change: Int?)] = []
  /// The last event that was taken, unless its command ends with it.
  private var open: EventRecord?
  /// Whether the events of the command under way are judged together; nil between two commands.
  private var isJudged: Bool?
  private var cited: [String: CitedEvidence] = [:]
  private var ledgerName: String?
  private var plansApplied: Set<String> = []
  /// The last event against which the laws spoke: one is one fault.
  private var broken: Int64?
  /// The events after which the stored schedules of apps were made, as the rows say.
  private var generations: [Int64: [String]] = [:]
  /// The ledger's last event when they were read.
  private var generationsHead: Int64?
  /// The schedules made after those events, and the last event of each app that says it changed its schedule.
  private(set) var schedules: [String: Schedule] = [:]
  private(set) var lastChanges: [String: Int64] = [:]

  init(
    _ source: Ledger,
    report: @escaping (_ id: String, _ seq: Int64?, _ message: String) -> Void
  ) throws {
    (self.source, self.report) = (source, report)
    witness = try Witness(Connection.inMemory(), isAsked: false)
  }

  /// The moment of the last event that was taken.
  var at: Timestamp { chain.head.at ?? .distantPast }

  /// Takes the events that follow, at most so many; returns whether there may be more.
  ///
  /// - Parameter reading: Runs one read of the ledger.
  func take(atMost count: Int, reading: (() throws -> [EventRecord]) throws -> [EventRecord]) throws -> Bool {
    let events = try reading {
      // Rows change with events only.
      let head = try source.head().seq
      if head != generationsHead { try readGenerations() }
      generationsHead = head
      return try source.query(
        "SELECT \(Ledger.eventColumns) FROM event_row WHERE seq > ? ORDER BY seq LIMIT \(count)",
        .integer(seq), row: source.anyEvent(from:))
    }
    try witness.ledger.connection.transaction(.deferred) {
      for event in events { try take(event) }
      if events.count < count { try conclude() }
    }
    return events.count == count
  }

  private func readGenerations() throws {
    generations = [:]
    try source.forEach(
      "SELECT generation_row.event_seq, slug FROM generation_row JOIN app_row ON id = app_id"
    ) { row in
      if case .integer(let seq) = try row.value(0), case .text(let slug) = try row.value(1) {
        generations[seq, default: []].append(slug)
      }
      return true
    }
  }

  private func take(_ event: EventRecord) throws {
    // The events of one command have one moment, and its last one names it.
    if event.at != time { try conclude() }
    chain.take(event, report: report)
    (seq, time) = (event.seq, event.at)
    isJudged = isJudged ?? (witness.draft.trusts.approvals > 0 || event.kind == EventKind.planApply.rawValue)
    if command.isEmpty { witness.begin(at: at, isJudged: isJudged == true) }
    command.append((event, try change(of: event)))
    for slug in (event.schedules ?? "").split(separator: ",").map(String.init) {
      lastChanges[slug] = seq
      if witness.draft.after[slug] == nil { breaks(event, "it names a schedule of no app") }
    }
    // Of those that need no one's agreement each is written at once, which takes less memory; so are parts of what is
    // longer than any command of pawl's.
    if isJudged == false || command.count >= Replay.mostChanges { try write() }
    open = event.command == nil ? event : nil
    if open == nil { try conclude() }
  }

  private static let mostChanges = 20_000

  /// Adds what an event says to the command; returns its place, or nil if no one can read it.
  private func change(of event: EventRecord) throws -> Int? {
    guard EventKind(rawValue: event.kind) != nil else {
      let what =
        event.kind.isEmpty
        ? "a column of a type that pawl never writes" : "a kind that this build does not know"
      report("event.unreadable", seq, "event \(seq) has \(what)")
      return nil
    }
    guard (1...EventRecord.currentFormat).contains(event.format) else {
      report("event.unreadable", seq, "event \(seq) is of a format that this build does not read")
      return nil
    }
    guard let (change, moved) = try? event.decoded() else {
      report("event.unreadable", seq, "event \(seq) lacks what events of its kind, \(event.kind), contain")
      return nil
    }
    // A column that events of the kind never have is for the chain to say.
    if (change.before(app: event.app)?.text() ?? event.before) != event.before
      || (change.after(app: event.app, moved)?.text() ?? event.after) != event.after
    {
      breaks(event, "it says what no command writes")
    }
    let (isProved, doubt) = try citation(by: change, of: event)
    let objection =
      try witness.draft.objection(to: change, of: event) ?? doubt ?? objection(to: change, of: event)
    if let objection {
      breaks(event, objection)
    }
    try witness.take(change, of: event, isProved: isProved)
    if let rows = witness.draft.changes.last?.rows, MovedRelease(rows) != moved {
      breaks(event, "it names another release than the one that it moves")
    }
    if case .ledgerMade(let name) = change { ledgerName = name }
    if let evidence = change.evidence, let app = event.app {
      cited[app] = CitedEvidence(evidence, event: seq)
    }
    return witness.draft.changes.count - 1
  }

  private func breaks(_ event: EventRecord, _ objection: String) {
    guard broken != event.seq else { return }
    broken = event.seq
    report(
      "law.broken", event.seq,
      "event \(event.seq) (\(event.kind)) is one that no command could have made: \(objection)")
  }

  private func conclude() throws {
    if let open { breaks(open, "it ends a command and does not say so") }
    open = nil
    try write()
    isJudged = nil
  }

  /// Asks who had to agree to the events, and writes them with their rows, and the schedules made with them.
  private func write() throws {
    guard let first = command.first?.event else { return }
    do {
      try checkAgreement()
    } catch LedgerError.noApp, LedgerError.unreadableRow {
      breaks(first, "no event before it adds an app that it concerns")
    }
    for (event, change) in command {
      if let objection = try witness.write(event, change) { breaks(event, objection) }
    }
    command = []
    guard let slugs = generations[seq] else { return }
    var draft = witness.draft
    for slug in slugs {
      guard let snapshot = try? draft.snapshot(slug) else { continue }
      let schedule = Schedule(snapshot, from: at)
      try witness.ledger.write(schedule, event: seq)
      schedules[slug] = schedule
    }
  }

  // MARK: - Agreement

  private func checkAgreement() throws {
    let draft = witness.draft
    do {
      try draft.checkSigners()
    } catch is Refusal {
      if let event = command.last?.event {
        breaks(event, "there are too few signers, or one key has two names")
      }
    }
    // Where approvals are required, evidence was judged piece by piece.
    let isEvidence =
      draft.approvals > 0
      && draft.changes.allSatisfy { $0.isEvidence || $0.change.flags.contains(.isBesideApps) }
    guard isJudged == true, !isEvidence || !draft.needsOfEvidence.isEmpty, let first = command.first?.event
    else { return }
    let effects: Effects
    do {
      effects = try Effects(draft)
    } catch let refusal as Refusal {
      return breaks(first, "the laws refuse it (\(refusal.id))")
    }
    var agreed: Set<String> = []
    if case .planApplied(let plan)? = draft.changes.first?.change {
      agreed = draft.trustsBefore.names(signingWith: plan.keys ?? [], at: at)
      do {
        // What pawl did not make is an objection of its own.
        if let plan = SignedPlan(plan)?.plan { try effects.hold(against: plan) }
      } catch let refusal as Refusal {
        let why = refusal.details["difference"]?.string ?? refusal.id
        breaks(first, "what follows it is not what the plan says: \(why)")
      }
    }
    let event = command.last {
      $0.change.map { !draft.changes[$0].change.flags.contains(.isBesideApps) } ?? false
    }?.event
    guard agreed.count < draft.approvals, let event, !effects.approvalNeeds().isEmpty else { return }
    breaks(
      event,
      "it needs \(draft.approvals) \(draft.approvals == 1 ? "approval" : "approvals"), and no plan that so many "
        + "signed comes before it")
  }

  /// What is wrong with a change that only the events before it, or the plans among them, tell.
  private func objection(to change: Change, of event: EventRecord) throws -> String? {
    switch change {
    case .planApplied(let applied):
      guard applied.keys != nil else { return "a signature of the plan is not valid" }
      guard plansApplied.insert(applied.subject).inserted else { return "the plan was applied before" }
      guard let plan = SignedPlan(applied)?.plan, !plan.rows.isEmpty else {
        return "pawl did not make the plan"
      }
      if let ledgerName, plan.ledger != ledgerName { return "the plan is for another ledger" }
      do {
        try plan.checkAge(at: at)
        return nil
      } catch {
        return "the laws refuse it (\(error.id))"
      }
    case .returned:
      // One that cannot be read has been reported, and is no mark that could be taken back.
      let marks = try source.query(
        "SELECT \(Ledger.eventColumns) FROM event_row WHERE app = ? AND kind = ? AND subject = ? AND seq < ? ORDER BY seq DESC",
        values: [event.app, EventKind.releaseMark.rawValue, change.subject].map { Value($0) } + [
          .integer(event.seq)
        ],
        row: source.anyEvent(from:))
      for mark in marks {
        guard case .marked(let before, let marked)? = try? mark.change(), mark.evidence == nil,
          let slug = event.app,
          let made = try? witness.draft.after[slug]?.takeBack((before, marked), now: at),
          made.isRecorded(as: change)
        else { continue }
        return try witness.ledger.proof(of: marked.state, of: marked.version, slug) == nil
          ? nil : "proof shows what it takes back"
      }
      return "no mark is taken back by it"
    default: return nil
    }
  }

  // MARK: - Evidence

  /// Whether evidence that an event names is proof, nil if the event is no evidence's doing; and what speaks against it.
  private func citation(by change: Change, of event: EventRecord) throws -> (isProved: Bool?, String?) {
    let slug = event.app ?? ""
    if try witness.draft.proof(against: change, of: slug) != nil {
      return (nil, "proof shows the version with Apple")
    }
    if let own = change.evidence {
      return (nil, event.evidence == own.id ? nil : "it names evidence about something else")
    }
    // `EventChain` has checked that events of other kinds name no evidence.
    guard let id = event.evidence, [.releaseMark, .releaseAmend, .appStop].contains(change.kind) else {
      return (nil, change.saysWhatOnlyEvidenceSays ? "only evidence reports that about a release" : nil)
    }
    if let known = cited[slug], known.isSpeaking(id, at: seq) {
      let isSaid = cited[slug]?.takes(change, event: seq, of: witness.draft.after[slug]?.app) ?? false
      return isSaid ? (known.isProof, nil) : (false, "evidence \(id) does not say that")
    }
    // A change that a person reads from evidence comes before the event that settles it, and is that person's.
    let next = try? source.event(seq &+ 1).change()
    if case .evidenceSettled(_, let evidence)? = next, evidence.id == id,
      evidence.isApplied(as: change, to: slug)
    {
      return (nil, nil)
    }
    return (false, "evidence \(id) did not have that outcome")
  }
}
