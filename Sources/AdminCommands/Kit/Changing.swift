import CommandLineKit
import Export
import JSON
import Ledger
import Platform
import ReleaseModel

/// The steps that every command that changes the ledger takes around its own part.
struct Changing {
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

  init(_ options: ChangeOptions, _ context: PawlContext) {
    self.options = context.planTask?.applied.map { options.applied(by: $0.options) } ?? options
    self.context = context
  }

  /// The same change with what it reads besides its words, such as digests of files, which a request covers.
  func covering(_ words: [String]) -> Changing {
    var changing = self
    changing.extraWords = words
    return changing
  }

  var command: String { "pawl " + options.call.path.joined(separator: " ") }

  func recording() -> Recording {
    let call = options.call
    let applied = context.planTask?.applied
    let request = options.requestID.map { id in
      Recording.Request(
        id: id,
        words: applied.map { ["plan", "apply", $0.plan.digest] }
          ?? call.path + call.words.flatMap { [$0.name, $0.value ?? ""] } + extraWords)
    }
    var recording = Recording(
      actor: Attribution(context: context, claimed: options.actor).json,
      reason: options.reason,
      request: request, expectedHead: options.expectedHead.map { Int64($0) },
      isDryRun: options.isDryRun, clock: context.clock(), command: command)
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
    if let file = options.plan { return try makePlan(in: file, on: opened, body) }
    if let checking = context.planTask?.checking { return try checking(self, body) }
    let ledger = try opened ?? options.open(context)
    defer { if opened == nil { ledger.close() } }
    // The moment of the change, once a draft of it was made.
    var now: Timestamp?
    var shown: Preview {
      var preview = Preview.now(now, ledger, context)
      (preview.showsAll, preview.more) = (options.showsAll, options.moreRanges)
      return preview
    }
    let written = try DocumentExport.formatsWritten(of: ledger, context)
    let formats = written.filter { !$0.saysTimes }
    if !options.isDryRun { try DocumentExport.makeRoom(ledger, context) }
    // Warnings about the documents, shown with the change's preview; documents are made outside of the ledger's
    // transaction, which keeps others waiting.
    var (outcome, found): (Outcome, [ExportFinding]) = (Outcome(), [])
    var foresee: (() -> [ExportFinding])?
    func foreseen(_ lines: [ImpactLine]) -> [ExportFinding] {
      if let made = foresee { (found, foresee) = (made(), nil) }
      return found + DocumentExport.unfiled(lines, in: written, ledger, besides: outcome.warnings)
    }
    // An urgent change writes only the documents that follow from it, not those that wait for other reasons.
    var apps: Set<String> = []
    let recorded: Recorded
    do {
      recorded = try ledger.record(
        recording(),
        confirm: { question in
          work?.pause()
          try confirm(question, shown, foreseen(question.impact.lines), outcome)
        },
        body: { draft in
          outcome = try body(&draft)
          now = draft.now
        },
        answer: { draft in
          if isUrgent {
            // A stop that did not reach clients is made good by the next one.
            apps = Set(try draft.concerned())
            if !apps.isEmpty { apps.formUnion(try draft.ledger.apps().filter(\.isStopped).map(\.slug)) }
          } else if !formats.isEmpty {
            let (cases, published, now) = (try draft.documentCases(), try draft.published(), draft.now)
            foresee = {
              cases.documentFindings(in: formats, from: now)
                + published.flatMap { $0.snapshot.misreading(of: $0.version, in: formats, at: now) }
            }
          }
          return try kept(&outcome, draft)
        }, rehearses: work == nil,
        progress: { done, total in try work?.step("recording", done, of: total) })
    } catch LedgerError.approvalsRequired(let approvals) {
      work?.pause()
      throw refused(for: approvals, shown, foreseen(approvals.impact.lines), outcome)
    }
    work?.pause()
    // If a request is retried, writing its documents may have failed the first time.
    let isRecorded =
      !options.isDryRun
      && (recorded.isRepeated || recorded.answer["changed"]?.bool == true || namesDirectory || isUrgent)
    try conclude(on: ledger, apps: apps, isRecorded: isRecorded, isQuiet: options.common.isJSON) {
      documents in
      let unreached =
        isUrgent && options.common.isJSON && isRecorded
        ? Elsewhere.unreached(by: ledger, context, isAnyones: silencesOthers).map(\.json) : nil
      let said = foreseen([ImpactLine](of: recorded.json["impact"]))
      try print(recorded, shown, documents, said, unreached.map(JSON.array))
    }
    if isUrgent, isRecorded, !options.common.isJSON {
      for finding in Elsewhere.unreached(by: ledger, context, isAnyones: silencesOthers) {
        context.note("warning: not reached: \(finding.message): \(finding.hint)\n")
      }
    }
    return .success
  }

  /// What a draft would record, without recording it.
  func rehearse(
    _ recording: Recording, on ledger: Ledger, _ body: (inout ChangeSet) throws -> Outcome
  ) throws -> Recorded {
    var outcome = Outcome()
    return try ledger.rehearse(recording) {
      outcome = try body(&$0)
    } answer: {
      try kept(&outcome, $0)
    }
  }

