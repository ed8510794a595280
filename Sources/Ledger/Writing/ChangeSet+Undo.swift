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

  /// The last event after a command that changed some members of a row, or any; what was taken back since, and what
  /// evidence did to a hold, does not count.
  fileprivate func toucher(
    of members: Set<String>?, _ row: String, in app: String, after command: RecordedCommand
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
      let altered = try event.altered(row)
      if members.map({ !altered.isDisjoint(with: $0) }) ?? !altered.isEmpty { found = event.seq }
      return found == nil
    }
    return found
  }

  func struckOut(_ slug: String) throws -> App? {
    guard let found = try strikingOut(slug), case .appVoided(let app) = try event(found).change() else {
      return nil
    }
    return app
  }

  /// The event that struck an app out last; nil if none did.
  fileprivate func strikingOut(_ slug: String) throws -> Int64? {
    try number("kind = ? AND app = ? ORDER BY seq DESC", .text(EventKind.appVoid.rawValue), .text(slug))
  }

  func eventMaking(rule number: Int64) throws -> EventRecord? {
    let seq = try connection.first("SELECT made_by FROM rule_row WHERE number = ?", .integer(number)) {
      try $0.integer(0)
    }
    return try seq.map { try event($0) }
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
      guard try hasApp(slug) else {
        try add(app)
        return nil
      }
      let known = try line(slug).app
      guard known == app else { throw Refusal.touched(command.last.seq, by: known.event) }
      return known.event
    }
    guard try hasApp(slug) else {
      throw Refusal.touched(command.last.seq, by: try ledger.strikingOut(slug) ?? event.seq)
    }
    let (line, attempt, ledger) = (try line(slug), "\(verb) \(command.last.seq)", ledger)
    func toucher(_ row: String?, _ members: Set<String>? = nil) throws -> Int64? {
      try ledger.toucher(of: members, row ?? "", in: slug, after: command)
    }
    func checkUntouched(_ row: String?, _ members: Set<String>? = nil) throws {
      if let later = try toucher(row, members) { throw Refusal.touched(command.last.seq, by: later) }
    }
    switch change {
    case .appAdded:
      try checkUntouched(event.subject)
      _ = try void(slug, attempt)
    case .appSet(let before, _):
      guard let former = line.app.with(change.alteredMembers, of: before), former != line.app else {
        return line.app.event
      }
      try checkUntouched(event.subject, change.alteredMembers)
      try checkRetired(from: line.app, to: former, attempt)
      try self.change(slug, command: attempt) { .appSet(before: $0.app, after: former) }
    case .voided(let release, _, false) where release.state == .prepared:
      if let again = line.counted(release.version) {
        guard again == again.withDetails(of: release) else {
          throw Refusal.touched(command.last.seq, by: again.event)
        }
        return again.event
      }
      try checkUntouched(event.subject)
      let now = self.now
      try self.change(slug, attempt) { line, id throws(Refusal) in
        var again = Release(id: id, version: release.version, state: .prepared, since: now)
          .withDetails(of: release)
        // Another version may have been given its record since.
        if line.releases.contains(where: { $0.ascID == again.ascID }) { again.ascID = nil }
        return try line.recomputed(.published(again), at: now)
      }
    case .ruleMade(let rule), .ruleRestored(let rule):
      guard let now = line.rules.element(rule.number) else { return try toucher(rule.row) ?? event.seq }
      try checkUntouched(rule.row)
      try self.change(slug, command: attempt) { _ in .ruleLifted(now) }
    case .ruleLifted(let rule):
      if let now = line.rules.element(rule.number) { return now.event }
      try checkUntouched(rule.row)
      try self.change(slug, command: attempt) { _ in .ruleRestored(rule) }
    case .redirectSet(let before, let after):
      return try takeBack(before, after, in: slug, attempt, event, command, checkUntouched)
    case .settingSet(let before, let after):
      return try takeBack(before, after, in: slug, attempt, event, command, checkUntouched)
    case .published, .marked, .unmarked, .returned, .amended:
      guard let own = change.release.flatMap({ line.release(id: $0.id) }) else { return event.seq }
      let now = try standing(own, in: line)
      // Its number may be another release's by now.
      if now.state == .void, event.kind != EventKind.releasePublish.rawValue {
        throw Refusal.touched(command.last.seq, by: now.event)
      }
      if now.id != own.id { try checkUntouched(now.row, change.alteredMembers) }
      guard let law = try opposite(of: change, event, to: now) else { return now.event }
      try checkUntouched(event.subject, change.alteredMembers)
      for row in event.otherRows { try checkUntouched(row, event.altered(row)) }
      if case .marked(_, let after) = change, after.state != .live,
        let proof = try ledger.proof(of: after.state, of: now.version, slug)
      {
        throw Refusal.contradicted(by: proof).of(attempt, on: slug)
      }
      try self.change(slug, attempt) { line, _ throws(Refusal) in try law(line) }
    default: throw Refusal.notUndoable(event.seq, event.kind)
    }
    return nil
  }

  /// The release that stands for a row: another row where that one was struck out, and this was taken back.
  private func standing(_ release: Release, in line: AppState) throws -> Release {
    guard release.state == .void, let again = line.counted(release.version),
      let made = try ledger.number(
        "app = ? AND subject = ? ORDER BY seq", .text(line.app.slug), .text(release.row)),
      try ledger.toucher(of: ["state"], release.row, in: line.app.slug, after: ledger.command(of: made))
        == nil
    else { return release }
    return again
  }

  /// The law of the opposite of a change of a release, which now is another; nil if its effect is gone already.
  private func opposite(
    of change: Change, _ event: EventRecord, to release: Release
  ) throws -> ((AppState) throws(Refusal) -> Change?)? {
    let (now, version) = (now, release.version)
    func isAs(_ other: Release) -> Bool {
      (release.state, release.since, release.liveAt) == (other.state, other.since, other.liveAt)
    }
    switch change {
    case .published:
      if release.state == .void { return nil }
      return { line throws(Refusal) in try line.void(version, now: now) }
    case .marked(let before, let after) where before.state != after.state:
      if isAs(before) { return nil }
      return { line throws(Refusal) in
        after.state == .live
          ? try line.unmark(version, now: now) : try line.takeBack((before, after), now: now)
      }
    case .unmarked(let before, _), .returned(let before, _):
      if isAs(before) { return nil }
      return { line throws(Refusal) in
        try line.recomputed(.marked(before: release, after: before), at: now)
      }
    case .amended(let before, _):
      guard let former = release.with(change.alteredMembers, of: before), former != release else {
        return nil
      }
      return { line throws(Refusal) in
        try line.recomputed(.amended(before: release, after: former), at: now)
      }
    default: throw Refusal.notUndoable(event.seq, event.kind)
    }
  }

  /// Puts back what was where a redirect or setting was set or cleared, or nothing if that is in force.
  private mutating func takeBack<Value: Placed>(
    _ before: Value?, _ after: Value?, in slug: String, _ attempt: String, _ event: EventRecord,
    _ command: RecordedCommand, _ checkUntouched: (String?, Set<String>?) throws -> Void
  ) throws -> Int64? {
    let now = try Value.all(of: line(slug)).last {
      $0.number == after?.number || (after ?? before).map($0.hasPlace) == true
    }
    if before == now, before?.number == now?.number { return event.seq }
    try checkUntouched((after ?? before)?.row, nil)
    if let now, now.number != after?.number { throw Refusal.touched(command.last.seq, by: now.event) }
    try self.change(slug, command: attempt) { _ in Value.change(from: now, to: before) }
    return nil
  }
}
