import JSON
import ReleaseModel
import SQLite

/// A part of the ledger that is replayed and compared by itself: apps that lead to one another, or what
/// belongs to none.
///
/// The events are read once, in slices, and replayed through the laws; then every row of the part is compared
/// with what they add up to. Nothing of one part is kept when the next begins, so that a ledger of many apps
/// needs only the memory of its largest.
final class Partition {
  let slugs: [String]
  var slug: String?
  let verifier: Verifier
  private(set) var state = LedgerState()
  private var cells = [LentValue](repeating: .null, count: 12)
  private(set) var seq: Int64 = 0
  private(set) var generations: GenerationSnapshots
  private(set) var subjects: [String: String] = [:]
  private var unagreed: Unagreed?
  private var agreement: (covered: ClosedRange<Int64>, names: Set<String>)?
  var plansApplied: Set<String> = []
  private var cited: [String: CitedEvidence] = [:]
  private var proved: [String: Set<Version>] = [:]

  var connection: Connection { verifier.connection }

  init(_ slugs: [String], _ generations: GenerationSnapshots, _ verifier: Verifier) {
    self.slugs = slugs
    self.generations = generations
    self.verifier = verifier
  }

  private func isOwn(_ app: String?) -> Bool { app.map(slugs.contains) ?? slugs.isEmpty }

  private static let columns = """
    seq, at, format, kind, app, before, after, subject, version, evidence, schedules, reason
    """

  /// Those that belong to no app alter the trusted hosts and correct the clock.
  private static let ofApps = """
    SELECT \(columns) FROM event WHERE app IN (SELECT value FROM json_each(?1)) AND seq > ?2
    UNION ALL SELECT \(columns) FROM event WHERE app IS NULL AND seq > ?2 ORDER BY 1
    """

  private static let ofNone = """
    SELECT \(columns) FROM event NOT INDEXED WHERE seq > ?2 AND (app IS NULL OR kind GLOB 'evidence.*') ORDER BY seq
    """

  /// Replays events as long as there is time; returns whether there may be more.
  @discardableResult
  func catchUp(until deadline: Double = .infinity) throws -> Bool {
    var read = 0
    var hasMore = false
    try connection.forEach(
      slugs.isEmpty ? Partition.ofNone : Partition.ofApps,
      values: [.text(JSON.array(slugs.map(JSON.string)).text()), .integer(seq)]
    ) { row in
      try take(row)
      read += 1
      hasMore = read & 0xFF == 0 && verifier.isPast(deadline)
      return !hasMore
    }
    return hasMore
  }

  private func take(_ row: Row) throws {
    try row.lend(into: &cells)
    guard case .integer(let seq) = cells[0] else { return }
    self.seq = seq
    let app = cells[4].text.map { String(decoding: $0, as: UTF8.self) }
    // An event that every part needs is reported only by the part it belongs to.
    var isOwn = isOwn(app)
    func report(_ id: String, _ why: String) {
      if isOwn { verifier.report(id, seq, "event \(seq) \(why)") }
    }
    func unreadable(_ why: String) { report("event.unreadable", why) }
    guard case .text(let name) = cells[3],
      let kind = EventKind(rawValue: String(decoding: name.prefix(40), as: UTF8.self))
    else {
      return unreadable("has a kind that this build does not know")
    }
    guard isOurs(kind, app) else {
      if isOwn, let app { cite(kind, app) }
      return
    }
    if kind.traits.flags.contains(.isBesideApps) { isOwn = true }
    guard case .integer(let format) = cells[2], (1...EventRecord.currentFormat).contains(format) else {
      return unreadable("is of a format that this build does not read")
    }
    guard let moment = cells[1].text.flatMap({ Timestamp(spelled: $0.bindMemory(to: UInt8.self)) }) else {
      // What is not a time was already reported when the chain was read.
      return
    }
    guard let change = Change(kind, app: app, before: cells[5].text, after: cells[6].text),
      change.app == nil || change.app?.slug == app
    else { return unreadable("lacks what events of its kind, \(kind.rawValue), contain") }
    if let objection = objectionToSubject(of: change) ?? objectionToReason(of: change)
      ?? state.objection(to: change, app: app, seq: seq, at: moment)
    {
      report("law.broken", "(\(kind.rawValue)) is one that no command could have made: \(objection)")
    }
    let (isProved, doubt) = isOwn ? citation(by: change, app) : (false, nil)
    let forged: String? =
      if case .planApplied(let plan) = change, slugs.isEmpty { objection(to: plan, at: moment) } else { nil }
    for objection in [doubt, forged].compactMap(\.self) {
      report("law.broken", "(\(kind.rawValue)) is one that no command could have made: \(objection)")
    }
    generations.keep(before: seq, of: state)
    judge(change, isProved, app: app, at: moment)
    if case .text(let names) = cells[10] { generations.note(names, changedBy: seq) }
    switch change {
    case .appAdded(let added):
      subjects[added.slug] = cells[7].text.map { String(decoding: $0, as: UTF8.self) }
    case .planApplied(let plan):
      let names = state.trusts.names(signingWith: verifier.keys(of: plan, seq: seq) ?? [], at: moment)
      agreement = covered(by: plan).map { ($0, names) }
      // The apps' events are compared with the plan here, once for all parts.
      if slugs.isEmpty { try compareChanges(of: plan, at: moment) }
    default: break
    }
  }

