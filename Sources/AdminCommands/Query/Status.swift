import CommandLineKit
import Export
import JSON
import Ledger
import ReleaseModel

private struct StatusOptions: Sendable {
  var common = CommonOptions()
  var app: String?
  var asOf: PastPoint?
}

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
      section: "Answers", options: { StatusOptions() },
      parameters: {
        [
          .argument("APP", .slug, help: "One app only", required: false) { $0.app = $1 },
          .option("--as-of", "TIME|SEQ", .pastPoint, help: "The board as it was, by replaying the events") {
            $0.asOf = $1
          },
        ] + CommonOptions.parameters.pulled(\.common)
      }
    ) { options, _, context in
      let ledger = try options.common.open(context)
      let asked = try AskedLedger(ledger, asOf: options.asOf, clock: context.clock()) { ledger in
        try (options.app.map { [$0] } ?? ledger.apps().map(\.slug)).map { try ledger.snapshot($0) }
      } replayed: { state in
        try (options.app.map { [$0] } ?? state.lines.keys.sorted()).map { try state.snapshot($0) }
      }
      let standing = try options.asOf == nil ? Publication.standing(ledger, context) : nil
      let parked = try options.asOf == nil ? ledger.inbox() : []
      ledger.close()
      let (head, now) = (asked.head, asked.moment)
      let boards = asked.answer.map { Board($0, parked: parked, now: now) }
      if options.common.isJSON {
        let json: JSON = [
          "apps": .array(boards.map(\.json)), "head": head.json, "at": .string(now.text),
          "inbox": .integer(Int64(parked.count)), "alarms": .array(parked.filter(\.isAlarm).map(\.json)),
          "export": standing?.json(now: now) ?? .null,
        ]
        try context.print(json.text() + "\n")
        return .success
      }
      guard !boards.isEmpty else {
        try context.print("There are no apps yet.\nnext: pawl app add SLUG --bundle-id ID\n")
        return .success
      }
      let page = BoardPage(
        boards, parked: parked, overdue: standing?.overdue(now: now), isOfOneApp: options.app != nil,
        width: context.isOutputTerminal ? context.width : nil, styles: context.hasStyles)
      try context.print(page.text())
      return .success
    }
  }
}
