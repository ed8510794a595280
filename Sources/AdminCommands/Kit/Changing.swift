import CommandLineKit
import Export
import JSON
import Ledger
import Platform
import ReleaseModel

/// A change that a command makes: one value from its words to its answer.
///
/// `decide` puts it together on a draft, asks for agreement and has it recorded; `conclude` writes the documents that
/// follow, and has the answer printed.
final class Changing {
  let options: ChangeOptions
  let context: PawlContext
  /// The plan that is made of it, or that it is made from.
  let task: PlanTask?
  /// What belongs to the command but is not in its words: digests of files it reads.
  private var extraWords: [String] = []
  /// Whether the command is recorded even if the clock looks wrong.
  var isUrgent = false
  /// Whether it silences documents that belong to another file of the ledger, too.
  var silencesOthers = false
  /// Whether the command names the directory for documents, which counts as this host's consent to write
  /// there.
  var namesDirectory = false
  /// Puts beside the ledger what belongs to the change, once that is recorded and before its documents are written.
  var keepBesideLedger: () throws -> Void = {}
  /// Which questions whoever gives the command is asked.
  var asks: (Question) -> Bool = { _ in true }
  /// The ledger, once it is needed.
  private(set) var ledger: Ledger?
  /// The moment of the change, once a draft of it was made.
  var now: Timestamp?
  /// What the last draft did, what it does to clients, and what the documents will lack, once that is looked for.
  private(set) var outcome = Outcome()
  private var effects: Effects? { didSet { lacking = nil } }
  private var lacking: [ExportFinding]?
  /// The formats of the documents that follow; none if that cannot be found out.
  private lazy var formats =
    ledger.flatMap { try? DocumentExport.formatsWritten(of: $0, context) } ?? []
  /// The event that the change ends with, and the schedules made with it.
  private(set) var made: LedgerDocuments.Made?
  /// Whether the command asks before it decides anything.
  var asksFirst = false
  /// The preview that someone agreed to.
  private var agreed: (impact: [ImpactLine], warnings: [String])?

  init(_ options: ChangeOptions, _ context: PawlContext, on ledger: Ledger? = nil) {
    task = context.planTask
    self.options = task?.applied.map { options.applied(by: $0.options) } ?? options
    (self.context, self.ledger) = (context, ledger)
  }

  /// Adds what the command reads besides its words, such as digests of files, which a request covers.
  func cover(_ words: [String]) { extraWords = words }

  var command: String { "pawl " + options.call.path.joined(separator: " ") }

  /// Whether anything is recorded if no one refuses it; a dry run and a plan record nothing.
  var mayRecord: Bool { !options.isDryRun && task?.isRehearsal != true }

  func open() throws -> Ledger {
    let opened =
      try ledger ?? (task?.isRehearsal == true ? options.common.open(context) : options.open(context))
    ledger = opened
    return opened
  }

  func recording() -> Recording {
    let (call, applied) = (options.call, task?.applied?.plan)
    let request = options.requestID.map { id in
      Recording.Request(
        id: id,
        words: applied.map { ["plan", "apply", $0.digest] }
          ?? call.path + call.words.flatMap { [$0.name, $0.value ?? ""] } + extraWords)
    }
    var recording = Recording(
      actor: Attribution(context: context, claimed: options.actor).json, reason: options.reason,
      request: options.plan == nil ? request : nil, expectedHead: options.expectedHead.map { Int64($0) },
      isDryRun: !mayRecord, clock: context.clock(), command: command)
    recording.isPlanned = options.plan != nil
    recording.isAgreed = options.isAgreed(context)
    recording.mayAgree = context.mayAgree
    recording.words = call.recorded
    recording.plan = applied
    recording.clockCheck = ClockCheck(
      earliest: context.programDate, isAccepted: options.isClockAccepted, isUrgent: isUrgent)
    return recording
  }

