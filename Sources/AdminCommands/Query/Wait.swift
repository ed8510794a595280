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

        Without a ledger, --asc asks App Store Connect with the key that PAWL_ASC_KEY, PAWL_ASC_KEY_ID and \
        PAWL_ASC_ISSUER name, and --lookup needs no key: COMMAND prints an answer of the store's lookup, once a minute, \
        until that shows the version. What may pass (429, 5xx, no network, a COMMAND that fails) is asked again.
        """,
      examples: [
        .init(
          "pawl wait taxi 7.4.0 approved --timeout 6h", "until Apple has approved it; 75 after six hours"),
        .init("pawl wait taxi 7.4.0 visible", "until clients are told of it"),
        .init("pawl wait --asc 1524608462 7.4.0 live", "without a ledger"),
        .init(
          "pawl wait --lookup 1524608462 7.4.0 -- curl -sf 'https://itunes.apple.com/lookup?id=1524608462'",
          "without a ledger or a key"),
      ]
    ) {
      (
        .optionalArgument("APP", .slug, help: "The app", unless: ["--asc", "--lookup"]), .release,
        .optionalArgument(
          "STATE", .waitGoal, help: "The state to wait for", unless: ["--lookup"]),
        .awaitedApp,
        .option("--timeout", "SPAN", .span, help: "End with 75 after this long; default: never"), .common
      )
    } run: { context, app, version, goal, store, timeout, common in
      let goal = goal ?? .state(.live)
      if let store, case .connect = store.source, case .visible = goal {
        throw UsageError(
          "usage.invalid/needs", ["options": "the state visible", "other": "an app of a ledger"])
      }
      let name = store?.name ?? app ?? ""
      let waiting = Waiting(context, timeout: timeout)
      // In seconds: what is asked at the end, or once, still gets an answer.
      let least = 10.0
      while true {
        var found: ReleaseProgress?
        var fault: CommandFailure?
        do {
          if let store {
            found = try store.progress(of: version, goal, context, within: max(least, waiting.left))
          } else {
            let ledger = try common.open(context)
            let (line, now) = (try ledger.snapshot(name).line, try ledger.now(clock: context.clock()))
            found = goal.progress(of: version, in: line, at: now)
            if found == nil {
              throw Refusal.noRelease(version, nearest: line.nearest(to: version))
                .of("wait for \(version.text)", on: name)
            }
          }
        } catch let error where report(error).exit == .busy {
          fault = report(error)
        }
        let isOver = try found?.verdict == nil && !waiting.again()
        guard isOver || found?.verdict != nil else { continue }
        let json: JSON = [
          "app": .string(name), "version": .string(version.text), "state": .optional(found?.state?.rawValue),
          "reached": .bool(found?.verdict == true),
        ]
        try common.print(json, context) {
          found.map { "\(name) \(version.text) is \(isOver ? "still " : "")\($0.words).\n" }
            ?? "The state of \(name) \(version.text) is unknown: \(fault?.message ?? "the ledger is busy")\n"
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

  /// In seconds.
  var left: Double { end.map { $0 - context.seconds() } ?? .infinity }

  /// Lets a minute pass, or what is left of the time; false if the time is over.
  func again() throws -> Bool {
    let left = left
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
