import CommandLineKit
import JSON
import Ledger
import ReleaseModel

extension Command where Context == PawlContext {
  static var mark: Command {
    .change(
      "mark", summary: "Move a release to another state, or end its hold",
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
        .option("--at", "TIME", .time(.happening), help: "When it happened; default: now"), .zone,
        .flag("--visible-now", help: "Tell clients at once: skip the hold, or end a running one")
      )
    } run: { changing, app, version, state, written, zone, isVisibleNow in
      try changing.run { draft in
        try UsageError.demand(!isVisibleNow || state == .live, "--visible-now", needs: "the state live")
        let at = try written?.moment(now: changing.context.clock(), zone, changing.context)
        draft.waivesHold = isVisibleNow
        return try move(app, version, &draft, "mark", warnings: markWarnings) {
          line, now throws(Refusal) in
          if state == .live, let at, line.release(version)?.state.mayBecome(.live) == true {
            try line.checkIsNewest(version, at: at)
          }
          if let at { try line.checkIsSince(at, version, state) }
          return try line.mark(version, state, at: at, isVisibleNow: isVisibleNow, now: now)
        }
      }
    }
  }

  static var unmark: Command {
    .change(
      "unmark", summary: "Undo marking a release live, while its hold runs",
      discussion: """
        For a mistyped version: the release returns to its former state, and the one it superseded is live \
        again. Once clients may have been told, it cannot be taken back.
        """,
      examples: [.init("pawl unmark taxi 7.4.1 --reason \"meant 7.4.0\"", "the wrong one was marked live")],
      options: .reasonedChange
    ) {
      (.app, .release)
    } run: { changing, app, version in
      try changing.run { draft in
        let isDone = try draft.wasTakenBack(app, version)
        return try move(app, version, &draft, "unmark") { line, now throws(Refusal) in
          isDone ? nil : try line.unmark(version, now: now)
        }
      }
    }
  }

  static var void: Command {
    .change(
      "void", summary: "Strike out a release recorded by mistake",
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
      ], options: .reasonedChange
    ) {
      (
        .app, .release,
        .flag(
          "--never-shipped",
          help: "It was never uploaded to App Store Connect: strike it out even if approved or live")
      )
    } run: { changing, app, version, neverShipped in
      try changing.run { draft in
        try move(app, version, &draft, "void") { line, now throws(Refusal) in
          try line.void(version, neverShipped: neverShipped, now: now)
        }
      }
    }
  }

  /// Moves a release by a law, and names the other release that this moves with it.
  private static func move(
    _ app: String, _ version: Version, _ draft: inout ChangeSet, _ verb: String,
    warnings: (AppState, Release, Timestamp) -> [String] = { _, _, _ in [] },
    _ law: (AppState, Timestamp) throws(Refusal) -> Change?
  ) throws -> Outcome {
    let now = draft.now
    let before = try draft.line(app).release(version)?.state
    try draft.change(app, "\(verb) \(version.text)") { line, _ throws(Refusal) in try law(line, now) }
    let moved = draft.moved.last ?? MovedRelease()
    let members = [
      moved.superseded.map { ("superseded", $0.json) }, moved.restored.map { ("restored", $0.json) },
    ]
    let words =
      (moved.superseded.map { "  superseded \($0)\n" } ?? "")
      + (moved.restored.map { "  \($0) is live again\n" } ?? "")
    let line = try draft.line(app)
    let release = line.release(version)
    return ReleaseText.outcome(
      of: version, line, at: now, from: before,
      [("from", (before?.rawValue).json), ("held", (release?.isHeld(at: now) ?? false).json)]
        + members.compactMap(\.self),
      more: words, warnings: release.map { warnings(line, $0, now) } ?? [])
  }

  /// Warnings about a release that was marked, and about rules that prompt clients but now have no target.
  private static func markWarnings(_ line: AppState, _ release: Release, now: Timestamp) -> [String] {
    switch release.state {
    case .live:
      return line.lostWarning(release) + ReleaseText.expired(release, now: now)
        + line.jumpWarning(
          release.version, after: line.newest(where: { $0.liveAt != nil && $0.version < release.version }))
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

extension AppState {
  /// Refuses another moment for a state that a release is in; when it went live, the law of marks asks.
  fileprivate func checkIsSince(_ moment: Timestamp, _ version: Version, _ state: ReleaseState)
    throws(Refusal)
  {
    guard let known = counted(version), known.state == state, state != .live, known.since != moment else {
      return
    }
    throw Refusal(
      "state.since", ["state": state.rawValue],
      details: ["since": .string(known.since.text), "version": .string(known.version.text)])
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
    return ValueType(allowed: words, completion: .live(.move)) { text throws(UsageError) in
      if let state = ReleaseState(rawValue: text) { return state }
      throw UsageError(
        "usage.invalid-value/choice", ["allowed": words.joined(separator: ", ")],
        hint: didYouMean(Synonyms.state(text)))
    }
  }
}
