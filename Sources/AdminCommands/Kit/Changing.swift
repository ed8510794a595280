import CommandLineKit
import Export
import JSON
import Ledger
import Platform
import ReleaseModel

/// A change that a command makes: decided on a draft, agreed to, recorded, and handed on to the documents.
final class Changing {
  let options: ChangeOptions
  let context: PawlContext
  /// What belongs to the command but is not in its words: digests of files it reads.
  private var extraWords: [String] = []
  /// Whether the command is recorded even if the clock looks wrong.
  var isUrgent = false
  /// Whether it silences documents that belong to another file of the ledger, too.
  var silencesOthers = false
  /// Whether the command names the directory for documents, which counts as this host's consent to write
  /// there.
  var namesDirectory = false
  /// What the command takes back, which a question names.
  var subject: () -> String? = { nil }
  /// The argument that was left out, which a plan names.
  var omitted: () -> String? = { nil }
  /// Which questions whoever gives the command is asked.
  var asks: (Question) -> Bool = { _ in true }
  /// The moment of the change, once a draft of it was made.
  var now: Timestamp?
  /// What the last draft did, and what it does to clients.
  private var outcome = Outcome()
  private var effects: Effects?
  /// The formats of the documents that follow, and what they will lack; nil until it is looked for.
  private var formats: [any DocumentFormat] = []
  private var looked: (cases: [ComparedCase], published: [(snapshot: Snapshot, version: Version)]) = ([], [])
  private var found: [ExportFinding]?
  /// The event that the change ends with, and the schedules made with it.
  private(set) var made: (event: Int64, schedules: [String: Schedule])?
  /// The preview that someone agreed to.
  private var agreed: (impact: JSON, warnings: [String])?

  init(_ options: ChangeOptions, _ context: PawlContext) {
    self.options = context.planTask?.applied.map { options.applied(by: $0.options) } ?? options
    self.context = context
  }

  /// Adds what the command reads besides its words, such as digests of files, which a request covers.
  @discardableResult
  func covering(_ words: [String]) -> Changing {
    extraWords = words
    return self
  }

  var command: String { "pawl " + options.call.path.joined(separator: " ") }

  func recording() -> Recording {
    let call = options.call
    let (task, applied) = (context.planTask, context.planTask?.applied)
    let request = options.requestID.map { id in
      Recording.Request(
        id: id,
        words: applied.map { ["plan", "apply", $0.plan.digest] }
          ?? call.path + call.words.flatMap { [$0.name, $0.value ?? ""] } + extraWords)
    }
    var recording = Recording(
      actor: Attribution(context: context, claimed: options.actor).json,
      reason: options.reason,
      request: options.plan == nil ? request : nil, expectedHead: options.expectedHead.map { Int64($0) },
      isDryRun: options.isDryRun || task?.isRehearsal == true, clock: context.clock(), command: command)
    recording.isPlanned = options.plan != nil
    recording.isAgreed = options.isAgreed(context)
    recording.mayAgree = context.mayAgree
    recording.words = call.recorded
    recording.plan = applied?.plan
    recording.clockCheck = ClockCheck(
      earliest: context.programDate, isAccepted: options.isClockAccepted, isUrgent: isUrgent)
    return recording
  }

