import CommandLineKit
import JSON
import Ledger
import ReleaseModel

extension Command where Context == PawlContext {
  static var mark: Command {
    Command(
      "mark", reach: .remote, summary: "Move a release to another state",
      discussion: """
        States run prepared, waiting, in-review, approved, live; steps may be skipped. 'rejected' and \
        'withdrawn' can follow any state before live, and a release can move on from them. A release that \
        goes live supersedes the live one and starts the app's hold: clients are told when the hold ends. \
        'removed' records that it is off the store.
        """,
      examples: [
        .init("pawl mark taxi 7.4.0 in-review", "Apple's mail has arrived"),
        .init("pawl mark taxi 7.4.0 live --at 2026-11-20T18:00:00Z", "it went live yesterday evening"),
        .init("pawl mark taxi 7.4.0 live --visible-now", "the store serves it: tell clients at once"),
      ]
    ) {
      (
        .app, .release, .argument("STATE", .move, help: "The new state"),
        .option("--at", "TIME", .time(.happening), help: "When it happened; default: now"), .zoneOfTimes,
        .flag("--visible-now", help: "Tell clients at once: skip the hold, or end a running one"), .change
      )
    } run: { context, app, version, state, written, zone, isVisibleNow, change in
      try UsageError.demand(!isVisibleNow || state == .live, "--visible-now is only for the state live")
      let at = try written?.moment(now: context.clock(), zone, context)
      // The other releases' times are needed only to check a time that somebody gave.
      let mark = StateChange(verb: "mark", app: app, version: version, readsPart: at == nil)
      return try mark.record(change, context) { line, now throws(LawViolation) in
        if state == .live, let at, line.release(version)?.state.mayBecome(.live) == true {
          try line.checkIsNewest(version, at: at)
        }
        return try line.mark(version, state, at: at, isVisibleNow: isVisibleNow, now: now)
      } first: {
        $0.waivesHold = isVisibleNow
        return false
      }
    }
  }

  static var unmark: Command {
    Command(
      "unmark", reach: .remote, summary: "Undo marking a release live, while its hold runs",
      discussion: """
        For a mistyped version: the release returns to its former state, and the one it superseded is live \
        again. Once clients may have been told, it cannot be taken back.
        """,
      examples: [.init("pawl unmark taxi 7.4.1 --reason \"meant 7.4.0\"", "the wrong one was marked live")]
    ) {
      (.app, .release, .reasonedChange)
    } run: { context, app, version, change in
      return try StateChange(verb: "unmark", app: app, version: version).record(change, context) {
        line, now throws(LawViolation) in
        try line.unmark(version, now: now)
      } first: {
        try $0.wasTakenBack(app, version)
      }
    }
  }

  static var void: Command {
    Command(
      "void", reach: .remote, summary: "Strike out a release recorded by mistake",
      discussion: """
        For a typo such as 999.0.0: it stays in history, no longer counts for the law that versions only \
        grow, and its number can be used again. A release that was approved or live is struck out only with \
        --never-shipped, for one that was never uploaded to App Store Connect: the release it superseded is live again. That always \
        asks, and is refused while proved evidence shows that Apple has it.
        """,
      examples: [
        .init("pawl void taxi 999.0.0 --reason \"typo\"", "later versions can be lower again"),
        .init(
          "pawl void taxi 70.4.0 --never-shipped --reason \"meant 7.4.0\"", "it was marked live by mistake"),
      ]
    ) {
      (
        .app, .release,
        .flag(
          "--never-shipped",
          help: "It was never uploaded to App Store Connect: strike it out even if approved or live"),
        .reasonedChange
      )
    } run: { context, app, version, neverShipped, change in
      return try StateChange(verb: "void", app: app, version: version).record(change, context) {
        line, now throws(LawViolation) in
        try line.void(version, neverShipped: neverShipped, now: now)
      } first: { draft in
        if neverShipped { try checkNothingShows(version, of: app, &draft) }
        return false
      }
    }
  }

