import ReleaseModel
import SQLite

// What an event says is held against the laws by the functions that commands ask, as the events before it left things.
extension ChangeSet {
  /// What is wrong with the next recorded change: no command could have made it; nil if nothing is.
  mutating func objection(to change: Change, of event: EventRecord) throws -> String? {
    do {
      return try lawfulObjection(to: change, of: event)
    } catch let refusal as Refusal {
      return "the laws refuse it (\(refusal.id))"
    } catch LedgerError.noApp, LedgerError.unreadableRow {
      return "there is no such app"
    }
  }

  private mutating func lawfulObjection(to change: Change, of event: EventRecord) throws -> String? {
    // What events of a kind never have is reported where the chain is read.
    if change.kind.traits.columns.contains(.version), event.version != change.version?.text {
      return "it names a version other than the one it is about"
    }
    if let slug = event.app, case let other? = change.app?.slug, other != slug {
      return "it is recorded under another app"
    }
    if let evidence = change.evidence, evidence.app != event.app { return "it is recorded under another app" }
    if let slug = event.app, change.kind != .appAdd {
      guard after[slug] != nil else { throw LedgerError.noApp(slug, known: []) }
      try checkGuards(change, of: slug, "change")
    }
    if let field = change.controlledField { return "its \(field) holds a control character" }
    switch change {
    case .ledgerMade: return event.seq == 1 ? nil : "a ledger is made once, by its first event"
    case .appAdded(let app):
      if after[app.slug] != nil { return "an app with this name already exists" }
      return app.isWellFormed ? nil : "the app it describes is not valid"
    case .appSet(let before, let after):
      guard before.isRecorded(as: self.after[before.slug]?.app) else { return wasOtherwise }
      let isSame =
        after.slug == before.slug && after.platform == before.platform && after.channel == before.channel
      guard isSame, after.isWellFormed else { return "the app it describes is not valid" }
      if after == before { return nothingChanged }
      try checkRetired(from: before, to: after, "change details")
      return change.kind == .appSet || after.isSwitched(from: before) ? nil : "a switch changes nothing else"
    case .appVoided(let before):
      guard before.isRecorded(as: after[before.slug]?.app) else { return wasOtherwise }
      return try ledger.holdings(of: before.slug).isEmpty ? nil : "something is recorded under the app"
    case .ruleMade(let rule):
      guard rule.reason == event.reason else { return "it gives another reason than its rule" }
      if rule.action == .force, rule.reason == nil { return "a force has a reason" }
      if try rule.number != nextNumber(of: .rule) { return "its number is not the next" }
      return objection(to: rule, rule.destination, of: try app(of: event))
    case .ruleLifted(let rule):
      let known = try line(try app(of: event).slug).rules.element(rule.number)
      return rule.isRecorded(as: known) ? nil : "the rule was not in force"
    case .ruleRestored(let rule):
      _ = try app(of: event)
      return try rule.isRecorded(as: lifted(Rule.self, rule.number)) ? nil : "no such rule was lifted"
    case .redirectSet(let before, let after):
      return try objection(
        toReplacing: before, by: after, in: line(app(of: event).slug).redirects, after?.destination,
        of: app(of: event))
    case .settingSet(let before, let after):
      if let after, !Setting.isKey(after.key) || after.value.utf8.count > Setting.longestValue {
        return "the setting it describes is not valid"
      }
      return try objection(
        toReplacing: before, by: after, in: line(app(of: event).slug).settings, nil, of: app(of: event))
    case .evidenceAdded(let added):
      guard added.id == nextEvidenceID else { return "evidence is numbered from 1 up" }
      if added.size < 0 { return "its size is below zero" }
      return objection(toProof: added)
    case .evidenceSettled(let before, let after):
      guard after.id == before.id,
        let known = try taken[before.id]
          ?? ledger.records(Evidence.self, where: "id = ?", .integer(before.id)).first
      else {
        return "there is no such evidence"
      }
      guard known.outcome == .parked, before.isRecorded(as: known) else {
        return "the evidence was not as described"
      }
      var expected = after
      (expected.outcome, expected.reason, expected.proof) = (before.outcome, before.reason, before.proof)
      (expected.app, expected.version, expected.state) = (before.app, before.version, before.state)
      guard expected.isRecorded(as: before) else { return "evidence never changes after it came in" }
      // What proved it when it came in may no longer be trusted.
      return after.proof == before.proof ? nil : objection(toProof: after)
    case .trusted(let trust):
      if trusts.contains(where: { $0.isAbout(trust) }) { return "it is already trusted" }
      guard trust.isWellFormed else { return "this cannot be trusted" }
      guard trust.kind == .signer else { return nil }
      guard trust.sshKey != nil else { return "a signer cannot have this key" }
      return trusts.owner(ofKeyOf: trust).map { "it is the key of \($0)" }
    case .distrusted(let trust):
      return trusts.contains { trust.isRecorded(as: $0) } ? nil : "it was not trusted"
    case .publicationSet(let before, let after):
      if after == before { return nothingChanged }
      if after?.directory.hasPrefix("/") == false { return "no documents can be written there" }
      return try publication()?.json == before?.json ? nil : "the documents were not written there"
    // The chain is asked which numbers it leaves out.
    case .takenOver: return event.app == nil ? nil : "it is about the whole ledger"
    case .planApplied, .requested: return nil
    // A kind that is not above is one of a release, or refused.
    default: return try objection(toRelease: change, of: event)
    }
  }

