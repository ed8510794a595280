import AppleIntake
import CommandLineKit
import JSON
import Ledger
import Platform
import ReleaseModel

private struct LookupOptions: Sendable {
  var change = ChangeOptions()
  var app = ""
  var file = "-"
  var country = "US"
}

extension Command where Context == PawlContext {
  /// What the store serves.
  static var ingestLookup: Command {
    Command(
      "lookup", summary: "Take in an answer of the store's lookup",
      discussion: """
        An answer that shows the live version, or a newer one the ledger knows, ends its hold, once every country of \
        'app set --countries' has shown it. It never moves a state back, and marks nothing live unless the app says \
        '--live-by lookup'. A version the ledger does not know is parked: somebody should look.
        """,
      examples: [
        .init(
          "curl -s 'https://itunes.apple.com/lookup?id=1524608462' | pawl ingest lookup taxi -",
          "the store of the US")
      ],
      options: { LookupOptions() },
      parameters: {
        [
          .argument("APP", .slug, help: "The app") { $0.app = $1 },
          .argument("FILE", .path, help: "The answer; - for standard input", required: false) {
            $0.file = $1
          },
          .option("--country", "CC", .country, help: "The store that was asked; US if not said") {
            $0.country = $1
          },
        ] + ChangeOptions.parameters.pulled(\.change)
      }
    ) { options, call, context in
      let bytes =
        options.file == "-"
        ? try context.readAllInput(limit: 4 << 20) : try readFile(options.file, limit: 4 << 20)
      let intake = try Intake(options.change, call, context, words: [Recording.digest(of: bytes)])
      let results = try intake.record { draft in
        try [
          LookupIntake(app: options.app, country: options.country).take(bytes, source: options.file, &draft)
        ]
      }
      return try intake.finish(results, isStrict: false)
    }
  }
}

/// Takes answers of the store's lookup into the ledger.
struct LookupIntake {
  let app: String
  let country: String

  /// Takes in one answer; what changes nothing leaves nothing.
  func take(_ bytes: [UInt8], source: String, _ draft: inout Draft) throws -> IntakeResult {
    let line = try draft.line(app)
    var evidence = Evidence(
      id: draft.nextEvidenceID, kind: .lookup, sha256: Recording.digest(of: bytes), size: Int64(bytes.count),
      receivedAt: draft.now)
    evidence.app = app
    evidence.country = country
    evidence.proof = "lookup \(country)"
    var result = IntakeResult(source: source, outcome: .ignored, app: app)
    let answer: LookupAnswer
    do throws(LookupFault) {
      answer = try LookupAnswer(bytes, for: line.app)
    } catch .malformed(let reason) {
      throw Report(
        "lookup.malformed", "cannot read the lookup answer: \(reason)",
        hint: "feed what https://itunes.apple.com/lookup?id=… answered, as it came", exit: .data)
    } catch {
      return try park(error.id, &evidence, bytes, result, &draft)
    }
    evidence.version = answer.version
    result.version = answer.version
    guard let shown = line.release(answer.version), shown.state != .void else {
      if let newest = line.newest, answer.version < newest.version { return ignored("lookup.older", result) }
      return try park("lookup.unknown-version", &evidence, bytes, result, &draft)
    }
    result.from = shown.state
    guard let live = line.live else {
      return try markLive(shown, evidence, bytes, result, &draft) ?? ignored("lookup.not-live", result)
    }
    if shown.version < live.version { return ignored("lookup.older", result) }
    if live.version < shown.version, let marked = try markLive(shown, evidence, bytes, result, &draft) {
      return marked
    }
    guard live.isHeld(at: draft.now) else { return ignored("lookup.current", result) }
    return try endHold(live, &evidence, bytes, result, &draft)
  }

  private func ignored(_ reason: String, _ result: IntakeResult) -> IntakeResult {
    var result = result
    result.reason = reason
    return result
  }

