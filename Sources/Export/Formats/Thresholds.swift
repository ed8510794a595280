import ReleaseModel

/// What clients that know two bounds are told: below one force, below the other remind, from there up nothing.
///
/// Both bounds are versions that were live, so that no file speaks of one that was not. The upper one is what such a
/// format announces as the newest version. It is not the target: by the policy a client may be below the target and be
/// told nothing, while these clients prompt whoever is below what is announced.
struct Thresholds: Sendable, Equatable {
  /// The lowest version that is not forced; nil where nobody is.
  let forced: Version?
  /// The lowest version that is not prompted; greater than every version that was live where all of them are.
  let announced: Version
  /// The page all are sent to.
  let url: String
  /// What the newest of them is sent to.
  let target: Release
  /// The app the target belongs to.
  let targetApp: String

  /// Finds the bounds in what the known versions are told.
  ///
  /// - Returns: Nil where nobody is prompted.
  /// - Throws: `ExportFinding` where no bounds say the same, with the fewest versions that are in the way.
  init?(_ sheet: AnswerSheet, format: String, told decide: (Release) -> Decision) throws(ExportFinding) {
    let alone = Set(sheet.snapshot.line.rules.filter { $0.range.exactVersion != nil }.map(\.number))
    let told = sheet.known.filter { $0.liveAt != nil }.map { release in
      let decision = decide(release)
      return ThresholdFit.Told(
        version: release.version, decision: decision, isAlone: decision.rule.map(alone.contains) ?? false)
    }
    guard let last = told.last, let newest = told.last(where: { $0.decision.action != .none })?.decision,
      let url = newest.url, let target = newest.target, let targetApp = newest.targetApp
    else { return nil }
    let misfits = ThresholdFit.misfits(told)
    guard misfits.isEmpty else {
      throw Thresholds.refusal(
        sheet, format, misfits,
        "it can only say: force below one version, remind below another, and one page for all; what these are told "
          + "does not fit")
    }
    if let first = told.first(where: { $0.decision.action == .none }) {
      announced = first.version
    } else {
      announced = try Thresholds.successor(of: last.version, sheet, format)
    }
    let bound = announced
    let inReview = sheet.known.filter { $0.liveAt == nil && $0.version < bound && !sheet.isDead($0) }
    guard inReview.isEmpty else {
      throw Thresholds.refusal(
        sheet, format, inReview.map(\.version),
        "it prompts every version below \(announced.text), and these may be in review; withdraw or void them")
    }
    let isForced = told.contains { $0.decision.action == .force }
    forced = isForced ? told.first { $0.decision.action != .force }?.version ?? announced : nil
    self.url = url
    self.target = target
    self.targetApp = targetApp
  }

  /// What to announce where even the newest version that was live is prompted: the next patch.
  private static func successor(
    of version: Version, _ sheet: AnswerSheet, _ format: String
  ) throws(ExportFinding) -> Version {
    guard let successor = sheet.successor(of: version) else {
      throw refusal(
        sheet, format, sheet.known.filter { version < $0.version }.map(\.version),
        "every version that was live is prompted, so it has to announce one above \(version.text), and the next one "
          + "is taken")
    }
    return successor
  }

  private static func refusal(
    _ sheet: AnswerSheet, _ format: String, _ versions: [Version], _ message: String
  ) -> ExportFinding {
    ExportFinding(
      "export.not-thresholds", app: sheet.app.slug, format: format, versions: versions, message)
  }
}

extension Thresholds {
  /// The bounds for clients whose format cannot ask for the system.
  ///
  /// - Throws: `ExportFinding` where no bounds say the same, or less to be on the safe side.
  static func withoutSystem(_ sheet: AnswerSheet, format: String) throws(ExportFinding) -> Thresholds? {
    do {
      return try Thresholds(sheet, format: format) { sheet.decideWithoutSystem($0) }
    } catch {
      // A force made a reminder may stand below one that stayed: then reminders do for all.
      let isSoftened = sheet.known.contains {
        sheet.decideWithoutSystem($0).action != sheet.decide($0.version).action
      }
      guard isSoftened else { throw error }
      return try Thresholds(sheet, format: format) { release in
        var decision = sheet.decide(release.version)
        decision.action = min(decision.action, .remind)
        return decision
      }
    }
  }
}

extension AnswerSheet {
  /// The version after another in the third component, unless the ledger knows it.
  ///
  /// What the ledger knows and was live is not above the newest that was, and what was not live may not be named.
  func successor(of version: Version) -> Version? {
    let text = "\(version.component(0)).\(version.component(1)).\(version.component(2) + 1)"
    guard let next = try? Version(text), !known.contains(where: { $0.version == next }) else { return nil }
    return next
  }

  /// Whether a release was never live and cannot go live any more: it was rejected, withdrawn or struck out, and
  /// something greater is live or was told of (law 1). No reviewer looks at it.
  func isDead(_ release: Release) -> Bool {
    guard release.liveAt == nil, [.rejected, .withdrawn, .void].contains(release.state) else { return false }
    return known.contains {
      release.version < $0.version && ($0.state == .live || $0.becameVisible(by: moment))
    }
  }
}