  private struct Unagreed {
    let at: Timestamp
    var last: Int64
    /// The apps as they were, plus what was proved or agreed to since.
    var before: [String: AppState]
    let hosts: Set<String>
    let approvals: Int
    var seq: Int64 = 0
    var remindersCount = false
  }

  /// Applies a change, and keeps it in mind if it may need agreement that nobody gave.
  private func judge(_ change: Change, _ isProved: Bool, app: String?, at: Timestamp) {
    let isByEvidence = if case .integer = cells[9] { change.evidence == nil } else { false }
    // What evidence makes is judged by itself, since several mails may share a transaction.
    if let unagreed, isByEvidence || unagreed.at != at || unagreed.last + 1 != seq { finish() }
    // The last event of a command says which schedules the command changed.
    defer { if case .text = cells[10] { finish() } else if isByEvidence { finish() } }
    let needed = state.trusts.approvals
    let isAgreed = agreement.map { $0.covered.contains(seq) && $0.names.count >= needed } ?? false
    guard needed > 0, isOwn(app), change.kind != .planApply else {
      return state.apply(change, app: app, seq: seq, at: at)
    }
    let hold = isByEvidence ? nil : app.flatMap { state.lines[$0]?.app.hold }
    let endsHold = hold.map { change.endsHoldEarly($0, now: at) } ?? false
    if !isAgreed, !isProved, isOwn(app), endsHold || !change.needs.isEmpty {
      report(unagreed: seq, needed)
    } else if change.concernsAnswers {
      if unagreed == nil {
        unagreed = Unagreed(
          at: at, last: seq, before: state.lines, hosts: state.trusts.hosts, approvals: needed)
      }
      if isAgreed || isProved {
        for slug in app.map({ [$0] }) ?? slugs { unagreed?.before[slug]?.apply(change, event: seq) }
      } else {
        unagreed?.seq = seq
        if change.asksWhenStricter { unagreed?.remindersCount = true }
      }
    }
    unagreed?.last = seq
    state.apply(change, app: app, seq: seq, at: at)
  }

  func finish() {
    guard let unagreed else { return }
    self.unagreed = nil
    guard unagreed.seq > 0 else { return }
    func snapshot(_ slug: String, in lines: [String: AppState]) -> Snapshot? {
      lines[slug].map { line in
        Snapshot(
          line: line, others: lines.filter { line.leadsTo.contains($0.key) }, hosts: unagreed.hosts)
      }
    }
    let now = state.at ?? unagreed.at
    let isNeeded = slugs.contains { slug in
      guard let before = snapshot(slug, in: unagreed.before), let after = snapshot(slug, in: state.lines),
        before != after
      else { return false }
      return !AgreementLaw(before: before, after: after, now: now)
        .needs(remindersCount: unagreed.remindersCount).isEmpty
    }
    if isNeeded { report(unagreed: unagreed.seq, unagreed.approvals) }
  }

