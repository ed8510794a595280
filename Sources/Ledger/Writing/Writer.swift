package import JSON
import Platform
import ReleaseModel
import SQLite

extension Ledger {
  /// Records what a command changes: all of it in one transaction, or nothing (law 10).
  ///
  /// - Parameters:
  ///   - recording: Who, why and under which conditions.
  ///   - confirm: Asked, outside any transaction, before a change that makes answers stricter; throws to
  ///     refuse.
  ///   - body: Puts the changes together; may run again if the ledger moved on during a question or a wait.
  ///   - answer: What the answer says besides `changed`, `event` and `impact`.
  ///   - rehearses: Whether to rehearse the change while someone else has the turn; for short changes.
  ///   - progress: Called with the number of events written and the total; throws to record nothing.
  /// - Throws: `LedgerError`, and what the closures throw.
  package func record(
    _ recording: Recording, confirm: (Question) throws -> Void, body: (inout ChangeSet) throws -> Void,
    answer: (inout ChangeSet) throws -> [(String, JSON)], rehearses: Bool = false,
    progress: (_ done: Int, _ total: Int) throws -> Void = { _, _ in }
  ) throws -> Recorded {
    var agreedHead: Int64?
    let foresight = Foresight()
    // Half of a change's time goes into compiling its statements; done here, it keeps no one waiting. Of what it
    // finds only the need for agreement is kept, and an error it meets occurs again.
    func rehearse() {
      guard rehearses else { return }
      _ = try? connection.rehearsing {
        try recordOnce(
          recording, agreedHead: nil, foresight, body: body, answer: answer, progress: { _, _ in })
      }
    }
    // Who must agree takes longest to find out where there are many answers.
    if !recording.clockCheck.isUrgent, try trusts().approvals > 0 { rehearse() }
    while true {
      let recorded = try holdingWriteLock(recording, prepare: rehearse) {
        try reading {
          try connection.transaction(.immediate) {
            try recordOnce(
              recording, agreedHead: agreedHead, foresight, body: body, answer: answer, progress: progress)
          }
        }
      }
      guard let question = recorded.question else { return recorded }
      // The lock is not held while a person thinks.
      try confirm(question)
      agreedHead = recorded.head.seq
    }
  }

  /// Says what a dry run would do, in a single read of the ledger.
  package func rehearse(
    _ recording: Recording, body: (inout ChangeSet) throws -> Void,
    answer: (inout ChangeSet) throws -> [(String, JSON)]
  ) throws -> Recorded {
    try snapshotting {
      try recordOnce(
        recording, agreedHead: nil, Foresight(), body: body, answer: answer, progress: { _, _ in })
    }
  }

  /// Why a change needs agreement, as found out before its turn; it holds as long as the ledger has the same head.
  private final class Foresight {
    private var found: (head: Head, now: Timestamp, needs: Set<Need>)?

    func needs(_ head: Head, _ now: Timestamp, else find: () throws -> Set<Need>) rethrows -> Set<Need> {
      if let found, found.head == head, found.now == now { return found.needs }
      let needs = try find()
      found = (head, now, needs)
      return needs
    }
  }

