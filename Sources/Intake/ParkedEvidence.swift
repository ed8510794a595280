import AppleIntake
package import Ledger
package import ReleaseModel

/// What people decide about parked evidence.
package enum Inbox {
  /// Applies parked evidence as a person's decision, unless it was settled this way already (law 9).
  ///
  /// - Returns: What in the evidence contradicts the decision.
  /// - Throws: `LedgerError` if a law refuses the move or the evidence was settled in another way.
  package static func apply(
    _ id: Int64, app slug: String, version: Version, state: ReleaseState, _ draft: inout ChangeSet
  ) throws -> [String] {
    let known = try draft.evidence(id)
    let (applied, overtaken) = ("inbox.applied", "\(known.kind.rawValue).overtaken")
    if known.reason == applied || known.reason == overtaken, known.app == slug, known.version == version,
      known.state == state
    {
      return []
    }
    let parked = try draft.parked(id)
    let app = try draft.line(slug).app
    let body = try draft.ledger.evidence(id).body
    let doubts = doubts(about: parked, body, app, version, state)
    let now = draft.now
    let saidAt = parked.sentAt.map { min($0, now) }
    let move = Move.mark(version, state, at: saidAt, notBefore: now + AppState.timeToObject)
    let isNew = try draft.change(slug, move.command, evidence: parked.id) { line, _ throws(Refusal) in
      try move.change(line, now)
    }
    var settled = parked
    settled.outcome = isNew ? .applied : .ignored
    settled.reason = isNew ? applied : overtaken
    settled.app = slug
    settled.version = version
    settled.state = state
    draft.settle(parked, as: settled)
    return doubts
  }

  /// - Throws: `LedgerError` if the evidence was settled in another way.
  package static func dismiss(_ id: Int64, _ draft: inout ChangeSet) throws {
    if try draft.evidence(id).outcome == .dismissed { return }
    let parked = try draft.parked(id)
    // A version that stores of other countries show as well is dismissed with all of them.
    let others = try draft.parked(parked.kind, of: parked.app).filter {
      $0.kind == .lookup && $0.version != nil && ($0.version, $0.reason) == (parked.version, parked.reason)
        && $0.id != id
    }
    for parked in [parked] + others {
      var settled = parked
      settled.outcome = .dismissed
      draft.settle(parked, as: settled)
    }
  }

  private static func doubts(
    about parked: Evidence, _ body: [UInt8]?, _ app: App, _ version: Version, _ state: ReleaseState
  ) -> [String] {
    let message = parked.kind == .mail ? body.flatMap { try? RawMessage($0) } : nil
    let notice = message.map { AppleNotice($0, subject: $0.header.text("subject") ?? "") }
    let what = parked.kind == .mail ? "mail" : "evidence"
    var doubts: [String] = []
    if let said = notice?.appleID, said != app.appleID {
      let known = app.appleID.map { String($0) } ?? "none"
      doubts.append("the mail is about Apple ID \(said), but \(app.slug) has \(known)")
    }
    if let said = notice?.platform, said != app.platform {
      doubts.append("the mail is about \(said.rawValue), but \(app.slug) is for \(app.platform.rawValue)")
    }
    if let said = notice == nil ? parked.version : notice?.version, said != version {
      doubts.append("the \(what) is about version \(said.text)")
    }
    if let said = notice == nil ? parked.state : notice?.says, said != state {
      doubts.append("the \(what) says \(said.rawValue)")
    }
    if let sentAt = parked.sentAt,
      sentAt + AppleMail.oldest < parked.receivedAt || parked.receivedAt + AppleMail.aheadBy < sentAt
    {
      doubts.append("the mail is dated \(sentAt.text), but arrived at \(parked.receivedAt.text)")
    }
    return doubts
  }
}
