/// The one decision function: what a client of an app is told at a moment.
///
/// Pure: a snapshot, a moment and a client give one answer, always the same. What depends on the snapshot and
/// the moment alone is worked out once, so that a million clients can ask in a row; a class, since all of that is much
/// to copy for each of them.
package final class Decider: Sendable {
  private let snapshot: Snapshot
  /// The moment the answers are for.
  package let moment: Timestamp
  /// Where in the line what counts is, by ascending version.
  private let known: [Int]
  private let greatestEverLive: Version?
  private let own: Targets
  private let others: [String: Targets]
  private let mandatory: Release?
  /// Rules that count now, those with exactly one version first, then the newest; the first that matches wins.
  private let rules: [Rule]
  private let matchingRule: FirstInRange
  private let redirects: [Redirect]
  private let matchingRedirect: FirstInRange
  private let settingsByPrecedence: [Setting]
  /// Of the URLs that an answer could name, those that may be given to clients.
  private let usableURLs: Set<String>

  /// What an app can point at; shared, since a line is much to copy for every client.
  private final class Targets: Sendable {
    let line: ReleaseLine
    /// Where in the line they are, newest first.
    let positions: [Int]
    let storeURL: String?

    init(line: ReleaseLine, positions: [Int]) {
      self.line = line
      self.positions = positions
      storeURL = line.app.effectiveStoreURL
    }

    /// The newest that runs on a system, where that is known.
    func newest(os: Version?) -> Release? {
      guard let os else { return positions.first.map { line.releases[$0] } }
      let position = positions.first { line.releases[$0].minOS.map { $0 <= os } ?? true }
      return position.map { line.releases[$0] }
    }
  }

  /// Prepares to decide for a snapshot at a moment.
  package init(_ snapshot: Snapshot, at moment: Timestamp) {
    self.snapshot = snapshot
    self.moment = moment
    let line = snapshot.line
    known = line.knownPositions
    greatestEverLive = line.releases.lazy.filter { $0.liveAt != nil }.map(\.version).max()
    own = Targets(line: line, positions: line.targetPositions(at: moment))
    // A stopped app sends nobody anywhere, and nobody may be sent to it.
    others = snapshot.others.mapValues { other in
      Targets(line: other, positions: other.app.isStopped ? [] : other.targetPositions(at: moment))
    }
    mandatory = line.releases.lazy.filter { $0.isMandatory && $0.isVisible(at: moment) }
      .max { $0.version < $1.version }
    rules = line.rules.filter { $0.isActive(at: moment) }.byPrecedence()
    matchingRule = FirstInRange(rules.map(\.range))
    redirects = line.redirects.filter { $0.isActive(at: moment) }.byPrecedence()
    matchingRedirect = FirstInRange(redirects.map(\.range))
    settingsByPrecedence = line.settings.filter { $0.isActive(at: moment) }.byPrecedence()
    let lines = [line] + snapshot.others.values
    let named =
      lines.compactMap(\.app.effectiveStoreURL) + lines.flatMap { $0.releases.lazy.compactMap(\.url) }
      + line.rules.compactMap { $0.destination?.url } + line.redirects.compactMap(\.destination.url)
    usableURLs = Set(named).filter { StoreURL.isUsable($0, hosts: snapshot.hosts) }
  }

  /// Returns what a client is told.
  package func decide(_ client: Client) -> Decision {
    var silent = Trace(steps: nil)
    return decide(client, &silent)
  }

  /// Returns what a client is told, with every step that led there.
  package func explain(_ client: Client) -> (decision: Decision, steps: [DecisionStep]) {
    var trace = Trace(steps: [])
    let decision = decide(client, &trace)
    return (decision, trace.steps ?? [])
  }

  /// The settings of a client, by key.
  package func settings(of client: Version, inReview: Bool) -> [String: String] {
    var values: [String: String] = [:]
    for setting in settingsByPrecedence where values[setting.key] == nil && setting.range.contains(client) {
      guard setting.phase.map({ ($0 == .review) == inReview }) ?? true else { continue }
      values[setting.key] = setting.value
    }
    return values
  }

  /// The steps taken, if anybody wants them; their words are not even made otherwise.
  private struct Trace {
    var steps: [DecisionStep]?

    mutating func add(_ step: String, _ result: @autoclosure () -> String, _ event: @autoclosure () -> Int64?)
    {
      steps?.append(DecisionStep(step: step, result: result(), event: event()))
    }
  }

  private func decide(_ client: Client, _ trace: inout Trace) -> Decision {
    let review = isInReview(client.version, &trace)
    var answer = Decision(action: .none, review: review, decidedBy: .stopped)

    if snapshot.line.app.isStopped {
      trace.add("stop", "\(app.slug) is stopped: no prompts at all", app.event)
      return answer
    }
    if review {
      answer.decidedBy = .unreleased
      return answer
    }

    let rule = rule(for: client.version)
    let redirect = rule?.destination == nil ? self.redirect(for: client.version) : nil
    let destination = rule?.destination ?? redirect?.destination
    if trace.steps != nil { explainRule(rule, redirect, client.version, &trace) }

    // One hop: the other app's own redirects do not count.
    let otherApp = destination?.app.flatMap { $0 == snapshot.line.app.slug ? nil : $0 }
    let line = otherApp.map { others[$0] } ?? own
    let isOtherApp = otherApp != nil
    let target = line?.newest(os: client.os)
    if trace.steps != nil { explainTarget(target, line, client, &trace) }

    if let rule {
      answer.rule = rule.number
      answer.action = rule.action
      answer.decidedBy = .rule
    } else if let mandatory, client.version < mandatory.version {
      trace.add("mandatory", "\(mandatory.version.text) is mandatory and newer: force", mandatory.event)
      answer.action = .force
      answer.decidedBy = .mandatory
    } else if target != nil, isOtherApp {
      trace.add("policy", "versions of two apps do not compare: remind", app.event)
      answer.action = .remind
      answer.decidedBy = .policy
    } else if let target, client.version < target.version {
      answer.action = snapshot.line.app.policy.action(client: client.version, target: target.version)
      answer.decidedBy = .policy
      trace.add(
        "policy",
        "\(app.policy.text) from \(client.version.text) to \(target.version.text): \(answer.action.rawValue)",
        app.event)
    } else {
      answer.decidedBy = target == nil ? .noTarget : .current
    }
    guard answer.action != .none else { return answer }

    guard let line, let target else { return silenced(answer, .noTarget) }
    guard isOtherApp || client.version < target.version else {
      trace.add("guard", "\(target.version.text) is not newer than the client: none", nil)
      return silenced(answer, .current)
    }
    let url = destination?.url ?? target.url ?? line.storeURL
    guard let url, usableURLs.contains(url) else {
      trace.add(
        "url", url.map { "'\($0)' may not be given to clients: none" } ?? "there is no URL to open: none", nil
      )
      return silenced(answer, .noTarget)
    }
    trace.add("url", url, redirect?.event ?? target.event)
    answer.target = target
    answer.targetApp = line.line.app.slug
    answer.url = url
    return answer
  }

  private var app: App { snapshot.line.app }

  private func silenced(_ answer: Decision, _ reason: Decision.Reason) -> Decision {
    var answer = answer
    answer.action = .none
    answer.decidedBy = reason
    return answer
  }

  private func isInReview(_ version: Version, _ trace: inout Trace) -> Bool {
    if let position = position(of: version) {
      let isReleased = snapshot.line.releases[position].state.isReleased
      if trace.steps != nil {
        let release = snapshot.line.releases[position]
        trace.add(
          "released",
          "\(release.version.text) is \(release.state.rawValue): \(isReleased ? "released" : "not released")",
          release.event)
      }
      return !isReleased
    }
    guard let greatestEverLive, version <= greatestEverLive else {
      trace.add(
        "released", "\(version.text) is unknown and greater than every version that was ever live", nil)
      return true
    }
    trace.add(
      "released", "\(version.text) is unknown and not greater than \(greatestEverLive.text), once live", nil)
    return false
  }

  /// Where in the line a known version is.
  private func position(of version: Version) -> Int? {
    let place = known.firstPosition { version <= snapshot.line.releases[$0].version }
    guard place < known.count, snapshot.line.releases[known[place]].version == version else { return nil }
    return known[place]
  }

  private func rule(for version: Version) -> Rule? {
    matchingRule.index(of: version).map { rules[$0] }
  }

  private func redirect(for version: Version) -> Redirect? {
    matchingRedirect.index(of: version).map { redirects[$0] }
  }

  private func explainRule(_ rule: Rule?, _ redirect: Redirect?, _ version: Version, _ trace: inout Trace) {
    if let rule {
      trace.add("rule", "rule \(rule.number) for \(rule.range.text): \(rule.action.rawValue)", rule.event)
    } else {
      trace.add("rule", "no rule for \(version.text) counts at \(moment.text)", nil)
    }
    if let redirect {
      let place = redirect.destination.app.map { "app \($0)" } ?? redirect.destination.url ?? ""
      trace.add("redirect", "redirect for \(redirect.range.text) to \(place)", redirect.event)
    }
  }

  private func explainTarget(_ target: Release?, _ line: Targets?, _ client: Client, _ trace: inout Trace) {
    guard let line else {
      trace.add("target", "the other app is not in the ledger: no target", nil)
      return
    }
    let system = client.os.map { " and runs on \($0.text)" } ?? ""
    if let target {
      trace.add(
        "target",
        "\(target.version.text) is the newest release of \(line.line.app.slug) that is visible\(system)",
        target.event)
    } else if line.line.app.isStopped {
      trace.add("target", "\(line.line.app.slug) is stopped: no target", line.line.app.event)
    } else {
      trace.add("target", "no release of \(line.line.app.slug) is visible\(system)", nil)
    }
  }
}
