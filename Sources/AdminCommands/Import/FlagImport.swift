import CommandLineKit
import JSON
import Ledger
import ReleaseModel

/// Takes over a table of flags: records the releases, rules and redirects with which clients are told what their rows
/// say.
struct FlagImport {
  let app: String
  let file: String
  let bytes: [UInt8]

  private var command: String { "import --flags" }

  func record(_ change: ChangeOptions, _ context: PawlContext) throws -> ExitCode {
    let rows = try FlagTable.rows(of: bytes, name: file)
    var taken = FlagTally()
    var isShown = change.isDryRun || change.saysYes || change.common.isJSON
    var changing = Changing(change, context)
    changing.extraWords = [Recording.digest(of: bytes)]
    return try changing.run { draft in
      taken = try take(rows, &draft, for: change.reason)
      // What the rows amount to is read before anything is agreed to.
      if !isShown { context.note(taken.table(context)) }
      isShown = true
    } answer: { _ in
      [("rows", taken.rows.json)]
    } text: { answer in
      Said(FlagTally(try answer.value("rows")).table(context), next: "pawl check \(app)")
    }
  }

  private func take(_ rows: [FlagRow], _ draft: inout Draft, for reason: String?) throws -> FlagTally {
    /// The rows behind a change, as its reason.
    func reasons(_ rows: [FlagRow]) -> String {
      let texts = rows.prefix(5).map { "line \($0.line): \($0.text)" } + (rows.count > 5 ? ["…"] : [])
      return (reason.map { "\($0); " } ?? "") + texts.joined(separator: "; ")
    }
    var tally = FlagTally(rows.map(FlagTally.Row.init))
    try takeReleases(rows, &draft, &tally, reasons)
    var decided = try decisions(rows, &draft)
    // Whoever has the newest version is told nothing, whatever the row says: there is nothing to send it to.
    let wanted = zip(rows, decided).map { row, decision in
      row.isInReview || decision.decidedBy == .current ? Action.none : row.action
    }
    let prompted = rows.indices.filter { !rows[$0].isInReview && decided[$0].decidedBy != .current }
    for run in runs(prompted, by: { wanted[$0] })
    where run.contains(where: { decided[$0].action != wanted[$0] }) {
      draft.reason = reasons(run.map { rows[$0] })
      let number = try make(wanted[run[0]], for: run.map { rows[$0] }, &draft)
      for index in run { tally.rows[index].rule = number }
    }
    decided = try decisions(rows, &draft)
    let pages = try rows.map { try $0.page.map(draft.url) }
    for run in runs(rows.indices.filter { wanted[$0] != .none }, by: { pages[$0] }) {
      guard let page = pages[run[0]], run.contains(where: { decided[$0].url != page }) else { continue }
      draft.reason = reasons(run.map { rows[$0] })
      let number = try draft.nextNumber(of: .redirect)
      let redirect = Redirect(number: number, range: try range(run.map { rows[$0] }), destination: .url(page))
      try draft.change(app, command: command) { line in line.redirect(redirect) }
      for index in run { tally.rows[index].redirect = number }
    }
    decided = try decisions(rows, &draft)
    for (index, row) in rows.enumerated() {
      let told = decided[index]
      tally.rows[index].told = told.action
      tally.rows[index].url = told.url
      guard told.action == wanted[index], told.review == row.isInReview,
        told.action == .none || pages[index].map({ $0 == told.url }) ?? true
      else {
        throw refusal(
          row,
          "\(row.version.text) would be told \(told.action.rawValue)\(told.url.map { " with \($0)" } ?? "")",
          hint: "'pawl check \(app) \(row.version.text) --explain' says why")
      }
    }
    return tally
  }

  /// Records the versions that the ledger lacks: the newest released one as live, those below it as past releases, and
  /// those in review as prepared.
  private func takeReleases(
    _ rows: [FlagRow], _ draft: inout Draft, _ tally: inout FlagTally, _ reasons: ([FlagRow]) -> String
  ) throws {
    let now = draft.now
    let newest = rows.lastIndex { !$0.isInReview }
    let order = [newest].compactMap(\.self) + rows.indices.filter { $0 != newest }
    for index in order {
      let row = rows[index]
      let line = try draft.line(app)
      if let known = line.countingIndex(of: row.version).map({ line.releases[$0] }) {
        guard known.state.isReleased != row.isInReview else {
          throw refusal(
            row, "\(row.version.text) is \(known.state.rawValue), and review says otherwise",
            hint: row.isInReview
              ? "correct the row" : "if it is out, say so first: pawl mark \(app) \(row.version.text) live")
        }
        continue
      }
      draft.reason = reasons([row])
      let isLive = line.greatestEverLive.map { $0 < row.version } ?? true
      try draft.change(app, "import \(row.version.text)") { releases, id throws(LawViolation) in
        let details = ReleaseDetails()
        if row.isInReview { return try releases.publish(row.version, details, id: id, now: now) }
        return isLive
          ? try releases.importPast(row.version, details, releasedAt: now, id: id, now: now)
          : try releases.recordPast(row.version, details, releasedAt: now, id: id, now: now)
      }
      tally.rows[index].release = row.isInReview ? "prepared" : isLive ? "live" : "past"
    }
  }

