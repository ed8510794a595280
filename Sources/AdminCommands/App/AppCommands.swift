import CommandLineKit
import JSON
import Ledger
import ReleaseModel

extension Command where Context == PawlContext {
  static var app: Command {
    Command(
      "app", summary: "List and manage the apps in the ledger", usual: "list",
      subcommands: { [appAdd, appSet, appShow, appList, appRetire, appVoid] })
  }

  private static var appAdd: Command {
    .change(
      "add", summary: "Add an app",
      discussion: """
        An app is one bundle on one platform and channel. Its slug, platform and channel never change; \
        everything else can be changed with 'app set'.
        """,
      examples: [
        .init(
          "pawl app add taxi --bundle-id com.example.taxi --apple-id 1524608462", "an App Store app"),
        .init(
          "pawl app add taxi-enterprise --bundle-id com.example.taxi.ent --channel enterprise",
          "an enterprise app"),
        .init("pawl app add van --bundle-id com.example.van --new", "an app that no one has yet"),
      ]
    ) {
      (
        .argument(
          "SLUG", .slug.offering(.none), help: "The app's name in this ledger; it cannot be changed later"),
        .requiredOption("--bundle-id", "ID", .bundleID, help: AppEdits.bundleIDHelp), .appNames,
        .option("--platform", "P", .one(of: ApplePlatform.self), help: "Where it runs; default: ios"),
        .option(
          "--channel", "C", .one(of: Channel.self), help: "How it reaches users; default: app-store"),
        .appEdits, .flag("--new", help: "No one has the app yet, so its past is whole")
      )
    } run: { changing, slug, bundleID, names, platform, channel, edits, isNew in
      try changing.run { draft in
        var app = App(
          slug: slug, bundleID: bundleID, platform: platform ?? .iOS, channel: channel ?? .appStore)
        app.past = isNew ? .whole : .unknown
        try draft.add(try (names + edits).applied(to: app, draft))
        return try draft.line(slug).app.outcome("Added", explainsPolicy: true, next: App.firstSteps(slug))
      }
    }
  }

  private static var appSet: Command {
    .change(
      "set", summary: "Change the details of an app",
      examples: [.init("pawl app set taxi --hold 48h", "tell clients two days after a release goes live")]
    ) {
      (.slug, .appBundleID, .appNames, .appEdits, .appPast)
    } run: { changing, slug, bundleID, names, edits, past in
      try changing.run { draft in
        let edits = bundleID + names + edits + past
        try UsageError.demand(!edits.isEmpty, "usage.invalid/nothing")
        let before = try draft.line(slug).app
        try draft.set(try edits.applied(to: before, draft))
        let line = try draft.line(slug)
        // The hold of a release is the one in force on the day it went live.
        let held = line.app.hold == before.hold ? [] : line.releases.filter { $0.isHeld(at: draft.now) }
        let notes =
          held.map {
            "the running hold of \($0.version.text) still ends at \($0.visibleAt?.text ?? "")"
          } + [try draft.snapshot(slug).phaseFinding].compactMap { $0.map { "\($0.message): \($0.hint)" } }
        return line.app.outcome("Changed", [("notes", notes.json)], notes: notes)
      }
    }
  }

  private static var appRetire: Command {
    .change(
      "retire", summary: "Retire an app that is no longer used",
      discussion: """
        Drops the app from the board, from lists across all apps and from completions; 'app list' still shows it. Its \
        documents stay, and tell every version none. After that, only 'pawl undo' of the retirement changes it. \
        Refused while another app's rule or redirect leads to it.
        """,
      examples: [
        .init(
          "pawl app retire taxi-enterprise --reason \"all users have moved to taxi\"", "after a migration")
      ]
    ) {
      .slug
    } run: { changing, slug in
      try changing.run { draft in
        let line = try draft.line(slug)
        var leads: [String] = []
        if let retirement = line.retire() {
          try draft.refuseLedTo(slug, "retire")
          leads = line.leadsTo.filter { line.leads(to: $0, at: draft.now) }.sorted()
          try draft.change(slug) { _ in retirement }
        }
        var outcome = try draft.line(slug).app.outcome(
          "Retired", next: "pawl undo \(draft.lastEvent), if it is needed again")
        outcome.warnings = leads.map { "clients are no longer sent from \(slug) to \($0)" }
        return outcome
      }
    }
  }

