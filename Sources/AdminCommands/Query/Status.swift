import CommandLineKit
import Intake
import JSON
import Ledger
import Platform
import ReleaseModel

extension Command where Context == PawlContext {
  static var status: Command {
    .query(
      "status", summary: "Show the board: newest in each state, running holds, what is waiting",
      discussion: """
        The apps that most need attention come first; an app with nothing to report but its live release \
        takes one line. 'clients' shows where prompted clients are sent. With APP, everything in \
        force is listed. On a terminal the board is coloured and fits the width; in a pipe it is plain and \
        nothing is cut.
        """,
      examples: [
        .init("pawl status", "all apps"), .init("pawl status taxi", "one app, with everything in force"),
        .init("pawl status taxi --json", "for programs"),
      ]
    ) {
      (
        .oneApp,
        .option("--as-of", "TIME|SEQ", .pastPoint, help: "The board as it was then")
      )
    } run: { query, app, written in
      let (context, ledger) = (query.context, query.ledger)
      let quotaLimit = try EvidenceQuota.limit(context)
      let point = try written?.point(now: context.clock(), query.zone, context)
      let slugs = app.map { Set([$0]) }
      let asked = try AskedLedger(ledger, asOf: point, of: slugs, clock: context.clock()) {
        asked, now -> ([Board], [(evidence: Evidence, alarm: Finding?)]) in
        guard point == nil else {
          let seq = try asked.head().seq
          return (
            try askedApps(app, else: asked.apps()).map {
              try Board(asked.snapshot($0), ledger, upTo: seq, now: now)
            }, []
          )
        }
        let inbox = try ledger.inboxWithAlarms()
        let boards = try askedApps(app, else: ledger.apps()).map { slug in
          var snapshot = try ledger.present(slug)
          // Releases that no client is told of any more may still be phased.
          if snapshot.line.app.remindAfter == .phase { snapshot = try ledger.snapshot(slug) }
          let count = try ledger.releaseCount(of: slug)
          return try Board(snapshot, releaseCount: count, inbox: inbox, ledger, now: now)
        }
        return (boards, inbox)
      }
      let (boards, inbox) = asked.answer
      let standing = try point == nil ? DocumentExport.standing(ledger, context) : nil
      let quota = try point == nil ? EvidenceQuota(used: ledger.unprovedBytes(), limit: quotaLimit) : nil
      let now = asked.moment
      let deliveries = try point == nil ? Standing.deliveries(of: ledger, now: now) : []
      let mirrors = try point == nil ? Standing.mirrors(of: ledger, now: now) : []
      let (path, name) = (query.common.path(context), try ledger.name())
      let place = try resolvedPath(path)
      let apps = try ledger.apps()
      let retired = apps.filter(\.isRetired).map(\.slug)
      let findings =
        [
          try point == nil ? ledger.clockFinding(context.clock()) : nil, standing?.overdue(now: now),
          quota?.finding,
        ]
        .compactMap(\.self)
        + (deliveries + mirrors).compactMap(\.finding)
      return try query.print([
        "asOf": .integer(asked.head.seq), "evidence": quota?.json ?? .null,
        "apps": .array(boards.map(\.json)), "head": asked.head.json, "at": .string(now.text),
        "inbox": .integer(Int64(inbox.count)), "retired": retired.json,
        "alarms": .array(inbox.filter { $0.alarm != nil }.map(\.evidence.json)),
        "deliveries": .array(deliveries.map(\.json)), "mirrors": .array(mirrors.map(\.json)),
        "ledger": ["id": .string(name), "path": .string(place)],
        "export": standing?.json(now: now) ?? .null,
      ]) {
        guard !boards.isEmpty else {
          let event = asked.head.seq == 0 ? "before the first event" : "event \(asked.head.seq)"
          if point != nil { return "There were no apps at \(now.text), \(event).\n" }
          return noApps(of: apps)
        }
        return BoardPage(
          boards: boards.sorted { ($0.urgency, $0.line.app.slug) < ($1.urgency, $1.line.app.slug) },
          inbox: inbox, findings: findings,
          moment: "\(context.text(now)), event \(asked.head.seq) of '\(fitted(path, context))'",
          isPast: point != nil, isOfOneApp: app != nil, retired: retired.count, context: context
        ).text()
      }
    }
  }
}

/// The end of a path, where a line has no room for all of it.
private func fitted(_ path: String, _ context: PawlContext) -> String {
  let path = printable(path, limit: 4_096)
  guard let room = context.lineWidth.map({ max(0, $0 - 10) }), room < displayWidth(path) else { return path }
  return "…" + path.suffix(max(0, room - 1))
}
