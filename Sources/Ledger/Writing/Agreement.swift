import Crypto
import JSON
import Platform
package import ReleaseModel
import SQLite

/// Who must agree to a draft: the person who gives the command, or so many signers.
///
/// The only place that decides it: by what the changes do, never by which command.
struct Agreement {
  let effects: Effects
  let impact: Impact
  /// Why signers must agree; empty if none must.
  let needs: Set<Need>
  /// Those who signed: a name counts once, a key that is not trusted now does not.
  private let names: Set<String>

  init(to effects: Effects, _ impact: Impact, _ plan: SignedPlan?) {
    (self.effects, self.impact) = (effects, impact)
    let draft = effects.draft
    needs = draft.approvals > 0 && !draft.isUrgent ? effects.approvalNeeds() : []
    names = draft.trustsBefore.names(signingWith: plan?.keys ?? [], at: draft.now)
  }

  private var draft: ChangeSet { effects.draft }

  var json: JSON {
    [
      "needed": .integer(Int64(draft.approvals)),
      "needs": .array(needs.sorted().map { .string($0.rawValue) }),
      "agreed": .array(names.sorted().map(JSON.string)),
    ]
  }

  /// - Throws: `LedgerError.approvalsRequired` if too few signers agree.
  func check() throws {
    guard names.count < draft.approvals else { return }
    func isNoticed(_ line: ImpactLine) -> Bool { line.before < line.after || line.page != nil }
    var shown = impact
    // What only a case to come needs is shown with it.
    if !impact.lines.contains(where: isNoticed), !needs.isDisjoint(with: [.forces, .stricter, .page]) {
      shown = Impact([impact, Impact(lines: try effects.impactInAllCases().lines.filter(isNoticed))])
    }
    throw LedgerError.approvalsRequired(
      Approvals(
        needed: draft.approvals, names: names.sorted(),
        signers: draft.trustsBefore.signers(at: draft.now).map(\.value).sorted(), needs: needs.sorted(),
        impact: shown))
  }

  /// The question that someone should agree to first, by the preview's rules, or nil.
  ///
  /// - Parameter mayAgree: Whether whoever gives the command may agree to anything.
  func question(mayAgree: Bool = true) throws -> Question? {
    if draft.isUrgent { return nil }
    if let question = try questionOfExpiry() { return question }
    let changes = draft.changes
    for case .voided(let release, _, true) in changes.map(\.change) {
      return Question(need: .neverShipped, release: release.version, impact: impact)
    }
    if case .takenOver(let takeOver)? = changes.first?.change, takeOver.place != nil {
      return Question(need: .takeOver, impact: impact)
    }
    // Evidence is bound by it, and proved evidence asks no one.
    if !mayAgree, changes.contains(where: { $0.change.needs.contains(.appleID) }) {
      return Question(need: .appleID, impact: impact)
    }
    for planned in changes where planned.change.wakes {
      // What a person reads in evidence is that person's word.
      if planned.isEvidence, let id = planned.evidence, try draft.evidence(id).isProved { continue }
      return Question(need: .rejected, release: planned.change.version, impact: impact)
    }
    let endsRedirect = changes.contains { planned in
      planned.change.kind == .appRetire
        && planned.app.flatMap { draft.before[$0] }?.ledElsewhere(at: draft.now).isEmpty == false
    }
    if endsRedirect { return Question(need: .retires, impact: impact) }
    if let (release, liveAt) = try doubtfulTime() {
      return Question(need: .hold, release: release, at: liveAt, impact: impact)
    }
    let mayBeStricter = changes.contains { $0.change.asksWhenStricter && $0.impact?.lines.isEmpty != true }
    if impact.forces { return Question(need: .forces, impact: impact) }
    if mayBeStricter, impact.isStricter { return Question(need: .stricter, impact: impact) }
    if mayBeStricter, impact.changesPage { return Question(need: .page, impact: impact) }
    if impact.forcesOnceVisible {
      let isFirst = changes.contains { if case .published = $0.change { true } else { false } }
      let unrecorded = isFirst ? impact.unrecorded(except: draft.wholePasts) : nil
      return Question(need: .forces, impact: impact, unrecorded: unrecorded)
    }
    return draft.words == nil ? nil : Question(need: .undo, impact: impact)
  }