  /// Refuses to record that Apple never had a version while proved evidence shows that Apple has it.
  private static func checkNothingShows(_ version: Version, of app: String, _ draft: inout ChangeSet) throws {
    guard let release = try draft.line(app).release(version), release.state != .void else { return }
    guard let proof = try draft.proofs(showing: version, of: app).last else { return }
    let state = proof.state.map { " as \($0.rawValue)" } ?? ""
    let refusal = Refusal(app: app, command: "void \(version.text)")
    throw refusal.report(
      "evidence.contradicts",
      "evidence \(proof.id), a proved \(proof.kind.rawValue), shows that Apple has \(release.version.text)\(state)",
      "look at it with 'pawl inbox show \(proof.id)'; mark the release removed if the store no longer serves it",
      [
        ("version", .string(release.version.text)),
        ("evidence", .integer(proof.id)),
      ])
  }
}

private struct StateChange {
  let verb: String
  let app: String
  let version: Version
  /// Whether to read only the part of the app that the change depends on.
  var readsPart = false

  /// - Parameter first: Throws to refuse the change; returns true if it is already done.
  func record(
    _ options: ChangeOptions, _ context: PawlContext,
    _ law: @escaping (AppState, Timestamp) throws(LawViolation) -> Change?,
    first: (inout ChangeSet) throws -> Bool = { _ in false }
  ) throws -> ExitCode {
    var before: Release?
    var other: (name: String, version: Version)?
    return try Changing(options, context).run { draft in
      let now = draft.now
      if readsPart { try draft.readPart(of: app, around: version) }
      before = try draft.line(app).release(version)
      if try first(&draft) { return }
      try draft.change(app, "\(verb) \(version.text)") { line, _ throws(LawViolation) in
        let change = try law(line, now)
        switch change {
        case .marked(_, _, let version?): other = ("superseded", version)
        case .unmarked(_, _, let version?), .voided(_, _, _, let version?): other = ("restored", version)
        default: other = nil
        }
        return change
      }
    } answer: { draft in
      let line = try draft.line(app)
      let release = line.release(version)
      // The release that this one superseded, or the one that is live again.
      let others = other.map { [($0.name, $0.version.text.json)] } ?? []
      return [
        ("release", (release?.of(app)).json), ("channel", line.app.channel.json),
        ("from", (before?.state).json), ("held", (release?.isHeld(at: draft.now) ?? false).json),
        ("warnings", warnings(line, release, now: draft.now).json),
      ] + others
    } text: { answer in
      let superseded = answer["superseded"]?.string.map { "  superseded \($0)\n" }
      let restored = answer["restored"]?.string.map { "  \($0) is live again\n" }
      return try ReleaseText.said(
        answer, more: superseded ?? restored ?? "", next: ReleaseText.next(of: answer))
    }
  }

  /// Warnings about the release, and about rules that prompt clients but now have no target.
  private func warnings(_ line: AppState, _ release: Release?, now: Timestamp) -> [String] {
    guard verb == "mark" else { return [] }
    switch release?.state {
    case .live:
      let isLost = line.app.effectiveStoreURL == nil && release?.url == nil
      return (isLost ? [ReleaseText.noURL(line.app)] : []) + ReleaseText.expired(release, now: now)
        + line.jumpWarning(version, after: line.newest(where: { $0.liveAt != nil && $0.version < version }))
    case .removed where line.target(at: now) == nil:
      return line.rules.filter {
        $0.action != .none && $0.destination?.app == nil && $0.isActive(at: now)
      }.map {
        "rule \($0.number) (\($0.range.text) → \($0.action.rawValue)) has no target until a newer release is visible"
      }
    default: return []
    }
  }
}

extension ReleaseState {
  /// The states that a person can move a release to.
  static let reachable = allCases.filter { $0 != .superseded && $0 != .void }
}

extension ValueType where Value == ReleaseState {
  /// A state to move a release to; the law, not this type, refuses a state that cannot be reached this way.
  static var move: Self {
    let words = ReleaseState.reachable.map(\.rawValue)
    return ValueType(allowed: words, completion: .live(.move)) { text throws(ValueError) in
      if let state = ReleaseState(rawValue: text) { return state }
      throw ValueError(
        "not one of " + words.joined(separator: ", "),
        hint: Synonyms.state(text).map { "did you mean '\($0)'?" })
    }
  }
}
