/// What clients may be pointed at, from a moment until the next release becomes visible.
///
/// Where clients on one system may be pointed is a list of places: that in their own app, then in each other app that is
/// led to, by slug.
final class Outlook: Sendable {
  private let snapshot: Snapshot
  let moment: Timestamp
  /// The app's own, then those of the other apps, by slug.
  private let targets: [Targets]
  private let mandatory: Release?
  private let greatestEverLive: Version?
  private let usableURLs: Set<String>

  /// - Parameter usableURLs: Those of the snapshot, which are the same at all moments.
  init(_ snapshot: Snapshot, at moment: Timestamp, usableURLs: Set<String>? = nil) {
    self.snapshot = snapshot
    self.moment = moment
    self.usableURLs = usableURLs ?? snapshot.usableURLs
    let line = snapshot.line
    greatestEverLive = line.greatestEverLive
    // A silent app sends no one anywhere, and no one may be sent to it.
    let others = snapshot.others.sorted { $0.key < $1.key }.map { _, other in
      Targets(other, at: moment, isSilent: other.app.silence != nil)
    }
    targets = [Targets(line, at: moment)] + others
    mandatory = line.releases.lazy.filter { $0.isMandatory && $0.isVisible(at: moment) }
      .max { $0.version < $1.version }
  }

  private var app: App { snapshot.line.app }

  private var releases: [Release] { snapshot.line.releases }

  func places(os: Version?) -> [Place] {
    let os = os.map(app.platform.system)
    return targets.map { $0.place(os: os) }
  }

  /// The versions below which answers may change because of where clients may be pointed.
  func bounds(_ places: [Place]) -> [Version] {
    let targets = [places[0].newest, places[0].reminder].compactMap(\.self).map { releases[$0].version }
    return [mandatory?.version].compactMap(\.self)
      + targets.flatMap { target in
        // Where the policy moves from one component to the next.
        [target] + (1...3).map { target.truncated(to: $0) }
      }
  }

  func standing(of version: Version, _ places: [Place]) -> Standing {
    let target = places[0].newest.map { releases[$0].version }
    let reminder = places[0].reminder.map { releases[$0].version }
    let policy = app.policy
    return Standing(
      isInReview: snapshot.line.isInReview(version, greatestEverLive: greatestEverLive),
      isBelowMandatory: mandatory.map { version < $0.version } ?? false,
      isBelowTarget: target.map { version < $0 } ?? false,
      policy: target.map { policy.action(client: version, target: $0) } ?? .none,
      isBelowReminder: reminder.map {
        version < $0 && policy.action(client: version, target: $0) != .none
      } ?? false)
  }

  /// Returns what clients with the same standing, rule and redirect are told: all that a version counts for
  /// besides is the text of the trace.
  func decide(
    _ standing: Standing, _ places: [Place], rule: @autoclosure () -> Rule?,
    redirect: @autoclosure () -> Redirect?, _ trace: inout Trace
  ) -> Decision {
    if trace.steps != nil { explainReview(&trace) }
    var answer = Decision(action: .none, review: standing.isInReview, decidedBy: .stopped)

    if let silence = app.silence {
      trace.add("stop", .app(app)) { _ in "\(app.slug) is \(silence): no prompts at all" }
      return answer
    }
    if standing.isInReview {
      answer.decidedBy = .unreleased
      return answer
    }

    let rule = rule()
    let redirect = rule?.destination == nil ? redirect() : nil
    let destination = rule?.destination ?? redirect?.destination
    if trace.steps != nil { explainRule(rule, redirect, &trace) }

    // One hop: the other app's own redirects do not count.
    let otherApp = destination?.app.flatMap { $0 == app.slug ? nil : $0 }
    let isOtherApp = otherApp != nil
    let index = otherApp.map { slug in targets.dropFirst().firstIndex { $0.line.app.slug == slug } } ?? 0
    let place = index.map { places[$0] } ?? Place()
    let position = place.newest
    if trace.steps != nil { explainTarget(position, index.map { targets[$0] }, &trace) }

    if let rule {
      answer.rule = rule.number
      answer.action = rule.action
      answer.decidedBy = .rule
    } else if let mandatory, standing.isBelowMandatory {
      trace.add("mandatory", .release(mandatory, of: app)) { _ in
        "\(mandatory.version.text) is mandatory and newer: force"
      }
      answer.action = .force
      answer.decidedBy = .mandatory
    } else if position != nil, isOtherApp {
      trace.add("policy", redirect.map { .event($0.event) }) { _ in
        "the versions of two apps cannot be compared: remind"
      }
      answer.action = .remind
      answer.decidedBy = .policy
    } else if let position, standing.isBelowTarget {
      answer.action = standing.policy
      answer.decidedBy = .policy
      trace.add("policy", .app(app)) { client in
        let target = releases[position].version.text
        return "\(app.policy.text) from \(client.version.text) to \(target): \(standing.policy.rawValue)"
      }
    } else {
      answer.decidedBy = position == nil ? .noTarget : .current
    }
    guard answer.action != .none else { return answer }

    guard let line = index.map({ targets[$0].line }), var position else { return silenced(answer, .noTarget) }
    if answer.decidedBy == .policy, answer.action == .remind {
      let reminder = place.reminder
      if reminder != position {
        let waiting = line.releases[position]
        guard let reminder, isOtherApp || standing.isBelowReminder else {
          trace.add("phased", .release(waiting, of: line.app)) { _ in
            "the phased release of \(waiting.version.text) is not over: no reminders yet"
          }
          return silenced(answer, .phased)
        }
        position = reminder
        trace.add("phased", .release(waiting, of: line.app)) { _ in
          "the phased release of \(waiting.version.text) is not over: reminded of "
            + line.releases[reminder].version.text
        }
      }
    }
    let target = line.releases[position]
    guard isOtherApp || standing.isBelowTarget else {
      trace.add("guard", nil) { _ in "\(target.version.text) is not newer than the client: none" }
      return silenced(answer, .current)
    }
    let url = destination?.url ?? target.url ?? line.app.effectiveStoreURL
    guard let url, usableURLs.contains(url) else {
      trace.add("url", nil) { _ in
        url.map { "'\($0)' may not be given to clients: none" } ?? "there is no URL to open: none"
      }
      return silenced(answer, .noTarget)
    }
    // The page comes from the rule or redirect, else from the release, else from its app.
    trace.add(
      "url",
      destination?.url != nil
        ? (redirect?.event ?? rule?.event).map { .event($0) }
        : target.url != nil ? .release(target, of: line.app) : .app(line.app)
    ) { _ in url }
    answer.target = target
    answer.targetApp = line.app.slug
    answer.url = url
    return answer
  }

