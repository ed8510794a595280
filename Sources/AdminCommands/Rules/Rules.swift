import CommandLineKit
import JSON
import Ledger
import ReleaseModel

extension Command where Context == PawlContext {
  static var lift: Command {
    .change(
      "lift", summary: "End a rule",
      discussion: """
        Ends this rule and no other. If it is one half of a grace period, the answer names the other half.
        """,
      examples: [.init("pawl lift taxi 3", "rule 3 no longer counts")]
    ) {
      (.app, .argument("RULE", .ruleNumber, help: "The rule's number, from 'pawl rules'"))
    } run: { changing, app, number in
      try changing.run { draft in
        try draft.change(app, command: "lift rule \(number)") { line in
          line.rules.first { $0.number == number }.map(Change.ruleLifted)
        }
        let (rule, now) = (try draft.liftedRule(number, of: app), draft.now)
        // The other half of its grace period, if that still counts or will count.
        let left = try draft.line(app).rules.first {
          $0.isGraceHalf(with: rule) && $0.phase(at: now) != .over
        }
        let half = left?.action == .force ? "force" : "reminder"
        return Outcome(
          [("rule", rule.of(app).json)] + (left.map { [("left", $0.of(app).json)] } ?? []),
          "Lifted \(rule.of(app).text)\n", same: "\(rule.of(app).text): already lifted",
          next: left.map { "pawl lift \(app) \($0.number), to end the \(half) too" },
          warnings: left.map { ["the \(half) of the same grace period is left: \($0.of(app).text)"] } ?? [])
      }
    }
  }

  static var rules: Command {
    Command(
      "rules", reach: .remote, isReadOnly: true,
      summary: "List the rules: who is told what, by whom, until when",
      examples: [.init("pawl rules", "across all apps"), .init("pawl rules taxi", "of one app")]
    ) {
      (.oneApp, .zone, .list)
    } run: { context, app, zone, list in
      context.zone = try zone.zone(for: list.common, context)
      let ledger = try list.common.open(context)
      let (listed, now) = try ledger.snapshotting {
        let slugs = try askedApps(app, else: ledger.apps())
        let now = try ledger.now(clock: context.clock())
        return (
          try slugs.flatMap { try ListedRule.all(of: ledger.snapshot($0), ledger, at: now) }, now
        )
      }
      return try list.print(
        ["rules": .array(listed.map(\.json)), "at": .string(now.text)],
        ListedRule.table(listed, context.text),
        none: "There are no rules; the segment policies decide.\n", context
      ) { _ in
        ListedRule.page(listed, context)
      }
    }
  }
}

struct ListedRule {
  let rule: Owned<Rule>
  let event: EventRecord
  let phase: RulePhase
  /// How many known versions get their answer from this rule now.
  let count: Int
  /// What wins over it everywhere.
  let overriding: Overriding?

  static func all(of snapshot: Snapshot, _ ledger: Ledger, at now: Timestamp) throws -> [ListedRule] {
    let told = snapshot.line.rules.isEmpty ? [] : snapshot.knownRanges(at: now)
    let overridden = snapshot.line.overridden(at: now)
    return try snapshot.line.rules.map { rule in
      ListedRule(
        rule: rule.of(snapshot.line.app.slug), event: try ledger.event(rule.event),
        phase: rule.phase(at: now),
        count: told.count(saidBy: rule), overriding: rule.isActive(at: now) ? overridden[rule.number] : nil)
    }
  }

  var json: JSON {
    rule.json.adding([
      "phase": .string(phase.rawValue), "overriddenBy": .array((overriding?.rules ?? []).map(JSON.integer)),
      "overriddenUntil": .optional(overriding?.until?.text), "versionsNow": .integer(Int64(count)),
      "madeAt": .string(event.at), "madeBy": Actor(event).json, "event": .integer(event.seq),
    ])
  }

  /// The rules as every list shows them.
  static func table(_ rules: [ListedRule], _ text: (Timestamp) -> String = { $0.text }) -> Table {
    var whole = Table(columns: [
      .right("RULE"), "APP", "VERSIONS", "ACTION", "FROM",
      "UNTIL", .right("NOW"), "BY", "REASON",
    ])
    for rule in rules {
      let action = Cell(rule.rule.record.action.rawValue + rule.place, rule.style)
      let moments = [rule.rule.record.from, rule.rule.record.until].map {
        Cell($0.map(text) ?? "–")
      }
      whole.rows.append(
        rule.start + [action] + moments + [
          Cell(rule.overriding?.text ?? rule.now), Cell(Actor(rule.event).text), rule.reason,
        ])
    }
    return whole
  }

  /// The rules as a table; if it is too wide for the terminal, with lines of their own for details.
  static func page(_ rules: [ListedRule], _ context: PawlContext) -> String {
    let whole = table(rules, context.text)
    guard let width = context.lineWidth, width < whole.width else { return context.rendered(whole) }
    var narrow = Table(columns: [.right("RULE"), "APP", "VERSIONS", "ACTION", .right("NOW")])
    for rule in rules {
      narrow.rows.append(rule.start + [Cell(rule.rule.record.action.rawValue, rule.style), Cell(rule.now)])
    }
    var lines = narrow.render(width: width, styles: context.hasStyles).split(separator: "\n")
      .map(String.init)[...]
    var text = (lines.popFirst() ?? "") + "\n"
    for (line, rule) in zip(lines, rules) {
      text += line + "\n"
      let rest = context.paragraph(rule.rest(context), width: width - 6)
      text += rest.map { "      \($0)\n" }.joined()
    }
    return text
  }

  private var start: [Cell] {
    [Cell(String(rule.record.number), .bold), Cell(rule.app), Cell(rule.record.range.text)]
  }
  private var style: Style { overriding == nil ? Paint.style(of: rule.record.action) : .dim }
  private var place: String { rule.record.destination.map { " → \($0.text)" } ?? "" }
  private var now: String { phase == .armed ? String(count) : phase.rawValue }
  private var reason: Cell { Cell(rule.record.reason ?? "", .dim) }

  private func rest(_ context: PawlContext) -> [Cell] {
    var rest = [Cell(place)]
    if let overriding { rest.append(Cell(overriding.text)) }
    if let from = rule.record.from { rest.append(Cell("from \(context.text(from))")) }
    if let until = rule.record.until { rest.append(Cell("until \(context.text(until))")) }
    rest.append(Cell("by \(Actor(event).text)" + (rule.record.reason == nil ? "" : ":")))
    return rest + [reason]
  }
}

extension ValueType where Value == Int64 {
  static var ruleNumber: Self { number(from: "pawl rules").offering(.live(.rule)) }

  static var evidenceNumber: Self { number(from: "pawl inbox").offering(.live(.evidence)) }

  private static func number(from command: String) -> Self {
    ValueType { text throws(ValueError) in
      guard let number = Int64(digits: text), number > 0 else {
        throw ValueError("usage.invalid-value/number", ["command": command])
      }
      return number
    }
  }
}
