package import JSON

/// A row that a change touches, as the change leaves it.
package struct TouchedRow: Sendable {
  /// What becomes of a row.
  package enum Fate: Sendable {
    case made
    case altered
    /// It is altered, and so are the notes that belong to it.
    case amended
    /// It is new and in force, or was there and is in force again.
    case activated
    case removed
  }

  package let record: any Record
  package let fate: Fate
  /// The row as it was; nil if it is new, or was not in force.
  let former: (any Record)?

  init<Value: Record>(_ record: Value, _ fate: Fate, _ event: Int64, from former: (any Record)? = nil) {
    var record = record
    record.event = event
    self.record = record
    self.fate = fate
    self.former = former
  }
}

extension Change {
  /// Applies a change that the laws have allowed, to the app it is recorded under, if any.
  ///
  /// - Returns: The rows it touches, in the order in which the schema wants them written.
  package func apply(to line: inout AppState?, event: Int64) -> [TouchedRow] {
    switch self {
    case .appAdded(let app):
      line = AppState(app: app)
      line?.app.event = event
    case .appVoided: line = nil
    case .evidenceAdded, .evidenceSettled, .trusted, .distrusted, .publicationSet, .ledgerMade, .takenOver,
      .planApplied, .requested:
      break
    default: return line?.apply(self, event: event) ?? []
    }
    let (before, after) = sides
    guard let after else { return before.map { [TouchedRow($0, .removed, event)] } ?? [] }
    return [TouchedRow(after, before == nil ? .made : .altered, event)]
  }
}

extension Change {
  /// What the change does to rows beyond what `sides` says of them, in the order in which they are written: of each row
  /// the fields that differ, by member or else by column, as they were and as they are; nil if that is nothing.
  ///
  /// - Parameters:
  ///   - rows: What `apply` returned.
  ///   - stored: The row of a record as it is stored, if there is one; asked of rows that come into force.
  package func also(
    _ rows: [TouchedRow], stored: (any Record) throws -> (any Record)?
  ) rethrows -> JSON? {
    let told = [sides.before, sides.after].compactMap(\.self)
    let differences = try rows.compactMap { row throws -> JSON? in
      let isTold = told.contains { $0.isRow(of: row.record) }
      // Only of rows that come into force and go out again do events not say everything.
      if isTold, !(row.record is any Liftable) { return nil }
      return row.difference(
        from: row.fate == .activated ? try stored(row.record) : row.former, isTold: isTold)
    }
    return differences.isEmpty ? nil : .array(differences)
  }
}

extension Change {
  /// The members of the row it is about that differ before and after it: a release's state with its times is one, and so
  /// is whether a rule, redirect or setting is in force.
  package var alteredMembers: Set<String> {
    let (before, after) = sides
    guard let record = after ?? before else { return [] }
    let fields = type(of: record).columns.fields
    let (was, cells) = (before?.fieldCells(), after?.fieldCells())
    return Set(
      fields.indices.filter { index in was.flatMap { was in cells.map { $0[index] != was[index] } } ?? true }
        .map { Change.member(fields[$0].name) })
  }

  /// The member that is said to change where one of that name does.
  package static func member(_ name: String) -> String {
    switch name {
    case "state", "since", "approvedAt", "liveAt", "visibleAt", "removedAt", "shownAt", "former",
      "supersededBy":
      "state"
    case "replaced_by": "active"
    case "locales": "notes"
    default: name
    }
  }
}

extension Record {
  /// The record with some members as another has them; nil if no record has them together.
  package func with(_ members: Set<String>, of other: Self) -> Self? {
    guard var object = json.object, let theirs = other.json.object else { return nil }
    for member in theirs.members where members.contains(Change.member(member.key)) {
      object[member.key] = member.value
    }
    return Self(json: .object(object))
  }
}

extension TouchedRow {
  fileprivate func difference(from former: (any Record)?, isTold: Bool) -> JSON? {
    let fields = type(of: record).columns.fields
    let (cells, was) = (record.fieldCells(), former?.fieldCells())
    let differing = fields.indices.filter { index in
      if isTold, fields[index].isMember { return false }
      guard let was else { return cells[index] != .null }
      return !fields[index].isFixed && cells[index] != was[index]
    }
    if differing.isEmpty { return nil }
    let names = Set(differing.map { fields[$0].name })
    return [
      "row": .string(record.row),
      "before": former?.json(of: names) ?? .null, "after": record.json(of: names),
    ]
  }
}

