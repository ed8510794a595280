import AppleIntake
package import Ledger
import ReleaseModel

/// The only way for evidence into the ledger: examine, bind, decide, record, move.
///
/// Evidence only moves a release that the ledger knows; whatever a law or a doubt stops waits for a person,
/// with its bytes.
package struct EvidenceIntake {
  let now: Timestamp
  private let isAsked: Bool
  private var quota: EvidenceQuota

  /// - Parameter isAsked: Whether whoever brings the evidence is asked before it forces someone.
  package init(_ draft: ChangeSet, limit: Int64, isAsked: Bool) throws {
    now = draft.now
    self.isAsked = isAsked
    quota = EvidenceQuota(used: try draft.ledger.unprovedBytes(), limit: limit)
  }

  /// - Throws: `EvidenceQuota.reached`, and what the source throws; the draft is then unchanged.
  package mutating func take(
    _ bytes: [UInt8], named name: String, from source: some EvidenceSource, _ draft: inout ChangeSet
  ) throws -> IntakeResult {
    if source.kind.tellsOfNow, let app = source.app {
      try draft.refuseRetired(app, "ingest \(source.kind.rawValue)")
    }
    let sha256 = Recording.digest(of: bytes)
    let known = try draft.evidence(source.kind, sha256: sha256, app: source.app)
    // What a store shows is judged by what it showed before, so that the same answer again is another one.
    if let known, known.outcome == .parked, source.kind != .lookup {
      return try rejudge(known, bytes, named: name, from: source, &draft)
    }
    if let known, !source.kind.tellsOfNow {
      // What was too large stays too large, however often it is sent.
      if known.outcome == .refused { return IntakeResult(known, source: name) }
      return duplicate(of: known, name)
    }
    let blank = Evidence(
      id: draft.nextEvidenceID, kind: source.kind, sha256: sha256, size: Int64(bytes.count), receivedAt: now)
    var judged = try judge(blank, bytes, from: source, &draft)
    if source.kind.tellsOfNow, judged.evidence.outcome == .parked, judged.earlier == nil {
      let said = try saidAlready(judged.evidence, draft)
      // The version waits already, but that the store lists the app again is news.
      if let said, try endsAlarm(judged.evidence, draft) {
        judged.end(.ignored, said.reason)
      } else {
        judged.earlier = said
      }
    }
    if let earlier = judged.earlier { return duplicate(of: earlier, name) }
    if judged.evidence.reason == LookupAnswer.isOfOtherPlatform { return judged.result(name) }
    if judged.isRecorded {
      if judged.evidence.keepsBytes, !judged.evidence.isVouchedFor, judged.evidence.outcome != .applied {
        try quota.take(judged.evidence.size)
      }
      draft.add(judged.evidence, body: judged.evidence.keepsBytes ? bytes : nil)
      try move(judged, &draft)
    }
    if source.kind == .lookup, let app = source.app {
      _ = try endAlarms(of: app, &draft)
      if judged.isRecorded { try settleAbsence(judged.evidence, &draft) }
    }
    if source.kind == .asc, judged.evidence.version != nil {
      // A new answer about a version says what is true now.
      try settle(.asc, of: judged.evidence.app, "asc.overtaken", &draft) {
        let isOfRecord = $0.ascID != nil && $0.ascID == judged.evidence.ascID
        return (isOfRecord || $0.version == judged.evidence.version) && $0.id != judged.evidence.id
      }
    }
    return judged.result(name)
  }

  /// Settles the parked evidence of an app that later evidence or a change has left without meaning.
  @discardableResult
  func settle(
    _ kind: Evidence.Kind, of app: String?, _ reason: String, _ draft: inout ChangeSet,
    where isOver: (Evidence) -> Bool
  ) throws -> [IntakeResult] {
    try draft.parked(kind, of: app).filter(isOver).map { parked in
      var settled = parked
      (settled.outcome, settled.reason) = (.ignored, reason)
      draft.settle(parked, as: settled)
      return IntakeResult(settled, source: "evidence \(parked.id)")
    }
  }

  /// Examines the parked webhooks of an app, on all its platforms, again, after App Store Connect named its ids.
  package func retryWebhooks(of app: String, _ draft: inout ChangeSet) throws -> [IntakeResult] {
    var results: [IntakeResult] = []
    // The number of a struck-out release may be used again, with the same id at Apple.
    let waiting = ["webhook.unknown-id", "webhook.law.release.void"]
    for parked in try draft.platforms(of: app).flatMap({ try draft.parked(.webhook, of: $0) }) {
      guard let reason = parked.reason, waiting.contains(reason), let source = source(of: parked, draft),
        let bytes = try draft.body(of: parked.id)
      else { continue }
      let result = try rejudge(parked, bytes, from: source, &draft)
      if result.outcome != .parked || result.reason != parked.reason { results.append(result) }
    }
    return results
  }

  /// Examines again what a law kept from releases that have moved since: letters come in any order.
  package func retryRefused(after results: [IntakeResult], _ draft: inout ChangeSet) throws -> [IntakeResult]
  {
    try results.filter { $0.outcome == .applied }.flatMap { moved -> [IntakeResult] in
      try [Evidence.Kind.mail, .webhook].flatMap { try draft.parked($0, of: moved.app) }.compactMap {
        parked in
        guard moved.version != nil, parked.version == moved.version, parked.isProved,
          parked.reason?.hasPrefix("\(parked.kind.rawValue).law.state.") == true,
          let bytes = try draft.body(of: parked.id), let source = source(of: parked, draft)
        else { return nil }
        let result = try rejudge(parked, bytes, from: source, &draft)
        return result.outcome == .parked ? nil : result
      }
    }
  }

  /// What examines parked evidence again; nil for what is not read twice.
  private func source(of parked: Evidence, _ draft: ChangeSet) -> (any EvidenceSource)? {
    switch parked.kind {
    case .mail: AppleMail(draft)
    case .webhook: StoreWebhook(parked: parked)
    case .asc: StoreConnect(parked: parked)
    case .lookup, .usage: nil
    }
  }

  /// Examines everything that is parked again, after something was trusted, added or published.
  package func retry(_ draft: inout ChangeSet) throws -> [IntakeResult] {
    var results: [IntakeResult] = []
    for (parked, bytes) in try draft.parkedEvidence() {
      if let source = source(of: parked, draft) {
        results.append(try rejudge(parked, bytes, from: source, &draft))
      } else if parked.kind == .lookup, let app = parked.app {
        // What a store showed then says nothing about now.
        results += try endAlarms(of: app, &draft, only: parked.id)
      }
    }
    return results
  }

  /// - Parameter name: What brought the evidence again; nil if nothing did.
  private func rejudge(
    _ parked: Evidence, _ bytes: [UInt8], named name: String? = nil, from source: some EvidenceSource,
    _ draft: inout ChangeSet
  ) throws -> IntakeResult {
    let known = "evidence \(parked.id)"
    var judged = try judge(parked, bytes, from: source, &draft)
    if judged.earlier != nil {
      judged.evidence.outcome = .ignored
      judged.evidence.reason = "\(parked.kind.rawValue).duplicate"
      judged.moves = []
    }
    judged.isRecorded = true
    judged.evidence.keepIdentity(of: parked)
    guard judged.evidence != parked else {
      return name.map { duplicate(of: parked, $0) } ?? IntakeResult(parked, source: known)
    }
    draft.settle(parked, as: judged.evidence)
    try move(judged, &draft)
    return judged.result(name ?? known)
  }

  private func judge(
    _ blank: Evidence, _ bytes: [UInt8], from source: some EvidenceSource, _ draft: inout ChangeSet
  ) throws -> Judged {
    var evidence = blank
    evidence.reason = nil
    let examined = try source.examine(bytes, &evidence, &draft)
    evidence.makePlain()
    var judged = Judged(evidence: evidence)
    if evidence.isVouchedFor, let id = evidence.messageID,
      let earlier = try draft.evidence(source.kind, messageID: id), earlier.id != evidence.id
    {
      judged.earlier = earlier
      return judged
    }
    switch examined {
    case .ends(let outcome, let reason):
      judged.end(outcome, reason)
      judged.isRecorded = outcome != .ignored || !source.kind.tellsOfNow
    case .state(let state, let subject): try decide(state, of: subject, &judged, &draft)
    case .served(let version, let app, let country, let notes):
      try decide(served: version, of: app, in: country, notes: notes, &judged, &draft)
    case .absent(let app, let country): try decideAbsence(of: app, in: country, &judged, &draft)
    case .connect(let version, let app): try decide(version, of: app, &judged, &draft)
    case .renamed(let version, let app, let isWithdrawn):
      try decideRenaming(of: version, in: app, isWithdrawn, &judged, &draft)
    case .counted(let app):
      judged.end(.applied, nil)
      // The same numbers on another day are news, since they are counted as of that day.
      if let last = try draft.ledger.lastUsage(of: app), last.sha256 == evidence.sha256,
        last.receivedAt.day == now.day
      {
        judged.earlier = last
      }
    }
    if !judged.moves.isEmpty, let app = judged.evidence.app, try draft.line(app).app.isRetired {
      // An app that accepts no changes is treated like an unknown one.
      judged.isRecorded = true
      judged.end(.parked, "\(source.kind.rawValue).unknown-app")
    }
    try parkIfUnagreed(&judged, &draft)
    return judged
  }

  /// Parks unproved evidence if its moves would need agreement that no one is asked for.
  private func parkIfUnagreed(_ judged: inout Judged, _ draft: inout ChangeSet) throws {
    guard !judged.evidence.isProved, !judged.moves.isEmpty, let app = judged.evidence.app else { return }
    guard draft.approvals > 0 || !isAsked else { return }
    let now = now
    guard try draft.needsAgreement(app, judged.moves, { move, line in try? move.change(line, now) }) else {
      return
    }
    judged.isRecorded = true
    let isNotLive = judged.evidence.kind == .lookup && judged.from?.isReleased == false
    judged.end(.parked, isNotLive ? "lookup.not-live" : "\(judged.evidence.kind.rawValue).unagreed")
  }

  /// Evidence that says the same, since a store is asked every few minutes, and is parked, or dismissed: what a person
  /// dismissed stays so until it says something new. An absence was compared with the last answer.
  private func saidAlready(_ evidence: Evidence, _ draft: ChangeSet) throws -> Evidence? {
    if evidence.reason == Self.absent { return nil }
    return try draft.waiting(evidence.kind, of: evidence.app).first {
      ($0.reason, $0.version, $0.subject) == (evidence.reason, evidence.version, evidence.subject)
        && ($0.country == evidence.country || $0.outcome == .dismissed)
    }
  }

  private func endAlarms(
    of app: String, _ draft: inout ChangeSet, only id: Int64? = nil
  ) throws -> [IntakeResult] {
    let line = try draft.line(app)
    return try settle(.lookup, of: app, "lookup.known", &draft) {
      (id == nil || $0.id == id) && $0.isEnded(by: line)
    }
  }

  private func move(_ judged: Judged, _ draft: inout ChangeSet) throws {
    guard let app = judged.evidence.app else { return }
    for move in judged.moves {
      try draft.change(
        app, move.command, evidence: judged.evidence.id, isProved: judged.evidence.isProved
      ) { line, _ throws(Refusal) in
        try move.change(line, now)
      }
    }
  }

  private func duplicate(of known: Evidence, _ name: String) -> IntakeResult {
    var result = IntakeResult(known, source: name)
    (result.outcome, result.reason) = (nil, nil)
    return result
  }
}

extension Evidence {
  /// Replaces the control characters in what a stranger wrote.
  fileprivate mutating func makePlain() {
    func plain(_ text: String?) -> String? {
      guard let text, !text.isPlain else { return text }
      return String(text.map { String($0).isPlain ? $0 : "\u{FFFD}" })
    }
    (messageID, sender, subject) = (plain(messageID), plain(sender), plain(subject))
  }

  /// Keeps what was recorded when the evidence came in, which never changes afterwards.
  fileprivate mutating func keepIdentity(of recorded: Evidence) {
    messageID = recorded.messageID
    sentAt = recorded.sentAt
    sender = recorded.sender
    subject = recorded.subject
    country = recorded.country
    ascID = recorded.ascID
  }
}
