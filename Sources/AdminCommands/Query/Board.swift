import JSON
import Ledger
import ReleaseModel

struct Board {
  /// What about an app most needs attention, most urgent first.
  enum Urgency: Comparable {
    /// The store or Apple's mail says more than the ledger knows, or someone altered the kept answers.
    case alarm
    case stopped
    /// The newest release was rejected, withdrawn or taken off the store.
    case setBack
    case inbox
    /// A release is live, but clients are not told of it yet.
    case held
    case underWay
    case quiet
  }

  /// Releases that no client is told of any more may be left out.
  let snapshot: Snapshot
  let releaseCount: Int
  let now: Timestamp
  /// The evidence that is parked about the app and is no alarm.
  let parked: [Evidence]
  let altered: Finding?
  let sources: [SourceWord]
  /// The newest release in each state, greatest first.
  let releases: [Release]
  let lead: Decision?
  let usage: UsageReport?
  /// Whom the app forces now, and at the end of each running hold.
  let forced: [Forced]
  /// The builds that stop opening soon, or no longer open.
  let expiring: [Finding]
  /// What Apple says otherwise than the ledger has it.
  let differing: [Finding]
  /// What is to be said of the store's page.
  private let store: Finding?
  let alarmFindings: [Finding]

  /// What clients are told from now on.
  private var schedule: Schedule { Schedule(snapshot, from: now) }

  var line: AppState { snapshot.line }

  init(
    _ snapshot: Snapshot, inbox: [(evidence: Evidence, alarm: Finding?)], _ ledger: Ledger, now: Timestamp
  ) throws {
    let (line, slug) = (snapshot.line, snapshot.line.app.slug)
    self.snapshot = snapshot
    releaseCount = try ledger.releaseCount(of: slug)
    self.now = now
    let own = inbox.filter { $0.evidence.app == slug }
    parked = own.filter { $0.alarm == nil }.map(\.evidence)
    altered = try ledger.alteredAnswers(in: snapshot)
    sources = try ledger.sourceWords(of: line, now: now)
    // A count may name any version.
    usage = try ledger.usage(of: slug).map { UsageReport($0, of: try ledger.snapshot(slug), at: now) }
    forced = try Forced.all(in: snapshot, ledger, now: now)
    // Clients of what was never live are told nothing, wherever a redirect leads.
    lead = line.releases.contains(where: \.state.isReleased) ? snapshot.generalLead(at: now) : nil
    var seen: Set<ReleaseState> = []
    releases = line.releases.reversed().filter { $0.isOnLine && seen.insert($0.state).inserted }
      .sorted { $1.version < $0.version }
    expiring = snapshot.expiryFindings(now: now)
    differing = try line.heardFindings + ledger.renamedFindings(of: line)
    store = try ledger.storeFinding(of: snapshot, now: now)
    alarmFindings =
      own.compactMap(\.alarm) + [altered, store].compactMap(\.self)
      + sources.findings(app: slug, now: now) + expiring.filter(\.acts) + differing
  }

  /// The release of the app itself that clients are sent to; to which of another app depends on what prompts a client.
  var ownTarget: Release? { lead?.targetApp == line.app.slug ? lead?.target : nil }

  /// Where clients are sent: a version of the app, or another app; nil for nowhere.
  var destination: String? { ownTarget?.version.text ?? lead?.targetApp }

  /// The releases that have a row: the newest in each state, and the one to which clients are sent.
  var shown: [Release] {
    guard let release = ownTarget, !releases.contains(where: { $0.id == release.id }) else {
      return releases
    }
    return (releases + [release]).sorted { $1.version < $0.version }
  }

  var whyNowhere: String {
    if let silence = line.app.silence { return "the app is \(silence)" }
    guard line.releases.contains(where: \.state.isReleased) else { return "nothing is visible yet" }
    if let redirect = snapshot.generalRedirect(at: now), let other = redirect.destination.app {
      return "they are redirected to \(other), which \(whyNot(other))"
    }
    guard line.target(at: now) == nil else { return "there is no page to open" }
    if let expired = line.expiredTarget(at: now) { return "\(expired.version.text) has expired" }
    if let live = line.live, let visibleAt = live.visibleAt, now < visibleAt {
      return "\(live.version.text) is visible from \(visibleAt.text)"
    }
    return line.releases.contains { $0.state == .removed }
      ? "nothing is in the store" : "nothing is visible yet"
  }

