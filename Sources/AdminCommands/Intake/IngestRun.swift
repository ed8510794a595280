import CommandLineKit
import Intake
import JSON
import Ledger
import ReleaseModel

/// The steps that every way of taking in evidence takes around its own part.
struct IngestRun {
  private let ledger: Ledger
  private var changing: Changing
  /// The most bytes of unproved evidence in the inbox.
  private let quota: Int64
  /// The build that App Store Connect says was uploaded last; kept with when it was heard.
  var uploaded: UploadedBuild?
  private(set) var passedOver: [(source: String, reason: PassedOver)] = []

  private var options: ChangeOptions { changing.options }
  private var context: PawlContext { changing.context }

  /// - Parameter evidence: What a request id covers besides the command line.
  init(_ changing: Changing, covering evidence: [[UInt8]] = []) throws {
    quota = try EvidenceQuota.limit(changing.context)
    ledger = try changing.options.open(changing.context)
    self.changing = changing.covering(evidence.map(Recording.digest))
  }

  mutating func cover(_ evidence: [[UInt8]]) { changing = changing.covering(evidence.map(Recording.digest)) }

  func app(_ slug: String) throws -> App { try ledger.app(slug) }

  /// Records what a body takes in, and returns the answer, with `also` next to the results.
  ///
  /// Evidence never asks for agreement: the hold is the time to object. Somebody's word asks as a command
  /// would. The body may be called more than once.
  ///
  /// - Parameter heard: The source of the evidence, and the app that it is about.
  func record(
    isSomebodysWord: Bool = false, heard: (app: String, source: EvidenceSourceName)? = nil,
    country: String? = nil,
    _ body: (inout EvidenceIntake, inout ChangeSet) throws -> [IntakeResult],
    also: (inout ChangeSet) throws -> Outcome.Members = { _ in [] }
  ) throws -> JSON {
    var results: [IntakeResult] = []
    let confirm = { (question: Question) in
      // As with `mark`, the hold is the time to object.
      if isSomebodysWord, question.need != .stricter, question.need != .page {
        try changing.confirm(question)
      }
    }
    return try ledger.record(changing.recording(), confirm: confirm) { draft in
      var intake = try EvidenceIntake(draft, limit: quota, isAsked: isSomebodysWord)
      results = try body(&intake, &draft)
      let isOfAnother = results.contains { $0.reason == IntakeReason.lookup(.wrongApp).id }
      if let heard, !isOfAnother, !options.isDryRun {
        noteHeard(heard.app, heard.source, country, at: draft.now)
      }
    } answer: { draft in
      [("results", .array(results.map(\.json)))] + (try also(&draft))
    }.answer
  }

  func take(
    _ bytes: [UInt8], named name: String, from source: some EvidenceSource,
    heard: (app: String, source: EvidenceSourceName)? = nil, country: String? = nil
  ) throws -> ExitCode {
    try finish(
      [
        record(heard: heard, country: country) { intake, draft in
          [try intake.take(bytes, named: name, from: source, &draft)]
        }
      ])
  }

  /// Notes beside the ledger that a source was heard from: evidence that changes nothing leaves no trace.
  private func noteHeard(_ app: String, _ source: EvidenceSourceName, _ country: String?, at now: Timestamp) {
    do {
      try ledger.noteHeard(app, source, at: now, country: country, uploaded: uploaded)
    } catch {
      context.note("note: cannot record when \(source.rawValue) last reported: \(error)\n")
    }
  }

  mutating func passOver(_ source: String, _ reason: PassedOver) {
    passedOver.append((source, reason))
    context.note("skipped '\(printable(source, limit: 300))': \(reason.words)\n")
  }

  /// What clients would be told, for a dry run, and whether somebody would have to agree to it.
  func foreseen(_ answer: JSON, isSomebodysWord: Bool) -> String {
    let lines = [ImpactLine](of: answer["impact"])
    let isAsked = lines.contains(where: \.forces) && isSomebodysWord && !options.isAgreed(context)
    return Preview.text(lines, context)
      + (isAsked ? "It would need your agreement, or --yes: clients would be forced to update.\n" : "")
  }