  /// Makes the change, and writes it unless nothing is to be recorded, or someone must be asked first.
  private func recordOnce(
    _ recording: Recording, agreedHead: Int64?, _ foresight: Foresight,
    body: (inout ChangeSet) throws -> Void,
    answer: (inout ChangeSet) throws -> [(String, JSON)], progress: (Int, Int) throws -> Void
  ) throws -> Recorded {
    if let request = recording.request, let earlier = try self.answer(to: request) {
      return Recorded(answer: earlier.answer, isRepeated: true, head: earlier.head)
    }
    let head = try head()
    if let expected = recording.expectedHead, expected != head.seq {
      throw LedgerError.unusable(
        Refusal(
          "ledger.head-moved",
          details: ["expected": .integer(expected), "found": .integer(head.seq)]))
    }
    try checkHead(head)
    let (moment, doubt) = recording.clockCheck.now(clock: recording.clock, last: head.at)
    // The emergency switch waits for nothing: it shows who is prompted now.
    let isUrgent = recording.clockCheck.isUrgent && !recording.isPlanned
    var draft = try ChangeSet(
      ledger: self, head: head, now: max(moment, reached(head) ?? moment), isUrgent: isUrgent)
    if let plan = recording.plan {
      try check(plan, now: draft.now)
      draft.apply(plan.applied)
    }
    try body(&draft)
    // The first event names the ledger; a refused `init` leaves none.
    if head.seq == 0, draft.changes.first?.change.kind != .ledgerInit {
      throw LedgerError.unusable("ledger.unfinished", path)
    }
    if let doubt, !draft.provesClock { throw doubt }
    try draft.checkSigners()
    for planned in draft.changes {
      if let field = planned.change.controlledField {
        throw Refusal("text.control-character", details: ["field": .string(field)])
      }
    }
    let now = draft.now
    if let plan = recording.plan { try draft.hold(against: plan.applied) }
    let effects = try draft.effects()
    let impact = try draft.impact(of: effects)
    let extra = try answer(&draft)

    let isChanged = draft.isChanged
    var changes = isChanged ? draft.changes : []
    if recording.request != nil, changes.isEmpty, !recording.isDryRun {
      changes.append(PlannedChange(app: nil, change: .requested, evidence: nil))
    }
    let last = recording.isDryRun || changes.isEmpty ? nil : draft.firstEvent + Int64(changes.count) - 1
    let needs =
      try draft.approvals > 0 && !isUrgent
      ? foresight.needs(head, now) { try draft.approvalNeeds() } : []
    var members =
      extra + [("changed", .bool(isChanged)), ("event", .optional(last)), ("impact", impact.json)]
    if isChanged, changes.contains(where: \.change.concernsAnswers) {
      members.append(("rest", .string(impact.rest.rawValue)))
    }
    func question() throws -> Question? {
      guard !isUrgent else { return nil }
      return try draft.questionOfExpiry(impact) ?? draft.question(impact, mayAgree: recording.mayAgree)
    }
    if let plan = recording.plan { members.append(("plan", .string(plan.digest))) }
    if recording.isDryRun || changes.isEmpty {
      if !needs.isEmpty { members.append(("approvals", draft.approvals(for: needs, recording.plan))) }
      if recording.isDryRun, isChanged {
        members.append(("asks", .bool(try !needs.isEmpty || question() != nil)))
      }
      var recorded = Recorded(answer: .object(JSON.Object(members)), isRepeated: false, head: head)
      if recording.isPlanned { recorded.planned = try draft.planned() }
      return recorded
    }
    let result = JSON.object(JSON.Object(members))
    if !needs.isEmpty {
      try draft.checkAgreement(recording.plan, needs, impact)
    } else if !recording.isAgreed, agreedHead != head.seq, let question = try question() {
      return Recorded(answer: result, isRepeated: false, head: head, question: question)
    }

    var previous = head.hash
    let actor = recording.actor.text()
    let told = draft.recorded(effects)
    let shares = changes.count > draft.changes.count ? [impact] : try draft.shares(of: impact)
    for (index, planned) in changes.enumerated() {
      try progress(index, changes.count)
      let (slug, change) = (planned.app, planned.change)
      let isLast = index == changes.count - 1
      var event = EventRecord(
        seq: draft.firstEvent + Int64(index), at: now.text, kind: change.kind.rawValue, app: slug,
        version: change.version?.text, subject: try subject(of: change),
        before: change.before(app: slug)?.text(),
        after: change.after(app: slug, MovedRelease(planned.rows))?.text(),
        impact: shares[index].lines.isEmpty ? nil : shares[index].json.text(), actor: actor,
        reason: planned.reason ?? recording.reason, evidence: planned.evidence)
      event.also = try also(of: planned)
      if isLast {
        event.schedules = told.map(\.willBe.app).joined(separator: ",")
        event.command = draft.words ?? recording.words
      }
      if isLast, let request = recording.request {
        event.requestID = request.id
        event.request = request.digest
        event.answer = result.text()
      }
      event.hash = event.chainedHash(after: previous)
      previous = event.hash
      try insert(event)
      for row in planned.rows { try write(row, app: slug ?? "", bodies: draft.bodies) }
    }
    if let last { for effect in told { try write(effect.willBe, event: last) } }
    return Recorded(
      answer: result, isRepeated: false,
      head: Head(seq: draft.firstEvent + Int64(changes.count) - 1, hash: previous, at: now))
  }

