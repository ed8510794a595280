import Crypto
import JSON
import Platform
package import ReleaseModel
import SQLite

// The only place that decides whether changes need agreement: by what they do, never by which command.
extension ChangeSet {
  /// How many signers must agree to a change that needs agreement; 0 if none need to.
  package var approvals: Int { trustsBefore.approvals }

  /// Why the draft needs agreement where agreement is demanded; empty if it needs none.
  mutating func approvalNeeds() throws -> Set<Need> {
    var needs = needsOfEvidence
    let own = changes.filter { !$0.isEvidence }.map(\.change)
    for change in own { needs.formUnion(change.needs) }
    for planned in changes where !planned.isEvidence && planned.evidence == nil {
      let hold = planned.app.flatMap { before[$0]?.app.hold } ?? .zero
      if planned.change.endsHoldEarly(hold, now: now) { needs.insert(.hold) }
    }
    let changed = Set(after.keys.filter { slug in judged[slug].map { $0 != after[slug] } ?? true })
    let slugs = concernsAll ? Set(try ledger.apps().map(\.slug)) : changed
    let remindersCount = own.contains(where: \.asksWhenStricter)
    let pairs = try pairs(on: slugs, since: judged, until: after, hosts: trustsBefore.hosts)
    return needs.union(self.needs(of: pairs, remindersCount: remindersCount))
  }

  /// What the change of one app needs for its own clients and those of the apps that lead to it.
  func needs(
    from earlier: AppState, to later: AppState, remindersCount: Bool
  ) throws -> Set<Need> {
    let slug = later.app.slug
    let pairs = try pairs(
      on: [slug], since: after.merging([slug: earlier]) { $1 }, until: after.merging([slug: later]) { $1 },
      hosts: hosts)
    return needs(of: pairs, remindersCount: remindersCount)
  }

  private func needs(of pairs: [(before: Snapshot?, after: Snapshot)], remindersCount: Bool) -> Set<Need> {
    pairs.reduce(into: []) { needs, pair in
      // A new app is compared with itself before anything was recorded under it.
      let before =
        pair.before
        ?? Snapshot(
          line: AppState(app: pair.after.line.app), others: pair.after.others, hosts: pair.after.hosts)
      let law = AgreementLaw(before: before, after: pair.after, now: now)
      needs.formUnion(law.needs(remindersCount: remindersCount))
    }
  }

  /// Whether any change that one of several moves makes, after those before it, needs agreement if nothing
  /// proves it; where no approvals are required, a release whose going live would force someone.
  package func needsAgreement<Move>(
    _ slug: String, _ moves: [Move], _ change: (Move, AppState) -> Change?
  ) throws -> Bool {
    var trial = self
    for move in moves {
      try trial.change(slug, "", evidence: 0, isProved: false) { line, _ in change(move, line) }
    }
    guard approvals == 0 else { return !trial.needsOfEvidence.isEmpty }
    return trial.changes.dropFirst(changes.count).contains { planned in
      guard case .marked(let before, _) = planned.change else { return false }
      return before.state != .live && planned.impact?.forces == true
    }
  }
}

extension ChangeSet {
  /// Those who agree: a name counts once, a key that is not trusted now does not.
  private func names(of plan: SignedPlan?) -> Set<String> {
    trustsBefore.names(signingWith: plan?.keys ?? [], at: now)
  }

  func approvals(for needs: Set<Need>, _ plan: SignedPlan?) -> JSON {
    [
      "needed": .integer(Int64(approvals)), "needs": .array(needs.sorted().map { .string($0.rawValue) }),
      "agreed": .array(names(of: plan).sorted().map(JSON.string)),
    ]
  }

  /// - Throws: `LedgerError.approvalsRequired` if too few signers agree.
  mutating func checkAgreement(_ plan: SignedPlan?, _ needs: Set<Need>, _ impact: Impact) throws {
    let names = names(of: plan)
    guard names.count < approvals else { return }
    // What only a case to come needs is shown with it.
    let isShown = impact.lines.contains { $0.before < $0.after || $0.page != nil }
    let impact =
      isShown || needs.isDisjoint(with: [.forces, .stricter, .page])
      ? impact
      : Impact([
        impact, Impact(lines: try impactInAllCases().lines.filter { $0.before < $0.after || $0.page != nil }),
      ])
    throw LedgerError.approvalsRequired(
      Approvals(
        needed: approvals, names: names.sorted(),
        signers: trustsBefore.signers(at: now).map(\.value).sorted(), needs: needs.sorted(), impact: impact))
  }

  /// Refuses two signers with the same key, and a demand for more approvals than there are signers.
  ///
  /// - Throws: `Refusal`.
  func checkSigners() throws {
    let isAboutSigners = changes.contains { planned in
      switch planned.change {
      case .trusted(let trust), .distrusted(let trust): trust.kind == .signer || trust.kind == .approvals
      default: false
      }
    }
    guard isAboutSigners else { return }
    for case .trusted(let trust) in changes.map(\.change) {
      if let owner = trusts.owner(ofKeyOf: trust) {
        throw Refusal("trust.key-taken", details: ["signer": .string(owner)])
      }
    }
    let count = trusts.signers(at: now).count
    guard trusts.approvals <= count else {
      throw Refusal(
        "trust.too-few-signers",
        details: ["signers": .integer(Int64(count)), "approvals": .integer(Int64(trusts.approvals))])
    }
  }
}

