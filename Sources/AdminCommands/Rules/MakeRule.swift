import CommandLineKit
import Export
import JSON
import Ledger
import ReleaseModel

extension Command where Context == PawlContext {
  static var force: Command {
    .change(
      "force", summary: "Force a range of client versions to update",
      discussion: """
        Refused if the newest visible version is itself in the range or below it, since those clients could \
        not update: 'stop' ends all prompts, and --when-visible records the force anyway. --grace reminds now and \
        forces later, in one command.
        """,
      examples: [
        .init("pawl force taxi below:7.2 --reason \"crash at start\" --yes", "all clients below 7.2"),
        .init("pawl force taxi 7.2.1 --reason \"wrong fares\" --yes", "one bad version"),
        .init(
          "pawl force taxi below:8.0 --grace 14d --reason \"new protocol\" --yes",
          "two weeks of reminders first"),
      ], options: .reasonedChange
    ) {
      (
        .app, .ruleRange, .period,
        .option(
          "--grace", "TIME", .time(.start), help: "Remind now; force from this time on, or after a span (14d)"
        ),
        .destination,
        .flag(
          "--when-visible",
          help: "Record it even if nothing newer is visible yet; it takes effect once something is")
      )
    } run: { changing, app, range, period, grace, destination, isForLater in
      try UsageError.demand(grace == nil || period.from == nil, together: "--grace and --from")
      return try NewRule(
        action: .force, app: app, range: range, period: period, grace: grace, destination: destination,
        isForLater: isForLater
      ).record(changing)
    }
  }

  static var remind: Command {
    .change(
      "remind", summary: "Remind a range of client versions to update",
      examples: [.init("pawl remind taxi below:7.4 --until 30d --yes", "for a month")]
    ) {
      (.app, .ruleRange, .period, .destination)
    } run: { changing, app, range, period, destination in
      try NewRule(action: .remind, app: app, range: range, period: period, destination: destination)
        .record(changing)
    }
  }

  static var allow: Command {
    .change(
      "allow", summary: "Leave a range of client versions alone, whatever the policy says",
      discussion: "Makes a rule with action none: these versions are not prompted.",
      examples: [
        .init("pawl allow taxi 6.9.2 --reason \"kiosks cannot update\"", "one version is left alone")
      ]
    ) {
      (.app, .ruleRange, .period)
    } run: { changing, app, range, period in
      try NewRule(action: .none, app: app, range: range, period: period).record(changing)
    }
  }
}

/// When something starts and stops counting, as it was written.
struct WrittenPeriod: Sendable {
  let from: WrittenTime?
  let until: WrittenTime?
  let zone: ZoneOptions

  func window(now: Timestamp, _ context: PawlContext) throws -> Window {
    Window(
      from: try from?.moment(now: now, zone, context), until: try until?.moment(now: now, zone, context))
  }
}

/// Where a rule sends clients, as it was written: a page, an app, or neither.
struct WrittenDestination: Sendable {
  var url: String?
  var app: String?

  func destination(for client: String, _ draft: inout ChangeSet) throws -> Destination? {
    try UsageError.demand(url == nil || app == nil, together: "--url and --to")
    if let url { return .url(try draft.url(url, for: draft.line(client).app)) }
    return app.map(Destination.app)
  }
}

extension Parameter where Value == VersionRange {
  fileprivate static var ruleRange: Parameter {
    .argument(
      "RANGE", .range, help: "Client versions: 7.2.1, all, below:7.3, upto:7.2, above:6, from:6.0, 6.0..7.2")
  }
}

extension Parameter where Value == WrittenPeriod {
  static var period: Parameter {
    .group(
      .option("--from", "TIME", .time(.start), help: "When it starts: a time, or a span (7d); default: now"),
      .option(
        "--until", "TIME", .time(.end),
        help: "When it ends: a time, the end of a date, or a span (7d); default: never"),
      .zone
    ) { WrittenPeriod(from: $0, until: $1, zone: $2) }
  }
}

extension Parameter where Value == WrittenDestination {
  static var destination: Parameter {
    .group(
      .option("--url", "URL", .text, help: "The page to send them to"),
      .option("--to", "APP", .slug, help: "The other app in the ledger to send them to")
    ) { WrittenDestination(url: $0, app: $1) }
  }
}

