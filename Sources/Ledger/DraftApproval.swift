package import JSON
package import ReleaseModel
import SQLite

// The one place at which it is decided whether changes need the agreement of several people: by what they do, never by
// which command makes them.
extension Draft {
  /// How many signers must agree to what asks; 0 where nobody need.
  package var approvals: Int { trustsBefore.approvals }

  /// Why what is put together needs agreement, where agreement is demanded; empty where it does not.
  mutating func approvalNeeds() throws -> Set<ApprovalNeed> {
    try readWhole()
    var needs = needsOfEvidence
    let own = changes.filter { !$0.isEvidence }.map(\.change)
    for change in own { needs.formUnion(change.needs) }
    let changed = Set(after.keys.filter { slug in judged[slug].map { $0 != after[slug] } ?? false })
    let slugs = concernsAll ? Set(try ledger.apps().map(\.slug)) : changed
    let remindersCount = own.needForReminders
    for pair in try pairs(on: slugs, since: judged, hosts: trustsBefore.hosts) {
      guard let before = pair.before else { continue }
      needs.formUnion(
        Foresight(before: before, after: pair.after, now: now).needs(remindersCount: remindersCount))
    }
    return needs
  }

  /// What of the change of an app from one state to another needs agreement.
  func needs(
    from earlier: ReleaseLine, to later: ReleaseLine, remindersCount: Bool
  ) throws -> Set<ApprovalNeed> {
    var others: [String: ReleaseLine] = [:]
    for other in earlier.leadsTo.union(later.leadsTo) {
      others[other] = try after[other] ?? ledger.line(other)
    }
    return Foresight(
      before: Snapshot(line: earlier, others: others, hosts: hosts),
      after: Snapshot(line: later, others: others, hosts: hosts), now: now
    ).needs(remindersCount: remindersCount)
  }

  /// Whether some change of an app would need agreement if nothing proves it.
  ///
  /// - Parameters:
  ///   - moves: What stands for the changes.
  ///   - change: The change that one makes of the app as those before leave it; nil where it makes none.
  package mutating func needsAgreement<Move>(
    _ slug: String, _ moves: [Move], _ change: (Move, ReleaseLine) -> Change?
  ) throws -> Bool {
    guard approvals > 0 else { return false }
    var line = try line(slug)
    for move in moves {
      guard let change = change(move, line) else { continue }
      var later = line
      later.apply(change, event: nextEvent)
      if !change.needs.isEmpty { return true }
      if try !needs(from: line, to: later, remindersCount: [change].needForReminders).isEmpty { return true }
      line = later
    }
    return false
  }
}

extension Draft {
  /// Who agrees to what is put together, by name.
  ///
  /// A name counts once, and one name has one key; what a plan was signed with that is not trusted now counts for nothing.
  private func names(of plan: SignedPlan?) -> Set<String> {
    trustsBefore.names(signingWith: plan?.keys ?? [], at: now)
  }

  /// How many signers are needed for what, and who agrees, as an answer says it.
  func approvals(for needs: Set<ApprovalNeed>, _ plan: SignedPlan?) -> JSON {
    [
      "needed": .integer(Int64(approvals)), "needs": .array(needs.sorted().map { .string($0.rawValue) }),
      "agreed": .array(names(of: plan).sorted().map(JSON.string)),
    ]
  }

  /// Refuses what too few agree to.
  ///
  /// - Throws: `LedgerError.approvalsRequired`.
  func checkAgreement(_ plan: SignedPlan?, _ needs: Set<ApprovalNeed>, _ impact: Impact) throws {
    let names = names(of: plan)
    guard names.count < approvals else { return }
    throw LedgerError.approvalsRequired(
      Approvals(
        needed: approvals, names: names.sorted(),
        signers: trustsBefore.signers(at: now).map(\.value).sorted(), needs: needs.sorted(), impact: impact))
  }

  /// Refuses signers of one key, and to demand more of them than there are.
  ///
  /// - Throws: `LedgerError.signer`.
  func checkSigners() throws {
    let isAboutSigners = changes.contains { planned in
      switch planned.change {
      case .trusted(let trust), .distrusted(let trust): trust.kind == .signer || trust.kind == .approvals
      default: false
      }
    }
    guard isAboutSigners else { return }
    var owners: [String: String] = [:]
    for trust in trusts where trust.kind == .signer {
      guard let key = trust.key else { continue }
      if let owner = owners.updateValue(trust.value, forKey: key) {
        throw LedgerError.signer(.keyTaken(by: owner))
      }
    }
    let count = trusts.signers(at: now).count
    guard trusts.approvals <= count else {
      throw LedgerError.signer(.tooFew(signers: count, approvals: trusts.approvals))
    }
  }
}

extension Ledger {
  /// Refuses a plan of another ledger, one whose time is over, one that was applied, and one that was altered.
  ///
  /// - Throws: `LedgerError.plan`.
  func check(_ plan: SignedPlan, now: Timestamp) throws {
    let id = try name()
    guard plan.plan.ledger == id else {
      throw LedgerError.plan(.ledger(id: id, expected: plan.plan.ledger))
    }
    guard plan.keys != nil else { throw LedgerError.plan(.altered) }
    let used = try connection.first(
      "SELECT seq FROM event WHERE kind = 'plan.apply' AND subject = ?", .text(plan.applied.subject)
    ) { try $0.integer(0) }
    if let used { throw LedgerError.plan(.used(used)) }
    guard now < plan.plan.expires else { throw LedgerError.plan(.expired(plan.plan.expires, now: now)) }
  }

  func reporting(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch let fault as PlanFault {
      throw LedgerError.plan(fault)
    }
  }
}

/// What a plan says beside its command: what it would do to the ledger as it is.
package struct PlanOutline: Sendable, Equatable {
  package let ledger: String
  package let head: JSON
  package let now: Timestamp
  package let rows: PlannedRows
  package let impact: Impact
  package let needs: [ApprovalNeed]
}