  /// Records the changes that a body makes, and prints what came of them.
  ///
  /// - Parameters:
  ///   - opened: The ledger, if it is already open.
  ///   - work: Shows the progress of the body and the recording, if they take long.
  ///   - body: Makes the changes; may run again if the ledger moved on in the meantime.
  func run(
    on opened: Ledger? = nil, work: LongWork? = nil, _ body: (inout ChangeSet) throws -> Outcome
  ) throws -> ExitCode {
    let task = context.planTask
    let ledger =
      try opened ?? (task?.isRehearsal == true ? options.common.open(context) : options.open(context))
    defer { if opened == nil { ledger.close() } }
    let mayRecord = !options.isDryRun && task?.isRehearsal != true
    if mayRecord { try DocumentExport.makeRoom(ledger, context) }
    let recorded = try decide(on: ledger, work: work, body)
    work?.pause()
    if let event = recorded.answer["event"]?.integer { made = effects.map { (event, $0.schedules) } }
    if let task, task.isRehearsal { return try task.end(with: recorded, self, ledger) }
    // If a request is retried, writing its documents may have failed the first time.
    let isRecorded =
      mayRecord
      && (recorded.isRepeated || recorded.answer["changed"]?.bool == true || namesDirectory || isUrgent)
    // An urgent change writes only the documents that follow from it, not those that wait for other reasons.
    var apps: Set<String> = []
    if isUrgent, let concerned = effects?.concerned, !concerned.isEmpty {
      // A stop that did not reach clients is made good by the next one.
      apps = Set(try concerned + ledger.apps().filter(\.isStopped).map(\.slug))
    }
    func unreached() -> [Finding] {
      isUrgent && isRecorded ? Elsewhere.unreached(by: ledger, context, isAnyones: silencesOthers) : []
    }
    try conclude(on: ledger, apps: apps, isRecorded: isRecorded, isQuiet: options.common.isJSON) { written in
      let isSaid = options.common.isJSON && isUrgent && isRecorded
      try print(
        recorded, on: ledger, written, isSaid ? [("unreached", .array(unreached().map(\.json)))] : [])
    }
    for finding in options.common.isJSON ? [] : unreached() {
      context.note("warning: not reached: \(finding.message): \(finding.hint)\n")
    }
    return .success
  }

  /// Decides a change on a draft, asks for agreement, and records it; a dry run and a plan record nothing.
  func decide(
    on ledger: Ledger, work: LongWork? = nil, _ body: (inout ChangeSet) throws -> Outcome
  ) throws -> Recorded {
    let isChecking = if case .checking = context.planTask?.purpose { true } else { false }
    formats = isChecking ? [] : try DocumentExport.formatsWritten(of: ledger, context)
    do {
      return try ledger.record(
        recording(),
        confirm: { question in
          work?.pause()
          if asks(question) { try confirm(question, on: ledger) }
        },
        body: { draft in
          outcome = try body(&draft)
          now = draft.now
        },
        answer: { effects in
          (self.effects, found, looked) = (effects, nil, ([], []))
          if !isUrgent, formats.contains(where: { !$0.saysTimes }) {
            looked = (effects.documentCases(), try effects.published())
          }
          try context.planTask?.look(effects)
          return try outcome.kept(effects, isUrgent: isUrgent)
        },
        progress: { done, total in try work?.step("recording", done, of: total) })
    } catch LedgerError.approvalsRequired(let approvals) {
      work?.pause()
      let impact = approvals.impact
      let text = preview(
        of: impact.lines, on: ledger, outcome.warnings, outcome.wholePasts, otherwise: impact.rest)
      if !options.common.isJSON { context.note(text) }
      var report = approvals.failure(command: command, isPlan: context.planTask != nil)
      report.details = details(report.details, impact.lines, ledger)
      throw report
    }
  }

  /// Prints what was recorded, and writes the documents that follow from it, even if printing fails.
  ///
  /// - Parameters:
  ///   - apps: The apps whose documents are checked; empty for all apps.
  ///   - say: Prints the answer; with `--json` it runs after the documents are written, and gets the result.
  func conclude(
    on ledger: Ledger, apps: Set<String> = [], isRecorded: Bool, isQuiet: Bool,
    saying say: (_ documents: JSON?) throws -> Void
  ) throws {
    func update() throws -> JSON? {
      guard isRecorded else { return nil }
      return try DocumentExport.update(after: ledger, self, apps: apps, isQuiet: isQuiet)
    }
    let written = options.common.isJSON ? Result { try update() } : nil
    var unsaid: SystemError?
    do {
      try say(try? written?.get())
    } catch let error as SystemError {
      unsaid = error
    }
    if let written { _ = try written.get() } else { _ = try update() }
    guard let unsaid else { return }
    guard isRecorded, !unsaid.isClosedPipe else { throw unsaid }
    throw CommandFailure("output.failed", ["reason": unsaid.reason])
  }

