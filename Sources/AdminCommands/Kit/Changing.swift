import CommandLineKit
import JSON
import Ledger
import Platform
import ReleaseModel

/// What every command that changes the ledger does around its own part.
struct Changing {
  let options: ChangeOptions
  let call: Call
  let context: PawlContext
  /// What belongs to the command but is not in its words: digests of files it reads.
  var extraWords: [String] = []
  /// Whether the command names the directory for documents, which is this host's word that they may go there.
  var namesDirectory = false

  init(_ options: ChangeOptions, _ call: Call, _ context: PawlContext) {
    self.options = options
    self.call = call
    self.context = context
  }

  /// Who, why and under which conditions, for the record.
  func recording() -> Recording {
    let request = options.requestID.map { id in
      Recording.Request(
        id: id, words: call.path + call.words.flatMap { [$0.name, $0.value ?? ""] } + extraWords)
    }
    var recording = Recording(
      actor: Attribution(context: context, claimed: options.actor).json, reason: options.reason,
      request: request, expectedHead: options.expectedHead,
      isDryRun: options.isDryRun, clock: context.clock(), command: "pawl " + call.path.joined(separator: " "))
    recording.isAgreed = options.isAgreed
    return recording
  }

  /// Records the changes a body makes and prints the answer.
  ///
  /// - Parameters:
  ///   - work: What says how far the body and the recording are, where they take long.
  ///   - body: Puts the changes together.
  ///   - answer: What the answer says beside `changed`, `event` and `impact`.
  ///   - text: The answer in words, made from its JSON alone, so that a repeated request reads the same.
  func run(
    work: LongWork? = nil, _ body: (inout Draft) throws -> Void,
    answer: (inout Draft) throws -> [(String, JSON)], text: (JSON) -> String
  ) throws -> ExitCode {
    let ledger = try options.open(context)
    defer { ledger.close() }
    return try run(on: ledger, work: work, body, answer: answer, text: text)
  }

  /// Records on a ledger that is open already.
  func run(
    on ledger: Ledger, work: LongWork? = nil, _ body: (inout Draft) throws -> Void,
    answer: (inout Draft) throws -> [(String, JSON)], text: (JSON) -> String
  ) throws -> ExitCode {
    let recorded = try ledger.record(
      recording(),
      confirm: { question in
        work?.pause()
        try confirm(question)
      }, body: body, answer: answer, rehearses: work == nil,
      progress: { done, total in try work?.step("recording", done, of: total) })
    work?.pause()
    // A request that is tried again may have failed in writing the documents.
    let isRecorded =
      !options.isDryRun
      && (recorded.isRepeated || recorded.answer["changed"]?.bool == true || namesDirectory)
    try conclude(on: ledger, isRecorded: isRecorded, isQuiet: options.common.isJSON) { documents in
      try print(recorded, documents, text)
    }
    return .success
  }

  /// Says what was recorded, and writes the documents that follow from it, be the answer read or not.
  func conclude(on ledger: Ledger, isRecorded: Bool, isQuiet: Bool, saying say: () throws -> Void) throws {
    try conclude(on: ledger, isRecorded: isRecorded, isQuiet: isQuiet) { _ in try say() }
  }