  /// Records the changes that a body makes, and prints what came of them.
  ///
  /// - Parameters:
  ///   - work: The long work that the body and the recording are, if they are.
  ///   - body: Makes the changes; may run again if the ledger moved on in the meantime.
  func run(work: LongWork? = nil, _ body: (inout ChangeSet) throws -> Outcome) throws -> ExitCode {
    try UsageError.demand(!options.isDryRun || options.plan == nil, together: "--dry-run and --plan")
    let ledger = try open()
    if mayRecord { try DocumentExport.makeRoom(ledger, context) }
    let recorded = try decide(work: work, body)
    work?.pause()
    if let task, task.isRehearsal {
      task.recorded = recorded
      if let command = task.making { try writePlan(of: command, recorded) }
      return .success
    }
    if let event = recorded.answer["event"]?.integer { made = effects.map { (event, $0.schedules) } }
    // If a request is retried, writing its documents may have failed the first time.
    let isRecorded =
      mayRecord
      && (recorded.isRepeated || recorded.answer["changed"]?.bool == true || namesDirectory || isUrgent)
    // An urgent change writes only the documents that follow from it, not those that wait for other reasons.
    var apps: Set<String> = []
    if isUrgent, let concerned = effects?.concerned, !concerned.isEmpty {
      // A stop that did not reach clients is made good by the next one. If the apps cannot be read any more, neither can
      // the documents be written, which says that the change is there.
      let stopped = (try? ledger.apps().filter(\.isStopped).map(\.slug)) ?? []
      apps = Set(concerned + stopped)
    }
    var unreached: [Finding]?
    try conclude(apps: apps, isRecorded: isRecorded) { documents in
      if isUrgent, isRecorded {
        unreached = Elsewhere.unreached(by: ledger, context, isAnyones: silencesOthers)
      }
      try print(
        recorded, documents: documents, unreached.map { [("unreached", .array($0.map(\.json)))] } ?? [])
    }
    for finding in options.common.isJSON ? [] : unreached ?? [] {
      context.note("warning: not reached: \(finding.message): \(finding.hint)\n")
    }
    return .success
  }

  /// Decides a change on a draft, asks for agreement, and records it unless nothing may be recorded.
  func decide(
    work: LongWork? = nil, _ body: (inout ChangeSet) throws -> Outcome
  ) throws -> Recorded {
    do {
      return try open().record(
        recording(),
        confirm: { question in
          work?.pause()
          if asks(question) { try confirm(question) }
        },
        body: { draft in
          outcome = try body(&draft)
          now = draft.now
        },
        answer: { effects in
          self.effects = effects
          try task?.look(effects)
          return try outcome.kept(effects, isUrgent: isUrgent)
        },
        between: { try work?.step() })
    } catch LedgerError.approvalsRequired(let approvals) {
      work?.pause()
      let impact = approvals.impact
      if !options.common.isJSON {
        context.note(preview(of: impact.lines, outcome.warnings, outcome.wholePasts, otherwise: impact.rest))
      }
      var report = approvals.failure(command: command, isPlan: task != nil)
      report.details = details(report.details, impact.lines)
      throw report
    }
  }

  /// Writes the documents that follow from what was recorded, and has the answer printed, whichever of the two fails.
  ///
  /// - Parameters:
  ///   - apps: The apps whose documents are checked; empty for all apps.
  ///   - isQuiet: Whether people are not told of the documents.
  ///   - say: Prints the answer; it gets what became of the documents.
  func conclude(
    apps: Set<String> = [], isRecorded: Bool, isQuiet: Bool = false, saying say: (JSON?) throws -> Void
  ) throws {
    let written = Result { isRecorded ? try DocumentExport.update(after: self, apps: apps) : nil }
    let said = Result { try say((try? written.get())?.told) }
    let notes = try written.get()?.notes ?? ""
    try said.get()
    if !isQuiet, !options.common.isJSON { context.note(notes) }
  }

  /// Prints the answer of the change.
  ///
  /// - Parameters:
  ///   - written: What became of the documents.
  ///   - more: What the JSON says besides.
  func print(_ recorded: Recorded, documents written: JSON? = nil, _ more: Outcome.Members = []) throws {
    var (json, words) = Outcome.divided(recorded.json)
    if asksFirst, json["asks"] != nil { json = json.adding(["asks": true]) }
    let impact = [ImpactLine](of: json["impact"])
    let warnings = json["warnings"]?.array?.compactMap(\.string) ?? []
    if options.common.isJSON {
      let documents = DocumentExport.told(written, foreseen(impact, warnings))
      let members = more + (documents.map { [("documents", $0)] } ?? [])
      return try context.print(json.adding(.object(JSON.Object(members))).text() + "\n")
    }
    var out = options.isDryRun ? "Dry run: nothing was recorded.\n" : ""
    if recorded.isRepeated { out += "This request was recorded earlier; its answer was:\n" }
    out += words?["done"]?.string ?? ""
    if impact.isEmpty {
      let rest = json["rest"]?.string.flatMap(Impact.Rest.init(rawValue:)).map(Preview.text)
      out += words?["unprompted"]?.string ?? rest ?? ""
    }
    out = inZone(out)
    // Someone who just agreed to the preview need not read it twice, though its moments moved on meanwhile.
    let isShown =
      agreed.map { $0.warnings == warnings && $0.impact.elementsEqual(impact, by: { $0.isShown(by: $1) }) }
      ?? false
    if !isShown {
      out += preview(of: impact, warnings, Set(words?["whole"]?.array?.compactMap(\.string) ?? []))
    }
    if let asks = json["asks"]?.bool, json["changed"] == true {
      let needed = json["approvals"]?["needed"]?.integer.map { grouped(Int($0), "approval") }
      let way = needed.map { "needs \($0): --plan FILE" } ?? (asks ? "asks, or needs --yes" : "does not ask")
      out += "Without --dry-run, it \(way).\n"
    }
    // Some commands supply a reason of their own, which needs no note.
    let isReasonGiven = options.call.words.contains { $0.name == "--reason" }
    if json["changed"] == false, json["event"] == .null, !options.isDryRun, isReasonGiven {
      context.note("note: nothing changed, so the reason is not recorded\n")
    }
    if let next = words?["next"]?.string, !options.isDryRun {
      out += (impact.isEmpty || isShown ? "" : "\n") + "next: \(next)\n"
    }
    try context.print(context.page(out))
  }

