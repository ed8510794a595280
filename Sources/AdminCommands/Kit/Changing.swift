import CommandLineKit
import Export
import JSON
import Ledger
import Platform
import ReleaseModel

/// What became of a change, beside what its own answer says.
struct ChangeOutcome {
  let isChanged: Bool
  /// The last event recorded.
  let event: Int64?
  let impact: [PreviewLine]

  init(json: JSON) throws(UnreadableAnswer) {
    isChanged = try json.value("changed")
    event = try json.value("event")
    impact = try json.value("impact")
  }
}

/// An answer in words: what is done, before the table of what clients are told, and the next command worth knowing,
/// on which the eye ends.
struct Said {
  let done: String
  let next: String?

  init(_ done: String, next: String? = nil) {
    self.done = done
    self.next = next
  }
}

/// What every command that changes the ledger does around its own part.
struct Changing {
  let options: ChangeOptions
  let context: PawlContext
  /// What belongs to the command but is not in its words: digests of files it reads.
  var extraWords: [String] = []
  /// Whether the command never waits for a clock to be right.
  var isUrgent = false
  /// Whether the command names the directory for documents, which is this host's word that they may go there.
  var namesDirectory = false

  init(_ options: ChangeOptions, _ context: PawlContext) {
    self.options = options
    self.context = context
  }

  private var command: String { "pawl " + options.call.path.joined(separator: " ") }

