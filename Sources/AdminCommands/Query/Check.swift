import CommandLineKit
import JSON
import Ledger
import ReleaseModel

private struct CheckOptions: Sendable {
  var common = CommonOptions()
  var app = ""
  var version: Version?
  var os: Version?
  var locale: String?
  var at: Timestamp?
  var asOf: PastPoint?
  var isExplained = false
  var readsInput = false
}

extension Command where Context == PawlContext {
  /// What a client is told.
  static var check: Command {
    Command(
      "check", summary: "Ask what a client is told",
      discussion: """
        Answers from the ledger for one client version, now or at another moment. With --stdin it answers many: one \
        'VERSION [OS]' a line in, one JSON object a line out.
        """,
      examples: [
        .init("pawl check taxi 7.3.2", "what that version is told now"),
        .init("pawl check taxi 7.3.2 --os 16.4 --explain", "each step of the decision"),
        .init("pawl check taxi 7.3.2 --as-of 2026-11-20T12:00:00Z", "what it was told at that hour"),
        .init("pawl check taxi --stdin < versions.txt", "many at once"),
      ],
      section: "Answers", options: { CheckOptions() },
      parameters: {
        [
          .argument("APP", .slug, help: "The app") { $0.app = $1 },
          .argument("VERSION", .version, help: "The client's version", required: false) { $0.version = $1 },
          .option("--os", "V", .shortVersion, help: "The client's system") { $0.os = $1 },
          .option("--locale", "L", .locale, help: "The language of the notes") { $0.locale = $1 },
          .option("--at", "TIME", .moment, help: "Ask for another moment") { $0.at = $1 },
          .option(
            "--as-of", "TIME|SEQ", .pastPoint, help: "Ask the ledger as it was, by replaying its events"
          ) {
            $0.asOf = $1
          },
          .flag("--explain", help: "Print every step, with the event that made it so") {
            $0.isExplained = true
          },
          .flag("--stdin", help: "Read 'VERSION [OS]' lines and print one JSON object each") {
            $0.readsInput = true
          },
        ] + CommonOptions.parameters.pulled(\.common)
      }
    ) { options, _, context in
      if options.readsInput {
        guard options.version == nil, options.os == nil, !options.isExplained else {
          throw UsageError(
            message: "--stdin reads versions and systems, so VERSION, --os and --explain do not go with it")
        }
      } else if options.version == nil {
        throw UsageError(
          id: "usage.missing-argument", message: "argument VERSION is missing",
          hint: "name the client's version, or read many with --stdin")
      }
      let ledger = try options.common.open(context)
      let asked = try AskedLedger(ledger, asOf: options.asOf, clock: context.clock()) {
        try $0.snapshot(options.app)
      } replayed: {
        try $0.snapshot(options.app)
      }
      ledger.close()
      let (snapshot, head) = (asked.answer, asked.head.seq)
      let decider = Decider(snapshot, at: options.at ?? asked.moment)
      guard let version = options.version else {
        return try CheckStream(decider, snapshot, locale: options.locale, head: head).run(context)
      }
      let client = Client(version: version, os: options.os)
      let (decision, steps) = options.isExplained ? decider.explain(client) : (decider.decide(client), [])
      let answer = CheckAnswer(decider, snapshot, client, decision, locale: options.locale, head: head)
      if options.common.isJSON {
        var json = answer.json
        if options.isExplained, var object = json.object {
          object["steps"] = .array(steps.map(\.json))
          json = .object(object)
        }
        try context.print(json.text() + "\n")
        return .success
      }
      var text = answer.text(
        at: options.at ?? (options.asOf == nil ? nil : asked.moment), styles: context.hasStyles)
      if options.isExplained { text += "\n" + stepTable(steps, context) }
      try context.print(text)
      return .success
    }
  }

  private static func stepTable(_ steps: [DecisionStep], _ context: PawlContext) -> String {
    var table = Table(columns: [Column("STEP"), Column("EVENT", .right), Column("RESULT")])
    for step in steps {
      table.add([Cell(step.step), Cell(step.event.map { String($0) } ?? "–", .dim), Cell(step.result)])
    }
    return context.rendered(table)
  }
}

extension ValueType where Value == String {
  /// A language tag.
  fileprivate static var locale: Self {
    ValueType { text throws(ValueError) in
      guard Release.isLocale(text) else {
        throw ValueError("not a language tag", hint: "such as en, de-DE or zh-Hans", id: "locale.malformed")
      }
      return text
    }
  }
}
