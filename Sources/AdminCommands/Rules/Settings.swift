import CommandLineKit
import JSON
import Ledger
import ReleaseModel

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
        return try Setting(
          number: try draft.nextNumber(of: .setting), key: key, range: range ?? .all, phase: phase,
          value: value ?? "", from: window.from, until: window.until
        ).record(of: app, clears: clears, &draft)
      }
    }
  }

  static var settings: Command {
    list(
      Setting.self, "settings", summary: "List the settings handed to clients",
      none: "There are no settings.\n")
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
