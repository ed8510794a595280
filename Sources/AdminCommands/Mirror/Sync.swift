import CommandLineKit
import JSON
import Ledger
import Mirror
import ReleaseModel

extension Command where Context == PawlContext {
  static var sync: Command {
    Command(
      "sync", no: "the mirror was refused for some app", summary: "Bring a mirror up to date",
      discussion: """
        A mirror is your own database, from which a backend answers at login and at heartbeat. Runs COMMAND, such as \
        psql, with statements on its standard input, and believes only what comes back on its standard output. Asks the \
        mirror what it holds, compares that with the ledger, sends the schedules that differ, and asks again. A run may \
        be lost, repeated or killed: the next one repairs it. Run it from a timer, and at once when the ledger is \
        written; give COMMAND a time limit with timeout(1). COMMAND's words are no place for a password. With \
        --schema, prints what makes the tables instead. See 'pawl help mirrors'.
        """,
      examples: [
        .init("pawl sync app --as postgresql --schema | psql service=app -qX", "make the tables"),
        .init("pawl sync app --as postgresql -- psql service=app -qXAt", "bring them up to date"),
        .init("pawl sync app --as mysql --verify --repair -- mysql -N -B pawl", "compare every row, too"),
      ]
    ) {
      (
        .argument("NAME", .mirror, help: "The mirror, as the board and doctor call it"),
        .requiredOption("--as", "KIND", .one(of: MirrorKind.self), help: "What it is"),
        .flag("--schema", help: "Print the statements that make its tables, and exit"),
        .flag("--verify", help: "Compare every row"),
        .flag("--repair", help: "With --verify: send what differs again"),
        .flag(
          "--take-over",
          help: "Replace what is of another file of the ledger, or of events that it lost; asks first"),
        .arguments("COMMAND", .text, help: "The program and its arguments, after --", required: false),
        .takingOver
      )
    } run: { context, name, kind, isSchema, verifies, repairs, takesOver, command, options in
      if isSchema {
        try UsageError.demand(!options.common.isJSON, together: "--schema and --json")
        try context.print(kind.store.schema)
        return .success
      }
      try UsageError.demand(!command.isEmpty, "usage.missing-argument/sync")
      try UsageError.demand(verifies || !repairs, "--repair", needs: "--verify")
      let ledger = try options.common.open(context)
      try ledger.checkHead()
      var run = try SyncRun(name, kind, ledger, clock: context.clock) {
        try context.captureProgram(command, $0, true)
      }
      do {
        let work = LongWork(context)
        defer { work.pause() }
        try work.step()
        try run.compare()
        work.pause()
        if takesOver { try run.takeOver(options, context) }
        if verifies { try run.verify(repairs: repairs) }
        try run.send { try work.step() }
      } catch {
        run.keep(fault: report(error).id, context)
        throw error
      }
      run.keep(fault: run.failure?.id, context)
      try options.common.print(run.json, context) { run.text }
      if let failure = run.failure { throw failure }
      return .success
    }
  }
}

extension Parameter where Value == ChangeOptions {
  /// A take-over asks as a change does, but records nothing.
  fileprivate static var takingOver: Parameter {
    .group(
      .call, .flag("--yes", short: Character("y"), help: "Confirm a take-over without being asked"), .common
    ) { ChangeOptions(call: $0, saysYes: $1, common: $2) }
  }
}

extension SyncRun {
  /// How many apps are named where many are refused.
  private static let most = 10

  private var refused: [Line] { lines.filter { $0.fault != nil } }

  private var warnings: [(id: String, words: String, seconds: Int64?)] {
    (skew.map { [("mirror.clock", Self.words(ofSkew: $0), $0)] } ?? [])
      + (canAsk
        ? []
        : [("mirror.functions", "the function that backends ask is not there: run the schema again", nil)])
  }

  var json: JSON {
    [
      "apps": .array(lines.map(\.json)), "mirror": .string(name),
      "stopped": .array(stopped.sorted().map { .string($0) }),
      "warnings": .array(
        warnings.map { ["id": .string($0), "message": .string($1), "seconds": .optional($2)] }),
    ]
  }

  private static func words(ofSkew skew: Int64) -> String {
    "the mirror's clock is \(abs(skew)) s \(skew > 0 ? "ahead" : "behind"), and so are its answers: set it"
  }

  var text: String {
    let counts = ["same", "sent", "removed", "refused"].map { outcome in
      "\(lines.filter { $0.outcome == outcome }.count) \(outcome)"
    }
    var text = "\(name): \(counts.joined(separator: ", ")).\n"
    for line in refused.prefix(Self.most) { text += "refused: \(line.app): \(line.words)\n" }
    if refused.count > Self.most { text += "refused: \(grouped(refused.count - Self.most)) more\n" }
    if !stopped.isEmpty {
      text += "stopped by the mirror's own switch: \(stopped.sorted().joined(separator: ", "))\n"
    }
    for warning in warnings { text += "warning: \(warning.words)\n" }
    return text
  }

  /// Why the run ends with a status other than 0; nil if it does not.
  var failure: CommandFailure? {
    guard let first = refused.first(where: { $0.fault?.isSending == true }) ?? refused.first,
      let fault = first.fault
    else { return nil }
    let others = refused.count == 1 ? "" : " (and \(grouped(refused.count - 1)) more)"
    return CommandFailure(
      fault == .unsound ? "answers.altered/mirror" : fault.rawValue,
      [
        "name": name, "what": "\(first.app): \(first.words)\(others)",
        "said": fault.isSending ? said : "",
      ],
      details: [
        "apps": .array(refused.prefix(Self.most).map(\.json)), "refused": .integer(Int64(refused.count)),
      ])
  }

  /// Keeps what was found, for the board and `doctor`; an account that may only read the ledger keeps nothing.
  func keep(fault: String?, _ context: PawlContext) {
    guard let folder = try? CompanionFolder(.mirrors, of: ledger, makes: true) else {
      return
    }
    let earlier = (try? folder.read("\(name).json")) ?? nil
    var generations = lines.isEmpty ? earlier?["apps"]?.object ?? JSON.Object() : JSON.Object()
    for line in lines {
      if let head = line.head { generations[line.app] = .integer(head.generation) }
    }
    let now = (try? ledger.now(clock: context.clock())) ?? context.clock()
    let since = fault == nil ? nil : earlier?["failingSince"]?.string ?? now.text
    try? folder.write(
      ["apps": .object(generations), "fault": .optional(fault), "failingSince": .optional(since)],
      "\(name).json")
  }

  /// Lets the ledger go on where another file or another past of it spoke, after asking.
  mutating func takeOver(_ options: ChangeOptions, _ context: PawlContext) throws {
    let now = try ledger.now(clock: context.clock())
    guard let pairs = try replacements(at: now) else { return }
    if !options.isAgreed(context) {
      let changing = Changing(options, context, on: ledger)
      changing.now = now
      try changing.confirm(
        Question(need: .takeOver, impact: ledger.impact(ofReplacing: pairs, at: now)))
    }
    takeOver()
  }
}