  private func kept(_ outcome: inout Outcome, _ draft: ChangeSet) throws -> Outcome.Members {
    if !isUrgent {
      outcome.warnings += try draft.leaving()
      outcome.warnings += try draft.crowded().map { app, tiles in
        "\(app) has \(grouped(tiles)) different answers by version and time, of at most "
          + "\(grouped(Schedule.mostTiles)): see 'pawl rules \(app)' for rules that may go"
      }
    }
    outcome.wholePasts = draft.wholePasts
    outcome.warnings += draft.stopped.map {
      "\($0) is stopped: clients see no prompt until 'pawl resume \($0)'"
    }
    return outcome.kept(isChanged: draft.isChanged)
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

  private func print(
    _ recorded: Recorded, _ shown: Preview, _ documents: JSON?, _ foreseen: [ExportFinding],
    _ unreached: JSON?
  ) throws {
    let (json, words) = Outcome.divided(recorded.json)
    if options.common.isJSON {
      var members: Outcome.Members = []
      if let unreached { members.append(("unreached", unreached)) }
      if let documents = DocumentExport.told(documents, foreseen) { members.append(("documents", documents)) }
      return try context.print(json.adding(.object(JSON.Object(members))).text() + "\n")
    }
    let impact = [ImpactLine](of: json["impact"])
    let warnings = json["warnings"]?.array?.compactMap(\.string) ?? []
    var out = options.isDryRun ? "Dry run: nothing was recorded.\n" : ""
    if recorded.isRepeated { out += "This request was recorded earlier; its answer was:\n" }
    out += words?["done"]?.string ?? ""
    if impact.isEmpty {
      let rest = json["rest"]?.string.flatMap(Impact.Rest.init(rawValue:)).map(Preview.text)
      out += words?["unprompted"]?.string ?? rest ?? ""
    }
    // Someone who just agreed to the preview need not read it twice.
    let whole = Set(words?["whole"]?.array?.compactMap(\.string) ?? [])
    let preview = preview(of: impact, shown, foreseen, warnings, whole)
    let isShown = preview == context.shownPreview
    if !isShown { out += preview }
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

  /// Asks for agreement on a terminal; elsewhere demands `--yes`.
  func confirm(
    _ question: Question, _ shown: Preview, _ foreseen: [ExportFinding] = [], _ outcome: Outcome = Outcome()
  ) throws {
    let subject = subject().map { "takes back \($0)" }
    // The question itself says what is not recorded.
    let preview = preview(
      of: question.impact.lines, shown, foreseen, outcome.warnings,
      question.unrecorded == nil ? outcome.wholePasts : nil, otherwise: question.impact.rest)
    guard context.mayAsk else {
      // With --json the preview is in the error's details.
      if !options.common.isJSON { context.note(context.page(preview)) }
      let reasons = [subject.map { "it \($0)" }, question.need == .undo ? nil : question.words].compactMap(
        \.self)
      throw CommandFailure(
        "confirm.required", ["command": command, "why": reasons.joined(separator: "; ")],
        details: Changing.details(["impact": question.impact.json], foreseen),
        hint: context.agreementHint ?? question.unrecorded?.pastHint)
    }
    context.note(context.page((subject.map { "'\(command)' \($0).\n" } ?? "") + preview))
    context.shownPreview = self.preview(
      of: question.impact.lines, shown, foreseen, outcome.warnings, outcome.wholePasts)
    if let ways = question.unrecorded?.pastWays { context.note(context.page("\n\(ways)\n")) }
    try require(shown.question(question))
  }

  /// The warnings, what clients are told, and what their documents will lack.
  ///
  /// - Parameters:
  ///   - whole: The apps whose past is whole; nil if no past is to be named.
  ///   - rest: What is said where no prompt changes; nil for nothing.
  private func preview(
    of impact: [ImpactLine], _ shown: Preview, _ foreseen: [ExportFinding], _ warnings: [String],
    _ whole: Set<String>?, otherwise rest: Impact.Rest? = nil
  ) -> String {
    let namesPast = ["publish", "mark", "import", "app"].contains(options.call.path.first)
    let unrecorded = namesPast ? whole.flatMap { Impact(lines: impact).unrecorded(except: $0) } : nil
    var shown = shown
    shown.whole = whole ?? []
    shown.past = unrecorded.map { "\($0.pastWords).\n\($0.pastWays)\n" } ?? ""
    let told = shown.text(impact)
    return ReleaseText.warnings(warnings) + (told.isEmpty ? rest.map { "\n" + Preview.text($0) } ?? "" : told)
      + DocumentExport.foreseen(foreseen)
  }

  private static func details(_ details: JSON, _ foreseen: [ExportFinding]) -> JSON {
    DocumentExport.told(nil, foreseen).map { details.adding(["documents": $0]) } ?? details
  }

  private func refused(
    for approvals: Approvals, _ shown: Preview, _ foreseen: [ExportFinding], _ outcome: Outcome
  ) -> CommandFailure {
    let impact = approvals.impact
    let text = preview(
      of: impact.lines, shown, foreseen, outcome.warnings, outcome.wholePasts, otherwise: impact.rest)
    if !options.common.isJSON { context.note(text) }
    var report = approvals.failure(command: command, isPlan: context.planTask != nil)
    report.details = Changing.details(report.details, foreseen)
    return report
  }
}
