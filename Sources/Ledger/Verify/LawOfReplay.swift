import ReleaseModel

extension LedgerState {
  /// What is wrong with the next event: no command could have made it; nil if nothing is.
  func objection(to change: Change, app: String?, seq: Int64, at: Timestamp) -> String? {
    let line = app.flatMap { lines[$0] }
    do throws(GuardViolation) {
      try line?.admit(change, leadingTo: change.destination?.app.flatMap { lines[$0] }?.app, at: at)
    } catch {
      return "the app does not take it: \(error)"
    }
    if let field = change.controlledField { return "its \(field) holds a control character" }
    switch change {
    case .ledgerMade: return seq == 1 ? nil : "a ledger is made once, by its first event"
    case .appAdded(let app):
      if lines[app.slug] != nil { return "an app with this name already exists" }
      return app.isWellFormed ? nil : "the app it describes is not valid"
    case .appSet(let before, let after):
      guard let line, line.app.says(sameAs: before) else { return "the app was not as described" }
      let isSame =
        after.slug == before.slug && after.platform == before.platform && after.channel == before.channel
      guard isSame, after.isWellFormed else { return "the app it describes is not valid" }
      if after.says(sameAs: before) { return "nothing would have changed" }
      return change.kind == .appSet || after.isSwitched(from: before) ? nil : "a switch changes nothing else"
    case .appVoided(let before):
      guard let line, line.app.says(sameAs: before) else { return "the app was not as described" }
      let isEmpty =
        line.releases.isEmpty && line.rules.isEmpty && line.redirects.isEmpty && line.settings.isEmpty
        && inactive[before.slug] == nil
      return isEmpty ? nil : "something is recorded under the app"
    case .ruleMade(let rule):
      guard let line else { return "there is no such app" }
      if rule.action == .force, rule.reason == nil { return "a force has a reason" }
      return objection(toWindow: rule, rule.destination, of: line.app, at: at)
    case .ruleLifted(let rule):
      let known = line?.rules.element(rule.number)
      return known.map { $0.isSaying(rule) } == true ? nil : "the rule was not in force"
    case .ruleRestored(let rule):
      let known = app.flatMap { inactive[$0]?.rules[rule.number] }
      return known.map { $0.isSaying(rule) } == true ? nil : "no such rule was lifted"
    case .redirectSet(let before, let after):
      guard let line else { return "there is no such app" }
      return objection(
        toReplacing: before, by: after, in: line.redirects, inactive[line.app.slug]?.redirects,
        after?.destination, of: line.app, at: at)
    case .settingSet(let before, let after):
      guard let line else { return "there is no such app" }
      if let after, !Setting.isKey(after.key) || after.value.utf8.count > Setting.longestValue {
        return "the setting it describes is not valid"
      }
      return objection(
        toReplacing: before, by: after, in: line.settings, inactive[line.app.slug]?.settings, nil,
        of: line.app, at: at)
    case .evidenceAdded(let added):
      guard added.id == Int64(evidence.count) + 1 else { return "evidence is numbered from 1 up" }
      return objection(toProof: added)
    case .evidenceSettled(let before, let after):
      guard let known = trace(before.id), after.id == before.id else { return "there is no such evidence" }
      var recorded = before
      recorded.event = known.event
      guard known.isParked, recorded.digest == known.digest else {
        return "the evidence was not as described"
      }
      var expected = after
      (expected.outcome, expected.reason, expected.proof) = (before.outcome, before.reason, before.proof)
      (expected.app, expected.version, expected.state) = (before.app, before.version, before.state)
      return expected == before ? objection(toProof: after) : "evidence never changes after it came in"
    case .trusted(let trust):
      if trusts.contains(where: { $0.isAbout(trust) }) { return "it is already trusted" }
      guard trust.isWellFormed else { return "this cannot be trusted" }
      guard trust.kind == .signer else { return nil }
      guard trust.sshKey != nil else { return "a signer cannot have this key" }
      return trusts.owner(ofKeyOf: trust).map { "it is the key of \($0)" }
    case .distrusted(let trust):
      return trusts.contains(trust) ? nil : "it was not trusted"
    case .publicationSet(let before, let after):
      if after == before { return "nothing would have changed" }
      return publication == before ? nil : "the documents were not written there"
    // `EventChain` holds the numbers that it leaves out against those that are missing.
    case .takenOver: return app == nil ? nil : "it is about the whole ledger"
    case .planApplied, .requested: return nil
    // A kind that is not above is one of a release, or refused.
    default: return objection(toRelease: change, of: line, at: at)
    }
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

  private func objection(toRelease change: Change, of line: AppState?, at: Timestamp) -> String? {
    guard let line else { return "there is no such app" }
    guard let release = change.release, release.isWellFormed(for: line.app.platform) else {
      return "the release it describes is not valid"
    }
    do throws(LawViolation) {
      guard let made = try line.recomputed(change, at: at, latest: latestLive[line.app.slug]) else {
        return "nothing would have changed"
      }
      // A change that is read from an event does not bear the event's number.
      if made.unstamped == change { return nil }
      return "a command would have produced something else"
    } catch {
      return "the laws refuse it (\(error.id.rawValue))"
    }
  }

  private func objection<Value: Timed>(
    toWindow value: Value, _ destination: Destination?, of app: App, at: Timestamp
  ) -> String? {
    if let from = value.from, let until = value.until, until <= from { return "it ends before it starts" }
    if let until = value.until, until <= at { return "it was over when it was made" }
    return destination?.isWellFormed(for: app.platform) ?? true ? nil : "its destination is not valid"
  }

  private func objection<Value: Liftable>(
    toReplacing before: Value?, by after: Value?, in standing: [Value], _ inactive: [Int64: Value]?,
    _ destination: Destination?, of app: App, at: Timestamp
  ) -> String? {
    if let before, let after, before.says(sameAs: after) { return "nothing would have changed" }
    if let before, standing.element(before.number).map({ $0.isSaying(before) }) != true {
      return "what it replaces was not in force"
    }
    guard let after else { return nil }
    if let known = inactive?[after.number] {
      return known.isSaying(after) ? nil : "what it restores was not as described"
    }
    if after.number <= standing.last?.number ?? 0 { return "numbers only go up" }
    return objection(toWindow: after, destination, of: app, at: at)
  }
}

extension App {
  fileprivate func isSwitched(from other: App) -> Bool {
    var other = other
    (other.isStopped, other.isRetired) = (isStopped, isRetired)
    return says(sameAs: other)
  }

}

extension Liftable {
  /// Whether it says the same as another, whatever became of either.
  fileprivate func isSaying(_ other: Self) -> Bool { json(app: "") == other.json(app: "") }

  /// Likewise, whatever their numbers.
  fileprivate func says(sameAs other: Self) -> Bool {
    func words(_ one: Self) -> [StoredValue] { Array(one.storedValues(app: nil).dropFirst()) }
    var plain = self
    (plain.event, plain.replacedBy, plain.isInForce) = (other.event, other.replacedBy, other.isInForce)
    return words(plain) == words(other)
  }
}