/// A rule to make, and the reminder before it if there is a grace period.
private struct NewRule {
  let action: Action
  let app: String
  let range: VersionRange
  let period: WrittenPeriod
  var grace: WrittenTime?
  var destination = WrittenDestination()
  var isForLater = false

  private var command: String { "\(action == .none ? "allow" : action.rawValue) \(range.text)" }

  func record(_ changing: Changing) throws -> ExitCode {
    try changing.run { draft in
      let now = draft.now
      let asked = try rules(&draft, changing)
      let made = try asked.map { rule in
        let numbered = rule.numbered(try draft.nextNumber(of: .rule))
        try draft.change(app, command: command) { line in line.make(numbered, with: asked, now: now) }
        return numbered
      }
      let line = try draft.line(app)
      // A rule that is there already has a number of its own; the reminder of a grace period comes before it.
      let rules = made.map { rule in (line.rules.last { $0 == rule } ?? rule).of(app) }
      var warnings = line.warnings(aboutRange: range)
      let formats = try DocumentExport.formatsWritten(of: draft.ledger, changing.context).filter(
        \.isByVersion)
      let isHeard = line.greatestEverLive.map { range.start <= VersionKey($0) } ?? false
      if action != .none, !formats.isEmpty, isHeard, !line.holdsKnown(range), !line.app.isPastWhole {
        warnings.append([Unfiled(range: range)].sentence(formats: formats.map(\.name)))
      }
      return Outcome(
        [("rule", rules[rules.count - 1].json)] + (rules.count > 1 ? [("graceRule", rules[0].json)] : []),
        rules.map { "\($0.text)\n" }.joined(), same: "\(rules[rules.count - 1].text): already there",
        next: "pawl rules \(app); "
          + rules.map { "'pawl lift \(app) \($0.record.number)'" }.joined(separator: " and ")
          + (rules.count > 1 ? " end it" : " ends it"), warnings: warnings)
    }
  }

  /// The rules to make, without their numbers; the requested one is last.
  private func rules(_ draft: inout ChangeSet, _ changing: Changing) throws -> [Rule] {
    let (now, context) = (draft.now, changing.context)
    let window = try period.window(now: now, context)
    let start = try grace?.moment(now: now, period.zone, context)
    let rule = Rule(
      number: 0, range: range, action: action, from: start ?? window.from, until: window.until,
      destination: try destination.destination(for: app, &draft), reason: changing.options.reason)
    var rules = [rule]
    if let start {
      guard now < start else {
        throw CommandFailure("time.order/grace", details: ["until": .string(start.text)])
      }
      rules.insert(
        Rule(
          number: 0, range: range, action: .remind, until: start, destination: rule.destination,
          reason: rule.reason), at: 0)
    }
    // What is there already is asked nothing (law 9), whatever became of the app that it leads to.
    let line = try draft.line(app)
    if rules.allSatisfy({ line.make($0, with: rules, now: now) == nil }) { return rules }
    let snapshot = try draft.snapshot(app, with: destination.app)
    try Refusal.of(command, on: app) { [rules] () throws(Refusal) in
      for rule in rules { try Snapshot.checkPeriod(Window(from: rule.from, until: rule.until), now: now) }
      if action == .force {
        try snapshot.checkForce(rule, isForLater: isForLater, now: now)
        if start != nil { try snapshot.checkGrace(rules, now: now) }
      } else if let other = destination.app {
        try snapshot.checkTarget(other, at: max(rule.from ?? now, now))
      }
    }
    return rules
  }
}

extension Owned<Rule> {
  var text: String {
    "rule \(record.number): \(app) \(record.range.text) → \(record.action.rawValue)"
      + (record.destination.map { " to \($0.text)" } ?? "") + record.windowText
  }
}

extension ValueType where Value == VersionRange {
  static var range: Self {
    reading("range.malformed", completion: .live(.range), meant: meant) { try VersionRange($0) }
  }

  /// `7.0..7.2` for `7.0-7.2`, and `from:7 below:8` for `7.x`.
  @Sendable private static func meant(_ text: String) -> String? {
    guard [".x", ".X", ".*"].contains(where: text.hasSuffix) else {
      return text.split(separator: "-").joined(separator: "..")
    }
    guard let version = try? Version(String(text.dropLast(2))),
      let next = version.successor(at: version.count - 1)?.spelled(components: version.count)
    else { return nil }
    return "from:\(version.text) below:\(next.text)"
  }
}
