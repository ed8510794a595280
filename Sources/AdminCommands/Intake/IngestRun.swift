import AppleIntake
import CommandLineKit
import Intake
import JSON
import Ledger
import ReleaseModel

/// The steps that every way of taking in evidence takes around its own part.
struct IngestRun {
  private let ledger: Ledger
  private let changing: Changing
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
    self.changing = changing
    cover(evidence)
  }

  func cover(_ evidence: [[UInt8]]) { changing.covering(evidence.map(Recording.digest)) }

  func app(_ slug: String) throws -> App { try ledger.app(slug) }

  /// Records what a body takes in, and returns the results with the whole answer, in which `also` is next to them.
  ///
  /// Evidence never asks for agreement: the hold is the time to object. Someone's word asks as a command
  /// would. The body may be called more than once.
  ///
  /// - Parameter heard: The source of the evidence, and the app that it is about.
  func record(
    isHandedIn: Bool = false, heard: (app: String, source: EvidenceSourceName, country: String?)? = nil,
    _ body: (inout EvidenceIntake, inout ChangeSet) throws -> [IntakeResult],
    also: () -> Outcome.Members = { [] }
  ) throws -> (results: [IntakeResult], answer: JSON) {
    // As with `mark`, the hold is the time to object.
    changing.asks = { isHandedIn && $0.need != .stricter && $0.need != .page }
    let answer = try changing.decide(on: ledger) { draft in
      var intake = try EvidenceIntake(draft, limit: quota, isAsked: isHandedIn)
      let results = try body(&intake, &draft)
      let isOfAnother = results.contains {
        [LookupAnswer.isOfAnother, LookupAnswer.isOfOtherPlatform].contains($0.reason)
      }
      if let heard, !isOfAnother, !options.isDryRun {
        noteHeard(heard.app, heard.source, heard.country, at: draft.now)
      }
      return Outcome([("results", .array(results.map(\.json)))] + also())
    }.answer
    // A request that was answered before has the results of then.
    return ((answer["results"]?.array ?? []).map(IntakeResult.init), answer)
  }

  func take(
    _ bytes: [UInt8], named name: String, from source: some EvidenceSource,
    heard: (app: String, source: EvidenceSourceName, country: String?)? = nil
  ) throws -> ExitCode {
    let (results, _) = try record(heard: heard) { intake, draft in
      [try intake.take(bytes, named: name, from: source, &draft)]
    }
    return try finish(results)
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

  /// What clients would be told, for a dry run, and whether someone would have to agree to it.
  func foreseen(_ answer: JSON, isHandedIn: Bool) -> String {
    let lines = [ImpactLine](of: answer["impact"])
    let isAsked = lines.contains(where: \.forces) && isHandedIn && !options.isAgreed(context)
    return changing.told(lines, on: ledger)
      + (isAsked ? "It would need your confirmation, or --yes: clients would be forced to update.\n" : "")
  }

  /// Prints the results, and returns the exit status.
  ///
  /// - Parameters:
  ///   - isPoll: Whether results that match the ledger go without saying.
  ///   - rest: What is printed besides the results.
  func finish(
    _ results: [IntakeResult], isStrict: Bool = false, isPoll: Bool = false,
    rest: (members: Outcome.Members, text: () -> String) = ([], { "" })
  ) throws -> ExitCode {
    try changing.conclude(on: ledger, isRecorded: !options.isDryRun, isQuiet: true) { _ in
      if options.common.isJSON {
        var object = JSON.Object([("head", try ledger.head().json)] + rest.members)
        if !passedOver.isEmpty {
          object["passedOver"] = .array(
            passedOver.map { ["source": .string($0.source), "reason": .string($0.reason.rawValue)] })
        }
        try context.print(object, "results", results.lazy.map(\.json))
      } else {
        let start = options.isDryRun ? "Dry run: nothing was recorded.\n" : ""
        let news = results.filter { !isPoll || $0.evidence != nil }
        guard !news.isEmpty else {
          let matches = results.count == 1 ? "version already matches" : "versions already match"
          let said =
            isPoll
            ? "No changes: \(results.count) \(matches).\n"
            : "There was nothing new to take in.\n" + rest.text()
          return try context.print(context.page(start + said))
        }
        let parked = news.count { $0.outcome == .parked }
        let next =
          parked > 0 && !options.isDryRun ? "next: pawl inbox, to see what was parked (\(parked))\n" : ""
        try context.print(start, IntakeResult.columns, news.lazy.map(\.row), next + rest.text())
      }
    }
    if results.contains(where: { $0.outcome == .refused }) { return .data }
    if passedOver.contains(where: { $0.reason == .quota }) { return .busy }
    let isPlain = results.allSatisfy { result in
      result.outcome == .applied || result.outcome == nil
        || [".overtaken", ".duplicate"].contains { result.reason?.hasSuffix($0) == true }
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

extension IntakeResult {
  fileprivate static let columns: [Column] = [
    "SOURCE", "OUTCOME", "RELEASE", "MOVE", .right("EVIDENCE"), "REASON",
  ]

  /// What became of a piece of evidence, or in a dry run, what would become of it.
  fileprivate var row: [Cell] {
    let style: Style =
      switch outcome {
      case .applied: .green
      case .parked, .refused: .yellow
      case .ignored, .dismissed, nil: .dim
      }
    let state = to?.rawValue ?? ""
    return [
      Cell(source), Cell(word, style),
      Cell([app, version?.text].compactMap(\.self).joined(separator: " ")),
      Cell(outcome == .applied && to != nil && from != to ? "\(from?.rawValue ?? "") → \(state)" : state),
      Cell(evidence.map { String($0) } ?? "–"), Cell(reason.map(explained) ?? ""),
    ]
  }
}