extension Record {
  /// What a subject and `also` call its row: `release/12`.
  package var row: String { "\(Self.table.rawValue)/\(rowID ?? 0)" }

  fileprivate func isRow(of other: any Record) -> Bool {
    Self.table == type(of: other).table && rowID == other.rowID
  }
}

extension AppState {
  /// Applies a change of the app or of what is recorded under it, as `Change.apply` does.
  @discardableResult
  package mutating func apply(_ change: Change, event: Int64) -> [TouchedRow] {
    switch change {
    case .appSet(_, let app):
      self.app = app
      self.app.event = event
      return [TouchedRow(app, .altered, event)]
    case .amended(_, let release): return [put(release, .amended, event)]
    case .imported(let release): return supersede(by: release, event) + [put(release, .made, event)]
    case .marked(_, let release): return supersede(by: release, event) + [put(release, .altered, event)]
    case .unmarked(let before, let release):
      return [put(release, .altered, event)] + restore(before, event)
    case .voided(let before, let release, _):
      // Only what was live has superseded anything, or is remembered by what superseded it.
      let wasLive = before.liveAt != nil
      return (wasLive ? forget(before, event) : []) + [put(release, .altered, event)]
        + (wasLive ? relink(from: before, event) : [])
    case .ruleMade(var rule):
      rule.madeBy = event
      return [rules.activate(rule, event)]
    case .ruleRestored(let rule): return [rules.activate(rule, event)]
    case .ruleLifted(let rule): return rules.deactivate(rule.number, replacedBy: nil, event)
    case .redirectSet(let before, let after): return redirects.replace(before, by: after, event)
    case .settingSet(let before, let after): return settings.replace(before, by: after, event)
    default:
      let fate: TouchedRow.Fate = change.sides.before == nil ? .made : .altered
      return change.release.map { [put($0, fate, event)] } ?? []
    }
  }

  private mutating func put(_ release: Release, _ fate: TouchedRow.Fate, _ event: Int64) -> TouchedRow {
    var release = release
    release.event = event
    put(release)
    return TouchedRow(release, fate, event)
  }

  private mutating func supersede(by newer: Release, _ event: Int64) -> [TouchedRow] {
    guard newer.state == .live,
      let older = releases.lastIndex(where: { $0.state == .live && $0.id != newer.id })
    else { return [] }
    return [link(older, to: newer, event)]
  }

  private mutating func restore(_ newer: Release, _ event: Int64) -> [TouchedRow] {
    let older = releases.lastIndex {
      $0.id == newer.former?.superseded && $0.state == .superseded && $0.supersededBy == newer.id
    }
    return older.map { [link($0, to: nil, event)] } ?? []
  }

  /// Links what a release had superseded to the next one that was live instead, or makes it live again.
  private mutating func relink(from newer: Release, _ event: Int64) -> [TouchedRow] {
    let older = releases.indices.filter {
      releases[$0].state == .superseded && releases[$0].supersededBy == newer.id
    }
    return older.map { index in
      // The least one above it that was ever live.
      link(index, to: releases[(index + 1)...].first { !$0.isPast && $0.liveAt != nil }, event)
    }
  }

  /// Lets a newer release supersede another one; without one, that is live.
  private mutating func link(_ index: Int, to newer: Release?, _ event: Int64) -> TouchedRow {
    alter(index, event) { release in
      release.state = newer == nil ? .live : .superseded
      release.supersededBy = newer?.id
      release.since = newer.map { $0.liveAt ?? $0.since } ?? release.liveAt ?? release.since
    }
  }

  /// Lets what superseded a release remember what that one had superseded instead, as if it had never existed.
  private mutating func forget(_ struckOut: Release, _ event: Int64) -> [TouchedRow] {
    let newer = releases.indices.filter { releases[$0].former?.superseded == struckOut.id }
    return newer.map { index in
      alter(index, event) { $0.former?.superseded = struckOut.former?.superseded }
    }
  }

  private mutating func alter(_ index: Int, _ event: Int64, _ body: (inout Release) -> Void) -> TouchedRow {
    let former = releases[index]
    body(&releases[index])
    releases[index].event = event
    return TouchedRow(releases[index], .altered, event, from: former)
  }
}
