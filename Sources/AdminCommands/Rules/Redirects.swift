import CommandLineKit
import JSON
import Ledger
import ReleaseModel

extension Command where Context == PawlContext {
  /// Sends a range of versions elsewhere.
  static var redirect: Command {
    Command(
      "redirect", summary: "Set or clear where a range of client versions is sent",
      discussion: """
        Sends clients to a page, or to another app of the ledger (a migration). Two apps' versions do not compare, \
        so by policy those sent to another app are reminded; add a force to move everybody.
        """,
      examples: [
        .init("pawl redirect taxi-enterprise all --to taxi --yes", "move enterprise users to the store"),
        .init(
          "pawl redirect taxi 5.0..5.9 --url https://apps.apple.com/app/id1524608462 --yes",
          "a page of its own"),
        .init("pawl redirect taxi-enterprise all --clear --yes", "the way back"),
      ],
      section: "Rules"
    ) {
      (
        .app, .argument("RANGE", .range, help: "Client versions, as for 'force'"),
        .option("--url", "URL", .text, help: "The page to send them to"),
        .option("--to", "APP", .slug, help: "The other app of the ledger to send them to"),
        .flag("--clear", help: "Clear the redirect for exactly this range"),
        .flag("--when-visible", help: "Record it although the other app has nothing visible yet"), .change
      )
    } run: { context, app, range, url, other, clears, isForLater, change in
      guard [url != nil, other != nil, clears].filter({ $0 }).count == 1 else {
        throw UsageError(message: "say one of --url URL, --to APP and --clear")
      }
      return try Changing(change, context).run { draft in
        let destination =
          try other.map { Destination.app(try checked($0, app, range, isForLater: isForLater, &draft)) }
          ?? url.map { .url(try draft.url($0)) }
        guard let destination else {
          try draft.change(app) { line in line.clearRedirect(range) }
          return
        }
        let redirect = Redirect(
          number: try draft.nextNumber(of: .redirect), range: range, destination: destination)
        try draft.change(app) { line in line.redirect(redirect) }
      } answer: { draft in
        try draft.line(app).redirects.last { $0.range == range }?.of(app)
      } text: { redirect, outcome in
        guard outcome.isChanged else { return Said("\(app) \(range.text): so already.\n") }
        guard let redirect else {
          return Said("\(app) \(range.text) is no longer redirected.\n")
        }
        return Said(
          "\(app) \(range.text) is sent to \(redirect.record.destination.text).\n",
          next: "pawl check \(app) VERSION --explain")
      }
    }
  }

  /// An app that clients of another one can be sent to.
  private static func checked(
    _ other: String, _ app: String, _ range: VersionRange, isForLater: Bool, _ draft: inout Draft
  ) throws -> String {
    let command = "redirect \(range.text)"
    let snapshot = try draft.snapshot(app, with: other)
    do throws(GuardViolation) {
      guard other != app else { throw .sameApp }
      if !isForLater { try snapshot.checkTarget(other, at: draft.now) }
    } catch {
      throw LedgerError.guarded(app: app, command: command, error)
    }
    try draft.checkNoCycle(command, from: app, to: other)
    return other
  }

  /// Lists the redirects.
  static var redirects: Command {
    Command(
      "redirects", summary: "List which client versions are sent elsewhere",
      examples: [.init("pawl redirects", "across all apps"), .init("pawl redirects taxi", "of one app")],
      section: "Rules"
    ) {
      (.oneApp, .common)
    } run: { context, app, common in
      let redirects = try common.records(of: app, context, \.redirects)
      try common.print(["redirects": redirects.json], context) {
        guard !redirects.isEmpty else { return "No clients are redirected.\n" }
        var table = Table(columns: [Column("APP"), Column("VERSIONS"), Column("SENT TO")])
        for redirect in redirects {
          table.add([
            Cell(redirect.app, .bold), Cell(redirect.record.range.text),
            Cell(redirect.record.destination.text),
          ])
        }
        return context.rendered(table)
      }
      return .success
    }
  }
}

extension CommonOptions {
  /// The records of one app, or of all.
  func records<Record: AppRecord>(
    of app: String?, _ context: PawlContext, _ records: (ReleaseLine) -> [Record]
  ) throws -> [Owned<Record>] {
    let ledger = try open(context)
    defer { ledger.close() }
    return try ledger.snapshotting {
      try (app.map { [$0] } ?? ledger.apps().map(\.slug)).flatMap { slug in
        try records(ledger.line(slug)).map { $0.of(slug) }
      }
    }
  }
}
