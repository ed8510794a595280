import JSON
import ReleaseModel

/// The fresh tables that the events are replayed into, a few numbers for each row.
///
/// A row is what its last own event says, but for what events about other rows move: a release that is superseded or
/// given back, a rule that is lifted, a redirect or setting that is replaced. `RandomLedgerTests` holds this
/// against the ledger's own rows, and so against `ReleaseLine.apply`.
struct ExpectedTables {
  /// The rows of each table, by their number.
  var rows = Array(repeating: ExpectedRows<ExpectedRow>(), count: Table.allCases.count)
  /// The notes of the releases that have some, by the release's number.
  var notes = ExpectedRows<ExpectedNotes>()
  /// The newest event that concerns the answers of each app itself, by the app's number.
  private(set) var concerned: [Int64: Int64] = [:]
  /// The newest event that altered which hosts are trusted, and with them everybody's answers.
  private(set) var hostsChanged: Int64 = 0
  /// The number of each app.
  private(set) var apps: [String: Int64] = [:]
  /// The live release of each app.
  var live: [Int64: Int64] = [:]
  private var trusts: [Trust: Int64] = [:]
  private var lastTrust: Int64 = 0
  let objects = Table.allCases.map { EventObject(of: $0) }
  /// The app that an event named last, and how.
  private var lastSlug: [UInt8] = []
  private var lastApp: Int64?
  /// Looks up the texts of an event, to work out what a row was before.
  let lookUp: (Int64) throws -> EventTexts?

  init(lookUp: @escaping (Int64) throws -> EventTexts?) { self.lookUp = lookUp }

  /// Replays an event.
  ///
  /// - Returns: Whether the event says what its kind should say.
  mutating func apply(_ event: LentEvent) throws -> Bool {
    guard try replay(event) else { return false }
    if event.kind.concernsAnswers, let app = lastApp { concerned[app] = event.seq }
    return true
  }

  private mutating func replay(_ event: LentEvent) throws -> Bool {
    switch event.kind {
    case .appAdd:
      return put(.app, event, id: Int64(rows[Table.app.rawValue].count) + 1) { state, object, id in
        guard let slug = object.string("slug"), state.apps[slug] == nil else { return false }
        state.apps[slug] = id
        return true
      }
    case .appSet:
      let object = objects[Table.app.rawValue]
      guard let after = event.after, object.read(after), let id = object.string("slug").flatMap({ apps[$0] })
      else {
        return false
      }
      return put(.app, event, id: id) { _, _, _ in true }
    case .release(let kind): return try release(kind, event)
    case .ruleMade, .ruleLifted, .ruleRestored: return rule(event)
    case .redirectSet, .redirectCleared: return replace(.redirect, event)
    case .settingSet, .settingCleared: return replace(.setting, event)
    case .trusted, .distrusted: return trust(event)
    case .evidenceAdded, .evidenceSettled: return evidence(event)
    case .publicationSet: return put(.publication, event, id: 1) { _, _, _ in true }
    case .publicationCleared:
      guard rows[Table.publication.rawValue][1] != nil else { return false }
      rows[Table.publication.rawValue][1] = nil
      return true
    case .ledgerMade, .requested: return true
    case .unknown: return false
    }
  }

  /// The object of a table, for who wants to say what a row should be.
  func object(of table: Table) -> EventObject { objects[table.rawValue] }

  /// The number of the app that an object names.
  mutating func app(of object: EventObject) -> Int64? {
    // Evidence names an app as text, whether there is one or not.
    guard object.table != .evidence, let slice = object.slice(object.places.app),
      slice.first == UInt8(ascii: "\"")
    else { return nil }
    // One app after the other is the rule, so the last slug is worth keeping.
    if slice.bytes.isSame(as: lastSlug), let lastApp { return lastApp }
    guard let app = EventObject.string(slice).flatMap({ apps[$0] }) else { return nil }
    lastSlug = Array(slice.bytes)
    lastApp = app
    return app
  }

  /// Reads the event's object: the number of the row it speaks of, and the row.
  mutating func read(_ table: Table, _ event: LentEvent, id known: Int64?) -> (Int64, ExpectedRow)? {
    let object = objects[table.rawValue]
    guard let after = event.after, object.read(after), let id = known ?? object.id else { return nil }
    var digest = CellDigest()
    guard object.emit(into: &digest, app: app(of: object)) else { return nil }
    return (id, ExpectedRow(content: digest.finish(), own: event.seq, seq: event.seq))
  }

