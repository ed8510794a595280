import CommandLineKit
import Export
import JSON
import Ledger
import ReleaseModel

extension Command where Context == PawlContext {
  static var next: Command {
    Command(
      "next", reach: .remote, isReadOnly: true, no: "the version or build would be refused",
      summary: "Print the next valid version and build, or say whether one would be refused",
      discussion: """
        Run it first in a pipeline, before a build is wasted. Versions only grow, and once Apple approves a version, \
        released or not, it takes no new builds of it or of any lower one (ITMS-90186, ITMS-90062). With --check, \
        exits with 0 if the version (with --build, that build of it) would be accepted, else with 1 and the reason. \
        Versions and builds that only Apple knows count once 'ingest asc' or 'ingest lookup' has shown them.

        With --asc it needs no ledger: it asks App Store Connect with the key that PAWL_ASC_KEY, PAWL_ASC_KEY_ID and \
        PAWL_ASC_ISSUER name, and writes nothing anywhere.
        """,
      examples: [
        .init("pawl next taxi --bump minor", "the next minor version"),
        .init("pawl next taxi --check 7.4.0 --build 513", "in the first line of a pipeline"),
        .init("pawl next --asc 1524608462", "without a ledger"),
      ]
    ) {
      (
        .optionalArgument("APP", .slug, help: "The app", unless: ["--asc"]),
        .option("--bump", "PART", .one(of: VersionPart.self), help: "Which number to raise; default: patch"),
        .option("--check", "VERSION", .version, help: "Say whether this version would be accepted"),
        .option("--build", "B", .shortVersion, help: "Say whether this build of it would be accepted"),
        .connectApp, .common
      )
    } run: { context, app, part, version, build, store, common in
      try UsageError.demand(version == nil || part == nil, together: "--check and --bump")
      try UsageError.demand(version != nil || build == nil, "--build", needs: "--check VERSION")
      let ledger = try store == nil ? common.open(context) : nil
      let train = try VersionTrain(app ?? "", in: ledger, or: store, context)
      let found: (version: Version, build: Version)
      if let version {
        try train.check(version, build: build)
        found = (version, build ?? train.nextBuild(of: version))
      } else {
        guard let version = train.next(part ?? .patch) else {
          throw CommandFailure("next.no-room", ["app": train.line.app.slug])
        }
        found = (version, train.nextBuild(of: version))
      }
      var warnings = train.warnings(of: found.version)
      if let app, let ledger { warnings += try misread(found.version, of: app, ledger, context) }
      if !common.isJSON { context.note(ReleaseText.warnings(warnings)) }
      return try common.print(
        [
          "app": .string(train.line.app.slug), "version": .string(found.version.text),
          "build": .string(found.build.text),
          "warnings": warnings.json,
        ], context
      ) {
        "\(found.version.text) \(found.build.text)\n"
      }
    }
  }
}

/// Warnings about shipped clients that misread a version.
private func misread(_ version: Version, of app: String, _ ledger: Ledger, _ context: PawlContext) throws
  -> [String]
{
  let formats = try DocumentExport.thresholdFormats(of: ledger, context)
  guard !formats.isEmpty else { return [] }
  let now = try ledger.now(clock: context.clock())
  var snapshot = try ledger.snapshot(app)
  if let change = try? snapshot.line.publish(version, ReleaseDetails(), id: .max, now: now) {
    snapshot.line.apply(change, event: 0)
  }
  return snapshot.misreading(of: version, in: formats, at: now).map { "\($0.format): \($0.message)" }
}

enum VersionPart: String, CaseIterable {
  case major, minor, patch

  fileprivate var index: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// The versions of an app in order; Apple takes new builds only for those at the end.
private struct VersionTrain {
  let line: AppState
  /// The greatest version that Apple is known to have, but that the ledger does not know.
  let shown: Version?
  /// The build that was uploaded last, which may be only in TestFlight.
  let uploaded: UploadedBuild?

  /// The greatest version that was approved or in the store: Apple takes no builds of it or of lower ones.
  private var closed: Version? {
    let approved = line.releases.filter {
      $0.state != .void && $0.version.count <= line.app.channel.versionComponents
        && ($0.approvedAt != nil || $0.liveAt != nil || $0.state == .approved)
    }
    return (approved.map(\.version) + [shown].compactMap(\.self)).max()
  }