  /// The answer that was given to an earlier attempt at a request, and the event that keeps it.
  private func answer(to request: Recording.Request) throws -> (answer: JSON, head: Head)? {
    let found = try connection.first(
      "SELECT seq, request, answer, hash FROM event_row WHERE request_id = ?", .text(request.id)
    ) { row in
      (seq: try row.integer(0), digest: try row.text(1), answer: try row.text(2), hash: try row.text(3))
    }
    guard let found else { return nil }
    guard found.digest == request.digest else {
      throw LedgerError.unusable(
        Refusal(
          "request.reused",
          details: ["requestId": .string(request.id), "event": .integer(found.seq)]))
    }
    guard let answer = try? JSON(parsing: found.answer.utf8) else {
      throw LedgerError.unreadableEvent(found.seq)
    }
    return (answer, Head(seq: found.seq, hash: found.hash, at: nil))
  }

  func subject(of change: Change) throws -> String? {
    switch change {
    case .appAdded: return "app/\(try nextID(of: .app))"
    case .appSet(let app, _), .appVoided(let app): return "app/\(try id(ofApp: app.slug))"
    case .trusted: return "trust/\(try nextID(of: .trust))"
    case .distrusted(let trust): return try id(of: trust).map { "trust/\($0)" }
    case .planApplied(let plan): return plan.subject
    default: return change.subject
    }
  }

  /// What a change does to rows beyond what its event's `before` and `after` say, its rows not being written yet.
  func also(of planned: PlannedChange) throws -> String? {
    func stored<Value: Record>(_ record: Value) throws -> Value? {
      try records(Value.self, where: "\(Value.table.key) = ?", SQLite.Value(record.rowID)).first
    }
    return try planned.change.also(planned.rows) { try stored($0) }?.text()
  }

  func write(_ row: TouchedRow, app slug: String, bodies: [Int64: [UInt8]]) throws {
    switch (row.fate, row.record) {
    case (.removed, let app as App):
      try removeAnswers(ofApp: .integer(try id(ofApp: app.slug)))
      try connection.run("DELETE FROM app_row WHERE slug = ?", .text(app.slug))
    case (.removed, let trust as Trust):
      try connection.run("DELETE FROM trust_row WHERE id = ?", Value(try id(of: trust)))
    case (.removed, _): try connection.run("DELETE FROM publication_row")
    case (.made, let evidence as Evidence):
      try insert(evidence, extra: [("body", Value(bodies[evidence.id]))])
    case (.made, let app as App): try insert(app, extra: [("id", .integer(try nextID(of: .app)))])
    case (.made, let trust as Trust): try insert(trust, extra: [("id", .integer(try nextID(of: .trust)))])
    case (.made, let publication as Publication): try insert(publication, extra: [("id", .integer(1))])
    case (.altered, let app as App): try update(app, row.fate, where: ("slug", .text(app.slug)))
    case (.activated, let record) where try isKnown(record): try update(record, row.fate)
    case (.made, let record), (.activated, let record): try insert(record, app: slug)
    case (.altered, let record), (.amended, let record): try update(record, row.fate)
    }
    guard let release = row.record as? Release, row.fate != .altered else { return }
    if row.fate != .made {
      try connection.run("DELETE FROM note_row WHERE release_id = ?", .integer(release.id))
    }
    try write(notesOf: release)
  }

  private func isKnown(_ record: any Record) throws -> Bool {
    let table = type(of: record).table
    return try connection.first(
      "SELECT 1 FROM \(table.rows) WHERE \(table.key) = ?", Value(record.rowID), row: { _ in true })
      != nil
  }

  func nextID(of table: RecordTable) throws -> Int64 {
    try connection.first("SELECT coalesce(max(id), 0) + 1 FROM \(table.rows)") { try $0.integer(0) } ?? 1
  }

  private func id(of trust: Trust) throws -> Int64? {
    try connection.first(
      "SELECT id FROM trust_row WHERE kind = ? AND value = ? AND selector = ?", .text(trust.kind.rawValue),
      .text(trust.value), .text(trust.selector)
    ) { try $0.integer(0) }
  }

  func id(ofApp slug: String) throws -> Int64 {
    try connection.first("SELECT id FROM app_row WHERE slug = ?", .text(slug)) { try $0.integer(0) } ?? 0
  }
}
