import JSON
import ReleaseModel

/// Everything a client needs to decide by itself, as `v1/<app>/policy.json` says it: releases, rules,
/// redirects and settings with their times, so that no new export is needed when a moment passes.
///
/// A version that may still be released does not appear before it is. A version that never was, and that is
/// below one that clients were told of, never can be (law 1): it is `withheld` by name. If a version that may
/// still be released lies between two released ones, the whole gap is withheld, and a client in it takes
/// itself to be in review.
struct PolicyDocument {
  private let sheet: AnswerSheet
  /// The versions that may be named, ascending.
  private let named: [Version]
  /// The versions that may not be named, ascending.
  private let hidden: [Version]

  init(_ sheet: AnswerSheet) {
    self.sheet = sheet
    named = sheet.published.map(\.version)
    hidden = sheet.includesUnreleased ? [] : sheet.underWay.sorted()
  }

  private var line: ReleaseLine { sheet.snapshot.line }

  var json: JSON {
    let app = line.app
    let rules = line.rules.byPrecedence()
    let redirects = line.redirects.byPrecedence()
    return [
      "app": .string(app.slug), "generation": .integer(sheet.generation),
      "newestEverLive": .optional(sheet.newestEverLive?.text),
      "others": .object(
        JSON.Object(sheet.snapshot.others.map { slug, other in (slug, Self.json(other, releases(other))) })),
      "policy": .array(app.policy.actions.map { .string($0.rawValue) }),
      "redirects": .array(
        redirects.compactMap { redirect in
          range(redirect.range).map {
            [
              "destination": json(redirect.destination), "from": .optional(redirect.from?.text),
              "range": Self.json($0), "until": .optional(redirect.until?.text),
            ]
          }
        }),
      "releases": .array(
        releases(line, named: sheet.published)),
      "remindEvery": .string(app.remindEvery.rawValue), "rules": .array(rules.compactMap(json)),
      "settings": .array(line.settings.byPrecedence().compactMap(json)),
      "stopped": .bool(app.silence != nil),
      "tiers": [], "validFrom": .null, "validUntil": .null, "withheld": .array(withheld.map(Self.json)),
    ]
  }

  private static func json(_ line: ReleaseLine, _ releases: [JSON]) -> JSON {
    ["releases": .array(releases), "stopped": .bool(line.app.silence != nil)]
  }

  /// The releases that clients may be pointed at, or once could be, in order of version.
  private func releases(_ line: ReleaseLine, named: [Release]? = nil) -> [JSON] {
    let releases = named ?? line.releases.filter { $0.liveAt != nil }.sorted { $0.version < $1.version }
    return releases.map { release in
      let wasRemoved = release.former?.state == .removed
      return [
        "expires": .optional(release.expires?.text), "mandatory": .bool(release.isMandatory),
        "minOS": .optional(release.minOS?.text),
        "notes": .object(JSON.Object(release.notes.map { ($0.locale, .string($0.text)) })),
        // The page is checked here, so that a client never opens one that is not trusted.
        "remindAt": .optional(line.remindsFrom(release)?.text), "returned": .bool(wasRemoved),
        "state": .string(release.state.rawValue),
        "url": .optional(usable(release.url ?? line.app.effectiveStoreURL)),
        "version": .string(release.version.text), "visibleAt": .optional(release.visibleAt?.text),
      ]
    }
  }

  private func usable(_ url: String?) -> String? {
    url.flatMap { StoreURL.isUsable($0, hosts: sheet.snapshot.hosts) ? $0 : nil }
  }

  private func json(_ destination: Destination?) -> JSON {
    switch destination {
    case .url(let url): ["url": .optional(usable(url))]
    case .app(let slug): slug == line.app.slug ? .null : ["app": .string(slug)]
    case nil: .null
    }
  }

  private func json(_ rule: Rule) -> JSON? {
    guard let range = range(rule.range) else { return nil }
    return [
      "action": .string(rule.action.rawValue), "destination": json(rule.destination),
      "from": .optional(rule.from?.text), "hasDestination": .bool(rule.destination != nil),
      "number": .integer(rule.number), "range": Self.json(range), "until": .optional(rule.until?.text),
    ]
  }

  private func json(_ setting: Setting) -> JSON? {
    guard let range = range(setting.range) else { return nil }
    return [
      "during": .optional(setting.phase?.rawValue), "from": .optional(setting.from?.text),
      "key": .string(setting.key), "range": Self.json(range), "until": .optional(setting.until?.text),
      "value": .string(setting.value),
    ]
  }

  private static func json(_ range: VersionRange) -> JSON {
    var object = JSON.Object()
    if let lower = range.lower { object[lower.isIncluded ? "from" : "above"] = .string(lower.version.text) }
    if let upper = range.upper { object[upper.isIncluded ? "upto" : "below"] = .string(upper.version.text) }
    return .object(object)
  }

  /// The versions that take themselves to be in review although they are below the newest one that was live.
  private var withheld: [VersionRange] {
    guard !sheet.includesUnreleased, let newest = named.last else { return [] }
    let closed = sheet.known.filter { !$0.wasReleased && !sheet.underWay.contains($0.version) }
    let gaps = hidden.filter { $0 < newest }.compactMap { version in
      VersionRange(
        from: named.last { $0 < version }.map { .init($0, isIncluded: false) },
        to: named.first { version < $0 }.map { .init($0, isIncluded: false) })
    }
    let different = gaps.enumerated().filter { $0.offset == 0 || gaps[$0.offset - 1] != $0.element }
    return closed.map { .exactly($0.version) } + different.map(\.element)
  }

  /// The same range with its ends moved off versions that may not be named; nil if nothing of it is left.
  private func range(_ range: VersionRange) -> VersionRange? {
    var (lower, upper) = (range.lower, range.upper)
    if let end = lower, hidden.contains(end.version) {
      guard let next = named.first(where: { end.version < $0 }) else { return nil }
      lower = .init(next, isIncluded: true)
    }
    if let end = upper, hidden.contains(end.version) {
      guard let next = named.last(where: { $0 < end.version }) else { return nil }
      upper = .init(next, isIncluded: true)
    }
    return VersionRange(from: lower, to: upper)
  }

  /// The warning about versions in review whose settings neither this document nor `default.json` can state.
  var warnings: [ExportFinding] {
    guard !hidden.isEmpty, !line.settings.isEmpty else { return [] }
    let unknown = sheet.answerToUnknown.answer.settings
    let decider = sheet.decider
    let versions = hidden.filter { decider.settings(of: $0, inReview: true) != unknown }
    guard !versions.isEmpty else { return [] }
    return [
      ExportFinding(
        "export.settings-withheld", app: line.app.slug, format: "v1", versions: versions,
        "settings of versions that were never live are in no document, since that would announce them; ask 'check', "
          + "or export with --include-unreleased")
    ]
  }
}
