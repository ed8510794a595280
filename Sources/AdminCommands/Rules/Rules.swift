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
    .query(
      "rules", isList: true, summary: "List the rules: who is told what, by whom, until when",
      examples: [.init("pawl rules", "across all apps"), .init("pawl rules taxi", "of one app")]
    ) {
      .oneApp
    } run: { query, app in
      let ledger = query.ledger
      let (listed, now) = try ledger.snapshotting {
        let now = try ledger.now(clock: query.context.clock())
        return (
          try askedApps(app, else: ledger.apps()).flatMap {
            try ListedRule.all(of: ledger.snapshot($0), ledger, at: now)
          }, now
        )
      }
      return try query.print(
        ["rules": .array(listed.map(\.json)), "at": .string(now.text)],
        ListedRule.table(listed, query.context.text),
        none: "There are no rules; the segment policies decide.\n")
    }
  }
}

struct ListedRule {
  let rule: Owned<Rule>
  let event: EventRecord
  let phase: RulePhase
  /// How many known versions get their answer from this rule now.
  let count: Int

  static func all(of snapshot: Snapshot, _ ledger: Ledger, at now: Timestamp) throws -> [ListedRule] {
    let (told, known) = (Schedule(snapshot, from: now).current(at: now), snapshot.line.recordedVersions)
    return try snapshot.line.rules.map { rule in
      ListedRule(
        rule: rule.of(snapshot.line.app.slug), event: try ledger.event(rule.event),
        phase: rule.phase(at: now), count: told.count(of: known, saidBy: rule))
    }
  }

  var json: JSON {
    rule.json.adding([
      "phase": .string(phase.rawValue), "versionsNow": .integer(Int64(count)),
      "madeAt": .string(event.at), "madeBy": Actor(event).json, "event": .integer(event.seq),
    ])
  }

  /// The rules as every list shows them.
  static func table(_ rules: [ListedRule], _ text: @escaping (Timestamp) -> String = { $0.text }) -> Table {
    Table(
      of: rules,
      [
        (.right("RULE"), { Cell(String($0.rule.record.number), .bold) }), ("APP", { Cell($0.rule.app) }),
        ("VERSIONS", { Cell($0.rule.record.range.text) }),
        (
          "ACTION",
          {
            let (rule, place) = ($0.rule.record, $0.rule.record.destination.map { " → \($0.text)" } ?? "")
            return Cell(rule.action.rawValue + place, Paint.style(of: rule.action))
          }
        ),
        ("FROM", { Cell($0.rule.record.from.map(text) ?? "–") }),
        ("UNTIL", { Cell($0.rule.record.until.map(text) ?? "–") }),
        (
          "NOW",
          {
            $0.phase == .armed
              ? Cell(String($0.count), $0.count == 0 ? .dim : .plain) : Cell($0.phase.rawValue)
          }
        ),
        ("BY", { Cell(Actor($0.event).text) }), ("REASON", { Cell($0.rule.record.reason ?? "", .dim) }),
      ])
  }
}

extension ValueType where Value == Int64 {
  static var ruleNumber: Self { number(from: "pawl rules").offering(.live(.rule)) }

  static var evidenceNumber: Self { number(from: "pawl inbox").offering(.live(.evidence)) }

  private static func number(from command: String) -> Self {
    ValueType { text throws(UsageError) in
      guard let number = Int64(digits: text), number > 0 else {
        throw UsageError("usage.invalid-value/number", ["command": command])
      }
      return number
    }
  }
}