  private func report(unagreed seq: Int64, _ needed: Int) {
    verifier.report(
      "law.broken", seq,
      "event \(seq) is one that no command could have made: it needs \(needed) "
        + "\(needed == 1 ? "approval" : "approvals"), and no plan that so many signed comes before it")
  }

  /// Keeps what evidence about the app came to, to check the changes that it makes.
  private func cite(_ kind: EventKind, _ slug: String) {
    guard kind == .evidenceAdd || kind == .evidenceSettle,
      let change = Change(kind, app: slug, before: cells[5].text, after: cells[6].text),
      let evidence = change.evidence, evidence.app == slug
    else { return }
    cited[slug] = CitedEvidence(evidence, event: seq)
    if evidence.outcome == .applied, evidence.isProved, let version = evidence.version {
      proved[slug, default: []].insert(version)
    }
  }

  private func citation(by change: Change, _ app: String?) -> (isProved: Bool, objection: String?) {
    if change.contradictsRecord, let app, let version = change.version, proved[app]?.contains(version) == true
    {
      return (false, "proof that was applied shows the version with Apple")
    }
    if let own = change.evidence {
      guard case .integer(own.id) = cells[9] else { return (false, "it names evidence about something else") }
      return (false, nil)
    }
    // `EventColumns` has checked that events of other kinds name no evidence.
    guard case .integer(let id) = cells[9], [.releaseMark, .releaseAmend, .appStop].contains(change.kind)
    else {
      return (false, change.saysWhatOnlyEvidenceSays ? "only evidence reports that about a release" : nil)
    }
    let slug = app ?? ""
    let hold = state.lines[slug]?.app.hold ?? .zero
    if let known = cited[slug], known.isSpeaking(id, at: seq) {
      let isSaid = cited[slug]?.takes(change, event: seq, hold: hold) ?? false
      return isSaid ? (known.isProof, nil) : (false, "evidence \(id) does not say that")
    }
    // A change that a person reads from evidence comes before the event that settles it, and is not proved.
    let next = try? verifier.ledger.event(seq &+ 1).change()
    if case .evidenceSettled(_, let evidence) = next, evidence.id == id,
      evidence.isApplied(as: change, to: slug)
    {
      return (false, nil)
    }
    return (false, "evidence \(id) did not have that outcome")
  }

  private func objectionToReason(of change: Change) -> String? {
    guard case .ruleMade(let rule) = change else { return nil }
    let isSame =
      cells[11].text.map { $0.elementsEqual((rule.reason ?? "").utf8) && rule.reason != nil }
      ?? (rule.reason == nil)
    return isSame ? nil : "it gives another reason than its rule"
  }

  private func objectionToSubject(of change: Change) -> String? {
    // The rows of apps and of what is trusted are looked up by other names.
    let subject = if case .planApplied(let plan) = change { plan.subject } else { change.subject }
    guard let subject else { return nil }
    guard cells[7].text.map({ $0.elementsEqual(subject.utf8) }) == true else {
      return "it names a row other than \(subject), which it is about"
    }
    return cells[8].text.map { $0.elementsEqual((change.version?.text ?? "").utf8) }
      ?? (change.version == nil)
      ? nil : "it names a version other than the one it is about"
  }

  /// Whether an event is one of the part's own, or one that every part needs.
  private func isOurs(_ kind: EventKind, _ app: String?) -> Bool {
    let flags = kind.traits.flags
    if flags.contains(.isBesideApps) { return slugs.isEmpty }
    if flags.contains(.concernsApps) { return app == nil }
    // If no agreement is demanded, a plan does not concern the apps.
    guard flags.contains(.concernsApprovals) else { return isOwn(app) }
    return app == nil && (slugs.isEmpty || state.trusts.approvals > 0)
  }
}
