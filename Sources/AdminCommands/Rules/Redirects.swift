import CommandLineKit
import JSON
import Ledger
import ReleaseModel

extension Command where Context == PawlContext {
  static var redirect: Command {
    Command(
      "redirect", reach: .remote, summary: "Set or clear where a range of client versions is sent",
      discussion: """
        Sends clients to a page, or to another app in the ledger (a migration). The versions of two apps \
        cannot be compared, so clients sent to another app are reminded by policy; add a force rule to move \
        everybody. A redirect replaces the one for the same range and period; of those for different \
        periods, the newest counts.
        """,
      examples: [
        .init("pawl redirect taxi-enterprise all --to taxi --yes", "move enterprise users to the store"),
        .init(
          "pawl redirect taxi 5.0..5.9 --url https://apps.apple.com/app/id1524608462 --yes",
          "a page of its own"),
        .init("pawl redirect taxi-enterprise all --clear --yes", "undo it"),
      ]
    ) {
      (
        .app, .argument("RANGE", .range, help: "Client versions, as for 'force'"),
        .option("--url", "URL", .text, help: "The page to send them to"),
        .option("--to", "APP", .slug, help: "The other app in the ledger to send them to"),
        .flag("--clear", help: "Clear the redirect for exactly this range and period"),
        .flag("--when-visible", help: "Record it even if the other app has nothing visible yet"), .period,
        .change
      )
    } run: { context, app, range, url, other, clears, isForLater, period, change in
      guard [url != nil, other != nil, clears].filter({ $0 }).count == 1 else {
        throw UsageError(message: "give exactly one of --url, --to and --clear")
      }
      let command = "redirect \(range.text)"
      var window = Window()
      var cleared: Redirect?
      return try Changing(change, context).run { draft in
        window = try period.window(now: draft.now, context)
        if clears {
          cleared = try draft.line(app).redirects.last { $0.range == range && $0.hasWindow(of: window) }
          try draft.checkKnown(Redirect.self, of: app, isCleared: cleared != nil, "redirect of \(range.text)")
          {
            $0.range == range && $0.hasWindow(of: window)
          }
          try draft.change(app, command: command) { line in line.clearRedirect(range, window) }
          return
        }
        let now = draft.now
        let snapshot = try draft.snapshot(app, with: other)
        try LedgerError.guarding(app, command) { () throws(GuardViolation) in
          try Snapshot.checkPeriod(window, now: now)
          if let other, !isForLater { try snapshot.checkTarget(other, at: max(window.from ?? now, now)) }
        }
        let client = snapshot.line.app
        let destination = try other.map(Destination.app) ?? url.map { .url(try draft.url($0, for: client)) }
        guard let destination else { return }
        let redirect = Redirect(
          number: try draft.nextNumber(of: .redirect), range: range, destination: destination,
          from: window.from, until: window.until)
        try draft.change(app, command: command) { line in line.redirect(redirect) }
      } answer: { draft in
        let line = try draft.line(app)
        let same = line.redirects.filter { $0.range == range }
        return Redirect.answer(
          "redirect", of: app, same.last { $0.hasWindow(of: window) }, cleared: cleared,
          warnings: clears
            ? same.warnings(left: "the redirect of \(app) \(range.text)", now: draft.now)
            : line.warnings(aboutRange: range))
      } text: { answer in
        let name = "\(app) \(range.text)"
        if let cleared: Owned<Redirect> = try answer.value("cleared") {
          return Said("\(name) is no longer redirected\(cleared.record.windowText).\n")
        }
        guard let redirect = try (answer.value("redirect") as Owned<Redirect>?)?.record else {
          return Said("\(name): no such redirect; nothing to record.\n")
        }
        let place = "redirect: \(name) → \(redirect.destination.text)\(redirect.windowText)"
        // The versions of two apps cannot be compared, so the policy only reminds.
        return Said(
          "\(place)\n", same: "\(place): already there",
          next: redirect.destination.app == nil
            ? "pawl check \(app) VERSION --explain"
            : "pawl force \(app) \(range.text.contains(" ") ? "'\(range.text)'" : range.text) --reason \"…\", to force clients that the policy only reminds"
        )
      }
    }
  }