  /// Prints the answer of the change.
  ///
  /// - Parameters:
  ///   - written: What became of the documents.
  ///   - more: What the JSON says besides.
  func print(
    _ recorded: Recorded, on ledger: Ledger, _ written: JSON? = nil, _ more: Outcome.Members = []
  ) throws {
    let (json, words) = Outcome.divided(recorded.json)
    let impact = [ImpactLine](of: json["impact"])
    let warnings = json["warnings"]?.array?.compactMap(\.string) ?? []
    if options.common.isJSON {
      let documents = DocumentExport.told(written, foreseen(impact, ledger, warnings))
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
    // Someone who just agreed to the preview need not read it twice.
    let isShown = agreed.map { $0.impact == json["impact"] && $0.warnings == warnings } ?? false
    if !isShown {
      let whole = Set(words?["whole"]?.array?.compactMap(\.string) ?? [])
      out += preview(of: impact, on: ledger, warnings, whole)
    }
    if let asks = json["asks"]?.bool {
      out += "Recording it \(asks ? "asks, or needs --yes" : "does not ask").\n"
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

  // MARK: - The preview

  /// Asks for agreement on a terminal; elsewhere demands `--yes`.
  func confirm(_ question: Question, on ledger: Ledger) throws {
    let subject = subject().map { "takes back \($0)" }
    let (impact, warnings) = (question.impact, outcome.warnings)
    // The question itself says what is not recorded.
    let whole = question.unrecorded == nil ? outcome.wholePasts : nil
    let preview = preview(of: impact.lines, on: ledger, warnings, whole, otherwise: impact.rest)
    guard context.mayAsk else {
      // With --json the preview is in the error's details.
      if !options.common.isJSON { context.note(context.page(preview)) }
      let reasons = [subject.map { "it \($0)" }, question.need == .undo ? nil : question.words].compactMap(
        \.self)
      throw CommandFailure(
        "confirm.required", ["command": command, "why": reasons.joined(separator: "; ")],
        details: details(["impact": impact.json], impact.lines, ledger),
        hint: context.agreementHint ?? question.unrecorded?.pastHint)
    }
    context.note(context.page((subject.map { "'\(command)' \($0).\n" } ?? "") + preview))
    if let ways = question.unrecorded?.pastWays { context.note(context.page("\n\(ways)\n")) }
    try require(Preview.now(now, ledger, context).question(question))
    agreed = (impact.json, warnings)
  }

  /// What clients are told before and after, for people.
  func told(_ lines: [ImpactLine], on ledger: Ledger, _ whole: Set<String> = [], past: String = "") -> String
  {
    var preview = Preview.now(now, ledger, context)
    (preview.showsAll, preview.more) = (options.showsAll, options.moreRanges)
    (preview.whole, preview.past) = (whole, past)
    return preview.text(lines)
  }

  /// The warnings, what clients are told, and what their documents will lack.
  ///
  /// - Parameters:
  ///   - whole: The apps whose past is whole; nil if no past is to be named.
  ///   - rest: What is said where no prompt changes; nil for nothing.
  private func preview(
    of impact: [ImpactLine], on ledger: Ledger, _ warnings: [String], _ whole: Set<String>?,
    otherwise rest: Impact.Rest? = nil
  ) -> String {
    let namesPast = ["publish", "mark", "import", "app"].contains(options.call.path.first)
    let unrecorded = namesPast ? whole.flatMap { Impact(lines: impact).unrecorded(except: $0) } : nil
    let past = unrecorded.map { "\($0.pastWords).\n\($0.pastWays)\n" } ?? ""
    let told = told(impact, on: ledger, whole ?? [], past: past)
    return ReleaseText.warnings(warnings) + (told.isEmpty ? rest.map { "\n" + Preview.text($0) } ?? "" : told)
      + DocumentExport.foreseen(foreseen(impact, ledger, warnings))
  }

  /// What the documents will lack; found out outside of the ledger's transaction, which keeps others waiting.
  func foreseen(
    _ lines: [ImpactLine], _ ledger: Ledger, _ warnings: [String]
  ) -> [ExportFinding] {
    let (now, formats) = (now ?? .distantPast, formats.filter { !$0.saysTimes })
    let found =
      found
      ?? looked.cases.documentFindings(in: formats, from: now)
      + looked.published.flatMap { $0.snapshot.misreading(of: $0.version, in: formats, at: now) }
    self.found = found
    return found + DocumentExport.unfiled(lines, in: self.formats, ledger, besides: warnings)
  }

  private func details(_ details: JSON, _ lines: [ImpactLine], _ ledger: Ledger) -> JSON {
    DocumentExport.told(nil, foreseen(lines, ledger, outcome.warnings)).map {
      details.adding(["documents": $0])
    } ?? details
  }
}
