import CommandLineKit
import JSON
import Ledger
import ReleaseModel

extension Command where Context == PawlContext {
  /// The commands on apps.
  static var app: Command {
    Command(
      "app", summary: "Manage the apps of the ledger", section: "Apps",
      subcommands: [appAdd, appSet, appShow, appList])
  }

  private static var appAdd: Command {
    Command(
      "add", summary: "Add an app",
      discussion: """
        An app is one bundle on one platform and channel. Its slug, platform and channel never change; everything \
        else does with 'app set'.
        """,
      examples: [
        .init(
          "pawl app add taxi --bundle-id com.example.taxi --apple-id 1524608462", "an app of the App Store"),
        .init(
          "pawl app add taxi-enterprise --bundle-id com.example.taxi.ent --channel enterprise",
          "an enterprise app"),
      ],
      options: { AppOptions() }, parameters: { AppOptions.parameters(isNew: true) }
    ) { options, call, context in
      try Changing(options.change, call, context).run { draft in
        let app = App(
          slug: options.slug, bundleID: options.bundleID ?? "", platform: options.platform ?? .iOS,
          channel: options.channel ?? .appStore)
        try draft.add(try options.applied(to: app, draft))
      } answer: { draft in
        [("app", try draft.line(options.slug).app.json)]
      } text: { answer in
        let slug = answer["app"]?["slug"]?.string ?? ""
        return AppText.changed(answer, "Added")
          + (answer["changed"]?.bool == true
            ? "next: pawl import \(slug) FILE, or pawl publish \(slug) VERSION\n" : "")
      }
    }
  }

  private static var appSet: Command {
    Command(
      "set", summary: "Change what is said of an app",
      examples: [.init("pawl app set taxi --hold 48h", "tell clients two days after going live")],
      options: { AppOptions() }, parameters: { AppOptions.parameters(isNew: false) }
    ) { options, call, context in
      guard options.saysSomething else {
        throw UsageError(message: "nothing to change was said", hint: "see 'pawl help app set'")
      }
      return try Changing(options.change, call, context).run { draft in
        try draft.set(try options.applied(to: try draft.line(options.slug).app, draft))
      } answer: { draft in
        [("app", try draft.line(options.slug).app.json)]
      } text: { answer in
        AppText.changed(answer, "Changed")
      }
    }
  }

  private struct ShowOptions: Sendable {
    var common = CommonOptions()
    var slug = ""
  }

  private static var appShow: Command {
    Command(
      "show", summary: "Show what is said of an app", options: { ShowOptions() },
      parameters: {
        [.argument("APP", .slug, help: "The app") { $0.slug = $1 }]
          + CommonOptions.parameters.pulled(\.common)
      }
    ) { options, _, context in
      let app = try options.common.open(context).app(options.slug)
      guard options.common.isJSON, var object = app.json.object else {
        try context.print(AppText.page(app.json))
        return .success
      }
      // Under `app` too, where every change has it, so that one reader serves both.
      object["app"] = app.json
      try context.print(JSON.object(object).text() + "\n")
      return .success
    }
  }

  private static var appList: Command {
    Command(
      "list", summary: "List the apps", options: { CommonOptions() }, parameters: { CommonOptions.parameters }
    ) { options, _, context in
      let apps = try options.open(context).apps()
      if options.isJSON {
        let json: JSON = ["apps": .array(apps.map(\.json))]
        try context.print(json.text() + "\n")
        return .success
      }
      guard !apps.isEmpty else {
        try context.print("There are no apps yet.\nnext: pawl app add SLUG --bundle-id ID\n")
        return .success
      }
      var table = Table(columns: [
        Column("APP"), Column("PLATFORM"), Column("CHANNEL"), Column("APPLE ID", .right), Column("BUNDLE ID"),
        Column("NAME"),
      ])
      for app in apps {
        table.add([
          Cell(app.slug, .bold), Cell(app.platform.rawValue), Cell(app.channel.rawValue),
          Cell(app.appleID.map { String($0) } ?? "–"), Cell(app.bundleID), Cell(app.name ?? ""),
        ])
      }
      try context.print(
        context.rendered(table))
      return .success
    }
  }
}

/// An app in words.
enum AppText {
  static func changed(_ answer: JSON, _ verb: String) -> String {
    let slug = answer["app"]?["slug"]?.string ?? ""
    guard answer["changed"]?.bool == true else { return "\(slug) says so already.\n" }
    let warning = answer["app"]?["storeURL"] == .null ? "warning: \(noURLWarning(slug))\n" : ""
    return "\(verb) \(slug).\n" + page(answer["app"] ?? .null) + warning
  }

  static func page(_ app: JSON) -> String {
    var table = Table(columns: [Column(""), Column("")])
    for (label, key) in [
      ("slug", "slug"), ("name", "name"), ("bundle id", "bundleID"), ("Apple ID", "appleID"), ("SKU", "sku"),
      ("platform", "platform"), ("channel", "channel"), ("store URL", "storeURL"), ("policy", "policy"),
      ("hold", "hold"), ("remind every", "remindEvery"), ("asks since", "asksSince"), ("stopped", "stopped"),
    ] {
      let text: String? =
        switch app[key] {
        case .string(let text): text
        case .integer(let number): String(number)
        case .bool(let flag): flag ? "yes" : nil
        default: nil
        }
      if let text { table.add([Cell("  " + label, .dim), Cell(text)]) }
    }
    return table.render()
  }
}
