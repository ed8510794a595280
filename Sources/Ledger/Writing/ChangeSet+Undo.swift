import JSON
import ReleaseModel
import SQLite

extension Ledger {
  /// The command that recorded an event.
  ///
  /// - Throws: `LedgerError.noEvent`.
  package func command(of seq: Int64) throws -> RecordedCommand {
    _ = try event(seq)
    let last = try number("seq >= ? AND command IS NOT NULL ORDER BY seq", .integer(seq)) ?? seq
    let before = try number("seq < ? AND command IS NOT NULL ORDER BY seq DESC", .integer(last)) ?? 0
    return RecordedCommand(
      first: try number("seq > ? ORDER BY seq", .integer(before)) ?? last, last: try event(last))
  }

  /// Finds what to take back, newest first; evidence and what concerns no app are passed over.
  package func undoable(redoing: Bool) throws -> Undoable {
    var newest: RecordedCommand?
    // Those that a later undo or redo took back.
    var undone: Set<Int64> = []
    var end = try head().seq
    while let seq = try number(
      "seq <= ? AND evidence IS NULL AND app IS NOT NULL AND kind NOT LIKE 'evidence.%' ORDER BY seq DESC",
      .integer(end))
    {
      let command = try command(of: seq)
      end = command.first - 1
      let isOfEvidence =
        try number(
          "seq BETWEEN ? AND ? AND (evidence IS NOT NULL OR kind LIKE 'evidence.%')", .integer(command.first),
          .integer(command.last.seq)) != nil
      if isOfEvidence { continue }
      newest = newest ?? command
      if undone.remove(command.last.seq) != nil { continue }
      if let earlier = command.undone, redoing ? command.isRedo : command.isUndo {
        undone.insert(earlier)
      } else {
        return Undoable(newest: newest, next: !redoing || command.isUndo ? command : nil)
      }
    }
    return Undoable(newest: newest, next: nil)
  }

  /// The last event before another one that is about a row of an app.
  fileprivate func lastEvent(of app: String, about subject: String, before seq: Int64) throws -> Int64? {
    try number(
      "app = ? AND subject = ? AND seq < ? ORDER BY seq DESC", .text(app), .text(subject), .integer(seq))
  }

  /// The last event after a command that changed one of some members of a row, or whether it is there; what was taken back
  /// since, and what evidence did to a hold, does not count.
  fileprivate func toucher(
    of members: Set<String>, _ row: String, in app: String, after command: RecordedCommand
  ) throws -> Int64? {
    var undone: Set<Int64> = []
    var found: Int64?
    try eachEvent(HistoryFilter(app: app, first: command.last.seq &+ 1)) { event in
      let own = try self.command(of: event.seq)
      if undone.contains(own.last.seq) { return true }
      if let earlier = own.undone, command.last.seq < earlier {
        undone.insert(earlier)
        return true
      }
      if try !event.altered(row).isDisjoint(with: members) { found = event.seq }
      return found == nil
    }
    return found
  }

  /// Refuses to take back a command if another one changed a row since; those that were taken back do not count.
  fileprivate func check(_ toucher: Int64, _ row: String, of app: String, _ command: RecordedCommand) throws {
    var seq = toucher
    while !(command.first...command.last.seq).contains(seq) {
      // After an undo a row is as it was before the command that it took back.
      guard command.last.seq < seq, let undone = try self.command(of: seq).undone,
        let last = try lastEvent(of: app, about: row, before: self.command(of: undone).first), last < seq
      else { throw Refusal.touched(command.last.seq, by: toucher) }
      seq = last
    }
  }

  func struckOut(_ slug: String) throws -> App? {
    let found = try number(
      "kind = ? AND app = ? ORDER BY seq DESC", .text(EventKind.appVoid.rawValue), .text(slug))
    guard let found, case .appVoided(let app) = try event(found).change() else { return nil }
    return app
  }

  func eventMaking(rule number: Int64) throws -> EventRecord? {
    let seq = try connection.first("SELECT made_by FROM rule_row WHERE number = ?", .integer(number)) {
      try $0.integer(0)
    }
    return try seq.map { try event($0) }
  }