extension Sequence<Trust> {
  /// The other signer with the private half of a signer's key, or nil.
  func owner(ofKeyOf signer: Trust) -> String? {
    guard signer.kind == .signer, let key = signer.sshKey else { return nil }
    return first { $0.kind == .signer && $0.value != signer.value && $0.sshKey?.half == key.half }?.value
  }
}

extension Trust {
  var sshKey: SSHPublicKey? {
    key.flatMap { text in SSHPublicKey(text).flatMap { $0.text == text ? $0 : nil } }
  }
}

extension Ledger {
  /// Refuses a plan that is for another ledger, was altered, was already applied, or has expired.
  ///
  /// - Throws: `Refusal`.
  func check(_ plan: SignedPlan, now: Timestamp) throws {
    let id = try name()
    guard plan.plan.ledger == id else {
      throw Refusal("plan.ledger", details: ["ledger": .string(id), "plan": .string(plan.plan.ledger)])
    }
    let (file, owner) = (try identity(), FileIdentity(plan.plan.file))
    guard file.isKnown else { throw Refusal("plan.other-copy/unknown") }
    guard let owner, owner.isSame(as: file) else {
      throw owner.map { Refusal("plan.other-copy", ["path": $0.path]) } ?? Refusal("plan.altered")
    }
    guard plan.keys != nil else { throw Refusal("plan.altered") }
    let used = try connection.first(
      "SELECT seq FROM event_row WHERE kind = 'plan.apply' AND subject = ?", .text(plan.applied.subject)
    ) { try $0.integer(0) }
    if let used { throw Refusal("plan.used", details: ["event": .integer(used)]) }
    guard now < plan.plan.expires else {
      throw Refusal("plan.expired", details: ["expires": .string(plan.plan.expires.text)])
    }
    let made = plan.plan.made
    guard made.seconds - now.seconds <= Plan.clockTolerance.seconds else {
      throw Refusal("plan.altered/early", details: ["made": .string(made.text)])
    }
  }
}

extension ChangeSet {
  mutating func apply(_ plan: AppliedPlan) { append(.planApplied(plan), to: nil) }

  /// A plan of the changes, but for its command and author.
  mutating func planned() throws -> Plan {
    let generations = try concerned().map { ($0, JSON.integer(try ledger.generation(of: $0))) }
    let impact = try impactInAllCases()
    return Plan(
      ledger: try ledger.name(), file: try ledger.identity().text, made: now, head: try ledger.head().json,
      generations: .object(JSON.Object(generations)), rows: rows, effect: impact.lines, rest: impact.rest)
  }

  private var rows: [JSON] {
    changes.filter { !$0.change.isPlan && $0.change.kind != .ledgerTakeOver }.map {
      Plan.row($0.change, app: $0.app, MovedRelease($0.rows))
    }
  }

  private mutating func impactInAllCases() throws -> Impact {
    try impact(of: effects(), namesTargets: true) { $0.law?.all() ?? [$0.present] }
  }

  /// - Throws: `Refusal`: `plan.stale` if the plan no longer holds.
  mutating func hold(against plan: AppliedPlan) throws {
    let named = plan.plan["rows"]?.array?.count ?? 0
    let rows = rows
    guard rows.count == named else {
      throw Refusal.stale(
        rows.isEmpty
          ? "what it does is done already"
          : "it would make \(rows.count) \(rows.count == 1 ? "change" : "changes"), and the plan says \(named)"
      )
    }
    for (place, row) in rows.enumerated() {
      if let words = plan.objection(to: row, at: place, now) { throw Refusal.stale(words) }
    }
    let lines = try impactInAllCases().lines
    if let words = plan.objection(to: lines, of: rows, heldOn: try heldOn(in: lines), now) {
      throw Refusal.stale(words)
    }
  }

  /// From when to when lookups moved the ends of holds in the apps that lines are about, and in those led to.
  private mutating func heldOn(in lines: [ImpactLine]) throws -> [Range<Timestamp>] {
    let apps = try Set(lines.map(\.app)).flatMap { slug in
      try [line(slug)] + line(slug).leadsTo.map { try line($0) }
    }
    return apps.flatMap(\.releases).compactMap { release in
      guard release.isHeldOn, let first = release.firstVisibleAt, let end = release.visibleAt else {
        return nil
      }
      return first..<end
    }
  }
}

extension Change {
  var isPlan: Bool { if case .planApplied = self { true } else { false } }
}

struct PlannedChange {
  let app: String?
  let change: Change
  let evidence: Int64?
  /// Why it is made, if not for the command's reason.
  var reason: String?
  var rows: [TouchedRow] = []
  /// What this change alters by itself; nil if the command's impact covers it.
  var impact: Impact?
  /// Whether evidence makes the change; such changes are judged separately.
  var isEvidence = false
}