  /// A text with its moments in the zone of the command, but for what the person's own words say.
  private func inZone(_ text: String) -> String {
    context.inZone(text, butFor: options.call.words.compactMap(\.value))
  }

  // MARK: - The preview

  /// Asks for agreement on a terminal; elsewhere demands `--yes`.
  func confirm(_ question: Question) throws {
    let (impact, warnings) = (question.impact, outcome.warnings)
    // The question itself says what is not recorded.
    let whole = question.unrecorded == nil ? outcome.wholePasts : nil
    let preview = preview(of: impact.lines, warnings, whole, otherwise: impact.rest)
    guard context.mayAsk else {
      // With --json the preview is in the error's details.
      if !options.common.isJSON { context.note(context.page(preview)) }
      let reasons = [
        outcome.takesBack.map { "it takes back \($0)" }, question.need == .undo ? nil : question.words,
      ].compactMap(\.self)
      throw CommandFailure(
        "confirm.required", ["command": command, "why": reasons.joined(separator: "; ")],
        details: details(["impact": impact.json], impact.lines),
        hint: context.agreementHint ?? question.unrecorded?.pastHint)
    }
    context.note(
      context.page((outcome.takesBack.map { "'\(command)' takes back \($0).\n" } ?? "") + preview))
    if let ways = question.unrecorded?.pastWays { context.note(context.page("\n\(ways)\n")) }
    try require(Preview.now(now, ledger, context).question(question))
    agreed = (impact.lines, warnings)
  }

  /// The warnings, what clients are told before and after, and what their documents will lack.
  ///
  /// - Parameters:
  ///   - whole: The apps whose past is whole; nil if no past is to be named.
  ///   - rest: What is said where no prompt changes; nil for nothing.
  func preview(
    of impact: [ImpactLine], _ warnings: [String] = [], _ whole: Set<String>? = nil,
    otherwise rest: Impact.Rest? = nil
  ) -> String {
    let namesPast = ["publish", "mark", "import", "app"].contains(options.call.path.first)
    let unrecorded = namesPast ? whole.flatMap { Impact(lines: impact).unrecorded(except: $0) } : nil
    var preview = Preview.now(now, ledger, context)
    (preview.showsAll, preview.more, preview.whole) = (options.showsAll, options.moreRanges, whole ?? [])
    preview.past = unrecorded.map { "\($0.pastWords).\n\($0.pastWays)\n" } ?? ""
    let told = preview.text(impact)
    return inZone(
      ReleaseText.warnings(warnings) + (told.isEmpty ? rest.map { "\n" + Preview.text($0) } ?? "" : told)
        + DocumentExport.foreseen(foreseen(impact, warnings)))
  }

  /// What the documents will lack; found out outside of the ledger's transaction, which keeps others waiting.
  func foreseen(_ lines: [ImpactLine], _ warnings: [String]) -> [ExportFinding] {
    guard let ledger else { return [] }
    let found = lacking ?? (isUrgent ? [] : effects?.lacking(in: formats) ?? [])
    lacking = found
    return found + DocumentExport.unfiled(lines, in: formats, ledger, besides: warnings)
  }

  private func details(_ details: JSON, _ lines: [ImpactLine]) -> JSON {
    DocumentExport.told(nil, foreseen(lines, outcome.warnings)).map { details.adding(["documents": $0]) }
      ?? details
  }
}