  fileprivate func lastEvent(of row: String) throws -> Int64? {
    let parts = row.split(separator: "/")
    guard parts.count == 2, let number = Int64(parts[1]) else { return nil }
    return try connection.first("SELECT event_seq FROM \(parts[0])_row WHERE number = ?", .integer(number)) {
      try $0.integer(0)
    }
  }
}

extension ChangeSet {
  /// The numbers of the events that record the changes so far.
  package var events: [Int64] { Array(firstEvent..<firstEvent + Int64(changes.count)) }

  /// Adds the opposite of all that a command changed, or nothing if everything is as it was before (law 9).
  ///
  /// - Parameter verb: `undo`, or `redo` where the command is an undo.
  /// - Throws: `Refusal`: `undo.never`; `undo.touched` if a later command changed the same rows; and what the laws
  ///   and guards throw.
  package mutating func takeBack(_ command: RecordedCommand, as verb: String) throws {
    // All of it is there, so the newest event goes first; one at a time, since an import may have many.
    var already: Int64?
    var isOfApps = false
    for seq in (command.first...command.last.seq).reversed() {
      let event = try ledger.event(seq)
      guard let kind = EventKind(rawValue: event.kind) else { throw LedgerError.unreadableEvent(seq) }
      // The agreement to a plan, and numbers that are left out, are facts that stay.
      if [.planApply, .ledgerTakeOver, .request].contains(kind) { continue }
      guard kind.isOfApp, event.evidence == nil, let app = event.app else {
        throw Refusal.notUndoable(seq, event.kind)
      }
      isOfApps = true
      let count = changes.count
      if let toucher = try takeBack(event, of: app, command, verb) { already = toucher }
      if changes.count == count, already == nil { already = seq }
    }
    guard isOfApps else { throw Refusal.notUndoable(command.last.seq, command.last.kind) }
    guard !changes.allSatisfy(\.change.isPlan) else { return }
    // Whole, or not at all.
    if let already { throw Refusal.touched(command.last.seq, by: already) }
    words = "\(verb) \(command.last.seq)"
  }

  /// Adds the opposite of one event, or nothing if its effect is gone already.
  ///
  /// - Returns: Where it is gone, the event that changed the row last.
  private mutating func takeBack(
    _ event: EventRecord, of slug: String, _ command: RecordedCommand, _ verb: String
  ) throws -> Int64? {
    let change = try event.change()
    if case .appAdded = change, try !hasApp(slug) { return event.seq }
    if case .appVoided(let app) = change {
      if try hasApp(slug) {
        let known = try line(slug).app
        guard known == app else { throw Refusal.touched(command.last.seq, by: known.event) }
        return known.event
      }
      try add(app)
      return nil
    }
    let line = try line(slug)
    let attempt = "\(verb) \(command.last.seq)"
    let (ledger, firstOwn) = (ledger, firstEvent)
    func refuseTouched(_ members: Set<String>) throws {
      if let toucher = try ledger.toucher(of: members, event.subject ?? "", in: slug, after: command) {
        throw Refusal.touched(command.last.seq, by: toucher)
      }
    }
    func touched(_ toucher: Int64?, _ row: String?) throws {
      guard let toucher, toucher < firstOwn else { return }
      try ledger.check(toucher, row ?? "", of: slug, command)
    }
    switch change {
    case .appAdded:
      try touched(line.app.event, event.subject)
      _ = try void(slug)
    case .appSet(let before, _):
      guard let former = line.app.with(change.alteredMembers, of: before), former != line.app else {
        return line.app.event
      }
      try refuseTouched(change.alteredMembers)
      if former.isRetired, !line.app.isRetired { try refuseLedTo(slug, attempt) }
      try self.change(slug, command: attempt) { .appSet(before: $0.app, after: former) }
    case .published(let release), .unmarked(let release, _), .amended(let release, _),
      .returned(let release, _), .marked(let release, _):
      guard let now = line.release(id: release.id) else { return event.seq }
      guard try takeBack(change, of: now, in: slug, attempt, { try refuseTouched(change.alteredMembers) })
      else {
        return now.event
      }
    case .voided(let release, _, false) where release.state == .prepared:
      if let again = line.counted(release.version) {
        guard again == again.withDetails(of: release) else {
          throw Refusal.touched(command.last.seq, by: again.event)
        }
        return again.event
      }
      try touched(line.release(id: release.id)?.event, event.subject)
      let now = self.now
      try self.change(slug, attempt) { line, id throws(Refusal) in
        let again = Release(id: id, version: release.version, state: .prepared, since: now)
        return try line.recomputed(.published(again.withDetails(of: release)), at: now)
      }
    case .ruleMade(let rule), .ruleRestored(let rule):
      guard let now = line.rules.element(rule.number) else { return try ledger.lastEvent(of: rule.row) }
      try touched(now.event, event.subject)
      try self.change(slug, command: attempt) { _ in .ruleLifted(now) }
    case .ruleLifted(let rule):
      if let now = line.rules.element(rule.number) { return now.event }
      try touched(ledger.lastEvent(of: rule.row), event.subject)
      try self.change(slug, command: attempt) { _ in .ruleRestored(rule) }
    case .redirectSet(let before, let after):
      guard let now = try place(before, after, line.redirects, touched) else { return event.seq }
      try self.change(slug, command: attempt) { _ in .redirectSet(before: now.value, after: before) }
    case .settingSet(let before, let after):
      guard let now = try place(before, after, line.settings, touched) else { return event.seq }
      try self.change(slug, command: attempt) { _ in .settingSet(before: now.value, after: before) }
    default: throw Refusal.notUndoable(event.seq, event.kind)
    }
    return nil
  }

