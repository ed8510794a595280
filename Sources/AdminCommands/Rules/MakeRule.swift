import CommandLineKit
import JSON
import Ledger
import ReleaseModel

extension Command where Context == PawlContext {
  /// Forces a range of versions to update.
  static var force: Command {
    rule(
      .force, "force", summary: "Force a range of client versions to update",
      discussion: """
        Needs --reason. Refused where the newest visible version is itself in the range or below it, since those \
        clients could not follow: the hint names the range that works, and --when-visible records the intent all \
        the same. --grace reminds now and forces later, in one command.
        """,
      examples: [
        .init("pawl force taxi below:7.2 --reason \"crash at start\" --yes", "everybody below 7.2"),
        .init("pawl force taxi 7.2.1 --reason \"wrong fares\" --yes", "one bad version"),
        .init(
          "pawl force taxi below:8.0 --grace 14d --reason \"new protocol\" --yes",
          "two weeks of reminders first"),
      ])
  }

  /// Reminds a range of versions to update.
  static var remind: Command {
    rule(
      .remind, "remind", summary: "Remind a range of client versions to update",
      examples: [.init("pawl remind taxi below:7.4 --until 30d --yes", "for a month")])
  }

  /// Silences prompts for a range of versions.
  static var allow: Command {
    rule(
      .none, "allow", summary: "Let a range of client versions be, whatever the policy says",
      discussion: "Makes a rule with action none: these versions are not prompted.",
      examples: [
        .init("pawl allow taxi 6.9.2 --reason \"kiosks cannot update\"", "one version is left alone")
      ])
  }

  private static func rule(
    _ action: Action, _ verb: String, summary: String, discussion: String = "", examples: [Example]
  ) -> Command {
    Command(
      verb, summary: summary, discussion: discussion, examples: examples, section: "Rules",
      options: { RuleOptions() }, parameters: { RuleOptions.parameters(action) }
    ) { options, call, context in
      guard let range = options.range else { return .usage }
      guard action != .force || options.change.reason != nil else {
        throw UsageError(
          id: "force.reason", message: "'pawl force' needs '--reason TEXT'",
          hint: "say why users are forced; support and auditors will ask")
      }
      guard options.grace == nil || options.from == nil else {
        throw UsageError(message: "--grace says from when to force, so --from does not go with it")
      }
      let command = "\(verb) \(range.text)"
      var made: [Rule] = []
      return try Changing(options.change, call, context).run { draft in
        made = try make(action, range, command, options, &draft)
      } answer: { draft in
        let line = try draft.line(options.app)
        let rules = made.map { rule in line.rules.last { $0.says(sameAs: rule) } ?? rule }
        guard let main = rules.last else { return [] }
        var answer: [(String, JSON)] = [("rule", main.json(app: options.app))]
        if rules.count > 1 { answer.append(("graceRule", rules[0].json(app: options.app))) }
        return answer
      } text: { answer in
        RuleText.changed(answer)
      }
    }
  }

  private static func make(
    _ action: Action, _ range: VersionRange, _ command: String, _ options: RuleOptions, _ draft: inout Draft
  ) throws -> [Rule] {
    let now = draft.now
    let destination = try options.destination(draft)
    let from = (options.grace ?? options.from)?.ahead(of: now)
    let until = options.until?.ahead(of: now)
    var rules: [Rule] = []
    if options.grace != nil {
      rules.append(
        Rule(
          number: 0, range: range, action: .remind, until: from,
          destination: destination, reason: options.change.reason))
    }
    rules.append(
      Rule(
        number: 0, range: range, action: action, from: from, until: until,
        destination: destination, reason: options.change.reason))
    let snapshot = try draft.snapshot(options.app, with: options.to)
    do throws(GuardViolation) {
      for rule in rules { try Snapshot.checkPeriod(from: rule.from, until: rule.until, now: now) }
      if let other = options.to, other == options.app { throw .sameApp }
      if action == .force, let rule = rules.last {
        try snapshot.checkForce(rule, isForLater: options.isForLater, now: now)
      } else if let other = options.to {
        try snapshot.checkTarget(other, at: max(from ?? now, now))
      }
    } catch {
      throw LedgerError.guarded(app: options.app, command: command, error)
    }
    if let other = options.to { try draft.checkNoCycle(command, from: options.app, to: other) }
    for rule in rules {
      let numbered = rule.numbered(try draft.nextNumber(of: .rule))
      try draft.change(options.app) { line in line.make(numbered, now: now) }
    }
    return rules
  }
}

/// A rule in words.
enum RuleText {
  static func changed(_ answer: JSON) -> String {
    guard let rule = answer["rule"] else { return "" }
    guard answer["changed"]?.bool == true else { return "\(line(rule)): said already.\n" }
    let number = rule["number"]?.integer.map { String($0) } ?? ""
    let app = rule["app"]?.string ?? ""
    var text = (answer["graceRule"].map { "\(line($0))\n" } ?? "") + "\(line(rule))\n"
    text += "next: pawl rules \(app); 'pawl lift \(app) \(number)' ends it\n"
    return text
  }

  /// A rule in one line: `rule 3: taxi below:7.2 → force from … until …`.
  static func line(_ rule: JSON) -> String {
    var text =
      "rule \(rule["number"]?.integer ?? 0): \(rule["app"]?.string ?? "") \(rule["range"]?.string ?? "")"
    text += " → \(rule["action"]?.string ?? "")"
    if let to = rule["to"]?.string { text += " to \(to)" }
    if let url = rule["url"]?.string { text += " to \(url)" }
    if let from = rule["from"]?.string { text += " from \(from)" }
    if let until = rule["until"]?.string { text += " until \(until)" }
    return text
  }
}
