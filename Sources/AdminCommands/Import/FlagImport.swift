import CommandLineKit
import JSON
import Ledger
import ReleaseModel

/// Takes over a table of flags: records the releases, rules and redirects that say the same.
struct FlagImport {
  let app: String
  let file: String
  let bytes: [UInt8]

  private var command: String { "import --flags" }

  func record(_ change: ChangeOptions, _ context: PawlContext) throws -> ExitCode {
    let rows = try FlagTable.rows(of: bytes, name: file)
    var taken: [FlagRow] = []
    var isShown = change.isDryRun || change.saysYes || change.common.isJSON
    var changing = Changing(change, context)
    changing.extraWords = [Recording.digest(of: bytes)]
    return try changing.run { draft in
      taken = try take(rows, &draft, for: change.reason)
      // What the rows amount to is read before anything is agreed to.
      if !isShown { context.note(FlagRow.table(taken.map(\.json), context)) }
      isShown = true
    } answer: { _ in
      [("rows", .array(taken.map(\.json)))]
    } text: { answer in
      Said(FlagRow.table(answer["rows"]?.array ?? [], context), next: "pawl check \(app)")
    }
  }

  private func take(_ given: [FlagRow], _ draft: inout ChangeSet, for reason: String?) throws -> [FlagRow] {
    /// The rows behind a change, as its reason.
    func reasons(_ rows: [FlagRow]) -> String {
      let texts = rows.prefix(5).map { "line \($0.line): \($0.text)" } + (rows.count > 5 ? ["…"] : [])
      return (reason.map { "\($0); " } ?? "") + texts.joined(separator: "; ")
    }
    var rows = given
    try takeReleases(&rows, &draft, reasons)
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
      for index in run { rows[index].rule = number }
    }
    decided = try decisions(rows, &draft)
    let client = try draft.line(app).app
    let pages = try rows.map { try $0.page.map { try draft.url($0, for: client) } }
    for run in runs(rows.indices.filter { wanted[$0] != .none }, by: { pages[$0] }) {
      guard let page = pages[run[0]], run.contains(where: { decided[$0].url != page }) else { continue }
      draft.reason = reasons(run.map { rows[$0] })
      let number = try draft.nextNumber(of: .redirect)
      let redirect = Redirect(number: number, range: try range(run.map { rows[$0] }), destination: .url(page))
      try draft.change(app, command: command) { line in line.redirect(redirect) }
      for index in run { rows[index].redirect = number }
    }
    decided = try decisions(rows, &draft)
    for (index, row) in rows.enumerated() {
      let told = decided[index]
      rows[index].told = told.action
      rows[index].url = told.url
      guard told.action == wanted[index], told.review == row.isInReview,
        told.action == .none || pages[index].map({ $0 == told.url }) ?? true
      else {
        throw refusal(
          row,
          "\(row.version.text) would be told \(told.action.rawValue)\(told.url.map { " with \($0)" } ?? "")",
          hint: "'pawl check \(app) \(row.version.text) --explain' says why")
      }
    }
    return rows
  }

  /// Records the versions that the ledger lacks: the newest released one as live, those below it as past.
  private func takeReleases(
    _ rows: inout [FlagRow], _ draft: inout ChangeSet, _ reasons: ([FlagRow]) -> String
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
              ? "correct the row"
              : "if it is out, record that first: pawl mark \(app) \(row.version.text) live")
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
      rows[index].release = row.isInReview ? "prepared" : isLive ? "live" : "past"
    }
  }

  private func make(_ action: Action, for rows: [FlagRow], _ draft: inout ChangeSet) throws -> Int64 {
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

  private func decisions(_ rows: [FlagRow], _ draft: inout ChangeSet) throws -> [Decision] {
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

/// A row of a table of flags: what a server told the clients of one version.
struct FlagRow {
  let line: Int
  let version: Version
  let action: Action
  let isInReview: Bool
  let page: String?
  let text: String
  /// What clients are told now.
  var told = Action.none
  var url: String?
  /// How the release was recorded: `live`, `past` or `prepared`; nil if it was there.
  var release: String?
  /// The numbers of the rule and the redirect; nil if the row needs none.
  var rule: Int64?
  var redirect: Int64?

  var json: JSON {
    [
      "line": .integer(Int64(line)), "version": .string(version.text), "told": .string(told.rawValue),
      "url": .optional(url), "release": .optional(release), "rule": .optional(rule),
      "redirect": .optional(redirect),
    ]
  }

  static func table(_ rows: [JSON], _ context: PawlContext) -> String {
    let columns: [Column] = [
      .right("LINE"), "VERSION", "TOLD", "RELEASE", .right("RULE"), .right("REDIRECT"),
    ]
    return context.table(
      columns,
      rows.map { row in
        let told = row["told"]?.string ?? ""
        func number(_ name: String) -> String { row[name]?.integer.map { String($0) } ?? "–" }
        return [
          Cell(number("line")), Cell(row["version"]?.string ?? "", .bold),
          Cell(told, Action(rawValue: told).map(Paint.style) ?? .plain),
          Cell(row["release"]?.string ?? "known"), Cell(number("rule")), Cell(number("redirect")),
        ]
      })
  }
}

/// A table with the columns `version`, `updated` and `force_updated`, and optionally `review` and `download_url`.
enum FlagTable {
  private static let columns = ["version", "updated", "force_updated", "review", "download_url"]

  /// - Returns: The rows, ascending by version.
  static func rows(of bytes: [UInt8], name: String) throws -> [FlagRow] {
    let file = PastFile(
      name: name,
      hint: "write CSV with the header version,updated,force_updated[,review,download_url], flags as Y or N")
    var rows: [FlagRow] = []
    for (line, texts, fault) in try file.table(bytes, columns, required: 3).rows {
      if let fault { throw file.unusable(fault, line: line) }
      let fields = texts.map(\.trimmed)
      let version: Version
      do {
        version = try Version(fields[0])
      } catch {
        throw file.unusable(
          "invalid version '\(printable(fields[0], limit: 40))': \(error.reason)", line: line)
      }
      func flag(_ index: Int) throws -> Bool {
        switch fields[index].lowercased() {
        case "y", "yes", "1", "true": return true
        case "n", "no", "0", "false", "": return false
        default: throw file.unusable("\(columns[index]) is neither Y nor N", line: line)
        }
      }
      let (isUpdated, isForced, isInReview) = try (flag(1), flag(2), flag(3))
      guard isUpdated || !isForced else {
        throw file.unusable("\(version.text) is force_updated but not updated", line: line)
      }
      rows.append(
        FlagRow(
          line: line, version: version, action: isForced ? .force : isUpdated ? .remind : .none,
          isInReview: isInReview, page: fields[4].isEmpty ? nil : fields[4],
          text: fields.map { printable($0, limit: 200) }.joined(separator: " ").trimmed))
    }
    rows.sort { ($0.version, $0.line) < ($1.version, $1.line) }
    for (row, next) in zip(rows, rows.dropFirst()) where row.version == next.version {
      throw file.unusable("\(next.version.text) is in line \(row.line) already", line: next.line)
    }
    return rows
  }
}