  private var nothingChanged: String { "nothing would have changed" }
  private var wasOtherwise: String { "the app was not as described" }

  /// - Throws: `LedgerError.noApp`.
  private func app(of event: EventRecord) throws -> App {
    guard let app = event.app.flatMap({ after[$0]?.app }) else {
      throw LedgerError.noApp(event.app ?? "", known: [])
    }
    return app
  }

  /// What counts as proof names a key or secret that was trusted when it came in.
  private func objection(toProof evidence: Evidence) -> String? {
    guard evidence.isProved else { return nil }
    let words = (evidence.proof ?? "").split(separator: " ").map(String.init)
    let isKnown =
      switch evidence.kind {
      case .mail: trusts.contains { $0.kind == .dkim && words == ["dkim", $0.value, $0.selector] }
      case .webhook: trusts.contains { $0.kind == .webhook && words == ["webhook", $0.key] }
      case .asc: words.count == 2 && words[0] == "asc"
      case .lookup, .usage: false
      }
    return isKnown ? nil : "it names a proof that was not trusted then"
  }

  private mutating func objection(toRelease change: Change, of event: EventRecord) throws -> String? {
    let app = try app(of: event)
    guard let release = change.release, release.isWellFormed(for: app.platform) else {
      return "the release it describes is not valid"
    }
    if case .amended(let before, let after) = change, event.command?.isTakingBack != true {
      if event.reason == nil, let build = after.build, build != before.build,
        let known = before.greatestBuild, build < known
      {
        return "an older build has a reason"
      }
      if !after.isAmended(from: before) { return "no command clears that" }
    }
    if let made = change.newRelease, made.id != nextRelease { return "its number is not the next" }
    // A person is refused what evidence, which comes in any order, may say.
    if case .marked(let before, let after) = change, event.evidence == nil, before.state != .live,
      after.state == .live, let liveAt = after.liveAt, liveAt < now
    {
      try self.after[app.slug]?.checkIsNewest(after.version, at: liveAt)
    }
    // The mark that it takes back is for who reads the events.
    if case .returned = change { return nil }
    // The state is not stored in a variable: a second reference would make the change copy all of it.
    let made =
      try after[app.slug].map { state throws(Refusal) in
        try state.recomputed(change, at: now)
      } ?? nil
    guard let made else { return nothingChanged }
    return made.isRecorded(as: change) ? nil : "a command would have produced something else"
  }

  private func objection<Value: Timed>(to value: Value, _ destination: Destination?, of app: App) -> String? {
    if let from = value.from, let until = value.until, until <= from { return "it ends before it starts" }
    if let until = value.until, until <= now { return "it was over when it was made" }
    return destination?.isWellFormed(for: app.platform) ?? true ? nil : "its destination is not valid"
  }

  private func objection<Value: Placed>(
    toReplacing before: Value?, by after: Value?, in standing: [Value], _ destination: Destination?,
    of app: App
  ) throws -> String? {
    let restored = try after.flatMap { try lifted(Value.self, $0.number) }
    // Said again, it wins over what overlaid it; taken back, that wins again.
    let isOverlaid = before.map { one in
      standing.filter { $0.competes(with: one) }.isOverlaid(one, at: now)
    }
    if before == after, isOverlaid != true, restored == nil { return nothingChanged }
    if let before, !before.isRecorded(as: standing.element(before.number)) {
      return "what it replaces was not in force"
    }
    guard let after else { return nil }
    if let known = restored {
      return after.isRecorded(as: known) ? nil : "what it restores was not as described"
    }
    if try after.number != nextNumber(of: Value.table) { return "its number is not the next" }
    return objection(to: after, destination, of: app)
  }

  /// What was lifted, cleared or replaced under a number.
  private func lifted<Value: Liftable>(_ type: Value.Type, _ number: Int64) throws -> Value? {
    try ledger.records(type, where: "number = ? AND active = 0", .integer(number)).first
  }
}

extension String {
  /// Whether the words of a command take back another one.
  fileprivate var isTakingBack: Bool { hasPrefix("undo ") || hasPrefix("redo ") }
}

extension App {
  fileprivate func isSwitched(from other: App) -> Bool {
    var other = other
    (other.isStopped, other.isRetired) = (isStopped, isRetired)
    return self == other
  }
}
