import AppleIntake
import CommandLineKit
import Intake
import JSON
import Ledger
import ReleaseModel

/// Evidence is taken in as any change is made; only its answer differs.
extension Changing {
  /// What was heard of an app from a source of evidence.
  typealias Heard = (
    app: String, source: EvidenceSourceName, country: String?, uploaded: UploadedBuild?
  )
  /// What a mailbox held that was not taken in.
  typealias PassedOverEntries = [(source: String, reason: PassedOver)]

  /// Records what a body takes in, and returns the results with the whole answer, in which `also` is next to them, and what
  /// a dry run would ask.
  ///
  /// Evidence never asks for agreement: the hold is the time to object. Someone's word asks as a command
  /// would. The body may be called more than once.
  func take(
    isHandedIn: Bool = false, heard: Heard? = nil,
    _ body: (inout EvidenceIntake, inout ChangeSet) throws -> [IntakeResult],
    also: () -> Outcome.Members = { [] }
  ) throws -> (results: [IntakeResult], answer: JSON, question: Question?) {
    let quota = try EvidenceQuota.limit(context)
    asks = { isHandedIn && $0.need != .stricter && $0.need != .page }
    let recorded = try decide { draft in
      var intake = try EvidenceIntake(draft, limit: quota, isAsked: isHandedIn)
      let taken = try body(&intake, &draft)
      let results = try taken + intake.retryRefused(after: taken, &draft)
      let isOfAnother = results.contains {
        [LookupAnswer.isOfAnother, LookupAnswer.isOfOtherPlatform].contains($0.reason)
      }
      if let heard, !isOfAnother, mayRecord { note(heard, &draft) }
      return Outcome([("results", .array(results.map(\.json)))] + also())
    }
    // A request that was answered before has the results of then.
    let results = (recorded.answer["results"]?.array ?? []).map(IntakeResult.init)
    return (results, recorded.answer, recorded.question.flatMap { asks($0) ? $0 : nil })
  }

  /// Takes in one piece of evidence, which a request covers.
  func take(
    _ bytes: [UInt8], named name: String, from source: some EvidenceSource, heard: Heard? = nil
  ) throws -> ExitCode {
    cover([Recording.digest(of: bytes)])
    return try finish(take(heard: heard) { [try $0.take(bytes, named: name, from: source, &$1)] }.results)
  }

  /// Notes beside the ledger that a source was heard from: evidence that changes nothing leaves no trace.
  private func note(_ heard: Heard, _ draft: inout ChangeSet) {
    do {
      // App Store Connect answers about all platforms.
      for app in heard.source == .asc ? try draft.platforms(of: heard.app) : [heard.app] {
        try draft.ledger.noteHeard(
          app, heard.source, at: draft.now, country: heard.country,
          uploaded: app == heard.app ? heard.uploaded : nil)
      }
    } catch {
      context.note("note: cannot record when \(heard.source.rawValue) last reported: \(error)\n")
    }
  }

  /// Prints the results, and returns the exit status.
  ///
  /// - Parameters:
  ///   - isPoll: Whether results that match the ledger go without saying.
  ///   - members: What the JSON says besides.
  ///   - text: What people read besides.
  func finish(
    _ results: [IntakeResult], _ passedOver: PassedOverEntries = [], isStrict: Bool = false,
    isPoll: Bool = false, members: Outcome.Members = [], text: () -> String = { "" }
  ) throws -> ExitCode {
    try conclude(isRecorded: mayRecord, isQuiet: true) { _ in
      if options.common.isJSON {
        let left = passedOver.map { source, reason -> JSON in
          ["source": .string(source), "reason": .string(reason.rawValue)]
        }
        let all =
          [("head", try open().head().json), ("results", .array(results.map(\.json)))] + members
          + (left.isEmpty ? [] : [("passedOver", .array(left))])
        return try context.print(JSON.object(JSON.Object(all)).text() + "\n")
      }
      let start = mayRecord ? "" : "Dry run: nothing was recorded.\n"
      let news = results.filter { !isPoll || $0.evidence != nil }
      guard news.isEmpty else {
        let parked = news.count { $0.outcome == .parked }
        let next = parked > 0 && mayRecord ? "next: pawl inbox, to see what was parked (\(parked))\n" : ""
        let table = context.table(IntakeResult.columns, news.map(\.row))
        return try context.print(context.page(start + table + next + text()))
      }
      let known = results.filter { $0.reason != "asc.other-platform" }
      let others = known.count { $0.to != nil && $0.from != $0.to }
      let matches = known.count - others == 1 ? "version already matches" : "versions already match"
      let rest = others > 0 ? "; recorded otherwise, and left so: \(others)" : ""
      try context.print(
        context.page(
          start
            + (isPoll
              ? "No changes: \(known.count - others) \(matches)\(rest).\n"
              : "There was nothing new to take in.\n" + text())))
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
