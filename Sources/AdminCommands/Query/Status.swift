import CommandLineKit
import JSON
import Ledger
import ReleaseModel

private struct StatusOptions: Sendable {
  var common = CommonOptions()
  var app: String?
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
        [.argument("APP", .slug, help: "One app only", required: false) { $0.app = $1 }]
          + CommonOptions.parameters.pulled(\.common)
      }
    ) { options, _, context in
      let ledger = try options.common.open(context)
      let (lines, head, now) = try ledger.snapshotting {
        let slugs = try options.app.map { [$0] } ?? ledger.apps().map(\.slug)
        return (
          try slugs.map { try ledger.line($0) }, try ledger.head(), try ledger.now(clock: context.clock())
        )
      }
      ledger.close()
      let boards = lines.map { Board($0, now: now) }
      if options.common.isJSON {
        let json: JSON = ["apps": .array(boards.map(\.json)), "head": head.json, "at": .string(now.text)]
        try context.print(json.text() + "\n")
        return .success
      }
      guard !boards.isEmpty else {
        try context.print("There are no apps yet.\nnext: pawl app add SLUG --bundle-id ID\n")
        return .success
      }
      try context.print(boards.map { $0.text(context) }.joined(separator: "\n"))
      return .success
    }
  }
}

/// What there is to see of one app.
private struct Board {
  let line: ReleaseLine
  let now: Timestamp
  /// The newest release in each state, greatest first; of those that are over, only the newest.
  let releases: [Release]

  init(_ line: ReleaseLine, now: Timestamp) {
    self.line = line
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
  }
}