  static var redirects: Command {
    list(
      "redirects", summary: "List which client versions are sent elsewhere",
      none: "No clients are redirected.\n"
    ) {
      $0.redirects
    }
  }

  /// A command that lists what apps have for ranges of versions, with the period if one has any.
  static func list<Record: ListedRecord & Sendable>(
    _ verb: String, summary: String, none: String, _ records: @escaping @Sendable (AppState) -> [Record]
  ) -> Command {
    Command(
      verb, reach: .remote, asks: true, summary: summary,
      examples: [.init("pawl \(verb)", "across all apps"), .init("pawl \(verb) taxi", "of one app")]
    ) {
      (.oneApp, .zone, .list)
    } run: { context, app, zone, list in
      context.zone = try zone.zone(for: list.common, context)
      let ledger = try list.common.open(context)
      let listed = try ledger.snapshotting {
        try askedApps(app, else: ledger.apps()).flatMap { slug in
          try records(ledger.line(slug)).map { $0.of(slug) }
        }
      }
      return try list.print([verb: listed.json], Owned.table(listed, context.text), none: none, context)
    }
  }
}

/// What an app has for a range of versions, as every list shows it.
protocol ListedRecord: AppRecord, Timed {
  static var columns: [Column] { get }
  var cells: [Cell] { get }
}

extension Redirect: ListedRecord {
  static var columns: [Column] { ["VERSIONS", "SENT TO"] }
  var cells: [Cell] { [Cell(range.text), Cell(destination.text)] }
}

extension Owned where Record: ListedRecord {
  /// The records with the period, if one has any.
  static func table(_ listed: [Owned], _ text: (Timestamp) -> String = { $0.text }) -> Table {
    let isTimed = listed.contains { !$0.record.hasWindow(of: Window()) }
    let rows = listed.map { owned in
      [Cell(owned.app, .bold)] + owned.record.cells
        + (isTimed ? [owned.record.from, owned.record.until].map { Cell($0.map(text) ?? "–") } : [])
    }
    return Table(columns: ["APP"] + Record.columns + (isTimed ? ["FROM", "UNTIL"] : []), rows: rows)
  }
}

extension ChangeSet {
  /// Refuses to clear what was never there; what was cleared already stays so (law 9).
  ///
  /// - Throws: `CommandFailure`.
  func checkKnown<Value: Placed>(
    _: Value.Type, of app: String, isCleared: Bool, _ name: String, _ isMeant: (Value) -> Bool
  ) throws {
    guard !isCleared, try !ledger.inactive(Value.self, of: app).contains(where: isMeant) else { return }
    throw CommandFailure(
      "\(Value.table.rawValue).not-found", "\(app) has no \(name), and never had",
      hint: "see 'pawl \(Value.table.rawValue)s \(app)'; a range and a period must be given as they were set",
      details: ["app": .string(app)], exit: .missing)
  }
}

extension AppState {
  func warnings(aboutRange range: VersionRange) -> [String] {
    guard !holdsKnown(range) else { return [] }
    guard let nearest = nearest(to: range) else { return ["\(app.slug) has no releases yet"] }
    let place = range.exactVersion == nil ? "in \(range.text)" : range.text
    return ["\(app.slug) has no release \(place); the nearest is \(nearest.text)"]
  }
}

extension AppRecord {
  /// The answer of a command that sets or clears one of these for versions; nil once it is cleared.
  static func answer(
    _ kind: String, of app: String, _ record: Self?, cleared: Self?, warnings: [String]
  ) -> Answer {
    [(kind, (record?.of(app)).json), ("warnings", warnings.json)]
      + (cleared.map { [("cleared", $0.of(app).json)] } ?? [])
  }
}

extension Sequence where Element: Timed {
  /// Warnings about items, unless they are over, that stay since only their window differs.
  func warnings(left name: String, now: Timestamp) -> [String] {
    filter { $0.until.map { now < $0 } ?? true }.map { item in
      let how =
        item.hasWindow(of: Window()) ? "leave out --from and --until" : "add its --from and --until"
      return "\(name)\(item.windowText) stays: \(how) to clear it"
    }
  }
}
