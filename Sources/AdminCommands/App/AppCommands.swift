import CommandLineKit
import JSON
import Ledger
import ReleaseModel

extension Command where Context == PawlContext {
  static var app: Command {
    Command(
      "app", summary: "List and manage the apps in the ledger", section: "First month", usual: "list",
      subcommands: [appAdd, appSet, appShow, appList, appRetire, appVoid])
  }

  private static var appAdd: Command {
    Command(
      "add", reach: .remote, summary: "Add an app",
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
      ]
    ) {
      (
        .argument(
          "SLUG", .slug.offering(.none), help: "The app's name in this ledger; it cannot be changed later"),
        .requiredOption("--bundle-id", "ID", .bundleID, help: AppEdits.bundleIDHelp), .appNames,
        .option("--platform", "P", .one(of: ApplePlatform.self), help: "Where it runs; default: ios"),
        .option(
          "--channel", "C", .one(of: Channel.self), help: "How it reaches users; default: app-store"),
        .appEdits,
        .change
      )
    } run: { context, slug, bundleID, names, platform, channel, edits, change in
      try Changing(change, context).run { draft in
        let app = App(
          slug: slug, bundleID: bundleID, platform: platform ?? .iOS, channel: channel ?? .appStore)
        try draft.add(try (names + edits).applied(to: app, draft))
      } answer: { draft in
        [("app", try draft.line(slug).app.json)]
      } text: { answer in
        try App.said(answer, "Added", next: "pawl import \(slug) FILE, or pawl publish \(slug) VERSION")
      }
    }
  }

  private static var appSet: Command {
    Command(
      "set", reach: .remote, summary: "Change the details of an app",
      examples: [.init("pawl app set taxi --hold 48h", "tell clients two days after a release goes live")]
    ) {
      (.argument("SLUG", .slug, help: "The app"), .appBundleID, .appNames, .appEdits, .change)
    } run: { context, slug, bundleID, names, edits, change in
      let edits = bundleID + names + edits
      try UsageError.demand(!edits.isEmpty, "there is nothing to change", hint: "see 'pawl help app set'")
      var hold: TimeSpan?
      return try Changing(change, context).run { draft in
        let before = try draft.line(slug).app
        try draft.set(try edits.applied(to: before, draft))
        hold = before.hold
      } answer: { draft in
        let line = try draft.line(slug)
        // The hold of a release is the one in force on the day it went live.
        let held = line.app.hold == hold ? [] : line.releases.filter { $0.isHeld(at: draft.now) }
        let warnings = held.map {
          "the running hold of \($0.version.text) still ends at \($0.visibleAt?.text ?? "")"
        }
        return [("app", line.app.json), ("warnings", warnings.json)]
      } text: { answer in
        try App.said(answer, "Changed")
      }
    }
  }

  private static var appRetire: Command {
    Command(
      "retire", reach: .remote, summary: "Retire an app that is no longer used",
      discussion: """
        Drops the app from the board, from lists across all apps and from completions; 'app list' still shows it. Its \
        documents stay, and tell every version none. After that, only 'pawl revert' of the retirement changes it. \
        Refused while another app's rule or redirect leads to it.
        """,
      examples: [
        .init("pawl app retire taxi-enterprise --reason \"everybody has moved to taxi\"", "after a migration")
      ]
    ) {
      (.argument("SLUG", .slug, help: "The app"), .change)
    } run: { context, slug, change in
      try Changing(change, context).run { draft in
        let line = try draft.line(slug)
        let now = draft.now
        let others = try draft.ledger.apps().map(\.slug).filter {
          try draft.line($0).leads(to: slug, at: now)
        }
        let retirement = try LedgerError.guarding(slug, "retire") { () throws(GuardViolation) in
          try line.retire(ledToBy: others)
        }
        try draft.change(slug) { _ in retirement }
      } answer: { draft in
        [("app", try draft.line(slug).app.json)]
      } text: { answer in
        let undo = answer["event"]?.integer.map { "pawl revert \($0), if it is needed again" }
        return try App.said(answer, "Retired", next: undo)
      }
    }
  }

  private static var appVoid: Command {
    Command(
      "void", reach: .remote, summary: "Strike out an app that was added by mistake",
      discussion: """
        Refused if a release, rule, redirect or setting was ever recorded for the app: use 'app retire' instead. It \
        stays in history, and its slug may be used again.
        """,
      examples: [.init("pawl app void tax --reason \"typo\"", "its slug can be used again")]
    ) {
      (.argument("SLUG", .slug, help: "The app"), .change)
    } run: { context, slug, change in
      var struckOut: App?
      return try Changing(change, context).run { draft in
        struckOut = try draft.void(slug)
      } answer: { draft in
        [("app", try (struckOut ?? draft.line(slug).app).json)]
      } text: { _ in
        Said(
          "Struck out app \(slug).\n", same: "App \(slug) is already struck out",
          next: "pawl app add SLUG --bundle-id ID")
      }
    }
  }

  private static var appShow: Command {
    Command("show", reach: .remote, asks: true, summary: "Show the details of an app") {
      (.app, .common)
    } run: { context, slug, common in
      let app = try common.open(context).app(slug)
      // Also under `app`, as in the answer of every change, so that one reader serves both.
      return try common.print(app.json.adding(["app": app.json]), context) { app.page }
    }
  }

  private static var appList: Command {
    Command("list", reach: .remote, asks: true, summary: "List the apps") {
      .common
    } run: { context, common in
      let apps = try common.open(context).apps()
      return try common.print(["apps": apps.json], context) {
        guard !apps.isEmpty else { return noApps }
        let hasSilent = apps.contains { $0.silence != nil }
        let rows = apps.map { app in
          [
            Cell(app.slug, .bold), Cell(app.platform.rawValue), Cell(app.channel.rawValue),
            Cell(app.appleID.map { String($0) } ?? "–"), Cell(app.bundleID), Cell(app.name ?? ""),
          ] + (hasSilent ? [Cell(app.silence ?? "", .yellow)] : [])
        }
        return context.table(
          ["APP", "PLATFORM", "CHANNEL", .right("APPLE ID"), "BUNDLE ID", "NAME"]
            + (hasSilent ? ["STATE"] : []), rows)
      }
    }
  }
}