  /// Adds the opposite of a change of a release; returns false if its effect is gone already.
  private mutating func takeBack(
    _ change: Change, of release: Release, in slug: String, _ attempt: String,
    _ checkTouched: () throws -> Void
  ) throws -> Bool {
    let now = self.now
    func isAs(_ other: Release) -> Bool {
      (release.state, release.since, release.liveAt) == (other.state, other.since, other.liveAt)
    }
    switch change {
    case .published:
      if release.state == .void { return false }
      try checkTouched()
      return try self.change(slug, attempt) { line, _ throws(Refusal) in
        try line.void(release.version, now: now)
      }
    case .marked(let before, let after) where after.state == .live && before.state != .live:
      if isAs(before) { return false }
      try checkTouched()
      return try self.change(slug, attempt) { line, _ throws(Refusal) in
        try line.unmark(release.version, now: now)
      }
    case .unmarked(let before, _), .returned(let before, _):
      if isAs(before) { return false }
      try checkTouched()
      return try self.change(slug, attempt) { line, _ throws(Refusal) in
        try line.recomputed(.marked(before: release, after: before), at: now)
      }
    case .marked(let before, let after) where before.state != after.state:
      if isAs(before) { return false }
      try checkTouched()
      if let proof = try ledger.proof(of: after.state, of: release.version, slug) {
        throw Refusal(
          "evidence.contradicts", ["kind": proof.kind.rawValue, "state": " as \(after.state.rawValue)"],
          details: ["version": .string(release.version.text), "evidence": .integer(proof.id)]
        ).of(attempt, on: slug)
      }
      return try self.change(slug, attempt) { line, _ throws(Refusal) in
        try line.takeBack((before, after), now: now)
      }
    case .amended(let before, _):
      guard let former = release.with(change.alteredMembers, of: before), former != release else {
        return false
      }
      try checkTouched()
      return try self.change(slug, attempt) { line, _ throws(Refusal) in
        try line.recomputed(.amended(before: release, after: former), at: now)
      }
    default: throw Refusal.notUndoable(release.event, change.kind.rawValue)
    }
  }

  /// What is in force where a redirect or setting was set or cleared; nil if that is what was there before.
  private func place<Value: Placed>(
    _ before: Value?, _ after: Value?, _ standing: [Value], _ checkTouched: (Int64?, String?) throws -> Void
  ) throws -> (value: Value?, Void)? {
    let now = standing.last {
      $0.number == after?.number || (after ?? before).map($0.hasPlace) == true
    }
    if before == now, before?.number == now?.number { return nil }
    guard let row = after ?? before else { return nil }
    let isAsLeft = now?.number == after?.number
    try checkTouched(
      isAsLeft ? now?.event ?? ledger.lastEvent(of: row.row) : now?.event, isAsLeft ? row.row : nil)
    return (now, ())
  }
}
