import JSON
import ReleaseModel

/// The bounds for clients that know just two: they force below one, remind below the other, and do nothing
/// from there up.
///
/// The bounds are where the decision changes, whether or not a version of that number is recorded. If the
/// decisions do not have this form, the bounds are the greatest below which no one is told more than was
/// decided, or sent elsewhere. Both have at most three components, since clients do not agree on a fourth.
///
/// The upper bound is what such a format announces as the newest version. It is not the target: by the
/// policy, a client may be below the target and be told nothing, while these clients prompt everyone below
/// the announced version.
struct Thresholds: Sendable, Equatable {
  let forced: Version?
  /// The lowest version that is not prompted.
  let announced: Version
  let url: String
  let target: Release

  /// - Parameter decide: Makes of an answer what the format can say.
  init?(_ answers: AppAnswers, _ decide: (Version, Told) -> Decision) {
    var steps: [(first: Version, decision: Decision)] = []
    answers.eachStep { step, _ in steps.append((step.first, decide(step.first, step.value.told))) }
    guard let oldest = steps.first?.decision, oldest.action != .none, let url = oldest.url,
      let target = oldest.target
    else { return nil }
    func isPrompted(_ decision: Decision) -> Bool {
      // While a release is phased, some are forced to it and others reminded of the one before it, on the
      // same page.
      decision.action != .none && decision.url == url && decision.target?.minOS == target.minOS
        && decision.targetApp == oldest.targetApp
    }
    // Below a bound, all versions are told at least as much, from the least possible version on.
    func bound(_ isTold: (Decision) -> Bool) -> Version? {
      steps.first { !isTold($0.decision) }.flatMap { answers.nameable(upTo: $0.first) }
    }
    let forced = bound { isPrompted($0) && $0.action == .force }
    guard let announced = [bound(isPrompted), forced].compactMap(\.self).max() else { return nil }
    self.forced = forced.map(answers.spelled)
    self.announced = answers.spelled(announced)
    self.url = url
    self.target = target
  }
}

extension AppAnswers {
  /// The greatest bound of at most three components that is not above another and that documents may name.
  ///
  /// - Returns: Nil if nothing is below it.
  fileprivate func nameable(upTo end: Version) -> Version? {
    var bound = end.truncated(to: 3)
    if underWay.contains(bound) {
      guard let last = released.last(where: { $0.version < bound })?.version else { return nil }
      let others = [last.nextPatch, last.truncated(to: 3)].compactMap(\.self)
      guard let lower = others.first(where: { $0 < bound && !underWay.contains($0) }) else { return nil }
      bound = lower
    }
    return bound == .zero ? nil : bound
  }

  /// A bound spelled like the app's versions, since clients do not agree on whether 1.0 is 1.0.0.
  fileprivate func spelled(_ bound: Version) -> Version {
    if let known = known.first(where: { $0.version == bound })?.version, known.count <= 3 { return known }
    return bound.spelled(components: min(3, usualComponents ?? 3))
  }

  /// How many components most versions of the app have; nil if none was released.
  var usualComponents: Int? {
    Dictionary(grouping: released, by: \.version.count).mapValues(\.count)
      .max { ($0.value, $0.key) < ($1.value, $1.key) }?.key
  }

  func nameable(above version: Version) -> Version? {
    [version.nextPatch, version.after].compactMap(\.self).first { !underWay.contains($0) }
  }
}

extension AppAnswers {
  /// What a version is told in a format that cannot take the device's system into account.
  ///
  /// No one is forced to a release that their device may be too old for: the force becomes a reminder if the
  /// target needs a newer system than the client's own release did.
  func decideWithoutSystem(_ version: Version, _ answer: Told) -> Decision {
    var decision = withoutTimes(answer.decision)
    if decision.action == .force, mayBeTooOld(version, for: decision.target) { decision.action = .remind }
    return decision
  }

  /// A file for each version that was live, and one for all others, in such a format.
  ///
  /// - Parameter says: What a file says; `settings` are those members.
  func files(
    _ format: String, _ says: (Version?, Decision, _ settings: JSON) -> JSON
  ) -> [Document] {
    func document(_ file: String, _ json: JSON) -> Document {
      Document(path: "\(format)/\(app.slug)/\(file).json", bytes: json.bytes())
    }
    let settingsOfUnknown = snapshot.settingsOfUnknown(at: moment)
    return names.map { version in
      let answer = answer(to: version)
      return document(
        version.text,
        says(version, decideWithoutSystem(version, answer), ["settings": Setting.json(answer.settings)]))
    } + [document("default", says(nil, .unreleased, settingsOfUnknown.json))]
  }

  func mayBeTooOld(_ version: Version, for target: Release?) -> Bool {
    guard let needed = target?.minOS else { return false }
    return systemNeeded(by: version).map { $0 < needed } ?? true
  }

  /// Adapts a decision to a format that cannot state when an answer ends.
  ///
  /// No one is forced to a build that stops opening soon: the document may be read long after it should have
  /// been replaced.
  func withoutTimes(_ decision: Decision) -> Decision {
    var decision = decision
    if decision.action == .force, stopsSoon(decision.target) { decision.action = .remind }
    return decision
  }

  func stopsSoon(_ target: Release?) -> Bool { target?.expiryNotice.map { $0 <= moment } ?? false }

  /// The oldest system that a version runs on; nil for any.
  ///
  /// A version that the ledger does not know is taken to need what the nearest known one below it needs, or,
  /// below the first one, what the first one needs.
  func systemNeeded(by version: Version) -> Version? {
    let key = VersionKey(version)
    let index = needs.firstPosition { key < $0.from } - 1
    return needs.indices.contains(index) ? needs[index].minOS : nil
  }
}

extension AppAnswers {
  /// The warning that clients of a format disagree about some versions because of their number of components.
  ///
  /// - Parameter mixed: Whether some clients take 1.0 and 1.0.0 for different versions.
  func componentCounts(format: String, mixed: Bool) -> [ExportFinding] {
    let most = usualComponents
    let found = released.map(\.version).filter { $0.count > 3 || (mixed && $0.count != most) }
    let names = ExportFinding.named(found)
    return finding(
      "export.component-counts", format, versions: found,
      mixed
        ? "clients do not agree on versions of other than the usual number of segments, such as \(names); "
          + "three are safe"
        : "some clients drop the fourth segment of \(names), others fail; three are safe")
  }
}

extension AppAnswers {
  /// No documents, and the reason: the format has no clients for such an app.
  func isNotFor(_ format: String, _ reason: String) -> (documents: [Document], warnings: [ExportFinding]) {
    let message = "no '\(format)' documents: \(reason)"
    return ([], [ExportFinding(id: "export.not-for-app", app: app.slug, format: format, message: message)])
  }
}

/// Apple's number for the app whose store page a URL is; nil for any other page.
package func storeID(of url: String) -> Int64? {
  guard let page = try? StoreURL(url), StoreURL.storeHosts.contains(page.host) else { return nil }
  let path = url.prefix { $0 != "?" && $0 != "#" }
  guard let last = path.split(separator: "/").last, last.hasPrefix("id") else { return nil }
  let digits = last.dropFirst(2)
  guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
  return Int64(digits)
}

func storePage(of id: Int64) -> String { "https://apps.apple.com/app/id\(id)" }
