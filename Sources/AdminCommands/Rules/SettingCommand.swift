import CommandLineKit
import JSON
import Ledger
import ReleaseModel

private struct SettingOptions: Sendable {
  var change = ChangeOptions()
  var app = ""
  var key = ""
  var value: String?
  var range = VersionRange.all
  var phase: Setting.Phase?
  var clears = false
}

extension Command where Context == PawlContext {
  /// Sets a setting for clients.
  static var setting: Command {
    Command(
      "setting", summary: "Set or clear a setting handed to clients",
      discussion: """
        A setting may differ while a version is in review and after, such as a map service's key. It must never \
        hide features from review: Apple's guideline 2.3.1 forbids that.
        """,
      examples: [
        .init("pawl setting taxi map-key free-1234 --during review", "while a version is not released"),
        .init("pawl setting taxi map-key paid-5678", "for everybody else"),
        .init("pawl setting taxi map-key --during review --clear", "no longer different in review"),
      ],
      section: "Rules", options: { SettingOptions() },
      parameters: {
        [
          .argument("APP", .slug, help: "The app") { $0.app = $1 },
          .argument(
            "KEY", .settingKey.offering(.live(.settingKey)),
            help: "Letters, digits, points, hyphens and underscores"
          ) {
            $0.key = $1
          },
          .argument("VALUE", .settingValue, help: "What clients get", required: false) { $0.value = $1 },
          .option("--versions", "RANGE", .range, help: "Client versions, as for 'force'; all if not said") {
            $0.range = $1
          },
          .option(
            "--during", "PHASE", .oneOf, help: "Only while the version is in review, or only once released"
          ) {
            $0.phase = $1
          },
          .flag("--clear", help: "Clear the setting of this range and phase") { $0.clears = true },
        ] + ChangeOptions.parameters.pulled(\.change)
      }
    ) { options, call, context in
      guard (options.value != nil) != options.clears else {
        throw UsageError(
          id: "usage.missing-argument", message: "say either a VALUE or --clear",
          hint: "see 'pawl help setting'")
      }
      return try Changing(options.change, call, context).run { draft in
        guard let value = options.value else {
          try draft.change(options.app) { line in line.clearSetting(options.key, options.range, options.phase)
          }
          return
        }
        let setting = Setting(
          number: try draft.nextNumber(of: .setting), key: options.key, range: options.range,
          phase: options.phase,
          value: value)
        try draft.change(options.app) { line in line.set(setting) }
      } answer: { draft in
        let setting = try draft.line(options.app).settings.last {
          $0.key == options.key && $0.range == options.range && $0.phase == options.phase
        }
        return [("setting", setting?.json(app: options.app) ?? .null)]
      } text: { answer in
        let phase = options.phase.map { " during \($0.rawValue)" } ?? ""
        let name = "\(options.app) \(options.key) for \(options.range.text)\(phase)"
        guard answer["changed"]?.bool == true else { return "\(name): so already.\n" }
        guard let value = answer["setting"]?["value"]?.string else { return "\(name) is cleared.\n" }
        return "\(name) is \(printable(value, limit: 200))\n"
      }
    }
  }
}

extension ValueType where Value == String {
  /// A setting's key.
  fileprivate static var settingKey: Self {
    ValueType { text throws(ValueError) in
      guard Setting.isKey(text) else {
        throw ValueError(
          "a key has up to 64 letters, digits, points, hyphens and underscores", hint: "such as map-key",
          id: "setting.malformed")
      }
      return text
    }
  }

  /// A setting's value.
  fileprivate static var settingValue: Self {
    ValueType { text throws(ValueError) in
      guard text.utf8.count <= Setting.longestValue else {
        throw ValueError(
          "longer than \(Setting.longestValue) bytes", hint: "hand out a URL instead", id: "setting.malformed"
        )
      }
      return text
    }
  }
}
