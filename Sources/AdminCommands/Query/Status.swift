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
      examples: [
        .init("pawl status", "all apps"), .init("pawl status taxi --json", "one app, for programs"),
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
      let asked = try ledger.snapshotting {
        try AskedLedger(ledger, asOf: options.asOf, clock: context.clock()) { ledger in
          try (options.app.map { [$0] } ?? ledger.apps().map(\.slug)).map { try ledger.snapshot($0) }
        } replayed: { state in
          try (options.app.map { [$0] } ?? state.lines.keys.sorted()).map { try state.snapshot($0) }
        }
      }
      let standing = try options.asOf == nil ? Publication.standing(ledger, context) : nil
      let parked = try options.asOf == nil ? ledger.inbox() : []
      ledger.close()
      let alarms = parked.filter { $0.reason == "lookup.unknown-version" }
      let (head, now) = (asked.head, asked.moment)
      let boards = asked.answer.map { Board($0, now: now) }
      if options.common.isJSON {
        let json: JSON = [
          "apps": .array(boards.map(\.json)), "head": head.json, "at": .string(now.text),
          "inbox": .integer(Int64(parked.count)), "alarms": .array(alarms.map(\.json)),
          "export": standing?.json(now: now) ?? .null,
        ]
        try context.print(json.text() + "\n")
        return .success
      }
      guard !boards.isEmpty else {
        try context.print("There are no apps yet.\nnext: pawl app add SLUG --bundle-id ID\n")
        return .success
      }
      var text = boards.map { $0.text(context) }.joined(separator: "\n")
      for alarm in alarms where options.app == nil || options.app == alarm.app {
        let words =
          "the store shows \(alarm.app ?? "") \(alarm.version?.text ?? ""), which the ledger does not know"
        text +=
          Style.red.apply("ALARM", enabled: context.hasStyles) + " \(words): pawl inbox show \(alarm.id)\n"
      }
      if let overdue = standing?.overdue(now: now) {
        text +=
          Style.yellow.apply("documents:", enabled: context.hasStyles)
          + " \(overdue.message): \(overdue.hint)\n"
      }
      if !parked.isEmpty { text += "\n\(parked.count) in the inbox: pawl inbox\n" }
      try context.print(text)
      return .success
    }
  }
}

/// What there is to see of one app.
private struct Board {
  let line: ReleaseLine
  let snapshot: Snapshot
  let now: Timestamp
  /// The newest release in each state, greatest first; of those that are over, only the newest.
  let releases: [Release]

  init(_ snapshot: Snapshot, now: Timestamp) {
    self.snapshot = snapshot
    line = snapshot.line
    self.now = now
    var seen: Set<ReleaseState> = []
    releases = line.releases.reversed().filter { $0.state != .void && seen.insert($0.state).inserted }
      .sorted { $1.version < $0.version }
  }

  private var target: Release? { line.targets(at: now).first }

  private func holdLeft(_ release: Release) -> TimeSpan? {
    guard release.isHeld(at: now), let visibleAt = release.visibleAt else { return nil }
    return TimeSpan(seconds: visibleAt.seconds - now.seconds)
  }

  var json: JSON {
    [
      "app": line.app.json, "target": .optional(target?.version.text),
      "releaseCount": .integer(Int64(line.releases.count)),
      "releases": .array(releases.map { $0.json(app: line.app.slug) }),
      "holds": .array(
        line.releases.filter { $0.isHeld(at: now) }.map { release in
          [
            "version": .string(release.version.text), "visibleAt": .optional(release.visibleAt?.text),
            "secondsLeft": .optional(holdLeft(release)?.seconds),
          ]
        }),
      "rules": .array(line.rules.map { $0.json(app: line.app.slug) }),
      "redirects": .array(line.redirects.map { $0.json(app: line.app.slug) }),
      "settings": .array(line.settings.map { $0.json(app: line.app.slug) }),
      "due": .array(snapshot.momentsOfChange(after: now).sorted().map { .string($0.text) }),
    ]
  }

  func text(_ context: PawlContext) -> String {
    let styles = context.hasStyles
    var title = Style.bold.apply(line.app.slug, enabled: styles)
    if let name = line.app.name { title += "  " + printable(name) }
    title += Style.dim.apply(
      "  \(line.app.platform.rawValue), \(line.app.channel.rawValue), \(line.releases.count) releases",
      enabled: styles)
    if line.app.isStopped { title += "  " + Style.red.apply("STOPPED", enabled: styles) }
    title += "\n"
    guard !releases.isEmpty else { return title + "  nothing published yet\n" }
    var table = Table(columns: [
      Column("  VERSION"), Column("BUILD"), Column("STATE"), Column("SINCE"), Column(""),
    ])
    for release in releases {
      var remark = ""
      if let left = holdLeft(release) {
        remark = "clients are told in \(left.roundedText), at \(release.visibleAt?.text ?? "")"
      } else if release.id == target?.id {
        remark = "what clients are pointed at"
      } else if !release.state.isReleased, release.state != .rejected, release.state != .withdrawn {
        let waited = TimeSpan(seconds: now.seconds - release.since.seconds)
        if waited.seconds >= 60 { remark = "for \(waited.roundedText)" }
      }
      if release.isMandatory { remark += remark.isEmpty ? "mandatory" : ", mandatory" }
      table.add([
        Cell("  " + release.version.text), Cell(release.build?.text ?? "–"),
        Cell(release.state.rawValue, Paint.style(of: release.state)), Cell(release.since.text), Cell(remark),
      ])
    }
    return title + table.render(width: context.isOutputTerminal ? context.width : nil, styles: styles)
      + armed(styles)
  }

  /// The rules and redirects that count now, a line each.
  private func armed(_ styles: Bool) -> String {
    var text = ""
    for rule in line.rules where rule.isActive(at: now) {
      let words = "rule \(rule.number): \(rule.range.text) → \(rule.action.rawValue)"
      text += "  " + Paint.style(of: rule.action).apply(words, enabled: styles)
      text += rule.reason.map { "  " + Style.dim.apply(printable($0), enabled: styles) } ?? ""
      text += "\n"
    }
    for redirect in line.redirects {
      let place = redirect.destination.app ?? redirect.destination.url ?? ""
      text += "  redirect: \(redirect.range.text) → \(place)\n"
    }
    return text
  }
}
