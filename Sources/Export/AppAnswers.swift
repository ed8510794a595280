import Crypto
package import ReleaseModel

/// What documents are made from: what an app's clients are told, and the facts that formats show beside it.
package struct AppAnswers: Sendable {
  package let snapshot: Snapshot
  /// It starts at the moment of its generation, or at the documents' if that is earlier.
  package let schedule: Schedule
  package let moment: Timestamp
  /// The last event that changed the schedule, and its hash.
  package let generation: Int64
  package let hash: String
  package let ledger: String
  package let includesUnreleased: Bool
  /// The devices of each version, if someone counted them.
  let usage: Usage?
  /// Every version that the ledger knows, ascending; a void one only if its number was not used again.
  package let known: [Release]
  let released: [Release]
  /// The newest version that was ever live; greater ones are in review.
  let newestEverLive: Version?
  /// The versions that were rejected, withdrawn or struck out and can never go live, because a greater one is
  /// live or clients were told of it (law 1). No reviewer looks at them.
  let dead: Set<Version>
  /// The versions that were never released but still may be; no format that chooses its versions names them.
  let underWay: Set<Version>
  /// The oldest system that versions run on, from a place on the version line to the next, ascending.
  let needs: [(from: VersionKey, minOS: Version?)]
  /// The versions that have files, as evidence or a count spells them otherwise than the ledger.
  let spelledOtherwise: [Version]

  /// - Parameter schedule: What the snapshot's clients are told from its generation's moment on.
  package init(
    _ snapshot: Snapshot, _ schedule: Schedule, at moment: Timestamp, generation: Int64, hash: String,
    ledger: String, includesUnreleased: Bool, usage: Usage? = nil, spellings: [Version] = []
  ) {
    self.snapshot = snapshot
    self.schedule = moment < schedule.from ? Schedule(snapshot, from: moment) : schedule
    self.moment = moment
    (self.generation, self.hash, self.ledger) = (generation, hash, ledger)
    self.includesUnreleased = includesUnreleased
    self.usage = usage
    let line = snapshot.line
    let known = line.known
    self.known = known
    released = snapshot.released
    newestEverLive = line.greatestEverLive
    let told = known.last { $0.becameVisible(by: moment) }?.version
    let live = known.last { $0.state == .live }?.version
    func isBelow(_ version: Version, _ other: Version?) -> Bool { other.map { version < $0 } ?? false }
    let unreleased = known.filter { !$0.state.isReleased }
    dead = Set(
      unreleased.filter { release in
        [.rejected, .withdrawn, .void].contains(release.state)
          && (isBelow(release.version, told) || isBelow(release.version, live))
      }.map(\.version))
    underWay = Set(unreleased.map(\.version).filter { !isBelow($0, told) })
    var needs: [(from: VersionKey, minOS: Version?)] = []
    for release in released where needs.last?.minOS != release.minOS || needs.isEmpty {
      needs.append((needs.isEmpty ? .least : VersionKey(release.version), release.minOS))
    }
    self.needs = needs
    let published = includesUnreleased ? known : released
    let named = (spellings + (usage?.spellings ?? [])).filter { spelling in
      let index = published.firstPosition { spelling <= $0.version }
      return index < published.count && published[index].version == spelling
        && !published[index].version.isSpelled(like: spelling)
    }
    let texts = Dictionary(named.map { ($0.text, $0) }, uniquingKeysWith: { $1 })
    spelledOtherwise = texts.sorted { $0.key < $1.key }.map(\.value)
  }

  package var app: App { snapshot.line.app }

  /// Usually only those that were released, since a document would announce any other.
  package var published: [Release] { includesUnreleased ? known : released }

  /// The versions that have files, by each name that a client may ask with.
  var names: [Version] { published.map(\.version) + spelledOtherwise }

  /// What a version is told.
  package func answer(to version: Version) -> Told { schedule.answer(to: version, at: moment).answer }

  /// The first moment after the documents' own at which some document may change by itself.
  package var nextChange: Timestamp? {
    [schedule.nextChange(after: moment), snapshot.momentsOfFormats(after: moment).min()].compactMap(\.self)
      .min()
  }

  /// The last moment, up to the documents' own, at which some document changed, by itself or by an event.
  package var lastChange: Timestamp {
    let entries = schedule.courses.compactMap { course in course.last { $0.from <= moment }?.from }
    let others = snapshot.momentsOfFormats(after: schedule.from).filter { $0 <= moment }
    return (entries + others).max() ?? schedule.from
  }

  /// Whether a finding is about a version that was never released, which nothing near the documents may name.
  func names(_ finding: ExportFinding) -> Bool {
    let ends = finding.ranges.flatMap { [$0.lower?.version, $0.upper?.version].compactMap(\.self) }
    let named = Set(finding.versions + ends)
    return known.contains { !$0.state.isReleased && named.contains($0.version) }
  }
}