  /// Prints the results, and returns the exit status.
  ///
  /// - Parameters:
  ///   - answers: Gone through more than once.
  ///   - isPoll: Whether results that match the ledger go without saying.
  ///   - rest: What is printed besides the results.
  func finish(
    _ answers: some Sequence<JSON>, isStrict: Bool = false, isPoll: Bool = false,
    rest: (members: Outcome.Members, text: () -> String) = ([], { "" })
  ) throws -> ExitCode {
    let results = answers.lazy.flatMap { $0["results"]?.array ?? [] }
    try changing.conclude(on: ledger, isRecorded: !options.isDryRun, isQuiet: true) { _ in
      if options.common.isJSON {
        var object = JSON.Object([("head", try ledger.head().json)] + rest.members)
        if !passedOver.isEmpty {
          object["passedOver"] = .array(
            passedOver.map { ["source": .string($0.source), "reason": .string($0.reason.rawValue)] })
        }
        try context.print(object, "results", results)
      } else {
        let start = options.isDryRun ? "Dry run: nothing was recorded.\n" : ""
        let news = results.filter { !isPoll || $0["evidence"]?.integer != nil }
        guard news.contains(where: { _ in true }) else {
          let count = results.reduce(0) { count, _ in count + 1 }
          let said =
            isPoll
            ? "No changes: \(count) \(count == 1 ? "version already matches" : "versions already match").\n"
            : "There was nothing new to take in.\n" + rest.text()
          return try context.print(context.page(start + said))
        }
        let parked = news.reduce(0) {
          $0 + ($1["outcome"]?.string == Evidence.Outcome.parked.rawValue ? 1 : 0)
        }
        let next =
          parked > 0 && !options.isDryRun ? "next: pawl inbox, to see what was parked (\(parked))\n" : ""
        try context.print(start, IntakeText.columns, news.map(IntakeText.row), next + rest.text())
      }
    }
    if results.contains(where: { $0["outcome"]?.string == Evidence.Outcome.refused.rawValue }) {
      return .data
    }
    if passedOver.contains(where: { $0.reason == .quota }) { return .busy }
    let isPlain = results.allSatisfy { result in
      switch result["outcome"]?.string.flatMap(Evidence.Outcome.init(rawValue:)) {
      case .applied, .duplicate: true
      default: result["reason"]?.string.flatMap(IntakeReason.init(id:))?.isExpected == true
      }
    }
    return isStrict && !(isPlain && passedOver.isEmpty) ? .refused : .success
  }
}

extension EvidenceQuota {
  static func limit(_ context: PawlContext) throws(UsageError) -> Int64 {
    guard let text = context.environment("PAWL_EVIDENCE_QUOTA") else { return standard }
    guard text.utf8.count <= 7, let megabytes = Int64(digits: text) else {
      throw UsageError("usage.invalid/quota", ["value": text])
    }
    return megabytes * 1_000_000
  }
}

enum IntakeText {
  static let columns: [Column] = ["SOURCE", "OUTCOME", "RELEASE", "MOVE", .right("EVIDENCE"), "REASON"]

  /// What became of a piece of evidence, or in a dry run, what would become of it.
  static func row(_ result: JSON) -> [Cell] {
    let outcome = result["outcome"]?.string ?? ""
    let from = result["from"]?.string
    let to = result["to"]?.string
    let isApplied = outcome == Evidence.Outcome.applied.rawValue
    let style: Style =
      switch Evidence.Outcome(rawValue: outcome) {
      case .applied: .green
      case .parked, .refused: .yellow
      case .duplicate, .ignored, .dismissed, nil: .dim
      }
    return [
      Cell(result["source"]?.string ?? ""), Cell(outcome, style),
      Cell([result["app"]?.string, result["version"]?.string].compactMap { $0 }.joined(separator: " ")),
      Cell(isApplied && to != nil && from != to ? "\(from ?? "") → \(to ?? "")" : to ?? ""),
      Cell(result["evidence"]?.integer.map { String($0) } ?? "–"),
      Cell(result["reason"]?.string.map(explained) ?? ""),
    ]
  }
}
