package import JSON

/// One change to the ledger: what an event records, with everything needed to replay it.
package enum Change: Sendable, Equatable {
  case ledgerMade(id: String)
  case appAdded(App)
  case appSet(before: App, after: App)
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
  case ruleRestored(Rule)
  case redirectSet(before: Redirect?, after: Redirect?)
  case settingSet(before: Setting?, after: Setting?)
  case evidenceAdded(Evidence)
  /// Parked evidence was settled: applied, dismissed, or examined again.
  case evidenceSettled(before: Evidence, after: Evidence)
  case trusted(Trust)
  case distrusted(Trust)
  /// The publication, where documents are written after every change, was set, altered or cleared.
  case publicationSet(before: Publication?, after: Publication?)
  case clockCorrected(ClockCorrection)
  /// The ledger goes on above the numbers that clients were told of by another file or another past.
  case takenOver(TakeOver)
  /// A plan was applied: it holds the agreement to the changes that follow it.
  case planApplied(AppliedPlan)
  /// A command with a request id changed nothing.
  case requested

  /// The record that the change is about, as it was and as it becomes; nil where there is none.
  package var sides: (before: (any Record)?, after: (any Record)?) {
    switch self {
    case .appAdded(let app): (nil, app)
    case .appSet(let before, let after): (before, after)
    case .appVoided(let app): (app, nil)
    case .published(let release), .imported(let release, _): (nil, release)
    case .amended(let before, let after), .marked(let before, let after, _),
      .unmarked(let before, let after, _), .voided(let before, let after, _, _):
      (before, after)
    case .ruleMade(let rule), .ruleRestored(let rule): (nil, rule)
    case .ruleLifted(let rule): (rule, nil)
    case .redirectSet(let before, let after): (before, after)
    case .settingSet(let before, let after): (before, after)
    case .evidenceAdded(let evidence): (nil, evidence)
    case .evidenceSettled(let before, let after): (before, after)
    case .trusted(let trust): (nil, trust)
    case .distrusted(let trust): (trust, nil)
    case .publicationSet(let before, let after): (before, after)
    case .ledgerMade, .clockCorrected, .takenOver, .planApplied, .requested: (nil, nil)
    }
  }

  private var record: (any Record)? {
    let sides = sides
    return sides.after ?? sides.before
  }

  package var release: Release? { sides.after as? Release }

  package var version: Version? { release?.version ?? evidence?.version }

  package var evidence: Evidence? { sides.after as? Evidence }

  /// The name of the row it is about, where that does not depend on the ledger's numbering.
  package var subject: String? {
    guard let record, let id = record.rowID else { return nil }
    return "\(type(of: record).table.rawValue)/\(id)"
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
  package var app: App? { record as? App }

  /// Whether somebody should agree before it makes an answer stricter than `none` or leads to another page.
  package var asksWhenStricter: Bool { flags.contains(.asksWhenStricter) }

  /// Whether it says that something recorded never happened, which always needs agreement.
  package var contradictsRecord: Bool {
    if case .voided(_, _, neverShipped: true, _) = self { true } else { false }
  }
}

extension Change {
  /// The state before the change, as the event shows it.
  package func before(app: String?) -> JSON? { sides.before?.json(app: app ?? "") }

  /// The state after the change, as the event shows it.
  package func after(app: String?) -> JSON? {
    let json = sides.after?.json(app: app ?? "")
    return switch self {
    case .ledgerMade(let id): ["ledger": .string(id)]
    case .clockCorrected(let correction): correction.json
    case .takenOver(let takeOver): takeOver.json
    case .planApplied(let plan): plan.json
    case .marked(_, _, let version), .imported(_, let version): json?.with("superseded", version?.member)
    case .unmarked(_, _, let version): json?.with("restored", version?.member)
    case .voided(_, _, let neverShipped, let version):
      json?.with("restored", version?.member).with("neverShipped", neverShipped ? true : nil)
    default: json
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

  package static let most: Int64 = 1_000_000

  /// Goes on above the highest number that clients were told of; `next` is the number the event would have.
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
