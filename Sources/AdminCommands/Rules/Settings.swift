import CommandLineKit
import Ledger
import ReleaseModel

extension Command where Context == PawlContext {
  static var setting: Command {
    Command(
      "setting", reach: .remote, summary: "Set or clear a setting handed to clients",
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
        .flag("--clear", help: "Clear the setting of this range, phase and period"), .period, .change
      )
    } run: { context, app, key, value, range, phase, clears, period, change in
      try UsageError.demand(
        (value != nil) != clears, "give either a VALUE or --clear",
        hint: "see 'pawl help setting'", id: "usage.missing-argument")
      let range = range ?? .all
      let name = "\(app) \(key) for \(range.text)\(phase.map { " during \($0.rawValue)" } ?? "")"
      let command = "\(clears ? "clear" : "set") \(key)"
      var window = Window()
      var cleared: Setting?
      return try Changing(change, context).run { draft in
        window = try period.window(now: draft.now, context)
        let setting = Setting(
          number: try draft.nextNumber(of: .setting), key: key, range: range, phase: phase,
          value: value ?? "", from: window.from, until: window.until)
        if clears {
          cleared = try draft.line(app).settings.last { $0.hasPlace(of: setting) }
          try draft.checkKnown(Setting.self, of: app, isCleared: cleared != nil, "setting \(key)") {
            $0.hasPlace(of: setting)
          }
          try draft.change(app, command: command) { line in line.clearSetting(setting) }
          return
        }
        let now = draft.now
        try LedgerError.guarding(app, command) { () throws(GuardViolation) in
          try Snapshot.checkPeriod(window, now: now)
        }
        try draft.change(app, command: command) { line in line.set(setting) }
      } answer: { draft in
        let line = try draft.line(app)
        let same = line.settings.filter { $0.key == key && $0.range == range && $0.phase == phase }
        return Setting.answer(
          "setting", of: app, same.last { $0.hasWindow(of: window) }, cleared: cleared,
          warnings: clears
            ? same.warnings(left: name, now: draft.now)
              + line.settings.filter { other in
                other.key == key && other.range == range && other.phase != phase
                  && other.until.map { draft.now < $0 } ?? true
              }.map { other in
                "'\(key)'\(other.phase.map { " during \($0.rawValue)" } ?? " for every phase") is still set\(other.windowText)"
              }
            : line.warnings(aboutRange: range))
      } text: { answer in
        if let cleared: Owned<Setting> = try answer.value("cleared") {
          return Said("\(name)\(cleared.record.windowText) is cleared.\n")
        }
        guard let setting = try (answer.value("setting") as Owned<Setting>?)?.record else {
          return Said("\(name): no such setting; nothing to record.\n")
        }
        let text = "\(name) = \(printable(setting.value, limit: 200))\(setting.windowText)"
        return Said(text + "\n", same: "\(text): already there")
      }
    }
  }

  static var settings: Command {
    list("settings", summary: "List the settings handed to clients", none: "There are no settings.\n") {
      $0.settings
    }
  }
}

extension Setting: ListedRecord {
  static var columns: [Column] { ["KEY", "VALUE", "VERSIONS", "DURING"] }
  var cells: [Cell] { [Cell(key), Cell(value), Cell(range.text), Cell(phase?.rawValue ?? "–")] }
}

extension ValueType where Value == String {
  fileprivate static var settingKey: Self {
    reading(
      id: "setting.malformed", "a key has up to 64 letters, digits, points, hyphens and underscores",
      hint: "such as map-key"
    ) { Setting.isKey($0) ? $0 : nil }
  }

  fileprivate static var settingValue: Self {
    reading(
      id: "setting.malformed", "longer than \(Setting.longestValue) bytes", hint: "hand out a URL instead"
    ) { $0.utf8.count <= Setting.longestValue ? $0 : nil }
  }
}
