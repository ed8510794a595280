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
        .option("--build", "B", .build, help: "Say whether this build of it would be accepted"),
        .connectApp, .common
      )
    } run: { context, app, part, version, build, store, common in
      try UsageError.demand(version == nil || part == nil, together: "--check and --bump")
      try UsageError.demand(version != nil || build == nil, "--build", needs: "--check VERSION")
      let ledger = try store == nil ? common.open(context) : nil
      let train = try train(of: app ?? "", in: ledger, or: store, context)
      let now = try ledger?.now(clock: context.clock()) ?? context.clock()
      try Refusal.of("publish a version", on: train.line.app.slug) { () throws(Refusal) in
        try train.line.app.checkInUse()
        try train.line.checkRoom(at: now)
      }
      if let version { try train.check(version, build: build) }
      guard let next = version ?? train.next(part ?? .patch) else {
        throw CommandFailure("next.no-room", ["app": train.line.app.slug])
      }
      let found = (version: next, build: try build ?? train.mustHaveNextBuild())
      var warnings =
        train.isJump(found.version).map {
          ["\(found.version.text) is far above \($0.text), the newest; check for a typo"]
        } ?? []
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

extension VersionTrain {
  func mustHaveNextBuild() throws -> Build {
    guard let nextBuild else { throw CommandFailure("next.no-room/build", ["app": line.app.slug]) }
    return nextBuild
  }
}

extension ChangeSet {
  /// A build of an app that is greater than all that are recorded or known to be uploaded.
  mutating func nextBuild(of app: String) throws -> Build {
    try VersionTrain(line(app), uploaded: ledger.uploadedBuild(of: app), isRecorded: true).mustHaveNextBuild()
  }
}

/// Reads the versions of an app of the ledger or, if one is named, of App Store Connect.
private func train(
  of app: String, in ledger: Ledger?, or store: StoreApp?, _ context: PawlContext
) throws -> VersionTrain {
  if let ledger {
    let (line, unknown) = try ledger.snapshotting {
      (try ledger.line(app, withNotes: false), try ledger.unknownVersionsShown(of: app))
    }
    return VersionTrain(
      line, shown: unknown.max(), uploaded: ledger.uploadedBuild(of: app), isRecorded: true)
  }
  guard let store else { throw UsageError("usage.missing-argument/next") }
  let (line, uploaded) = try store.asked(context)
  return VersionTrain(line, uploaded: uploaded, isRecorded: false)
}
