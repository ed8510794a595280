import CommandLineKit
import JSON
import Ledger
import ReleaseModel

private struct LiftOptions: Sendable {
  var change = ChangeOptions()
  var app = ""
  var number: Int64 = 0
}

private struct RulesOptions: Sendable {
  var common = CommonOptions()
  var app: String?
}

extension Command where Context == PawlContext {
  /// Ends a rule.
  static var lift: Command {
    Command(
      "lift", summary: "End a rule", examples: [.init("pawl lift taxi 3", "rule 3 no longer counts")],
      section: "Rules", options: { LiftOptions() },
      parameters: {
        [
          .argument("APP", .slug, help: "The app") { $0.app = $1 },
          .argument("RULE", .ruleNumber, help: "The rule's number, from 'pawl rules'") { $0.number = $1 },
        ] + ChangeOptions.parameters.pulled(\.change)
      }
    ) { options, call, context in
      var lifted: JSON = .null
      return try Changing(options.change, call, context).run { draft in
        if let rule = try draft.line(options.app).rules.first(where: { $0.number == options.number }) {
          lifted = rule.json(app: options.app)
          try draft.change(options.app) { _ in .ruleLifted(rule) }
        } else {
          lifted = try draft.liftedRule(options.number, of: options.app).json(app: options.app)
        }
      } answer: { _ in
        [("rule", lifted)]
      } text: { answer in
        let rule = RuleText.line(answer["rule"] ?? .null)
        return answer["changed"]?.bool == true ? "Lifted \(rule)\n" : "\(rule): lifted already.\n"
      }
    }
  }

  /// Lists the rules that count.
  static var rules: Command {
    Command(
      "rules", summary: "List who is told what, by whom, until when",
      examples: [.init("pawl rules", "across all apps"), .init("pawl rules taxi", "of one app")],
      section: "Rules", options: { RulesOptions() },
      parameters: {
        [.argument("APP", .slug, help: "One app only", required: false) { $0.app = $1 }]
          + CommonOptions.parameters.pulled(\.common)
      }
    ) { options, _, context in
      let ledger = try options.common.open(context)
      let (listed, now) = try ledger.snapshotting {
        let slugs = try options.app.map { [$0] } ?? ledger.apps().map(\.slug)
        let now = try ledger.now(clock: context.clock())
        return (
          try slugs.flatMap { slug in
            let snapshot = try ledger.snapshot(slug)
            let told = snapshot.line.rules.isEmpty ? [] : snapshot.toldRanges(at: now)
            return try snapshot.line.rules.map { rule in
              ListedRule(rule, of: slug, told, madeBy: try ledger.event(rule.event), now: now)
            }
          }, now
        )
      }
      ledger.close()
      if options.common.isJSON {
        let json: JSON = ["rules": .array(listed.map(\.json)), "at": .string(now.text)]
        try context.print(json.text() + "\n")
        return .success
      }
      guard !listed.isEmpty else {
        try context.print("No rules count; the segment policies decide.\n")
        return .success
      }
      var table = Table(columns: [
        Column("RULE", .right), Column("APP"), Column("VERSIONS"), Column("ACTION"), Column("FROM"),
        Column("UNTIL"),
        Column("NOW", .right), Column("BY"), Column("REASON"),
      ])
      for rule in listed { table.add(rule.cells) }
      try context.print(
        context.rendered(table))
      return .success
    }
  }
}

/// A rule with who made it and whom it touches now.
private struct ListedRule {
  let rule: Rule
  let app: String
  let event: JSON
  let phase: RulePhase
  /// How many known versions are told so by this rule now.
  let count: Int

  init(_ rule: Rule, of app: String, _ told: [ToldRange], madeBy event: EventRecord, now: Timestamp) {
    self.rule = rule
    self.app = app
    self.event = event.json
    phase = rule.phase(at: now)
    count = told.count(saidBy: rule)
  }

  var json: JSON {
    guard var object = rule.json(app: app).object else { return .null }
    object["phase"] = .string(phase.rawValue)
    object["versionsNow"] = .integer(Int64(count))
    object["madeAt"] = event["at"]
    object["madeBy"] = event["actor"]
    object["event"] = event["seq"]
    return .object(object)
  }

  var cells: [Cell] {
    let place = rule.destination?.app.map { " → \($0)" } ?? rule.destination?.url.map { " → \($0)" } ?? ""
    return [
      Cell(String(rule.number), .bold), Cell(app), Cell(rule.range.text),
      Cell(rule.action.rawValue + place, Paint.style(of: rule.action)), Cell(rule.from?.text ?? "–"),
      Cell(rule.until?.text ?? "–"), Cell(phase == .armed ? String(count) : phase.rawValue),
      Cell(EventText.who(event)), Cell(rule.reason ?? "", .dim),
    ]
  }
}

extension ValueType where Value == Int64 {
  /// The number of a rule.
  static var ruleNumber: Self {
    ValueType(completion: .live(.rule)) { text throws(ValueError) in
      guard let number = Int64(text), number > 0, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
        throw ValueError("not a number from 1 up", hint: "see 'pawl rules'")
      }
      return number
    }
  }
}
