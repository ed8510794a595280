import JSON
import ReleaseModel

/// A table that the events add up to, and where each of its columns comes from.
///
/// The columns that an event says about its own row are the content; the others, which later events about other rows
/// may move, are held against the replay one by one.
enum Table: Int, CaseIterable {
  case app, release, rule, redirect, setting, trust, evidence, publication

  var name: String { "\(self)" }

  /// The column that tells rows apart.
  var key: String {
    switch self {
    case .rule, .redirect, .setting: "number"
    default: "id"
    }
  }

  /// The columns of the content with what they are made from, in order.
  var content: [(column: String, source: CellSource)] {
    switch self {
    case .app: Table.appContent
    case .release: Table.releaseContent
    case .rule: Table.ruleContent
    case .redirect: Table.redirectContent
    case .setting: Table.settingContent
    case .trust: Table.trustContent
    case .evidence: Table.evidenceContent
    case .publication: Table.publicationContent
    }
  }

  /// The columns that other events may move; what they should be is worked out in the replay.
  var moved: [String] {
    switch self {
    case .app, .trust, .evidence, .publication: []
    case .release: ["superseded_by", "state", "since"]
    case .rule: ["made_by", "active"]
    case .redirect, .setting: ["replaced_by", "active"]
    }
  }

  /// The members of the event's object that are looked at.
  var members: [String] {
    switch self {
    case .app:
      [
        "appleID", "asksSince", "bundleID", "channel", "countries", "hold", "liveBy", "name", "platform",
        "policy",
        "remindEvery", "sku", "slug", "stopped", "storeURL", "storeURLGiven",
      ]
    case .release:
      [
        "app", "approvedAt", "ascID", "build", "former", "id", "liveAt", "locales", "mandatory", "minOS",
        "notes", "past",
        "removedAt",
        "shownAt", "since", "state", "supersededBy", "url", "version", "visibleAt",
      ]
    case .rule: ["action", "app", "from", "number", "range", "reason", "to", "until", "url"]
    case .redirect: ["app", "from", "number", "range", "to", "until", "url"]
    case .setting: ["app", "during", "from", "key", "number", "range", "until", "value"]
    case .trust: ["key", "kind", "selector", "singlePlatform", "value"]
    case .evidence:
      [
        "app", "country", "id", "kind", "messageID", "outcome", "proof", "reason", "receivedAt", "sender",
        "sentAt",
        "sha256", "size", "state", "subject", "version",
      ]
    case .publication: ["directory", "formats"]
    }
  }

  private static let appContent: [(String, CellSource)] = [
    ("slug", .text("slug")), ("bundle_id", .text("bundleID")), ("apple_id", .integer("appleID")),
    ("name", .text("name")), ("sku", .text("sku")), ("platform", .text("platform")),
    ("channel", .text("channel")),
    ("store_url", .given("storeURL", "storeURLGiven")), ("policy", .text("policy")), ("hold", .span("hold")),
    ("remind_every", .text("remindEvery")), ("asks_since", .text("asksSince")), ("stopped", .flag("stopped")),
    ("countries", .joined("countries")), ("live_by", .textOr("liveBy", "mail")),
  ]

  private static let releaseContent: [(String, CellSource)] = [
    ("app_id", .app("app")), ("version", .text("version")), ("major", .component("version", 0)),
    ("minor", .component("version", 1)), ("patch", .component("version", 2)),
    ("fourth", .component("version", 3)),
    ("build", .text("build")), ("notes", .count("locales")), ("min_os", .text("minOS")),
    ("url", .text("url")),
    ("mandatory", .flag("mandatory")), ("approved_at", .text("approvedAt")), ("live_at", .text("liveAt")),
    ("visible_at", .text("visibleAt")), ("removed_at", .text("removedAt")), ("shown_at", .text("shownAt")),
    ("former_state", .formerText("state")), ("former_since", .formerText("since")),
    ("former_live_at", .formerText("liveAt")), ("former_visible_at", .formerText("visibleAt")),
    ("former_removed_at", .formerText("removedAt")), ("former_superseded", .formerInteger("superseded")),
    ("past", .flagOr("past", false)), ("asc_id", .text("ascID")),
  ]

  private static let ruleContent: [(String, CellSource)] = [
    ("app_id", .app("app")), ("range", .text("range")), ("action", .text("action")),
    ("from_at", .text("from")),
    ("until_at", .text("until")), ("url", .text("url")), ("to_app", .text("to")), ("reason", .text("reason")),
  ]

  private static let redirectContent: [(String, CellSource)] = [
    ("app_id", .app("app")), ("range", .text("range")), ("url", .text("url")), ("to_app", .text("to")),
    ("from_at", .text("from")), ("until_at", .text("until")),
  ]

  private static let settingContent: [(String, CellSource)] = [
    ("app_id", .app("app")), ("key", .text("key")), ("range", .text("range")), ("during", .text("during")),
    ("value", .text("value")), ("from_at", .text("from")), ("until_at", .text("until")),
  ]

  private static let trustContent: [(String, CellSource)] = [
    ("kind", .text("kind")), ("value", .text("value")), ("selector", .textOr("selector", "")),
    ("key", .text("key")), ("single_platform", .flagOr("singlePlatform", nil)),
  ]

  private static let evidenceContent: [(String, CellSource)] = [
    ("kind", .text("kind")), ("sha256", .text("sha256")), ("size", .integer("size")),
    ("message_id", .text("messageID")), ("received_at", .text("receivedAt")), ("sent_at", .text("sentAt")),
    ("sender", .text("sender")), ("subject", .text("subject")), ("outcome", .text("outcome")),
    ("reason", .text("reason")), ("proof", .text("proof")), ("app", .text("app")),
    ("version", .text("version")),
    ("state", .text("state")), ("country", .text("country")),
  ]

  private static let publicationContent: [(String, CellSource)] = [
    ("directory", .text("directory")), ("formats", .joinedOrNull("formats")),
  ]
}

/// What a column is made from: a member of the event's object, and how.
enum CellSource {
  /// A string, or null.
  case text(String)
  /// A string; null, and what older events did not say yet, is another text.
  case textOr(String, StaticString)
  /// An integer, or null.
  case integer(String)
  /// True or false, as 1 or 0.
  case flag(String)
  /// True or false, as 1 or 0; null, and what older events did not say yet, is something else.
  case flagOr(String, Bool?)
  /// The number of the app of a slug.
  case app(String)
  /// One component of a version.
  case component(String, Int)
  /// How many elements an array has.
  case count(String)
  /// A string that counts only where another member is true.
  case given(String, String)
  /// A span such as `24h`, in seconds.
  case span(String)
  /// An array of strings, with commas between.
  case joined(String)
  /// The same, or null.
  case joinedOrNull(String)
  /// A member of `former`; null where that is null.
  case formerText(String)
  case formerInteger(String)
}
