import Ledger
import ReleaseModel

/// A row that steps of a decision refer to; its fields may have been set by different events.
private struct Row {
  let app: App
  /// Nil if the row is the app's own.
  let release: Release?

  /// The fields that a step follows from.
  func names(of step: String, at moment: Timestamp) -> [String] {
    switch (step, release) {
    case ("policy", nil): ["policy"]
    case ("url", nil): ["storeURL"]
    // The app is stopped or retired.
    case (_, nil): [app.isRetired ? "retired" : "stopped"]
    case ("mandatory", _): ["mandatory"]
    case ("phased", _): ["phase", "remindAt"]
    case ("url", _): ["url"]
    case ("target", let release?):
      // A superseded release has only its moment; a live one may be live for the second time, or be removed.
      release.isExpired(at: moment)
        ? ["expires"] : release.state == .superseded ? ["visibleAt"] : ["visibleAt", "state"]
    case (_, _?): ["state"]
    }
  }
}

extension Ledger {
  /// The steps of the decision about what a client is told at a moment.
  ///
  /// The event of each is the one that last set the fields behind it, as `blame` names it, not the one that last
  /// touched their row.
  ///
  /// - Parameter head: The last event that the snapshot knows.
  func steps(
    for client: Client, in snapshot: Snapshot, at moment: Timestamp, upTo head: Int64
  ) throws -> [DecisionStep] {
    // Several rows may have the same event, so each gets a negative number of its own in its place.
    var rows: [Int64: Row] = [:]
    func number(_ app: App, _ release: Release? = nil) -> Int64 {
      let number = -1 - Int64(rows.count)
      rows[number] = Row(app: app, release: release)
      return number
    }
    func numbered(_ line: AppState) -> AppState {
      var line = line
      line.app.event = number(line.app)
      for index in line.releases.indices {
        line.releases[index].event = number(line.app, line.releases[index])
      }
      return line
    }
    var asked = snapshot
    asked.line = numbered(snapshot.line)
    asked.others = snapshot.others.mapValues(numbered)
    var fields: [Int64: [FieldBlame]] = [:]
    return try Decider(asked, at: moment).explain(client).steps.map { step in
      guard let number = step.event, let row = rows[number] else { return step }
      let slug = row.app.slug
      let blamed =
        try fields[number] ?? row.release.map { try blame(app: slug, $0.version, upTo: head) }
        ?? blame(app: slug, upTo: head)
      fields[number] = blamed
      let names = row.names(of: step.step, at: moment)
      var explained = step
      explained.event =
        blamed.filter { names.contains($0.field) }.map(\.event.seq).max() ?? row.release?.event
        ?? row.app.event
      return explained
    }
  }
}