  /// Reads the event's object and puts the row it speaks of in place of what was known.
  mutating func put(
    _ table: Table, _ event: LentEvent, id known: Int64?,
    _ also: (inout ExpectedTables, EventObject, Int64) -> Bool
  ) -> Bool {
    let object = objects[table.rawValue]
    guard let (id, row) = read(table, event, id: known), also(&self, object, id) else { return false }
    rows[table.rawValue][id] = row
    if table == .app {
      lastSlug = object.slice(object.places.slug).map { Array($0.bytes) } ?? []
      lastApp = id
    }
    return true
  }

  /// Evidence keeps the bytes it came with, or came without.
  private mutating func evidence(_ event: LentEvent) -> Bool {
    let table = Table.evidence.rawValue
    var isKept: Int?
    var number: Int64 = 0
    let isRead = put(.evidence, event, id: nil) { state, object, id in
      number = id
      guard event.kind == .evidenceAdded else {
        isKept = state.rows[table][id]?.status
        return isKept != nil
      }
      // Of mails, those are not kept that nobody has to look at and that are not proved, or are too large
      // (docs/evidence.md).
      let outcome = object.string("outcome")
      let isPassing = outcome == "refused" || outcome == "ignored" && object.string("proof") == nil
      isKept = object.string("kind") == "mail" && isPassing ? 0 : 1
      return true
    }
    if isRead, let isKept { rows[table][number]?.status = isKept }
    return isRead
  }

  private mutating func rule(_ event: LentEvent) -> Bool {
    let object = objects[Table.rule.rawValue]
    guard let text = event.after ?? event.before, object.read(text), let number = object.id,
      app(of: object) != nil
    else { return false }
    let table = Table.rule.rawValue
    if case .ruleMade = event.kind {
      var digest = CellDigest()
      guard rows[table][number] == nil, object.emit(into: &digest, app: app(of: object)) else { return false }
      rows[table][number] = ExpectedRow(
        content: digest.finish(), own: event.seq, seq: event.seq, link: event.seq)
      return true
    }
    guard var row = rows[table][number] else { return false }
    if case .ruleLifted = event.kind { row.status = 0 } else { row.status = 1 }
    row.seq = event.seq
    rows[table][number] = row
    return true
  }

  /// A redirect or setting that takes the place of another, comes back, or goes.
  private mutating func replace(_ table: Table, _ event: LentEvent) -> Bool {
    let object = objects[table.rawValue]
    var old: Int64?
    if let before = event.before {
      guard object.read(before), let number = object.id, rows[table.rawValue][number] != nil,
        app(of: object) != nil
      else { return false }
      old = number
    }
    var new: Int64?
    if let after = event.after {
      guard object.read(after), let number = object.id, app(of: object) != nil else { return false }
      new = number
    }
    guard old != nil || new != nil else { return false }
    if let old {
      rows[table.rawValue][old]?.status = 0
      rows[table.rawValue][old]?.link = new ?? 0
      rows[table.rawValue][old]?.seq = event.seq
    }
    guard let new else { return true }
    if rows[table.rawValue][new] != nil {
      rows[table.rawValue][new]?.status = 1
      rows[table.rawValue][new]?.link = 0
      rows[table.rawValue][new]?.seq = event.seq
      return true
    }
    var digest = CellDigest()
    guard object.emit(into: &digest, app: app(of: object)) else { return false }
    rows[table.rawValue][new] = ExpectedRow(content: digest.finish(), own: event.seq, seq: event.seq)
    return true
  }

  private mutating func trust(_ event: LentEvent) -> Bool {
    let isAdded = event.kind == .trusted
    guard let text = isAdded ? event.after : event.before,
      let trust = (try? JSON(parsing: text)).flatMap(Trust.init(json:))
    else { return false }
    if trust.kind == .host { hostsChanged = event.seq }
    // The pinned key is not part of what it is about.
    let about = Trust(kind: trust.kind, value: trust.value, selector: trust.selector)
    guard isAdded else {
      guard let id = trusts.removeValue(forKey: about) else { return false }
      rows[Table.trust.rawValue][id] = nil
      // A row's number is free again once it is gone.
      if id == lastTrust { lastTrust = rows[Table.trust.rawValue].greatest }
      return true
    }
    guard trusts[about] == nil else { return false }
    lastTrust += 1
    let id = lastTrust
    trusts[about] = id
    return put(.trust, event, id: id) { _, _, _ in true }
  }
}