  private func make(_ action: Action, for rows: [FlagRow], _ draft: inout Draft) throws -> Int64 {
    let now = draft.now
    let rule = Rule(
      number: try draft.nextNumber(of: .rule), range: try range(rows), action: action,
      reason: draft.reason)
    let snapshot = try draft.snapshot(app)
    if action == .force {
      try LedgerError.guarding(app, command) { () throws(GuardViolation) in
        try snapshot.checkForce(rule, isForLater: false, now: now)
      }
    }
    try draft.change(app, command: command) { line in line.make(rule, now: now) }
    return rule.number
  }

  private func decisions(_ rows: [FlagRow], _ draft: inout Draft) throws -> [Decision] {
    let decider = Decider(try draft.snapshot(app), at: draft.now)
    return rows.map { decider.decide(Client(version: $0.version)) }
  }

  /// Some rows, cut where one is left out between two and where they differ.
  private func runs<Value: Equatable>(_ rows: [Int], by value: (Int) -> Value) -> [[Int]] {
    var runs: [[Int]] = []
    for row in rows {
      if let last = runs.last?.last, last + 1 == row, value(last) == value(row) {
        runs[runs.count - 1].append(row)
      } else {
        runs.append([row])
      }
    }
    return runs
  }

  private func range(_ rows: [FlagRow]) throws -> VersionRange {
    let (first, last) = (rows[0].version.text, rows[rows.count - 1].version.text)
    return try VersionRange(first == last ? first : "\(first)..\(last)")
  }

  private func refusal(_ row: FlagRow, _ message: String, hint: String) -> CommandFailure {
    CommandFailure(
      "import.refused",
      "cannot import '\(printable(file, limit: 200))': line \(row.line): \(message); nothing was recorded",
      hint: hint, details: ["line": .integer(Int64(row.line))], exit: .data)
  }
}

/// What became of the rows of a table of flags: the answer of `import --flags`.
struct FlagTally {
  /// What one row amounts to.
  struct Row: JSONValue {
    let line: Int64
    let version: String
    var told = Action.none
    var url: String?
    /// How the release was recorded: `live`, `past` or `prepared`; nil if it was there.
    var release: String?
    /// The numbers of the rule and the redirect; nil if the ledger says so without one.
    var rule: Int64?
    var redirect: Int64?

    init(_ row: FlagRow) { (line, version) = (Int64(row.line), row.version.text) }

    init?(json: JSON) {
      guard let line = json["line"]?.integer, let version = json["version"]?.string,
        let told = json["told"]?.string.flatMap(Action.init(rawValue:))
      else { return nil }
      (self.line, self.version, self.told) = (line, version, told)
      (url, release) = (json["url"]?.string, json["release"]?.string)
      (rule, redirect) = (json["rule"]?.integer, json["redirect"]?.integer)
    }

    var json: JSON {
      [
        "line": .integer(line), "version": .string(version), "told": .string(told.rawValue),
        "url": .optional(url), "release": .optional(release), "rule": .optional(rule),
        "redirect": .optional(redirect),
      ]
    }
  }

  /// Ascending by version.
  var rows: [Row]

  init(_ rows: [Row] = []) { self.rows = rows }

  func table(_ context: PawlContext) -> String {
    var table = Table(columns: [
      .right("LINE"), "VERSION", "TOLD", "RELEASE", .right("RULE"), .right("REDIRECT"),
    ])
    for row in rows {
      table.add([
        Cell(String(row.line)), Cell(row.version, .bold), Cell(row.told.rawValue, Paint.style(of: row.told)),
        Cell(row.release ?? "known"), Cell(row.rule.map(String.init) ?? "–"),
        Cell(row.redirect.map(String.init) ?? "–"),
      ])
    }
    return context.rendered(table)
  }
}
