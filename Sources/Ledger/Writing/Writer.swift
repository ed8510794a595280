package import JSON
import Platform
import ReleaseModel
import SQLite

extension Ledger {
  /// Records what a command changes: all of it in one transaction, or nothing (law 10). A dry run only reads.
  ///
  /// - Parameters:
  ///   - recording: Who, why and under which conditions.
  ///   - confirm: Asked, outside any transaction, before a change that makes answers stricter; throws to
  ///     refuse.
  ///   - body: Puts the changes together; may run again if the ledger moved on during a question.
  ///   - answer: What the answer says besides `changed`, `event` and `impact`.
  ///   - between: Called before each event is written; throws to record nothing.
  /// - Throws: `LedgerError`, and what the closures throw.
  package func record(
    _ recording: Recording, confirm: (Question) throws -> Void = { _ in },
    body: (inout ChangeSet) throws -> Void, answer: (Effects) throws -> [(String, JSON)] = { _ in [] },
    between: () throws -> Void = {}
  ) throws -> Recorded {
    var agreedHead: Int64?
    func once() throws -> Recorded {
      try record(recording, agreedHead: agreedHead, body: body, answer: answer, between: between)
    }
    if recording.isDryRun { return try snapshotting(once) }
    while true {
      let recorded = try holdingWriteLock(recording) {
        try reading { try connection.transaction(.immediate, once) }
      }
      guard let question = recorded.question else { return recorded }
      // The lock is not held while a person thinks.
      try confirm(question)
      agreedHead = recorded.head.seq
    }
  }

  /// Makes the change, and writes it unless nothing is to be recorded, or someone must be asked first.
  private func record(
    _ recording: Recording, agreedHead: Int64?, body: (inout ChangeSet) throws -> Void,
    answer: (Effects) throws -> [(String, JSON)], between: () throws -> Void
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
    let effects = try effects(of: recording, after: head, body)
    let (draft, plan) = (effects.draft, recording.plan)
    if let plan { try effects.hold(against: plan.plan) }
    let impact = try effects.impact()
    var members = try answer(effects)
    let agreement = Agreement(to: effects, impact, plan)

    let isChanged = draft.isChanged
    var changes = isChanged ? draft.changes : []
    if recording.request != nil, changes.isEmpty, !recording.isDryRun {
      changes.append(PlannedChange(app: nil, change: .requested, evidence: nil))
    }
    let isRecorded = !recording.isDryRun && !changes.isEmpty
    let last = draft.firstEvent + Int64(changes.count) - 1
    members += [
      ("changed", .bool(isChanged)), ("event", .optional(isRecorded ? last : nil)), ("impact", impact.json),
    ]
    if isChanged, draft.takenOver != nil || changes.contains(where: \.change.concernsAnswers) {
      members.append(("rest", .string(impact.rest.rawValue)))
    }
    if let plan { members.append(("plan", .string(plan.digest))) }
    guard isRecorded else {
      if !agreement.needs.isEmpty { members.append(("approvals", agreement.json)) }
      var question: Question?
      if recording.isDryRun {
        question = try isChanged ? agreement.question(mayAgree: recording.mayAgree) : nil
        members.append(("asks", .bool(isChanged && !agreement.needs.isEmpty || question != nil)))
      }
      var recorded = Recorded(
        answer: .object(JSON.Object(members)), isRepeated: false, head: head, question: question)
      if recording.isPlanned { recorded.planned = try effects.planned() }
      return recorded
    }
    let result = JSON.object(JSON.Object(members))
    if !agreement.needs.isEmpty {
      try agreement.check()
    } else if !recording.isAgreed, agreedHead != head.seq,
      let question = try agreement.question(mayAgree: recording.mayAgree)
    {
      return Recorded(answer: result, isRepeated: false, head: head, question: question)
    }
    let hash = try write(changes, of: effects, impact, after: head, recording, result, between)
    return Recorded(
      answer: result, isRepeated: false, head: Head(seq: last, hash: hash, at: draft.now))
  }

  /// Puts a command's changes together and checks what no law of one change does.
  private func effects(
    of recording: Recording, after head: Head, _ body: (inout ChangeSet) throws -> Void
  ) throws -> Effects {
    let (moment, doubt) = recording.clockCheck.now(clock: recording.clock, last: head.at)
    // The emergency switch waits for nothing: it shows who is prompted now.
    var draft = try ChangeSet(
      ledger: self, head: head, now: max(moment, reached(head) ?? moment),
      isUrgent: recording.clockCheck.isUrgent && !recording.isPlanned)
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
    return try Effects(draft)
  }

  /// Writes the events of a command with their rows, and the schedules that change; returns the last event's hash.
  private func write(
    _ changes: [PlannedChange], of effects: Effects, _ impact: Impact, after head: Head,
    _ recording: Recording, _ answer: JSON, _ between: () throws -> Void
  ) throws -> String {
    let (draft, actor, told) = (effects.draft, recording.actor.text(), effects.recorded)
    let shares = changes.count > draft.changes.count ? [impact] : try effects.shares(of: impact)
    var (seq, previous) = (draft.firstEvent, head.hash)
    for (index, planned) in changes.enumerated() {
      try between()
      let (slug, change) = (planned.app, planned.change)
      seq = draft.firstEvent + Int64(index)
      var event = EventRecord(seq: seq, at: draft.now.text, kind: change.kind.rawValue, actor: actor)
      (event.app, event.version) = (slug, change.version?.text)
      event.subject = try subject(of: change)
      event.before = change.before(app: slug)?.text()
      event.after = change.after(app: slug, MovedRelease(planned.rows))?.text()
      event.impact = shares[index].lines.isEmpty ? nil : shares[index].json.text()
      (event.reason, event.evidence) = (planned.reason ?? recording.reason, planned.evidence)
      event.also = try also(of: planned)
      if index == changes.count - 1 {
        event.schedules = told.map(\.willBe.app).joined(separator: ",")
        event.command = draft.words ?? recording.words
        event.requestID = recording.request?.id
        event.request = recording.request?.digest
        event.answer = recording.request.map { _ in answer.text() }
      }
      event.hash = event.chainedHash(after: previous)
      previous = event.hash
      try insert(event)
      for row in planned.rows { try write(row, app: slug ?? "", bodies: draft.bodies) }
    }
    for effect in told { try write(effect.willBe, event: seq) }
    return previous
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