  private static var appVoid: Command {
    .change(
      "void", summary: "Strike out an app that was added by mistake",
      discussion: """
        Refused if a release, rule, redirect or setting was ever recorded for the app: use 'app retire' instead. It \
        stays in history, and its slug may be used again.
        """,
      examples: [.init("pawl app void tax --reason \"typo\"", "its slug can be used again")]
    ) {
      .slug
    } run: { changing, slug in
      try changing.run { draft in
        Outcome(
          [("app", try draft.void(slug).json)], "Struck out app \(slug).\n",
          same: "App \(slug) is already struck out", next: "pawl app add SLUG --bundle-id ID")
      }
    }
  }

  private static var appShow: Command {
    .query("show", summary: "Show the details of an app") {
      .app
    } run: { query, slug in
      try query.ledger.app(slug).show(query)
    }
  }

  private static var appList: Command {
    .query("list", isList: true, summary: "List the apps") {
      ()
    } run: { query in
      let apps = try query.ledger.apps()
      let hasSilent = apps.contains { $0.silence != nil }
      let columns: [(Column, (App) -> Cell)?] = [
        ("APP", { Cell($0.slug, .bold) }), ("PLATFORM", { Cell($0.platform.rawValue) }),
        ("CHANNEL", { Cell($0.channel.rawValue) }),
        (.right("APPLE ID"), { Cell($0.appleID.map { String($0) } ?? "–") }),
        ("BUNDLE ID", { Cell($0.bundleID) }), ("NAME", { Cell($0.name ?? "") }),
        hasSilent ? ("STATE", { Cell($0.silence ?? "", .yellow) }) : nil,
      ]
      return try query.print(
        ["apps": apps.json], Table(of: apps, columns.compactMap(\.self)), none: noApps(of: apps))
    }
  }
}

/// The slugs of the apps that a command is about: the one it names, or all.
func askedApps(_ app: String?, else all: @autoclosure () throws -> [App]) rethrows -> [String] {
  try app.map { [$0] } ?? listed(all()).map(\.slug)
}

/// The apps that are offered and shown if none is named.
func listed(_ apps: [App]) -> [App] { apps.filter { !$0.isRetired } }

/// What a list says that shows none of the ledger's apps.
func noApps(of all: [App]) -> String {
  all.isEmpty
    ? "There are no apps yet.\nnext: pawl app add SLUG --bundle-id ID\n"
    : "Every app is retired.\nnext: pawl app list\n"
}

extension App {
  /// How to begin while nothing is recorded under it.
  fileprivate static func firstSteps(_ slug: String) -> String {
    "pawl import \(slug) FILE, or pawl publish \(slug) VERSION"
  }

  fileprivate func outcome(
    _ verb: String, _ members: Outcome.Members = [], explainsPolicy: Bool = false, notes: [String] = [],
    next: String? = nil
  ) -> Outcome {
    Outcome(
      [("app", json)] + members,
      "\(verb) \(slug).\n" + page + (explainsPolicy ? policyWords : "")
        + notes.map { "note: \($0)\n" }.joined(),
      same: "\(slug): no change", next: next,
      warnings: effectiveStoreURL == nil ? [ReleaseText.noURL(self)] : [])
  }

  /// What the policy does without any rule.
  private var policyWords: String {
    func told(_ place: Int) -> String {
      switch policy.actions[min(place, policy.actions.count - 1)] {
      case .force: "must update"
      case .remind: "are reminded"
      case .none: "are left alone"
      }
    }
    return """
      Once a release is visible, clients with an older first number \(told(0)), with an older second number \
      \(told(1)), else \(told(2)): 'pawl app set \(slug) --policy' changes it.

      """
  }

  /// Prints the details, and how to begin while nothing is recorded under it.
  func show(_ query: Query) throws -> ExitCode {
    let isNew = try query.ledger.releaseCount(of: slug) == 0 && !isRetired
    // Also under `app`, as in the answer of every change, so that one reader serves both.
    return try query.print(json.adding(["app": json])) {
      page + (isNew ? "next: \(App.firstSteps(slug))\n" : "")
    }
  }

  fileprivate var page: String { facts("  ").render() }

  /// The details as every page shows them.
  func facts(_ indent: String = "") -> Table {
    let names = [
      "slug", "name", "bundleID", "appleID", "sku", "platform", "channel", "storeURL", "policy", "hold",
      "remindEvery", "asksSince", "countries", "liveBy", "remindAfter", "expect", "past", "stopped",
      "retired",
    ]
    return Table(facts: FieldChange.facts(json, names), indent: indent)
  }
}