  /// Who, why and under which conditions, for the record.
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
      actor: Attribution(context: context, claimed: applied.map(\.actor) ?? options.actor).json,
      reason: options.reason,
      request: request, expectedHead: options.expectedHead,
      isDryRun: options.isDryRun, clock: context.clock(), command: command)
    recording.isAgreed = options.isAgreed
    recording.plan = applied?.plan
    recording.clockCheck = ClockCheck(
      earliest: context.programDate, isAccepted: options.isClockAccepted, isUrgent: isUrgent)
    return recording
  }

  /// Records the changes a body makes and prints the answer.
  ///
  /// - Parameters:
  ///   - opened: The ledger, where it is open already.
  ///   - work: What says how far the body and the recording are, where they take long.
  ///   - body: Puts the changes together.
  ///   - answer: What the answer says beside `changed`, `event`, `impact` and `head`.
  ///   - text: The answer in words.
  func run<Own: Answer>(
    on opened: Ledger? = nil, work: LongWork? = nil, _ body: (inout Draft) throws -> Void,
    answer: (inout Draft) throws -> Own, text: (Own, ChangeOutcome) -> Said
  ) throws -> ExitCode {
    if let file = options.plan {
      return try makePlan(in: file, on: opened, body) { try answer(&$0).members }
    }
    if let checking = context.planTask?.checking {
      return try checking(self, body) { try answer(&$0).members }
    }
    let ledger = try opened ?? options.open(context)
    defer { if opened == nil { ledger.close() } }
    let formats = try DocumentExport.thresholdFormats(of: ledger, context)
    // What the documents would say, found with the change and said with its preview.
    var foreseen: [ExportFinding] = []
    // An urgent change writes the documents that follow from it, and leaves those that wait for other reasons.
    var apps: Set<String> = []
    let recorded: Recorded
    do {
      recorded = try ledger.record(
        recording(),
        confirm: { question in
          work?.pause()
          try confirm(question, foreseen)
        }, body: body,
        answer: { draft in
          if isUrgent {
            apps = Set(try draft.concerned())
          } else if !formats.isEmpty {
            foreseen = try draft.documentSnapshots().flatMap {
              $0.documentFindings(in: formats, at: draft.now)
            }
          }
          return try answer(&draft).members
        }, rehearses: work == nil,
        progress: { done, total in try work?.step("recording", done, of: total) })
    } catch LedgerError.approvalsRequired(let approvals) {
      work?.pause()
      throw refused(for: approvals, foreseen)
    }
    work?.pause()
    // A request that is tried again may have failed in writing the documents.
    let isRecorded =
      !options.isDryRun
      && (recorded.isRepeated || recorded.answer["changed"]?.bool == true || namesDirectory)
    try conclude(on: ledger, apps: apps, isRecorded: isRecorded, isQuiet: options.common.isJSON) {
      documents in
      try print(recorded, documents, foreseen, text)
    }
    return .success
  }

  /// Says what was recorded, and writes the documents that follow from it, whether or not the answer is read.
  func conclude(on ledger: Ledger, isRecorded: Bool, isQuiet: Bool, saying say: () throws -> Void) throws {
    try conclude(on: ledger, isRecorded: isRecorded, isQuiet: isQuiet) { _ in try say() }
  }

  /// Says what was recorded, and writes the documents that follow from it, whether or not the answer is read.
  ///
  /// - Parameters:
  ///   - apps: Those whose documents are looked at; empty for all.
  ///   - say: Says it; with `--json` after the documents were written, told what was done.
  func conclude(
    on ledger: Ledger, apps: Set<String> = [], isRecorded: Bool, isQuiet: Bool,
    saying say: (_ documents: JSON?) throws -> Void
  ) throws {
    func update() throws -> JSON? {
      guard isRecorded else { return nil }
      return try DocumentExport.update(
        after: ledger, context, apps: apps, isQuiet: isQuiet, isAgreed: namesDirectory)
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
    throw CommandFailure(
      "output.failed", "the change is recorded, but its answer could not be written: \(unsaid.reason)",
      hint: "'pawl history --limit 1' shows it; retrying with the same --request-id repeats the answer",
      exit: .io)
  }

  /// Prints the answer as it is stored, or in words made of what is stored.
  private func print<Own: Answer>(
    _ recorded: Recorded, _ documents: JSON?, _ foreseen: [ExportFinding],
    _ text: (Own, ChangeOutcome) -> Said
  ) throws {
    let json = recorded.json
    if options.common.isJSON {
      let documents = documents ?? (foreseen.isEmpty ? nil : Changing.unwritten(foreseen))
      guard let documents, var answer = json.object else { return try context.print(json.text() + "\n") }
      answer["documents"] = documents
      return try context.print(JSON.object(answer).text() + "\n")
    }
    let outcome: ChangeOutcome
    let said: Said
    do throws(UnreadableAnswer) {
      outcome = try ChangeOutcome(json: json)
      said = text(try Own(answer: json), outcome)
    } catch {
      throw LedgerError.unreadableEvent(json["event"]?.integer ?? 0)
    }
    var out = options.isDryRun ? "Dry run: nothing was recorded.\n" : ""
    if recorded.isRepeated { out += "This request was recorded earlier; its answer was:\n" }
    let preview = Preview.text(outcome.impact, context) + DocumentExport.foreseen(foreseen)
    // What somebody just agreed to need not be read twice.
    let isShown = preview == context.shownPreview
    out += said.done + (isShown ? "" : preview)
    // A command may have a reason of its own.
    let isReasonGiven = options.call.words.contains { $0.name == "--reason" }
    if !outcome.isChanged, outcome.event == nil, !options.isDryRun, isReasonGiven {
      context.note("note: nothing changed, so the reason is not recorded\n")
    }
    if let next = said.next, !options.isDryRun {
      out += (outcome.impact.isEmpty || isShown ? "" : "\n") + "next: \(next)\n"
    }
    try context.print(context.page(out))
  }

  /// What is said of documents that are not written yet, in the names in which it is said of those that were.
  private static func unwritten(_ foreseen: [ExportFinding]) -> JSON {
    ["removed": 0, "warnings": .array(foreseen.map(\.json)), "written": 0]
  }

  /// Asks on a terminal; elsewhere demands `--yes`.
  func confirm(_ question: Question, _ foreseen: [ExportFinding] = []) throws {
    let why =
      switch question.cause {
      case .forces: "clients would be forced to update"
      case .harsher: "clients that see no prompt today would be prompted"
      case .page: "clients would be sent to another page"
      case .expiring(let version, let expires):
        "clients would be forced to \(version.text), which stops opening at \(expires.text)"
      case .neverShipped(let version): "this declares that Apple never had \(version.text)"
      }
    let shown = preview(of: question.impact, foreseen)
    guard context.isInputTerminal, context.isErrorTerminal else {
      // With --json it stands in the error's details.
      if !options.common.isJSON { context.note(context.page(shown)) }
      throw CommandFailure(
        "confirm.required", "'\(command)' needs your agreement: \(why)",
        hint: "check the preview, then add --yes",
        details: details(question.impact, foreseen), exit: .refused)
    }
    context.note(context.page(shown))
    context.shownPreview = shown
    guard try agrees("\(why.prefix(1).uppercased())\(why.dropFirst()). ") else {
      throw CommandFailure("confirm.declined", "nothing was recorded: you did not agree", exit: .refused)
    }
  }

  /// What is shown before somebody agrees, or is refused.
  private func preview(of impact: Impact, _ foreseen: [ExportFinding]) -> String {
    let preview = Preview.text(impact.preview, context)
    return (preview.isEmpty ? "\nWhat clients are told does not change.\n" : preview)
      + DocumentExport.foreseen(foreseen)
  }

  private func details(_ impact: Impact, _ foreseen: [ExportFinding], _ more: [(String, JSON)] = []) -> JSON {
    .object(
      JSON.Object(
        [("impact", impact.json)]
          + (foreseen.isEmpty ? [] : [("documents", Changing.unwritten(foreseen))]) + more))
  }

  /// The refusal of what too few agree to, after its preview.
  private func refused(for approvals: Approvals, _ foreseen: [ExportFinding]) -> CommandFailure {
    if !options.common.isJSON { context.note(preview(of: approvals.impact, foreseen)) }
    let report = approvals.failure(command: command, isPlan: context.planTask != nil)
    return CommandFailure(
      report.id, report.message, hint: report.hint,
      details: details(approvals.impact, foreseen, approvals.details), exit: report.exit)
  }

  /// Asks on the terminal whether to go on, after what speaks against it.
  func agrees(_ why: String = "") throws -> Bool {
    context.note("\(why)Continue? [y/N] ")
    context.listen(.whileAsking)
    defer { context.listen(nil) }
    let reply: [UInt8]
    do {
      reply = try context.readInput() ?? []
    } catch {
      // The terminal has shown the key on the question's line.
      if Stopped(error, context) != nil { context.note("\n") }
      throw error
    }
    let word = String(decoding: reply.prefix { $0 != 0x0A && $0 != 0x20 && $0 != 0x0D }, as: UTF8.self)
      .lowercased()
    return word == "y" || word == "yes"
  }
}
