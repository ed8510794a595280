import CommandLineKit
import Export
import JSON
import Ledger
import ReleaseModel

extension Command where Context == PawlContext {
  /// The board.
  static var status: Command {
    Command(
      "status", summary: "Show the board: newest in each state, holds running, what waits",
      discussion: """
        What most wants a look comes first; an app of which nothing is to be said but what is live has one line. With \
        APP all that is in force is listed. On a terminal the board is coloured and fits its width; in a pipe it is \
        plain and nothing is cut.
        """,
      examples: [
        .init("pawl status", "all apps"), .init("pawl status taxi", "one app, and all that is in force"),
        .init("pawl status taxi --json", "for programs"),
      ],
      section: "Answers"
    ) {
      (
        .oneApp,
        .option("--as-of", "TIME|SEQ", .pastPoint, help: "The board as it was, by replaying the events"),
        .common
      )
    } run: { context, app, point, common in
      let ledger = try common.open(context)
      let asked = try AskedLedger(ledger, asOf: point, clock: context.clock()) { ledger in
        try (app.map { [$0] } ?? ledger.apps().map(\.slug)).map { try ledger.snapshot($0) }
      } replayed: { state in
        try (app.map { [$0] } ?? state.lines.keys.sorted()).map { try state.snapshot($0) }
      }
      let standing = try point == nil ? DocumentExport.standing(ledger, context) : nil
      let parked = try point == nil ? ledger.inbox() : []
      ledger.close()
      let now = asked.moment
      let boards = asked.answer.map { Board($0, parked: parked, now: now) }
      try common.print(
        [
          "apps": .array(boards.map(\.json)), "head": asked.head.json, "at": .string(now.text),
          "inbox": .integer(Int64(parked.count)), "alarms": .array(parked.filter(\.isAlarm).map(\.json)),
          "export": standing?.json(now: now) ?? .null,
        ], context
      ) {
        guard !boards.isEmpty else { return noApps }
        return BoardPage(
          boards, parked: parked, overdue: standing?.overdue(now: now), isOfOneApp: app != nil,
          width: context.isOutputTerminal ? context.width : nil, styles: context.hasStyles
        ).text()
      }
      return .success
    }
  }
}
