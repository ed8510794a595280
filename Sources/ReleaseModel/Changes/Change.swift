package import JSON

/// One change to the ledger: what an event records, with everything needed to replay it.
package enum Change: Sendable, Equatable {
  /// The ledger was made.
  case ledgerMade(id: String)
  case appAdded(App)
  /// The details of an app changed, its stop switch included.
  case appSet(before: App, after: App)
  /// An app under which nothing was recorded was struck out.
  case appVoided(App)
  case published(Release)
  case amended(before: Release, after: Release)
  /// A release moved to another state; if it went live, names the release it superseded.
  case marked(before: Release, after: Release, superseded: Version?)
  /// Marking a release live was undone; the release it had superseded is live again.
  case unmarked(before: Release, after: Release, restored: Version?)
  /// A release was struck out; if it had been live, names the release that is live again.
  case voided(before: Release, after: Release, neverShipped: Bool, restored: Version?)
  /// A release from the past was recorded, either as live at its time or as past for good.
  case imported(Release, superseded: Version?)
  case ruleMade(Rule)
  case ruleLifted(Rule)
  /// A lifted rule applies again, under its own number.
  case ruleRestored(Rule)
  /// A redirect was set, replaced or cleared.
  case redirectSet(before: Redirect?, after: Redirect?)
  /// A setting was set, replaced or cleared.
  case settingSet(before: Setting?, after: Setting?)
  /// Evidence came in.
  case evidenceAdded(Evidence)
  /// Parked evidence was settled: applied, dismissed, or examined again.
  case evidenceSettled(before: Evidence, after: Evidence)
  case trusted(Trust)
  case distrusted(Trust)
  /// The publication, where documents are written after every change, was set, altered or cleared.
  case publicationSet(before: Publication?, after: Publication?)
  /// A wrong clock was corrected.
  case clockCorrected(ClockCorrection)
  /// The ledger goes on above the numbers that clients were told of by another file or another past.
  case takenOver(TakeOver)
  /// A plan was applied: it holds the agreement to the changes that follow it.
  case planApplied(AppliedPlan)
  /// A command with a request id changed nothing.
  case requested

  package var release: Release? {
    switch self {
    case .published(let release), .imported(let release, _), .amended(_, let release),
      .marked(_, let release, _), .unmarked(_, let release, _), .voided(_, let release, _, _):
      release
    default: nil
    }
  }

  package var version: Version? { release?.version ?? evidence?.version }

  package var evidence: Evidence? {
    switch self {
    case .evidenceAdded(let evidence), .evidenceSettled(_, let evidence): evidence
    default: nil
    }
  }

  /// The name of the row it is about, where that does not depend on the ledger's numbering.
  package var subject: String? {
    if let release { return "release/\(release.id)" }
    if let evidence { return "evidence/\(evidence.id)" }
    switch self {
    case .ruleMade(let rule), .ruleLifted(let rule), .ruleRestored(let rule): return "rule/\(rule.number)"
    case .redirectSet(let before, let after): return (after ?? before).map { "redirect/\($0.number)" }
    case .settingSet(let before, let after): return (after ?? before).map { "setting/\($0.number)" }
    case .publicationSet: return "publication/1"
    default: return nil
    }
  }

  /// Where the change leads clients, if it makes or restores a rule or sets a redirect.
  package var destination: Destination? {
    switch self {
    case .ruleMade(let rule), .ruleRestored(let rule): rule.destination
    case .redirectSet(_, let redirect): redirect?.destination
    default: nil
    }
  }

  /// The app after the change, or as it was if it was struck out; nil unless the app itself changes.
  package var app: App? {
    switch self {
    case .appAdded(let app), .appSet(_, let app), .appVoided(let app): app
    default: nil
    }
  }

  /// Whether somebody should agree before the change makes an answer stricter than `none` or leads to another
  /// page.
  package var asksWhenStricter: Bool { flags.contains(.asksWhenStricter) }

  /// Whether the change says that something recorded never happened, which needs agreement whatever it
  /// alters.
  package var contradictsRecord: Bool {
    if case .voided(_, _, neverShipped: true, _) = self { true } else { false }
  }
}

