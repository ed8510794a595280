import CommandLineKit
import JSON
import Ledger
import ReleaseModel

extension Command where Context == PawlContext {
  static var wait: Command {
    Command(
      "wait", reach: .repeated, isReadOnly: true,
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
      ]
    ) {
      (
        .app, .release, .argument("STATE", .waitGoal, help: "The state to wait for"),
        .option("--timeout", "SPAN", .span, help: "End with 75 after this long; default: never"), .common
      )
    } run: { context, app, version, goal, timeout, common in
      let waiting = Waiting(context, timeout: timeout)
      while true {
        var found: ReleaseProgress?
        var fault: CommandFailure?
        do {
          let ledger = try common.open(context)
          let (line, now) = (try ledger.snapshot(app).line, try ledger.now(clock: context.clock()))
          found = goal.progress(of: version, in: line, at: now)
          if found == nil {
            throw Refusal.noRelease(version, nearest: line.nearest(to: version))
              .of("wait for \(version.text)", on: app)
          }
        } catch let error where report(error).exit == .busy {
          fault = report(error)
        }
        let isOver = try found?.verdict == nil && !waiting.again()
        guard isOver || found?.verdict != nil else { continue }
        let json: JSON = [
          "app": .string(app), "version": .string(version.text), "state": .optional(found?.state.rawValue),
          "reached": .bool(found?.verdict == true),
        ]
        try common.print(json, context) {
          found.map { "\(app) \(version.text) is \(isOver ? "still " : "")\($0.words).\n" }
            ?? "The state of \(app) \(version.text) is unknown: \(fault?.message ?? "the ledger is busy")\n"
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

  /// Starts to wait; someone who is served by another host never waits here.
  init(_ context: PawlContext, timeout: TimeSpan?) {
    self.context = context
    // Over ssh the asking end waits.
    end = context.gate == nil ? timeout.map { context.seconds() + Double($0.seconds) } : -.infinity
  }

  /// Lets a minute pass, or what is left of the time; false if the time is over.
  func again() throws -> Bool {
    let left = end.map { $0 - context.seconds() } ?? .infinity
    guard left > 0 else { return false }
    try context.sleep(min(60, left))
    return true
  }
}

extension ValueType where Value == WaitGoal {
  fileprivate static var waitGoal: Self {
    let states = ReleaseState.reachable
    let words = states.map(\.rawValue) + ["visible"]
    return ValueType(allowed: words, completion: .values) { word throws(UsageError) in
      if word == "visible" { return .visible }
      guard let state = ReleaseState(rawValue: word), states.contains(state) else {
        throw UsageError(
          "usage.invalid-value/choice", ["allowed": words.joined(separator: ", ")],
          hint: didYouMean(Synonyms.state(word)))
      }
      return .state(state)
    }
  }
}