  /// The question to ask if clients would be forced to a build that stops opening within seven days (law 6).
  private func questionOfExpiry() throws -> Question? {
    var forced = impact.lines.filter { $0.after == .force && $0.before != .force }
      .map { (app: $0.app, version: $0.first, at: $0.at) }
    // A rule's range may include versions that no one recorded.
    for planned in draft.changes {
      guard let app = planned.app, case .ruleMade(let rule) = planned.change, rule.action == .force else {
        continue
      }
      let oldest = rule.range.lower?.version ?? .zero
      forced.append((app, oldest, max(rule.from ?? draft.now, draft.now)))
    }
    for (app, version, moment) in forced {
      guard let snapshot = effects.apps.first(where: { $0.willBe.app == app })?.after else { continue }
      let decision = Decider(snapshot, at: moment).decide(Client(version: version))
      guard decision.action == .force, let target = decision.target, let expires = target.expires,
        let notice = target.expiryNotice, notice <= moment
      else { continue }
      return Question(need: .expiring, release: target.version, at: expires, impact: impact)
    }
    return nil
  }

  /// The release that a person marks live at a moment that is likely mistyped, with that moment: more than a day before
  /// it was recorded, or so early that its hold is over at once although no one said so.
  private func doubtfulTime() throws -> (Version, Timestamp)? {
    for planned in draft.changes where !planned.isEvidence {
      guard let app = planned.app, case .marked(let before, let after) = planned.change,
        before.state != .live,
        after.state == .live, let liveAt = after.liveAt, liveAt < draft.now
      else { continue }
      // An imported release was recorded as of its own time.
      let recorded = try draft.ledger.publishedAt(app, after.version)
      let isBefore =
        recorded.map { liveAt + TimeSpan(seconds: 86_400) < $0 } ?? before.liveAt.map { liveAt < $0 }
      let isOver =
        !draft.waivesHold && (draft.before[app]?.app.hold ?? .zero) > .zero && !after.isHeld(at: draft.now)
      if isOver || isBefore ?? false { return (after.version, liveAt) }
    }
    return nil
  }
}

extension ChangeSet {
  /// How many signers must agree to a change that needs agreement; 0 if none need to.
  package var approvals: Int { trustsBefore.approvals }

  /// Whether every app's answers may have changed, because the trusted hosts did.
  var concernsAll: Bool { hosts != trustsBefore.hosts }

  /// The apps of the changes whose past is whole, so that no one has a version that is not recorded.
  package var wholePasts: Set<String> { Set(after.values.filter(\.app.isPastWhole).map(\.app.slug)) }

  /// The apps whose answers the changes may alter by themselves.
  func touched() throws -> Set<String> {
    if concernsAll || takenOver != nil { return Set(try ledger.apps().map(\.slug)) }
    return Set(changes.filter(\.change.concernsAnswers).compactMap(\.app))
  }

  /// Whether any change that one of several moves makes, after those before it, needs agreement if nothing
  /// proves it: what was rejected goes live; where no approvals are required, going live would force someone.
  package func needsAgreement<Move>(
    _ slug: String, _ moves: [Move], _ change: (Move, AppState) -> Change?
  ) throws -> Bool {
    var trial = self
    for move in moves {
      try trial.change(slug, "", evidence: 0, isProved: false) { line, _ in change(move, line) }
    }
    let made = trial.changes.dropFirst(changes.count)
    if made.contains(where: \.change.wakes) { return true }
    guard approvals == 0 else { return !trial.needsOfEvidence.isEmpty }
    return made.contains { planned in
      guard case .marked(let before, _) = planned.change else { return false }
      return before.state != .live && planned.impact?.forces == true
    }
  }

  /// Refuses two signers with the same key, and a demand for more approvals than there are signers.
  ///
  /// - Throws: `Refusal`.
  func checkSigners() throws {
    let altered = changes.compactMap { $0.change.record as? Trust }
    guard altered.contains(where: { $0.kind == .signer || $0.kind == .approvals }) else { return }
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

extension Change {
  /// Whether it takes a release live that the ledger has as rejected.
  fileprivate var wakes: Bool {
    guard case .marked(let before, let after) = self else { return false }
    return before.state == .rejected && after.state == .live
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