extension Change {
  /// The state before the change, as the event shows it.
  package func before(app: String?) -> JSON? {
    let app = app ?? ""
    switch self {
    case .appSet(let before, _), .appVoided(let before): return before.json
    case .amended(let before, _), .marked(let before, _, _), .unmarked(let before, _, _),
      .voided(let before, _, _, _):
      return before.json(app: app)
    case .ruleLifted(let rule): return rule.json(app: app)
    case .redirectSet(let before, _): return before?.json(app: app)
    case .settingSet(let before, _): return before?.json(app: app)
    case .evidenceSettled(let before, _): return before.json
    case .distrusted(let trust): return trust.json
    case .publicationSet(let before, _): return before?.json
    case .ledgerMade, .appAdded, .published, .imported, .ruleMade, .ruleRestored, .evidenceAdded, .trusted,
      .clockCorrected, .takenOver, .planApplied, .requested:
      return nil
    }
  }

  /// The state after the change, as the event shows it.
  package func after(app: String?) -> JSON? {
    let app = app ?? ""
    switch self {
    case .ledgerMade(let id): return ["ledger": .string(id)]
    case .appAdded(let app), .appSet(_, let app): return app.json
    case .published(let release), .amended(_, let release): return release.json(app: app)
    case .marked(_, let release, let version), .imported(let release, let version):
      return release.json(app: app).with("superseded", version?.member)
    case .unmarked(_, let release, let version):
      return release.json(app: app).with("restored", version?.member)
    case .voided(_, let release, let neverShipped, let version):
      return release.json(app: app).with("restored", version?.member)
        .with("neverShipped", neverShipped ? true : nil)
    case .ruleMade(let rule), .ruleRestored(let rule): return rule.json(app: app)
    case .redirectSet(_, let after): return after?.json(app: app)
    case .settingSet(_, let after): return after?.json(app: app)
    case .evidenceAdded(let evidence), .evidenceSettled(_, let evidence): return evidence.json
    case .trusted(let trust): return trust.json
    case .publicationSet(_, let after): return after?.json
    case .clockCorrected(let correction): return correction.json
    case .takenOver(let takeOver): return takeOver.json
    case .planApplied(let plan): return plan.json
    case .appVoided, .ruleLifted, .distrusted, .requested: return nil
    }
  }
}

extension JSON {
  /// The object with one more member; unchanged if there is no value to add.
  fileprivate func with(_ key: String, _ value: JSON?) -> JSON {
    guard let value, var object else { return self }
    object[key] = value
    return .object(object)
  }
}

/// A clock that was wrong, and what it should have said.
package struct ClockCorrection: Fields {
  /// The first event that was recorded by the wrong clock.
  package internal(set) var since: Int64
  /// What the clock said at that event.
  package internal(set) var from: Timestamp
  package internal(set) var to: Timestamp

  package init(since: Int64, from: Timestamp, to: Timestamp) {
    self.since = since
    self.from = from
    self.to = to
  }

  package static let blank = ClockCorrection(since: 0, from: .distantPast, to: .distantPast)

  package mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(FieldFault) {
    try fields.field(&since, nil, "since", .fixed)
    try fields.field(&from, nil, "from", .fixed)
    try fields.field(&to, nil, "to", .fixed)
  }

  /// Corrects a moment that the wrong clock produced; other moments stay as they are.
  package func corrected(_ moment: Timestamp) -> Timestamp {
    moment < from ? moment : Timestamp(seconds: to.seconds + (moment.seconds - from.seconds))
  }
}

/// Why numbers of events are left out: documents elsewhere bear them, and no client may see a number twice.
package struct TakeOver: Fields {
  /// The first and the last number that is left out; both nil if none is.
  package internal(set) var from: Int64?
  package internal(set) var to: Int64?
  /// What was taken over, such as a directory; nil if the ledger only went on above it.
  package internal(set) var place: String?

  /// The most numbers that one event may leave out.
  package static let most: Int64 = 1_000_000

  /// Goes on above a number.
  ///
  /// - Parameters:
  ///   - next: The number that the event would have.
  ///   - served: The highest number that clients were told of.
  package init(_ place: String?, next: Int64, above served: Int64) {
    self.place = place
    if next <= served { (from, to) = (next, served) }
  }

  private init() {}

  package static let blank = TakeOver()

  package mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(FieldFault) {
    try fields.field(&from, nil, "from", .fixed)
    try fields.field(&to, nil, "to", .fixed)
    try fields.field(&place, nil, "place", .fixed)
  }

  /// Whether an event of this number, after one of that number, may leave out what it names.
  package func fits(_ seq: Int64, after last: Int64) -> Bool {
    guard let from, let to else { return from == nil && to == nil && seq == last &+ 1 }
    return from == last &+ 1 && to == seq &- 1 && from <= to && to - from < TakeOver.most
  }
}