  private func silenced(_ answer: Decision, _ reason: Decision.Reason) -> Decision {
    var answer = answer
    answer.action = .none
    answer.decidedBy = reason
    return answer
  }

  private func explainReview(_ trace: inout Trace) {
    let version = trace.client.version
    if let release = snapshot.line.release(version) {
      trace.add("released", .release(release, of: app)) { _ in
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

  private func explainRule(_ rule: Rule?, _ redirect: Redirect?, _ trace: inout Trace) {
    if let rule {
      trace.add("rule", .event(rule.event)) { _ in
        "rule \(rule.number) for \(rule.range.text): \(rule.action.rawValue)"
      }
    } else {
      trace.add("rule", nil) { "no rule applies to \($0.version.text) at \(moment.text)" }
    }
    if let redirect {
      let place = redirect.destination.app.map { "app \($0)" } ?? redirect.destination.url ?? ""
      trace.add("redirect", .event(redirect.event)) { _ in "redirect for \(redirect.range.text) to \(place)" }
    }
  }

  private func explainTarget(_ position: Int?, _ place: Targets?, _ trace: inout Trace) {
    guard let place else {
      trace.add("target", nil) { _ in "the other app is not in the ledger: no target" }
      return
    }
    let slug = place.line.app.slug
    // The newest release of all closes the way on older systems, too (law 4).
    let newest = [nil, trace.client.os.map(app.platform.system)].compactMap {
      place.line.newestShown(on: $0, at: moment)
    }
    let system = trace.client.os.map { " and runs on \($0.text)" } ?? ""
    if let target = position.map({ place.line.releases[$0] }) {
      trace.add("target", .release(target, of: place.line.app)) { _ in
        "\(target.version.text) is the newest release of \(slug) that is visible\(system)"
      }
    } else if let silence = place.line.app.silence {
      trace.add("target", .app(place.line.app)) { _ in "\(slug) is \(silence): no target" }
    } else if let expired = newest.first(where: { $0.isExpired(at: moment) && $0.isVisible(at: moment) }) {
      trace.add("target", .release(expired, of: place.line.app)) { _ in
        "\(expired.version.text) of \(slug) has expired: no target"
      }
    } else if let gone = newest.first(where: { $0.isOffStore(at: moment) }) {
      trace.add("target", .release(gone, of: place.line.app)) { _ in
        "\(gone.version.text) of \(slug) was taken off the store: no target"
      }
    } else {
      trace.add("target", nil) { _ in "no release of \(slug) is visible\(system)" }
    }
  }
}

extension AppState {
  /// Whether a version is not released (law 5).
  ///
  /// - Parameter greatestEverLive: That of the app.
  func isInReview(_ version: Version, greatestEverLive: Version?) -> Bool {
    if let index = index(of: version) { return !releases[index].state.isReleased }
    return isStruckOut(version) || greatestEverLive.map { $0 < version } ?? true
  }
}

extension Snapshot {
  /// The URLs of the apps, their releases, and the app's rules and redirects that clients may be given.
  var usableURLs: Set<String> {
    let lines = [line] + others.values
    let named =
      lines.compactMap(\.app.effectiveStoreURL)
      + lines.flatMap { line in line.releases.indices.compactMap { line.releases[$0].url } }
      + line.rules.compactMap { $0.destination?.url } + line.redirects.compactMap(\.destination.url)
    return Set(named).filter { StoreURL.isUsable($0, hosts: hosts, on: line.app.platform) }
  }
}