// MARK: - Versions without a document

extension AppAnswers {
  /// The settings of versions without a document, and from when until when they are those; nothing else of what they are
  /// told changes with time, since they may be in review.
  var toldToUnknown: Steps<Timestamp, SharedSettings>.Span {
    let moments = Set(snapshot.line.settings.flatMap(\.moments)).filter { schedule.from < $0 }.sorted()
    let all = Steps(([schedule.from] + moments).map { ($0, snapshot.settingsOfUnknown(at: $0)) }, joining: ==)
    return (all ?? Steps(snapshot.settingsOfUnknown(at: moment), from: schedule.from)).span(at: moment)
  }

  /// The settings that every version has: all that a client can be given that does not say its version.
  var settingsOfAll: SharedSettings {
    SharedSettings(of: schedule.current(at: moment).map(\.value.told.settings))
  }
}

extension [Unfiled] {
  /// Why versions have no document, and what apps that read one by version miss: a sentence without a full stop.
  ///
  /// - Parameter formats: Those that answer one version.
  package func sentence(formats: [String]) -> String {
    let ranges = map(\.range).joined()
    let isOne = ranges.count == 1 && ranges[0].exactVersion != nil
    let keys = Set(flatMap(\.settings)).sorted().joined(separator: ", ")
    let missed = contains(where: \.isPrompted) ? "see no prompt" : "do not get \(keys)"
    return ranges.map(\.text).joined(separator: ", ")
      + (isOne
        ? " is not recorded, so it has no document of its own: "
        : " are not recorded, so they have no documents of their own: ")
      + "apps that read \(formats.joined(separator: " or ")) files \(missed)"
  }
}

// MARK: - Folds for formats

extension AppAnswers {
  /// Whether no client can have a version, or only testers ever ran it.
  ///
  /// These are left out of comparisons: a rejected, withdrawn or struck-out version below one that was live,
  /// which can never go live (law 1); and, in an app whose versions have three components, the versions
  /// between the newest one that was live and the next patch, but for a past release.
  func isUnreleasable(_ version: Version) -> Bool {
    if dead.contains(version) { return true }
    guard app.channel == .appStore, let newest = newestEverLive, let next = newest.nextPatch else {
      return false
    }
    return newest < version && version < next && snapshot.line.counted(version)?.isPast != true
  }
}

extension AppAnswers {
  /// An app's documents in a format, and what the state keeps about them; none if they may not be written.
  ///
  /// - Parameter origin: What stands for all that they are made of.
  func cell(_ format: any DocumentFormat, of origin: String = "") -> (ExportState.Cell, [Document]) {
    let (documents, warnings, refusal) = made(as: format)
    var cell = ExportState.Cell()
    (cell.generation, cell.includesUnreleased) = (generation, includesUnreleased)
    (cell.warnings, cell.refusal) = (warnings, refusal)
    cell.origin = (warnings + [refusal].compactMap(\.self)).contains(where: names) ? "" : origin
    cell.digest = AppAnswers.digest(of: documents)
    (cell.from, cell.until) = (lastChange, nextChange)
    cell.prompting = Set(documents.map(\.suffix)).filter { suffix in
      DocumentPath.version(of: suffix[...]).map { version in
        answer(to: version).decisions.contains { $0.action != .none }
      } ?? false
    }
    return (cell, documents)
  }

  /// Of the documents as they are made, so that it covers all that they are made of.
  private static func digest(of documents: [Document]) -> String {
    var digest = SHA256()
    for document in documents {
      digest.update(Array("\(document.path) \(document.bytes.count)\n".utf8))
      digest.update(document.bytes)
    }
    return hexadecimalText(digest.finish())
  }
}
