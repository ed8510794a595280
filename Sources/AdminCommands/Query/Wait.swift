import CommandLineKit
import JSON
import Ledger
import ReleaseModel

extension Command where Context == PawlContext {
  static var wait: Command {
    Command(
      "wait", reach: .repeated, asks: true,
      no: "it was rejected, withdrawn, removed or struck out, or something newer is live",
      summary: "Wait until a release is in a state",
      discussion: """
        Exits with 0 once the release is in the state or past it, such as live for approved. Checks every minute, and \
        holds no lock in between. If the ledger is on another host, this host does the waiting.
        """,
      examples: [
        .init(
          "pawl wait taxi 7.4.0 approved --timeout 6h", "until Apple has approved it; 75 after six hours"),
        .init("pawl wait taxi 7.4.0 visible", "until clients are told of it"),
      ],
      section: "Releases"
    ) {
      (
        .app, .release, .argument("STATE", .waitGoal, help: "The state to wait for"),
        .option("--timeout", "SPAN", .span, help: "End with 75 after this long; default: never"), .common
      )
    } run: { context, app, version, goal, timeout, common in
      let waiting = Waiting(context, timeout: timeout)
      while true {
        let found: (state: ReleaseState, verdict: Bool?)?
        do {
          found = try goal.standing(of: version, in: app, common, context)
        } catch let error where report(error).exit == .busy {
          found = nil
        }
        let isOver = try found?.verdict == nil && !waiting.again()
        guard isOver || found?.verdict != nil else { continue }
        let state = found?.state.rawValue
        let json: JSON = [
          "app": .string(app), "version": .string(version.text), "state": .optional(state),
          "reached": .bool(found?.verdict == true),
        ]
        try common.print(json, context) {
          "\(app) \(version.text) is \(isOver ? "still " : "")\(state ?? "unknown: the ledger is busy").\n"
        }
        return found?.verdict.map { $0 ? .success : .refused } ?? .busy
      }
    }
  }
}

/// The time between two questions of a command that waits, and its end.
final class Waiting {
  private let context: PawlContext
  private let end: Double?

  /// Starts to wait; somebody who is served by another host never waits here.
  init(_ context: PawlContext, timeout: TimeSpan?) {
    self.context = context
    end = context.mayWait ? timeout.map { context.seconds() + Double($0.seconds) } : -.infinity
  }

  /// Lets a minute pass, or what is left of the time; false if the time is over.
  func again() throws -> Bool {
    let left = end.map { $0 - context.seconds() } ?? .infinity
    guard left > 0 else { return false }
    try context.sleep(min(60, left))
    return true
  }
}

private enum WaitGoal: Sendable {
  case state(ReleaseState)
  case visible

  /// Whether the release is as it should be, or can no longer become so; nil while it may.
  func standing(
    of version: Version, in app: String, _ common: CommonOptions, _ context: PawlContext
  ) throws -> (state: ReleaseState, verdict: Bool?) {
    let ledger = try common.open(context)
    let (line, now) = (try ledger.snapshot(app).line, try ledger.now(clock: context.clock()))
    guard let release = line.release(version) ?? line.releases.last(where: { $0.version == version }) else {
      throw LedgerError.law(
        app: app, command: "wait for \(version.text)", .noRelease(version, nearest: line.nearest(to: version))
      )
    }
    let state = release.state
    let isReached =
      switch self {
      case .state(let goal): state == goal || WaitGoal.stage(state).map { $0 >= goal.stage ?? .max } ?? false
      case .visible: [.live, .superseded].contains(state) && release.visibleAt.map { $0 <= now } ?? false
      }
    if isReached { return (state, true) }
    let isPassed = line.releases.contains { $0.state == .live && version < $0.version }
    return (state, WaitGoal.stage(state) == nil || isPassed ? false : nil)
  }

  /// How far a state is on the way to the store; nil for one that leads nowhere.
  private static func stage(_ state: ReleaseState) -> Int? {
    state == .superseded ? ReleaseState.live.stage : state.stage
  }
}

extension ValueType where Value == WaitGoal {
  fileprivate static var waitGoal: Self {
    let states = ReleaseState.reachable
    let words = states.map(\.rawValue) + ["visible"]
    return ValueType(allowed: words, completion: .values) { word throws(ValueError) in
      if word == "visible" { return .visible }
      guard let state = ReleaseState(rawValue: word), states.contains(state) else {
        throw ValueError(
          "not a state that a release reaches",
          hint: Synonyms.state(word).map { "did you mean '\($0)'?" } ?? "one of "
            + words.joined(separator: ", "))
      }
      return .state(state)
    }
  }
}
