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
        The apps that most need attention come first. 'clients' shows where prompted clients are sent. On a terminal \
        the board is coloured and fits the width; in a pipe it is plain.
        """,
      examples: [
        .init("pawl status", "all apps"), .init("pawl status taxi", "one app"),
        .init("pawl status taxi --json", "for programs"),
      ]
    ) {
      .oneApp
    } run: { query, app in
      let (context, ledger) = (query.context, query.ledger)
      let limit = try EvidenceQuota.limit(context)
      let (boards, inbox, head, now) = try ledger.snapshotting {
        let now = try ledger.now(clock: context.clock())
        let inbox = try ledger.inboxWithAlarms()
        let boards = try askedApps(app, else: ledger.apps()).map { slug in
          try Board(try ledger.present(slug), inbox: inbox, ledger, now: now)
        }
        return (boards, inbox, try ledger.head(), now)
      }
      let standing = try DocumentExport.standing(ledger, context)
      let quota = try EvidenceQuota(used: ledger.unprovedBytes(), limit: limit)
      let (deliveries, mirrors) = try (
        Standing.deliveries(of: ledger, now: now), Standing.mirrors(of: ledger, now: now)
      )
      let (path, apps) = (query.common.path(context), try ledger.apps())
      let retired = apps.filter(\.isRetired).map(\.slug)
      let (name, place, views) = (try ledger.name(), try resolvedPath(path), try ledger.alteredViews())
      let findings =
        [
          Ledger.viewFinding(views), try ledger.clockFinding(context.clock()), standing?.overdue(now: now),
          quota.finding,
        ]
        .compactMap(\.self) + (deliveries + mirrors).compactMap(\.finding)
      return try query.print([
        "asOf": .integer(head.seq), "evidence": quota.json,
        "apps": .array(boards.map(\.json)), "head": head.json, "at": .string(now.text),
        "inbox": .integer(Int64(inbox.count)), "retired": retired.json,
        "alarms": .array(inbox.filter { $0.alarm != nil }.map(\.evidence.json)),
        "deliveries": .array(deliveries.map(\.json)), "mirrors": .array(mirrors.map(\.json)),
        "ledger": ["id": .string(name), "path": .string(place)],
        "export": standing?.json(now: now) ?? .null, "views": views.json,
      ]) {
        guard !boards.isEmpty else { return noApps(of: apps) }
        let slugs = Set(boards.map(\.line.app.slug))
        let alarms = app != nil ? [] : inbox.compactMap(\.alarm).filter { !slugs.contains($0.app) }
        let listed = app == nil ? retired.count : 0
        // What concerns the ledger as a whole comes last: after a long list, the eye is nearest to the end.
        let closing =
          (listed > 0 ? context.styled("\(listed) retired:", .dim) + " pawl app list\n" : "")
          + alarms.map(context.alarm).joined()
          + findings.map {
            context.styled("\(context.inZone($0.message)):", .yellow) + " \(printable($0.hint))\n"
          }.joined()
          + (inbox.isEmpty ? "" : context.styled("\(inbox.count) in the inbox:", .yellow) + " pawl inbox\n")
          + context.styled(
            "as of \(context.text(now)), event \(head.seq) of '\(printable(path, limit: 4_096))'", .dim)
          + "\n"
        let sorted = boards.sorted { ($0.urgency, $0.line.app.slug) < ($1.urgency, $1.line.app.slug) }
        return (sorted.map { $0.text(context) } + [closing]).joined(separator: "\n")
      }
    }
  }
}