  private func park(
    _ reason: String, _ evidence: inout Evidence, _ bytes: [UInt8], _ result: IntakeResult,
    _ draft: inout Draft
  ) throws -> IntakeResult {
    var result = result
    if let known = try draft.evidence(sha256: evidence.sha256), known.app == app {
      result.outcome = .duplicate
      result.evidence = known.id
      return result
    }
    evidence.outcome = .parked
    evidence.reason = reason
    draft.add(evidence, body: bytes)
    result.outcome = .parked
    result.reason = reason
    result.evidence = evidence.id
    return result
  }

  /// Whether every store that has to show a version has shown it, this answer included.
  private func isShownEverywhere(_ version: Version, _ draft: Draft) throws -> Bool {
    let wanted = Set(try draft.app(app).countries)
    guard !wanted.isEmpty else { return true }
    return wanted.isSubset(of: try draft.countries(showing: version, of: app).union([country]))
  }

  /// Notes that a store shows a version, for when the others do; once.
  private func note(
    _ version: Version, _ evidence: inout Evidence, _ bytes: [UInt8], _ result: IntakeResult,
    _ draft: inout Draft
  ) throws -> IntakeResult {
    var result = result
    evidence.outcome = .ignored
    evidence.reason = "lookup.other-countries"
    if try !draft.countries(showing: version, of: app).contains(country) {
      draft.add(evidence, body: bytes)
      result.evidence = evidence.id
    }
    return ignored("lookup.other-countries", result)
  }

  private func endHold(
    _ live: Release, _ evidence: inout Evidence, _ bytes: [UInt8], _ result: IntakeResult,
    _ draft: inout Draft
  ) throws -> IntakeResult {
    var result = result
    result.from = live.state
    result.to = live.state
    guard try isShownEverywhere(live.version, draft) else {
      return try note(live.version, &evidence, bytes, result, &draft)
    }
    result.version = live.version
    return try apply(live.version, evidence, bytes, result, &draft)
  }

  /// Records that a release is live and that the store serves it: it is visible from now on.
  private func apply(
    _ version: Version, _ evidence: Evidence, _ bytes: [UInt8], _ result: IntakeResult, _ draft: inout Draft
  ) throws -> IntakeResult {
    var (evidence, result) = (evidence, result)
    evidence.outcome = .applied
    evidence.state = .live
    draft.add(evidence, body: bytes)
    let now = draft.now
    try draft.change(app, "mark \(version.text)", evidence: evidence.id) { line, _ throws(LawViolation) in
      try line.mark(version, .live, at: nil, isVisibleNow: true, now: now)
    }
    result.to = .live
    result.outcome = .applied
    result.evidence = evidence.id
    return result
  }

  /// Marks a known release live where the app lets a lookup do so; nil where it does not, or a law refuses.
  private func markLive(
    _ shown: Release, _ evidence: Evidence, _ bytes: [UInt8], _ result: IntakeResult, _ draft: inout Draft
  ) throws -> IntakeResult? {
    let line = try draft.line(app)
    guard line.app.isLiveByLookup, !shown.state.isReleased,
      (try? line.mark(shown.version, .live, at: nil, isVisibleNow: true, now: draft.now)) != nil
    else { return nil }
    var evidence = evidence
    guard try isShownEverywhere(shown.version, draft) else {
      // A newer version ends the live one's hold, which `endHold` sees to and notes.
      if line.live?.isHeld(at: draft.now) == true { return nil }
      return try note(shown.version, &evidence, bytes, result, &draft)
    }
    return try apply(shown.version, evidence, bytes, result, &draft)
  }
}

extension ValueType where Value == String {
  /// A country code.
  fileprivate static var country: Self {
    ValueType { text throws(ValueError) in
      let code = text.uppercased()
      guard App.isCountry(code) else { throw ValueError("not a country code", hint: "such as US or CN") }
      return code
    }
  }
}
