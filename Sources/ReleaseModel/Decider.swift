/// The one decision function: what a client of an app is told at a moment.
///
/// It is pure: the same snapshot, moment and client always give the same answer. Everything that depends only
/// on the snapshot and the moment is worked out once, so that a million clients can ask in a row. It is a
/// class because that state would be expensive to copy for each of them.
package final class Decider: Sendable {
  private let outlook: Outlook
  /// The rules that apply at the moment, by precedence.
  private let rules: [Rule]
  private let matchingRule: FirstInRange
  private let redirects: [Redirect]
  private let matchingRedirect: FirstInRange
  private let settings: [Setting]

  /// The moment the answers are for.
  package var moment: Timestamp { outlook.moment }

  /// Prepares to decide for a snapshot at a moment.
  package convenience init(_ snapshot: Snapshot, at moment: Timestamp) {
    self.init(Background(snapshot), at: moment)
  }

  /// Prepares to decide at one of several moments that share a background.
  init(_ background: Background, at moment: Timestamp) {
    outlook = Outlook(background, at: moment)
    let line = background.snapshot.line
    rules = line.rules.filter { $0.isActive(at: moment) }.byPrecedence()
    matchingRule = FirstInRange(rules.map(\.range))
    redirects = line.redirects.filter { $0.isActive(at: moment) }.byPrecedence()
    matchingRedirect = FirstInRange(redirects.map(\.range))
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

  /// Everything that decides about a version at this moment.
  package func situation(of version: Version) -> Situation {
    Situation(
      outlook: outlook, version: version, rule: matchingRule.index(of: version).map { rules[$0] },
      redirect: matchingRedirect.index(of: version).map { redirects[$0] },
      settings: settings.filter { $0.range.contains(version) })
  }

  private func decide(_ client: Client, _ trace: inout Trace) -> Decision {
    outlook.decide(
      outlook.standing(of: client), os: client.os,
      rule: matchingRule.index(of: client.version).map { rules[$0] },
      redirect: matchingRedirect.index(of: client.version).map { redirects[$0] }, &trace)
  }
}

extension Sequence<Setting> {
  /// The values that matching settings give a client, by key; winning settings come first.
  func values(inReview: Bool) -> [String: String] {
    var values: [String: String] = [:]
    for setting in self where values[setting.key] == nil {
      guard setting.phase.map({ ($0 == .review) == inReview }) ?? true else { continue }
      values[setting.key] = setting.value
    }
    return values
  }
}

/// Everything that decides about one version at a moment, ready to be asked for every system.
package struct Situation {
  let outlook: Outlook
  let version: Version
  let rule: Rule?
  let redirect: Redirect?
  /// The settings whose ranges contain the version, winning ones first.
  let settings: [Setting]

  /// What the version is told on a system; nil for an unknown system, on which everything is taken to run.
  package func decide(os: Version? = nil) -> Decision {
    let client = Client(version: version, os: os)
    var silent = Trace(client: client, steps: nil)
    return outlook.decide(outlook.standing(of: client), os: os, rule: rule, redirect: redirect, &silent)
  }

  /// The version's settings, by key.
  package func settings(inReview: Bool) -> [String: String] { settings.values(inReview: inReview) }
}

/// Everything a decision looks at in a client's version, apart from the rule and redirect that apply to it.
struct Standing: Equatable {
  /// Whether the version is not released.
  let isInReview: Bool
  /// Whether it is below the newest visible mandatory release.
  let isBelowMandatory: Bool
  /// Whether it is below the app's own target.
  let isBelowTarget: Bool
  /// What the segment policy says about the step from the version to the app's own target; `none` if there is
  /// no target.
  let policy: Action
  /// Whether the policy may remind it of a release that it would prompt for and whose phased release is over.
  let isBelowReminder: Bool
}

/// The steps taken, if anybody wants them; otherwise their text is never built.
struct Trace {
  let client: Client
  var steps: [DecisionStep]?

  mutating func add(_ step: String, _ event: @autoclosure () -> Int64?, _ result: (Client) -> String) {
    guard steps != nil else { return }
    steps?.append(DecisionStep(step: step, result: result(client), event: event()))
  }
}

/// What decisions need from a snapshot at any moment.
final class Background: Sendable {
  let snapshot: Snapshot
  /// Positions in the line of the known releases, by ascending version.
  private let known: [Int]
  private let greatestEverLive: Version?
  /// The URLs that an answer could name and that may be given to clients.
  let usableURLs: Set<String>

  init(_ snapshot: Snapshot) {
    self.snapshot = snapshot
    let line = snapshot.line
    known = line.knownPositions
    greatestEverLive = line.greatestEverLive
    let lines = [line] + snapshot.others.values
    let named =
      lines.compactMap(\.app.effectiveStoreURL) + lines.flatMap { $0.releases.lazy.compactMap(\.url) }
      + line.rules.compactMap { $0.destination?.url } + line.redirects.compactMap(\.destination.url)
    usableURLs = Set(named).filter { StoreURL.isUsable($0, hosts: snapshot.hosts) }
  }

  /// Whether a version is not released (law 5).
  func isInReview(_ version: Version) -> Bool {
    if let position = position(of: version) { return !snapshot.line.releases[position].state.isReleased }
    return greatestEverLive.map { $0 < version } ?? true
  }

  /// The position in the line of a known version.
  private func position(of version: Version) -> Int? {
    let place = known.firstPosition { version <= snapshot.line.releases[$0].version }
    guard place < known.count, snapshot.line.releases[known[place]].version == version else { return nil }
    return known[place]
  }

  func explainReview(_ trace: inout Trace) {
    let version = trace.client.version
    if let release = position(of: version).map({ snapshot.line.releases[$0] }) {
      trace.add("released", release.event) { _ in
        "\(release.version.text) is \(release.state.rawValue): \(release.state.isReleased ? "released" : "not released")"
      }
    } else if let greatestEverLive, version <= greatestEverLive {
      trace.add("released", nil) {
        "\($0.version.text) is unknown and not greater than \(greatestEverLive.text), once live"
      }
    } else {
      trace.add("released", nil) {
        "\($0.version.text) is unknown and greater than every version that was ever live"
      }
    }
  }
}