  func whyNot(_ other: String) -> String {
    snapshot.others[other]?.app.silence.map { "is \($0)" } ?? "has no release to send them to"
  }

  /// When clients are first told of a release; nil if none are, as far as is known.
  func toldAt(_ release: Release) -> Timestamp? {
    schedule.firstTold(of: release.version, of: line.app.slug)
  }

  var urgency: Urgency {
    if !alarmFindings.isEmpty { return .alarm }
    if line.app.silence != nil { return .stopped }
    let newest = line.newest?.state
    if newest == .rejected || newest == .withdrawn || newest == .removed { return .setBack }
    if !parked.isEmpty { return .inbox }
    if line.releases.contains(where: { $0.isHeld(at: now) }) { return .held }
    return newest?.isReleased == false ? .underWay : .quiet
  }

  var rules: [Rule] { line.rules.filter { rule in rule.until.map { now < $0 } ?? true } }

  /// How long ago a moment was; less than a minute is "now".
  func ageText(_ moment: Timestamp) -> String {
    let age = TimeSpan(seconds: now.seconds - moment.seconds)
    return age.seconds < 60 ? "now" : age.roundedText
  }

  var json: JSON {
    [
      "app": line.app.json, "target": .optional(ownTarget?.version.text),
      "targetApp": .optional(lead?.targetApp), "url": .optional(lead?.url),
      "answersAltered": .optional(altered?.message),
      "usage": usage?.json ?? .null, "forced": .array(forced.map(\.json)),
      "releaseCount": .integer(Int64(releaseCount)),
      "releases": releases.map { $0.of(line.app) }.json,
      "holds": .array(
        line.releases.compactMap { release in
          guard release.isHeld(at: now), let visibleAt = release.visibleAt else { return nil }
          return [
            "version": .string(release.version.text), "visibleAt": .string(visibleAt.text),
            "secondsLeft": .integer(visibleAt.seconds - now.seconds),
            "toldAt": .optional(toldAt(release)?.text),
          ]
        }),
      "rules": line.rules.map { $0.of(line.app.slug) }.json,
      "redirects": line.redirects.map { $0.of(line.app.slug) }.json,
      "settings": line.settings.map { $0.of(line.app.slug) }.json,
      "sources": .array(sources.map { $0.json(now: now) }),
      "warnings": .array(([store].compactMap(\.self) + expiring + differing).map(\.json)),
      "due": .array(schedule.asTold.moments.map { .string($0.text) }),
    ]
  }
}

/// Whom an app forces at a moment, by a rule, a mandatory release or its policy.
struct Forced {
  let at: Timestamp
  /// The release whose hold ends then; nil for the present.
  let release: Version?
  let ranges: [VersionRange]
  /// How many recorded versions there are in the ranges, and how many devices run versions in them.
  let versions: Int
  let devices: Int64?

  /// Now, and at the end of each running hold.
  static func all(in snapshot: Snapshot, _ ledger: Ledger, now: Timestamp) throws -> [Forced] {
    let held = snapshot.line.releases.compactMap { release in
      release.isHeld(at: now) ? release.visibleAt.map { (release.version, $0) } : nil
    }
    let usage = try ledger.usage(of: snapshot.line.app.slug)
    return try ([(nil, now)] + held).map { release, moment in
      let ranges = snapshot.forced(at: moment)
      let versions = try ranges.reduce(0) {
        try $0 + ledger.versionCount(of: snapshot.line.app.slug, from: $1.start, to: $1.end)
      }
      return Forced(
        at: moment, release: release, ranges: ranges, versions: versions,
        devices: usage.map { usage in ranges.reduce(0) { $0 + usage.part(of: $1).devices } })
    }
  }

  var json: JSON {
    [
      "at": .string(at.text), "devices": .optional(devices),
      "ranges": .array(ranges.map { .string($0.text) }),
      "release": .optional(release?.text), "versions": .integer(Int64(versions)),
    ]
  }
}
