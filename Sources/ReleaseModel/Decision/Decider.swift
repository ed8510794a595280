/// The one decision function: what a client of an app is told at a moment.
///
/// It is pure, and works out once what depends only on the snapshot and the moment, so that a million clients
/// can ask in a row; a class, because that state would be expensive to copy for each of them.
package final class Decider: Sendable {
  package let snapshot: Snapshot
  private let outlook: Outlook
  private let rules: [Rule]
  private let redirects: [Redirect]
  private let settings: [Setting]

  package var moment: Timestamp { outlook.moment }

  package init(_ snapshot: Snapshot, at moment: Timestamp) {
    self.snapshot = snapshot
    outlook = Outlook(snapshot, at: moment)
    let line = snapshot.line
    rules = line.rules.filter { $0.isActive(at: moment) }.byPrecedence()
    redirects = line.redirects.filter { $0.isActive(at: moment) }.byPrecedence()
    settings = line.settings.filter { $0.isActive(at: moment) }.byPrecedence()
  }

  /// Returns what a client is told.
  package func decide(_ client: Client) -> Decision {
    var silent = Trace(client: client, steps: nil)
    return decide(client, &silent)
  }

  /// Returns what a client is told, with every step that led there.
  package func explain(_ client: Client) -> (decision: Decision, steps: [DecisionStep]) {
    var trace = Trace(client: client, steps: [])
    let decision = decide(client, &trace)
    return (decision, trace.steps ?? [])
  }

  /// The settings of a client, by key.
  package func settings(of client: Version, inReview: Bool) -> [String: String] {
    settings.lazy.filter { $0.range.contains(client) }.values(inReview: inReview)
  }

  private func decide(_ client: Client, _ trace: inout Trace) -> Decision {
    let (version, places) = (client.version, outlook.places(os: client.os))
    return outlook.decide(
      outlook.standing(of: version, places), places, rule: rules.first { $0.range.contains(version) },
      redirect: redirects.first { $0.range.contains(version) }, &trace)
  }
}

extension Sequence<Setting> {
  /// The values that matching settings give a client, by key; winning settings come first.
  package func values(inReview: Bool) -> [String: String] {
    var values: [String: String] = [:]
    for setting in self where values[setting.key] == nil {
      guard setting.phase.map({ ($0 == .review) == inReview }) ?? true else { continue }
      values[setting.key] = setting.value
    }
    return values
  }
}

/// How a client's version counts in a decision.
struct Standing: Equatable {
  let isInReview: Bool
  let isBelowMandatory: Bool
  let isBelowTarget: Bool
  /// What the segment policy says about the step to the app's own target; `none` if there is no target.
  let policy: Action
  /// Whether the policy may remind it of a release that it would prompt for and whose phased release is over.
  let isBelowReminder: Bool
}

/// The steps of a decision as they are taken; none are kept where no one asks for them.
struct Trace {
  let client: Client
  var steps: [DecisionStep]?

  mutating func add(
    _ step: String, _ cause: @autoclosure () -> DecisionStep.Cause?, _ result: (Client) -> String
  ) {
    guard steps != nil else { return }
    steps?.append(DecisionStep(step: step, result: result(client), cause: cause()))
  }
}
