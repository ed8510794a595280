import AppleIntake
import CommandLineKit
import Export
import Intake
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

        With --fetch, pawl asks App Store Connect, as 'ingest asc --fetch' does, for bundle id, name, SKU and every version \
        with its state, build and minimum OS, shows whom the policy would prompt, and records all of it at once. The app's \
        past is whole then.
        """,
      examples: [
        .init("pawl app add taxi --apple-id 1524608462 --fetch", "an app with all its versions, from Apple"),
        .init(
          "pawl app add taxi --bundle-id com.example.taxi --apple-id 1524608462", "without a key of Apple's"),
        .init(
          "pawl app add taxi-enterprise --bundle-id com.example.taxi.ent --channel enterprise",
          "an enterprise app"),
        .init("pawl app add van --bundle-id com.example.van --new", "an app that no one has yet"),
      ]
    ) {
      (
        .argument(
          "APP", .slug.offering(.none), help: "The app's name in this ledger; it cannot be changed later"),
        .option("--bundle-id", "ID", .bundleID, help: AppEdits.bundleIDHelp + "; or --fetch"),
        .option("--apple-id", "N", .appleID, help: AppEdits.appleIDHelp),
        .flag("--fetch", help: "Ask App Store Connect for the app and its whole past"), .fetchEndpoint,
        .appNames,
        .option("--platform", "P", .one(of: ApplePlatform.self), help: "Where it runs; default: ios"),
        .option(
          "--channel", "C", .one(of: Channel.self), help: "How it reaches users; default: app-store"),
        .appEdits, .flag("--new", help: "No one has the app yet, so its past is whole")
      )
    } run: { changing, slug, bundleID, appleID, isFetched, endpoint, names, platform, channel, edits, isNew in
      try UsageError.demand(
        isFetched != (bundleID != nil), "usage.invalid/one", ["options": "--bundle-id and --fetch"])
      try UsageError.demand(isFetched || endpoint == nil, "--endpoint", needs: "--fetch")
      try UsageError.demand(!isFetched || !isNew, together: "--fetch and --new")
      try UsageError.demand(
        !isFetched || channel != .enterprise, together: "--fetch and --channel enterprise")
      try UsageError.demand(!isFetched || appleID != nil, "--fetch", needs: "--apple-id")
      let listing =
        try isFetched ? appleID.map { try changing.context.listing(of: $0, endpoint: endpoint) } : nil
      var app = App(
        slug: slug, bundleID: bundleID ?? listing?.bundleID ?? "",
        platform: try platform ?? listing?.onePlatform() ?? .iOS, channel: channel ?? .appStore)
      (app.appleID, app.name, app.sku) = (appleID, listing?.name, listing?.sku)
      let lines = listing.map {
        ConnectPast.lines(
          of: changing.context.oneRecordEach($0.versions), about: app, now: changing.context.clock())
      }
      let isWhole = lines.map { $0.allSatisfy { (try? $0.get()) != nil } }
      app.past = isWhole ?? isNew ? .whole : .unknown
      return try changing.context.working(ifStopped: "nothing was recorded") { [app] work in
        try changing.run(work: isFetched ? work : nil) { draft in
          try draft.add(try (names + edits).applied(to: app, draft))
          guard let listing, let lines else {
            return try draft.line(slug).app.outcome(
              "Added", explainsPolicy: true, next: App.firstSteps(slug))
          }
          var run = Import(
            app: slug, mode: .skippingRefused, channel: app.channel, listing.others(than: app))
          try run.take(lines, &draft, work)
          try draft.setPast(run.refused.isEmpty ? .whole : .unknown, of: slug)
          let taken = run.outcome(isDryRun: changing.options.isDryRun, changing.context)
          return try draft.line(slug).app.outcome("Added", explainsPolicy: true, and: taken)
        }
      }
    }
  }

  private static var appSet: Command {
    .change(
      "set", summary: "Change the details of an app",
      examples: [.init("pawl app set taxi --hold 48h", "tell clients two days after a release goes live")]
    ) {
      (.app, .appBundleID, .appAppleID, .appNames, .appEdits, .appPast)
    } run: { changing, slug, bundleID, appleID, names, edits, past in
      try changing.run { draft in
        let edits = bundleID + appleID + names + edits + past
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
      .app
    } run: { changing, slug in
      try changing.run { draft in
        let line = try draft.line(slug)
        var leads: [String] = []
        if let retirement = line.set({ $0.isRetired = true }) {
          try draft.refuseLedTo(slug, "retire")
          leads = Set(
            line.leadsTo.filter { line.leads(to: $0, at: draft.now) } + line.ledElsewhere(at: draft.now)
          )
          .sorted()
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
      .app
    } run: { changing, slug in
      try changing.run { draft in
        Outcome(
          [("app", try draft.void(slug).json)], "Struck out app \(slug).\n",
          same: "App \(slug) is already struck out", next: "pawl app add APP --bundle-id ID")
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
    .query("list", summary: "List the apps") {
      ()
    } run: { query in
      let apps = try query.ledger.apps()
      let hasSilent = apps.contains { $0.silence != nil }
      let columns: [(Column, (App) -> Cell)?] = [
        ("APP", { Cell($0.slug, .bold) }), ("NAME", { Cell($0.name ?? "") }),
        ("PLATFORM", { Cell($0.platform.rawValue) }), ("CHANNEL", { Cell($0.channel.rawValue) }),
        (.right("APPLE ID"), { Cell($0.appleID.map { String($0) } ?? "–") }),
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
    ? "There are no apps yet.\nnext: pawl app add APP --bundle-id ID\n"
    : "Every app is retired.\nnext: pawl app list\n"
}

extension ConnectListing {
  /// The platforms that it lists versions for.
  private var platforms: [ApplePlatform] {
    ApplePlatform.allCases.filter { platform in versions.contains { $0.platform == platform } }
  }

  /// The one platform that it lists versions for; nil if it lists none.
  ///
  /// - Throws: `CommandFailure` if it lists several.
  fileprivate func onePlatform() throws -> ApplePlatform? {
    guard platforms.count > 1 else { return platforms.first }
    let names = platforms.map(\.rawValue)
    throw CommandFailure(
      "asc.several-platforms", ["platforms": names.joined(separator: ", "), "first": names[0]],
      details: ["platforms": names.json])
  }

  /// A warning if it lists versions for other platforms than an app's only.
  fileprivate func others(than app: App) -> [String] {
    if platforms.isEmpty || platforms.contains(app.platform) { return [] }
    let names = platforms.map(\.rawValue).joined(separator: " and ")
    return [
      "App Store Connect has no version on \(app.platform.rawValue), but some on \(names): see --platform"
    ]
  }
}

extension App {
  /// How to begin while nothing is recorded under it.
  fileprivate static func firstSteps(_ slug: String) -> String {
    "pawl import \(slug) FILE, or pawl publish \(slug) VERSION"
  }

  fileprivate func outcome(
    _ verb: String, _ members: Outcome.Members = [], explainsPolicy: Bool = false, notes: [String] = [],
    next: String? = nil, and other: Outcome = Outcome()
  ) -> Outcome {
    Outcome(
      [("app", json)] + members + other.members,
      "\(verb) \(slug).\n" + page + (explainsPolicy ? policyWords : "")
        + notes.map { "note: \($0)\n" }.joined() + other.done,
      same: "\(slug): no change", next: next ?? other.next,
      warnings: (effectiveStoreURL == nil ? [ReleaseText.noURL(self)] : storePageWarnings) + other.warnings)
  }

  /// What is odd about a store page that was named.
  private var storePageWarnings: [String] {
    guard let storeURL else { return [] }
    let other = storeID(of: storeURL).flatMap { $0 == appleID ? nil : $0 }
    return [
      appleID == nil
        ? nil : other.map { "the store URL is the page of \($0), and the app's Apple ID is another" },
      platform == .macOS && (try? StoreURL(storeURL))?.arguments.contains("mt=8") == true
        ? "the store URL has mt=8, the store of iOS: for a Mac app it is mt=12" : nil,
    ].compactMap(\.self)
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
      Once a release is visible, clients with an older major segment \(told(0)), with an older minor one \
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
