import JSON
package import ReleaseModel

/// The changes of one command being put together: checked against the laws, but not yet recorded.
package struct ChangeSet {
  package private(set) var now: Timestamp
  /// The command in words, if it says more than what was typed.
  var words: String?
  /// What clients are told otherwise once the ledger speaks where another file spoke; nil if it does not.
  private(set) var takenOver: Impact?
  package let ledger: Ledger
  private(set) var before: [String: AppState] = [:]
  private(set) var after: [String: AppState] = [:]
  /// Why what unproved evidence changes needs agreement; each piece is judged by itself.
  private(set) var needsOfEvidence: Set<Need> = []
  /// Why the changes that follow are made, if each has a reason of its own.
  package var reason: String?
  private(set) var changes: [PlannedChange] = []
  /// The apps that the changes strike out.
  private(set) var voided: Set<String> = []
  private(set) var bodies: [Int64: [UInt8]] = [:]
  /// The evidence taken in or settled so far, by its number.
  private(set) var taken: [Int64: Evidence] = [:]
  private var nextEvidence: Int64
  private(set) var trustsBefore: [Trust]
  package private(set) var trusts: [Trust]
  private(set) var nextRelease: Int64
  private(set) var firstEvent: Int64
  private(set) var nextEvent: Int64
  /// Whether nothing may hold it up: then no more of an app is read than its schedule depends on from now on, and it is
  /// compared with what is told now only.
  let isUrgent: Bool
  /// Whether the command says that clients are told at once, so that a hold that is over surprises no one.
  package var waivesHold = false

  init(ledger: Ledger, head: Head, now: Timestamp, isUrgent: Bool = false) throws {
    (self.ledger, self.now, self.isUrgent) = (ledger, now, isUrgent)
    guard head.seq < Int64.max / 2 else {
      throw LedgerError.unreadableRow("column seq of a row of table event in \(ledger.path)")
    }
    firstEvent = head.seq + 1
    nextEvent = firstEvent
    nextRelease = try ledger.nextID(of: .release)
    nextEvidence = try ledger.nextID(of: .evidence)
    trusts = try ledger.trusts()
    trustsBefore = trusts
  }

  /// - Throws: `LedgerError.noApp`.
  package mutating func line(_ slug: String) throws -> AppState {
    if let line = after[slug] { return line }
    let line = try read(slug)
    keep(line)
    return line
  }

  private mutating func keep(_ line: AppState) {
    before[line.app.slug] = line
    after[line.app.slug] = line
  }

  /// An app as it is recorded.
  func read(_ slug: String) throws -> AppState {
    try isUrgent ? ledger.part(of: slug, from: now) : ledger.line(slug)
  }

  /// Whether an app of this slug is in the ledger.
  package mutating func hasApp(_ slug: String) throws -> Bool {
    do {
      _ = try line(slug)
      return true
    } catch LedgerError.noApp {
      return false
    }
  }

  package var isFirst: Bool { nextEvent == 1 }

  /// Checks a command on an app's releases against the laws, and adds the change it makes, if any.
  ///
  /// - Parameters:
  ///   - command: What was tried, for the error: "publish 7.3.1".
  ///   - isProved: Whether the evidence is proof; nil if a person relies on it, or without evidence.
  /// - Throws: `Refusal`.
  @discardableResult
  package mutating func change(
    _ slug: String, _ command: String, evidence: Int64? = nil, isProved: Bool? = nil,
    _ body: (AppState, _ nextRelease: Int64) throws(Refusal) -> Change?
  ) throws -> Bool {
    _ = try line(slug)
    let change: Change?
    do throws(Refusal) {
      // The line is not stored in a variable: a second reference would make the change below copy all of it.
      change = try after[slug].map { line throws(Refusal) in try body(line, nextRelease) } ?? nil
    } catch {
      throw error.of(command, on: slug)
    }
    guard let change else { return false }
    if let proof = try proof(against: change, of: slug) {
      throw Refusal.contradicted(by: proof).of(command, on: slug)
    }
    if case .published = change { try after[slug]?.checkRoom(at: now) }
    let past = evidence == nil ? [:] : after
    try admit(change, to: slug, command, evidence: evidence)
    // What evidence alters is shown with its own event, since several mails may share a transaction.
    if evidence != nil {
      changes[changes.count - 1].impact = try Effects(self, on: [slug], since: past, hosts: hosts).impact()
    }
    if let isProved { try judge(slug, change, since: past[slug], isProved: isProved) }
    return true
  }

  /// Judges what a piece of evidence changes, unless it is proof.
  private mutating func judge(
    _ slug: String, _ change: Change, since earlier: AppState?, isProved: Bool
  ) throws {
    changes[changes.count - 1].isEvidence = true
    guard !isProved, approvals > 0, let earlier, after[slug] != nil else { return }
    let effects = try Effects(self, on: [slug], since: after.merging([slug: earlier]) { $1 }, hosts: hosts)
    needsOfEvidence.formUnion(change.needs.union(effects.needs(remindersCount: change.asksWhenStricter)))
  }

  var hosts: Set<String> { trusts.hosts }

  package var nextEvidenceID: Int64 { nextEvidence }

  /// Takes in evidence, with its bytes if they are to be kept.
  package mutating func add(_ evidence: Evidence, body: [UInt8]?) {
    nextEvidence = evidence.id &+ 1
    if let body { bodies[evidence.id] = body }
    append(.evidenceAdded(evidence), to: evidence.app)
  }

  /// Trusts something, or stops it; another key with the same selector replaces the earlier one.
  @discardableResult
  package mutating func trust(_ trust: Trust, _ isTrusted: Bool) -> Bool {
    let known = trusts.first { $0.isAbout(trust) }
    if isTrusted, known == trust || (trust.kind == .host && hosts.contains(trust.value)) { return false }
    if let known {
      trusts.removeAll { $0.isAbout(known) }
      append(.distrusted(known), to: nil)
    }
    if isTrusted {
      trusts.append(trust)
      append(.trusted(trust), to: nil)
    }
    return isTrusted || known != nil
  }

  /// Adds a change of an app that was checked against the laws; returns whether there is one.
  ///
  /// - Throws: `Refusal`.
  @discardableResult
  package mutating func change(
    _ slug: String, command: String = "change", _ body: (AppState) throws -> Change?
  ) throws -> Bool {
    guard let change = try body(try line(slug)) else { return false }
    try admit(change, to: slug, command)
    return true
  }

  /// Everything an app's decisions depend on, with another app it may lead to.
  package mutating func snapshot(_ slug: String, with other: String? = nil) throws -> Snapshot {
    let line = try line(slug)
    var others: [String: AppState] = [:]
    let leadsTo = line.leadsTo.union(other.map { [$0] } ?? [])
    for slug in leadsTo { others[slug] = try after[slug] ?? read(slug) }
    return Snapshot(line: line, others: others, hosts: hosts)
  }

  /// Goes on above the highest number that clients were told of elsewhere; no app has been changed so far,
  /// and every app's answers bear the number of the command's last event from then on.
  ///
  /// - Throws: `Refusal`: `take-over.too-far`.
  package mutating func takeOver(_ place: String?, above served: Int64, _ impact: Impact = Impact([])) throws
  {
    let left = max(0, served - (firstEvent - 1))
    guard left <= TakeOver.most else {
      throw Refusal(
        "take-over.too-far",
        details: ["served": .integer(served), "head": .integer(firstEvent - 1)])
    }
    let change = Change.takenOver(TakeOver(place, next: firstEvent, above: served))
    let told = impact.lines.isEmpty ? nil : impact
    changes.insert(PlannedChange(app: nil, change: change, evidence: nil, impact: told), at: 0)
    firstEvent += left
    nextEvent += left + 1
    takenOver = impact
  }

  mutating func apply(_ plan: AppliedPlan) { append(.planApplied(plan), to: nil) }

  mutating func append(_ change: Change, to slug: String?, evidence: Int64? = nil) {
    var none: AppState?
    let rows =
      if let slug { change.apply(to: &after[slug], event: nextEvent) } else {
        change.apply(to: &none, event: nextEvent)
      }
    changes.append(
      PlannedChange(
        app: slug, change: change, evidence: evidence ?? change.evidence?.id, reason: reason, rows: rows))
    if let slug, change.kind == .appVoid { voided.insert(slug) }
    if let evidence = change.evidence { taken[evidence.id] = evidence }
    // A ledger from elsewhere may have any number.
    if let made = change.newRelease { nextRelease = made.id &+ 1 }
    nextEvent &+= 1
  }

  /// Begins the changes of the next recorded command, on what the earlier ones left.
  ///
  /// - Parameter isJudged: Whether it will be asked what they do, for which the apps are kept as they are.
  mutating func beginRecorded(at moment: Timestamp, isJudged: Bool = false) {
    now = moment
    (changes, bodies, voided, taken) = ([], [:], [], [:])
    (needsOfEvidence, trustsBefore) = ([], trusts)
    before = isJudged ? after : [:]
  }

  /// Adds a change as its event recorded it, whatever the laws say.
  ///
  /// - Parameter isProved: Whether the evidence that makes the change is proof; nil if none makes it.
  mutating func replay(_ change: Change, of event: EventRecord, isProved: Bool? = nil) throws {
    nextEvent = event.seq
    let slug = event.app
    let earlier = isProved != nil && approvals > 0 ? slug.flatMap { after[$0] } : nil
    append(change, to: slug, evidence: event.evidence)
    switch change {
    case .trusted(let trust): trusts.append(trust)
    case .distrusted(let trust): trusts.removeAll { $0.isAbout(trust) }
    case .evidenceAdded(let evidence):
      nextEvidence = evidence.id &+ 1
      // Their bytes are no part of the record.
      if evidence.keepsBytes { bodies[evidence.id] = [] }
    default: break
    }
    if let isProved, let slug, let earlier { try judge(slug, change, since: earlier, isProved: isProved) }
  }
}

/// A change of a command, with the rows that it touches.
struct PlannedChange {
  let app: String?
  let change: Change
  let evidence: Int64?
  /// Why it is made, if not for the command's reason.
  var reason: String?
  var rows: [TouchedRow] = []
  /// What this change alters by itself; nil if the command's impact covers it.
  var impact: Impact?
  /// Whether evidence makes the change, and not a person who read it; each piece is judged by itself.
  var isEvidence = false
}
