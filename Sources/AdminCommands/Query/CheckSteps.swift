import JSON
import Ledger
import ReleaseModel

/// One step of a decision, with the event that last set the fields behind the step.
struct ExplainedStep {
  let step: DecisionStep
  let event: Int64?

  /// The step as `check --explain` shows it.
  var json: JSON {
    var object = step.json.object ?? JSON.Object()
    object["event"] = .optional(event)
    return .object(object)
  }
}

/// Finds the event behind each step of a decision.
///
/// That is the event that last set the fields behind the step, as `blame` names it, not the one that last
/// touched their row.
struct Explanation {
  /// A row whose fields may have been set by different events.
  private enum Row {
    case app(App)
    case release(Release, app: String)
  }

  private let ledger: Ledger
  /// The last event that counts.
  private let head: Int64
  private let moment: Timestamp
  /// The rows, by the negative numbers that stand for their events.
  private var rows: [Int64: Row] = [:]
  /// The fields of the rows that were looked up.
  private var fields: [Int64: [FieldBlame]] = [:]

  /// The steps of the decision about what a client is told at a moment.
  ///
  /// - Parameter head: The last event that the snapshot knows.
  static func steps(
    for client: Client, in snapshot: Snapshot, at moment: Timestamp, _ ledger: Ledger, upTo head: Int64
  ) throws -> [ExplainedStep] {
    var explanation = Explanation(ledger: ledger, head: head, moment: moment)
    let numbered = explanation.numbered(snapshot)
    return try Decider(numbered, at: moment).explain(client).steps.map { step in
      ExplainedStep(step: step, event: try step.event.map { try explanation.event(of: step.step, $0) })
    }
  }

  private init(ledger: Ledger, head: Int64, moment: Timestamp) {
    (self.ledger, self.head, self.moment) = (ledger, head, moment)
  }

  /// The snapshot with each row's event replaced by a number of its own, since several rows may have the same
  /// event.
  private mutating func numbered(_ snapshot: Snapshot) -> Snapshot {
    var snapshot = snapshot
    snapshot.line = numbered(snapshot.line)
    for (slug, line) in snapshot.others { snapshot.others[slug] = numbered(line) }
    return snapshot
  }

  private mutating func numbered(_ line: ReleaseLine) -> ReleaseLine {
    func number() -> Int64 { -1 - Int64(rows.count) }
    var line = line
    let app = number()
    rows[app] = .app(line.app)
    line.app.event = app
    for index in line.releases.indices {
      let release = number()
      rows[release] = .release(line.releases[index], app: line.app.slug)
      line.releases[index].event = release
    }
    return line
  }

  /// The event behind a step that refers to a row, or the event that it refers to itself.
  private mutating func event(of step: String, _ number: Int64) throws -> Int64 {
    guard let row = rows[number] else { return number }
    let names = names(of: step, row)
    let blamed = try fields[number] ?? blame(row)
    fields[number] = blamed
    return blamed.filter { names.contains($0.field) }.map(\.event.seq).max() ?? lastEvent(of: row)
  }

  private func lastEvent(of row: Row) -> Int64 {
    switch row {
    case .app(let app): app.event
    case .release(let release, _): release.event
    }
  }

  private func blame(_ row: Row) throws -> [FieldBlame] {
    switch row {
    case .app(let app): try ledger.blame(app: app.slug, upTo: head)
    case .release(let release, let app): try ledger.blame(app: app, release.version, upTo: head)
    }
  }

  /// The fields of a row that a step follows from.
  private func names(of step: String, _ row: Row) -> [String] {
    switch (step, row) {
    case ("policy", .app): ["policy"]
    case ("url", .app): ["storeURL"]
    // The app is stopped or retired.
    case (_, .app(let app)): [app.isRetired ? "retired" : "stopped"]
    case ("mandatory", .release): ["mandatory"]
    case ("phased", .release): ["phase", "remindAt"]
    case ("url", .release): ["url"]
    case ("target", .release(let release, _)):
      // A superseded release has only its moment; a live one may be live for the second time, or be removed.
      release.isExpired(at: moment)
        ? ["expires"] : release.state == .superseded ? ["visibleAt"] : ["visibleAt", "state"]
    case (_, .release): ["state"]
    }
  }
}