/// The slugs of the apps that a command is about: the one it names, or all.
func askedApps(_ app: String?, else all: @autoclosure () throws -> [App]) rethrows -> [String] {
  try app.map { [$0] } ?? listed(all()).map(\.slug)
}

/// The apps that are offered and shown if none is named.
func listed(_ apps: [App]) -> [App] { apps.filter { !$0.isRetired } }

let noApps = "There are no apps yet.\nnext: pawl app add SLUG --bundle-id ID\n"

extension App {
  fileprivate static func said(_ answer: JSON, _ verb: String, next: String? = nil) throws -> Said {
    let app: App = try answer.value("app")
    let warnings = app.effectiveStoreURL == nil ? [ReleaseText.noURL(app)] : []
    return Said(
      "\(verb) \(app.slug).\n" + app.page + ReleaseText.warnings(warnings),
      same: "\(app.slug): already as asked", next: next)
  }

  fileprivate var page: String {
    let facts: [(String, String?)] = [
      ("slug", slug),
      ("name", name),
      ("bundle id", bundleID),
      ("Apple ID", appleID.map { String($0) }),
      ("SKU", sku),
      ("platform", platform.rawValue),
      ("channel", channel.rawValue),
      ("store URL", effectiveStoreURL),
      ("policy", policy.text),
      ("hold", hold.text),
      ("remind every", remindEvery.rawValue),
      ("asks since", asksSince?.text),
      ("countries", countries.isEmpty ? nil : countries.joined(separator: ",")),
      ("live by", liveBy.rawValue),
      ("remind after", remindAfter.rawValue),
      ("expects", expect.isEmpty ? nil : expect.joined(separator: ",")),
      ("stopped", isStopped ? "yes" : nil),
      ("retired", isRetired ? "yes" : nil),
    ]
    return Table(facts: facts, indent: "  ").render()
  }
}
