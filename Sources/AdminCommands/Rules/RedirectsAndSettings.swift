import CommandLineKit
import Export
import JSON
import Ledger
import Platform
import ReleaseModel

extension Command where Context == PawlContext {
  static var redirect: Command {
    .change(
      "redirect", summary: "Set or clear where a range of client versions is sent",
      discussion: """
        Sends clients to a page, or to another app in the ledger (a migration). The versions of two apps \
        cannot be compared, so clients sent to another app are reminded by policy; add a force rule to move \
        everyone. A redirect replaces the one for the same range and period; of those for different \
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
        .destination,
        .flag("--clear", help: "Clear the redirect for exactly this range and period"),
        .flag("--when-visible", help: "Record it even if the other app has nothing visible yet"), .period
      )
    } run: { changing, app, range, written, clears, isForLater, period in
      try changing.run { draft in
        try UsageError.demand(
          [written.url != nil, written.app != nil, clears].filter(\.self).count == 1, "usage.invalid/one",
          ["options": "--url, --to and --clear"])
        let now = draft.now
        let window = try period.window(now: now, changing.context)
        let redirect = Redirect(
          number: try draft.nextNumber(of: .redirect), range: range,
          destination: try written.destination(for: app, &draft) ?? .url(""), from: window.from,
          until: window.until)
        // What is there already is asked nothing (law 9).
        if let other = written.app, !isForLater, try draft.line(app).placing(redirect, now: now) != nil {
          let snapshot = try draft.snapshot(app, with: other)
          try Refusal.of("redirect \(range.text)", on: app) { () throws(Refusal) in
            try snapshot.checkTarget(other, at: max(window.from ?? now, now))
          }
        }
        // The versions of two apps cannot be compared, so the policy only reminds.
        let force =
          ["pawl", "force", app, range.text]
          + [("--from", window.from), ("--until", window.until)].flatMap { name, moment in
            moment.map { [name, $0.text] } ?? []
          } + (isForLater ? ["--when-visible"] : [])
        let next =
          written.app == nil
          ? "pawl check \(app) VERSION --explain"
          : "\(force.map(ShellWords.quoted).joined(separator: " ")) --reason \"…\", to force clients that the policy "
            + "only reminds"
        return try redirect.record(of: app, clears: clears, next: next, &draft)
      }
    }
  }

  static var redirects: Command {
    list(
      Redirect.self, "redirects", summary: "List which client versions are sent elsewhere",
      none: "No clients are redirected.\n")
  }

  /// A command that lists what apps have for ranges of versions, with the period if one has any.
  static func list<Record: ListedRecord & Sendable>(
    _ type: Record.Type, _ verb: String, summary: String, none: String
  ) -> Command {
    .query(
      verb, isList: true, summary: summary,
      examples: [.init("pawl \(verb)", "across all apps"), .init("pawl \(verb) taxi", "of one app")]
    ) {
      .oneApp
    } run: { query, app in
      let ledger = query.ledger
      let listed = try ledger.snapshotting {
        try askedApps(app, else: ledger.apps()).flatMap { slug in
          try Record.all(of: ledger.line(slug)).map { $0.of(slug) }
        }
      }
      return try query.print([verb: listed.json], Owned.table(listed, query.context.text), none: none)
    }
  }
}

/// What an app has for a range of versions, as every list shows it; a newer one takes the place of an older.
protocol ListedRecord: AppRecord, Placed {
  static var columns: [Column] { get }
  var cells: [Cell] { get }
  /// What it is called, without its period, and what clients get by it.
  func name(_ app: String) -> String
  /// The command that sets or clears it, for its refusals.
  var attempt: String { get }
  /// Reports that nothing was ever set there, so there is nothing to clear.
  func notFound(_ app: String) -> CommandFailure
  var shownValue: String { get }
  /// Whether both are about the same versions, in different periods or phases.
  func isBeside(_ other: Self) -> Bool
}

extension Redirect: ListedRecord {
  static var columns: [Column] { ["VERSIONS", "SENT TO"] }
  var cells: [Cell] { [Cell(range.text), Cell(destination.text)] }
  func name(_ app: String) -> String { "redirect of \(app) \(range.text)" }
  var attempt: String { "redirect \(range.text)" }
  func notFound(_ app: String) -> CommandFailure {
    CommandFailure("redirect.not-found", ["range": range.text], details: ["app": .string(app)])
  }
  var shownValue: String { "→ \(destination.text)" }
  func isBeside(_ other: Redirect) -> Bool { range == other.range && !hasPlace(of: other) }
}

extension ListedRecord {
  /// Sets it in its place, or clears what is there; what was cleared already stays so (law 9).
  ///
  /// - Throws: `CommandFailure` if there is nothing to clear, and never was; `LedgerError`.
  func record(of app: String, clears: Bool, next: String? = nil, _ draft: inout ChangeSet) throws -> Outcome {
    let (kind, now) = (Self.table.rawValue, draft.now)
    let known = try Self.all(of: draft.line(app)).last { $0.hasPlace(of: self) }
    if clears, known == nil, try !draft.ledger.inactive(Self.self, of: app).contains(where: hasPlace) {
      throw notFound(app)
    }
    if !clears {
      try Refusal.of(attempt, on: app) { () throws(Refusal) in
        try Snapshot.checkPeriod(Window(from: from, until: until), now: now)
      }
    }
    try draft.change(app, command: attempt) { $0.placing(self, clears: clears, now: now) }
    let line = try draft.line(app)
    let after = Self.all(of: line).last { $0.hasPlace(of: self) }
    let members = [(kind, after?.of(app).json ?? .null)]
    guard clears else {
      let text = "\(name(app)) \(shownValue)\(windowText)"
      return Outcome(
        members, "\(text)\n", same: "\(text): already there", next: next,
        warnings: line.warnings(aboutRange: range))
    }
    let left = Self.all(of: line).filter { $0.isBeside(self) && $0.until.map { now < $0 } ?? true }
    return Outcome(
      members + (known.map { [("cleared", $0.of(app).json)] } ?? []),
      "\(name(app))\(windowText): cleared\n", same: "\(name(app))\(windowText): already cleared",
      warnings: left.map { "\($0.name(app))\($0.windowText) is still there: its own options clear it" })
  }
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

extension AppState {
  func warnings(aboutRange range: VersionRange) -> [String] {
    // Said aloud, "up to 7.1" has 7.1.2 in it, and "above 7.1" has not.
    let ends = [
      (range.upper, true, "not in \(range.text), which ends at"),
      (range.lower, false, "in \(range.text), which begins after"),
    ]
    let surprises = ends.compactMap { bound, isIncluded, words -> String? in
      guard let bound, bound.isIncluded == isIncluded, range.exactVersion == nil,
        let other = recordedVersions.first(where: {
          bound.version < $0 && bound.version.count <= bound.version.commonComponents(with: $0)
        })
      else { return nil }
      let end = bound.version.spelled(components: 3)
      return "\(other.text) is \(words) \(end.text)"
    }
    guard !holdsKnown(range) else { return surprises }
    guard let nearest = nearest(to: range) else { return ["\(app.slug) has no releases yet"] }
    let place = range.exactVersion == nil ? "in \(range.text)" : range.text
    return ["\(app.slug) has no release \(place); the nearest is \(nearest.text)"]
  }
}

extension Command where Context == PawlContext {
  static var setting: Command {
    .change(
      "setting", summary: "Set or clear a setting handed to clients",
      discussion: """
        A setting may differ before and after a version is released, such as a key for a map service. It \
        must never hide features from review: Apple's guideline 2.3.1 forbids that. A setting replaces the \
        one for the same range, phase and period.
        """,
      examples: [
        .init("pawl setting taxi map-key free-1234 --during review", "while a version is not released"),
        .init("pawl setting taxi map-key paid-5678", "for all other clients"),
        .init("pawl setting taxi map-key --during review --clear", "no longer different in review"),
      ]
    ) {
      (
        .app,
        .argument(
          "KEY", .settingKey.offering(.live(.settingKey)),
          help: "Letters, digits, points, hyphens and underscores"),
        .optionalArgument("VALUE", .settingValue, help: "What clients get"),
        .option("--versions", "RANGE", .range, help: "Client versions, as for 'force'; default: all"),
        .option(
          "--during", "PHASE", .one(of: Setting.Phase.self),
          help: "Only while the version is in review, or only once released"),
        .flag("--clear", help: "Clear the setting of this range, phase and period"), .period
      )
    } run: { changing, app, key, value, range, phase, clears, period in
      try changing.run { draft in
        try UsageError.demand(
          (value != nil) != clears, "usage.missing-argument/one", ["options": "VALUE and --clear"])
        let window = try period.window(now: draft.now, changing.context)
        var outcome = try Setting(
          number: try draft.nextNumber(of: .setting), key: key, range: range ?? .all, phase: phase,
          value: value ?? "", from: window.from, until: window.until
        ).record(of: app, clears: clears, &draft)
        let formats = try DocumentExport.formatsWritten(of: draft.ledger, changing.context)
        if !clears, formats.contains(where: \.isByVersion) {
          let shared = try draft.snapshot(app).settingsOfUnknown(at: max(window.from ?? draft.now, draft.now))
          outcome.warnings += shared.warnings(about: key, isForReview: phase == .review, app: app)
        }
        return outcome
      }
    }
  }

  static var settings: Command {
    list(
      Setting.self, "settings", summary: "List the settings handed to clients",
      none: "There are no settings.\n")
  }
}

extension SharedSettings {
  /// Whether a version without a document of its own gets a setting, where that may be in question.
  fileprivate func warnings(about key: String, isForReview: Bool, app: String) -> [String] {
    if withheld.contains(key) {
      return [
        "default.json withholds \(key), since reviewers and old versions that are not recorded both read that file: apps that do "
          + "not read schedule.json use their built-in value; once all that was ever shipped is recorded, say 'pawl app set "
          + "\(app) --past whole'"
      ]
    }
    guard isForReview, let value = values[key] else { return [] }
    return ["in default.json, which versions in review read, \(key) is \(printable(value, limit: 200))"]
  }
}

extension Setting: ListedRecord {
  static var columns: [Column] { ["KEY", "VALUE", "VERSIONS", "DURING"] }
  var cells: [Cell] { [Cell(key), Cell(value), Cell(range.text), Cell(phase?.rawValue ?? "–")] }
  func name(_ app: String) -> String {
    "setting \(key) of \(app) \(range.text)\(phase.map { " during \($0.rawValue)" } ?? "")"
  }
  var attempt: String { "set \(key)" }
  func notFound(_ app: String) -> CommandFailure {
    CommandFailure("setting.not-found", ["key": key], details: ["app": .string(app)])
  }
  var shownValue: String { "= \(printable(value, limit: 200))" }
  func isBeside(_ other: Setting) -> Bool { key == other.key && range == other.range && !hasPlace(of: other) }
}

extension ValueType where Value == String {
  fileprivate static var settingKey: Self {
    reading("setting.malformed") { Setting.isKey($0) ? $0 : nil }
  }

  fileprivate static var settingValue: Self {
    reading("setting.malformed/long", ["most": String(Setting.longestValue)]) {
      $0.utf8.count <= Setting.longestValue ? $0 : nil
    }
  }
}