  /// Whether the versions are recorded in a ledger, so that one that was mistyped can be struck out there.
  let isRecorded: Bool

  /// Reads an app of the ledger or, if one is named, of App Store Connect.
  init(_ app: String, in ledger: Ledger?, or store: StoreApp?, _ context: PawlContext) throws {
    isRecorded = ledger != nil
    if let ledger {
      var unknown: [Version] = []
      (line, unknown) = try ledger.snapshotting {
        (try ledger.line(app, withNotes: false), try ledger.unknownVersionsShown(of: app))
      }
      (shown, uploaded) = (unknown.max(), ledger.uploadedBuild(of: app))
    } else if let store, case .connect(let endpoint) = store.source {
      (line, uploaded) = try store.connect(endpoint: endpoint, context)
      shown = nil
    } else {
      throw UsageError("usage.missing-argument/next")
    }
  }

  private var newest: Version? { [line.greatest?.version, shown].compactMap(\.self).max() }

  /// The least version greater than all others that raises the given number of the newest.
  func next(_ part: VersionPart) -> Version? {
    guard let newest else { return try? Version("1.0.0") }
    let count = min(max(newest.count, part.index + 1), line.app.channel.versionComponents)
    var step: Int64 = 1
    while true {
      let numbers = (0..<count).map { index in
        index < part.index
          ? newest.component(index) : index == part.index ? newest.component(index) + step : 0
      }
      guard let version = try? Version(numbers.map { String($0) }.joined(separator: ".")) else { return nil }
      // A past release blocks only its own number.
      guard let known = line.release(version), known.state != .void else { return version }
      step += 1
    }
  }

  /// A build greater than all: teams number them across versions, and on macOS Apple requires it.
  func nextBuild(of version: Version) -> Version {
    let recorded = line.releases.filter { $0.state != .void }.compactMap(\.build)
    guard let greatest = (recorded + [uploaded?.build].compactMap(\.self)).max() else {
      return (try? Version("1")) ?? .zero
    }
    let last = greatest.count - 1
    let numbers = (0..<greatest.count).map { greatest.component($0) + ($0 == last ? 1 : 0) }
    return (try? Version(numbers.map { String($0) }.joined(separator: "."))) ?? greatest
  }

  func warnings(of version: Version) -> [String] {
    guard let newest = line.newest?.version, version.isJump(from: newest) else { return [] }
    return ["\(version.text) is far above \(newest.text), the newest; check for a typo"]
  }

  func check(_ version: Version, build: Version?) throws {
    let slug = line.app.slug
    func refused(
      _ key: String, apple: String? = nil, floor: Version? = nil, _ values: [String: String] = [:]
    ) -> CommandFailure {
      CommandFailure(
        key, values,
        details: [
          "app": .string(slug), "apple": .optional(apple), "floor": .optional(floor?.text),
          "version": .string(version.text),
        ])
    }
    let allowed = line.app.channel.versionComponents
    guard version.count <= allowed else {
      throw refused("version.malformed/next", ["allowed": String(allowed)])
    }
    let upward = next(.patch).map { "the next version is \($0.text)" } ?? "raise a number before the last one"
    let known = line.release(version).flatMap { $0.state == .void ? nil : $0 }
    if let closed, version <= closed, line.app.channel == .appStore || known == nil {
      throw version == closed
        ? refused("next.closed", apple: "ITMS-90186", floor: closed, ["upward": upward])
        : refused("next.not-greater", apple: "ITMS-90062", floor: closed, ["upward": upward])
    }
    if known == nil, let newest = line.newest?.version, version <= newest {
      throw refused(
        isRecorded ? "version.not-greater/next-typo" : "version.not-greater/next", floor: newest,
        ["upward": upward])
    }
    if let known, !known.version.isSpelled(like: version) {
      throw refused(
        "version.not-greater/next-spelling",
        ["known": known.version.text, "upward": known.isPast ? upward : "use that spelling"])
    }
    if let build, let uploaded, uploaded.version == version, build <= uploaded.build {
      throw refused(
        "build.not-greater/uploaded", apple: "ITMS-90061", floor: uploaded.build,
        ["next": nextBuild(of: version).text])
    }
    if let build, let recorded = known?.build, build <= recorded {
      throw refused("build.not-greater/recorded", floor: recorded, ["next": nextBuild(of: version).text])
    }
  }
}
