import CommandLineKit
import JSON
import Ledger
import ReleaseModel

/// What `mark`, `unmark` and `void` are told.
struct StateOptions: Sendable {
  var change = ChangeOptions()
  var app = ""
  var version: Version?
  var state: ReleaseState?
  var at: Timestamp?
  var isVisibleNow = false

  /// The arguments and options of all three.
  static func parameters(_ extra: [Parameter<StateOptions>] = []) -> [Parameter<StateOptions>] {
    [
      .argument("APP", .slug, help: "The app") { $0.app = $1 },
      .argument("VERSION", .version, help: "The release") { $0.version = $1 },
    ] + extra + ChangeOptions.parameters.pulled(\.change)
  }

  /// Records one change of a release's state and says what was and what is.
  func record(
    _ verb: String, _ call: Call, _ context: PawlContext,
    _ law: @escaping (ReleaseLine, Version, Timestamp) throws(LawViolation) -> Change?,
    isAlready: (inout Draft, Version) throws -> Bool = { _, _ in false }
  ) throws -> ExitCode {
    guard let version else { return .usage }
    var before: Release?
    var other: Version?
    return try Changing(change, call, context).run { draft in
      let now = draft.now
      before = try draft.line(app).release(version)
      if try isAlready(&draft, version) { return }
      try draft.change(app, "\(verb) \(version.text)") { line, _ throws(LawViolation) in
        let change = try law(line, version, now)
        switch change {
        case .marked(_, _, let superseded): other = superseded
        case .unmarked(_, _, let restored): other = restored
        default: break
        }
        return change
      }
    } answer: { draft in
      var answer: [(String, JSON)] = [
        ("release", (try draft.line(app).release(version))?.json(app: app) ?? .null),
        ("from", .optional(before?.state.rawValue)),
        ("held", .bool(try draft.line(app).release(version)?.isHeld(at: draft.now) ?? false)),
      ]
      if let other { answer.append((verb == "unmark" ? "restored" : "superseded", .string(other.text))) }
      answer.append(("warnings", .array(try warnings(&draft).map(JSON.string))))
      return answer
    } text: { answer in
      let warnings = (answer["warnings"]?.array ?? []).compactMap(\.string).map { "warning: \($0)\n" }
        .joined()
      return ReleaseText.changed(answer, from: answer["from"]?.string) + warnings + next(answer)
    }
  }

  /// The rules that prompt somebody and now have nothing to point at.
  private func warnings(_ draft: inout Draft) throws -> [String] {
    let line = try draft.line(app)
    if state == .live, line.app.effectiveStoreURL == nil, version.flatMap({ line.release($0) })?.url == nil {
      return [noURLWarning(app)]
    }
    guard state == .removed else { return [] }
    guard line.targets(at: draft.now).isEmpty else { return [] }
    return line.rules.filter {
      $0.action != .none && $0.destination?.app == nil && $0.isActive(at: draft.now)
    }.map {
      "rule \($0.number) (\($0.range.text) → \($0.action.rawValue)) has nothing to point at until a newer release is visible"
    }
  }

  /// The next command worth knowing.
  private func next(_ answer: JSON) -> String {
    guard answer["changed"]?.bool == true, let version = answer["release"]?["version"]?.string else {
      return ""
    }
    switch answer["release"]?["state"]?.string {
    case "live" where answer["held"]?.bool == false: return "next: pawl status \(app)\n"
    case "live":
      return "next: pawl status \(app); while its hold runs, 'pawl unmark \(app) \(version)' takes it back\n"
    case "approved": return "next: pawl mark \(app) \(version) live, once the store has it\n"
    case "prepared", "waiting": return "next: pawl mark \(app) \(version) in-review\n"
    case "in-review": return "next: pawl mark \(app) \(version) approved\n"
    case "rejected", "withdrawn":
      return "next: pawl mark \(app) \(version) waiting, or pawl publish \(app) a greater one\n"
    default: return ""
    }
  }
}

/// What to say of an app whose clients could be sent nowhere.
func noURLWarning(_ app: String) -> String {
  "\(app) has neither Apple ID nor store URL, so no client can be sent to it: pawl app set \(app) --apple-id N"
}

extension Command where Context == PawlContext {
  /// Flips the state of a release.
  static var mark: Command {
    Command(
      "mark", summary: "Flip the state of a release",
      discussion: """
        States run prepared, waiting, in-review, approved, live; a step may be left out. 'rejected' and 'withdrawn' \
        come from any of them before live, and from them a release may go on. Going live supersedes the live \
        release and starts the app's hold: clients are told once it has run. 'removed' takes a release off the store.
        """,
      examples: [
        .init("pawl mark taxi 7.4.0 in-review", "Apple's mail has come"),
        .init("pawl mark taxi 7.4.0 live --at 2026-11-20T18:00:00Z", "it went live yesterday evening"),
        .init("pawl mark taxi 7.4.0 live --visible-now", "the store serves it: tell clients at once"),
      ],
      section: "Releases", options: { StateOptions() },
      parameters: {
        StateOptions.parameters([
          .argument("STATE", .oneOf.offering(.live(.move)), help: "The new state") { $0.state = $1 },
          .option("--at", "TIME", .moment, help: "When it happened, if not now") { $0.at = $1 },
          .flag("--visible-now", help: "Tell clients at once: no hold, or the end of a running one") {
            $0.isVisibleNow = true
          },
        ])
      }
    ) { options, call, context in
      guard let state = options.state else { return .usage }
      if options.isVisibleNow, state != .live {
        throw UsageError(message: "--visible-now goes with the state live only")
      }
      return try options.record("mark", call, context) { line, version, now throws(LawViolation) in
        try line.mark(version, state, at: options.at, isVisibleNow: options.isVisibleNow, now: now)
      }
    }
  }

  /// Takes back a going live.
  static var unmark: Command {
    Command(
      "unmark", summary: "Take back a going live while its hold runs",
      discussion: """
        For a wrong version typed: the release returns to its former state, and the one it superseded is live \
        again. Once clients may have been told, a going live is never taken back.
        """,
      examples: [.init("pawl unmark taxi 7.4.1 --reason \"meant 7.4.0\"", "the wrong one was marked live")],
      section: "Releases", options: { StateOptions() }, parameters: { StateOptions.parameters() }
    ) { options, call, context in
      try options.requireReason("unmark")
      return try options.record("unmark", call, context) { line, version, now throws(LawViolation) in
        try line.unmark(version, now: now)
      } isAlready: { draft, version in
        try draft.wasTakenBack(options.app, version)
      }
    }
  }

  /// Strikes out a mistaken release.
  static var void: Command {
    Command(
      "void", summary: "Strike out a release recorded by mistake",
      discussion: """
        For a typing error such as 999.0.0: it stays in history, no longer counts for the law that versions only \
        grow, and its number may be used again. What was approved or live is never struck out.
        """,
      examples: [.init("pawl void taxi 999.0.0 --reason \"typing error\"", "the line goes on below it")],
      section: "Releases", options: { StateOptions() }, parameters: { StateOptions.parameters() }
    ) { options, call, context in
      try options.requireReason("void")
      return try options.record("void", call, context) { line, version, now throws(LawViolation) in
        try line.void(version, now: now)
      }
    }
  }
}

extension StateOptions {
  /// Refuses a command that must say why and does not.
  fileprivate func requireReason(_ verb: String) throws(UsageError) {
    guard change.reason == nil else { return }
    throw UsageError(
      id: "usage.missing-option", message: "'pawl \(verb)' needs '--reason TEXT'",
      hint: "say why, for the record")
  }
}