  /// Says what was recorded, and writes the documents that follow from it, be the answer read or not.
  ///
  /// - Parameter say: Says it; with `--json` after the documents were written, told what was done.
  func conclude(
    on ledger: Ledger, isRecorded: Bool, isQuiet: Bool, saying say: (_ documents: JSON?) throws -> Void
  ) throws {
    func update() throws -> JSON? {
      guard isRecorded else { return nil }
      return try Publication.update(after: ledger, context, isQuiet: isQuiet, isAgreed: namesDirectory)
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
    throw Report(
      "output.failed", "the change is recorded, but its answer could not be written: \(unsaid.reason)",
      hint: "'pawl history --limit 1' shows it; the same --request-id again gives the answer", exit: .io)
  }

  private func print(_ recorded: Recorded, _ documents: JSON?, _ text: (JSON) -> String) throws {
    if options.common.isJSON {
      guard let documents, var answer = recorded.answer.object else {
        return try context.print(recorded.answer.text() + "\n")
      }
      answer["documents"] = documents
      return try context.print(JSON.object(answer).text() + "\n")
    }
    var out = ""
    if options.isDryRun { out += "Dry run, nothing is recorded.\n" }
    if recorded.isRepeated { out += "This request was recorded earlier; its answer was:\n" }
    // The impact stands before the next command worth knowing, which is what the eye ends on.
    let lines = text(recorded.answer).split(separator: "\n", omittingEmptySubsequences: false)
    let next = lines.firstIndex { $0.hasPrefix("next: ") } ?? max(0, lines.count - 1)
    out += lines[..<next].map { $0 + "\n" }.joined()
    let impact = Preview.text(recorded.answer["impact"]?.array ?? [], context)
    out += impact
    let rest = lines[next...].joined(separator: "\n")
    if !impact.isEmpty, !rest.isEmpty { out += "\n" }
    try context.print(out + rest)
  }

  /// Asks on a terminal; elsewhere demands `--yes`.
  private func confirm(_ question: Question) throws {
    let why =
      switch question.cause {
      case .forces: "clients would be forced to update"
      case .harsher: "clients would be prompted who are not prompted now"
      case .page: "clients would be sent to another page"
      }
    guard context.isInputTerminal, context.isErrorTerminal else {
      throw Report(
        "confirm.required", "'pawl \(call.path.joined(separator: " "))' needs your agreement: \(why)",
        hint: "look at it with --dry-run, then add --yes",
        details: JSON.object(JSON.Object([("impact", question.impact.json)])), exit: .refused)
    }
    context.note(Preview.text(question.impact.json.array ?? [], context))
    context.note("\(why.prefix(1).uppercased())\(why.dropFirst()). ")
    guard try agrees() else {
      throw Report("confirm.declined", "nothing was recorded: you did not say yes", exit: .refused)
    }
  }

  /// Asks on the terminal whether to go on.
  func agrees() throws -> Bool {
    context.note("Go on? [y/N] ")
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

/// What a change alters for clients, as text.
enum Preview {
  /// A table of the lines, newest rows last; empty where nothing is altered.
  static func text(_ lines: [JSON], _ context: PawlContext) -> String {
    guard !lines.isEmpty else { return "" }
    var table = Table(columns: [
      Column("APP"), Column("VERSIONS"), Column("COUNT", .right), Column("WAS TOLD"), Column("IS TOLD"),
      Column("FROM"), Column(""),
    ])
    for line in lines {
      let after = line["after"]?.string ?? ""
      let action = Action(rawValue: after)
      var remark = ""
      if let before = line["urlBefore"]?.string, let url = line["urlAfter"]?.string, before != url {
        remark = url
      }
      if line["hears"]?.bool == false { remark += remark.isEmpty ? "cannot hear" : " (cannot hear)" }
      table.add([
        Cell(line["app"]?.string ?? ""), Cell(line["versions"]?.string ?? ""),
        Cell(line["count"]?.integer.map { String($0) } ?? ""), Cell(line["before"]?.string ?? ""),
        Cell(after, Paint.style(of: action)), Cell(line["at"]?.string ?? ""), Cell(remark, .dim),
      ])
    }
    return "\nWhat clients are told:\n" + context.rendered(table)
  }
}

/// The colours that mean something.
enum Paint {
  static func style(of action: Action?) -> Style {
    switch action {
    case .force: .red
    case .remind: .yellow
    case .some(.none), nil: .plain
    }
  }

  static func style(of state: ReleaseState?) -> Style {
    switch state {
    case .live: .green
    case .prepared, .waiting, .inReview, .approved: .blue
    case .rejected, .withdrawn, .removed: .yellow
    case .superseded, .void: .dim
    case nil: .plain
    }
  }
}
