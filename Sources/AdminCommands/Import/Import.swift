import AppleIntake
import CommandLineKit
import Intake
import JSON
import Ledger
import ReleaseModel

/// Where a file of past releases comes from, if people did not write it.
private enum PastSource: String, CaseIterable {
  case asc
}

/// Ends the transaction because lines were refused.
private struct ImportRefused: Error { let run: Import }

extension Command where Context == PawlContext {
  static var importPast: Command {
    .change(
      "import", summary: "Import the past releases of an app from CSV, JSON or App Store Connect",
      discussion: """
        The file has the columns version and released_at, and optionally build, min_os and notes, named in a \
        header line. Lines are taken in order of time, and of version where times are equal, and each release becomes live and \
        visible at its time. Either all lines are imported or none, unless --skip-refused is given. Lines already recorded \
        identically are skipped, so the same file can be imported twice.

        With --past, a version that is not greater than those before it is recorded as a past release: known, but \
        never live, and clients are never sent to it. So is an App Store version with four components. If two lines \
        have the same version, the one that can go live is used.

        With --source asc, the file is an App Store Connect answer, as 'ingest asc' takes it, or an array of its pages. \
        Imports every version for the app's platform that was on the store, in order of version, since Apple's dates say \
        when a version was created; the one on sale is held from now. Leaves those under way to 'publish' and 'ingest asc'.

        With --fetch, pawl asks App Store Connect itself, as 'ingest asc --fetch' does, and records every version in its \
        state. The app's past is whole then.
        """,
      examples: [
        .init("pawl import taxi history.csv --dry-run", "what it would record, and whom it would prompt"),
        .init("pawl import taxi history.csv --past --yes", "versions out of order as past releases"),
        .init(
          "pawl import taxi history.csv --skip-refused --yes",
          "import what is allowed, and name every other line"),
      ]
    ) {
      (
        .app, .optionalArgument("FILE", .input, help: "The file; - for standard input"),
        .flag("--fetch", help: "Ask App Store Connect for it"), .fetchEndpoint,
        .flag("--skip-refused", help: "Import the lines that are allowed, and skip the others"),
        .flag("--past", help: "Record versions that are not greater than those before them as past releases"),
        .option(
          "--source", "SOURCE", .one(of: PastSource.self),
          help: "Where the file is from: asc, App Store Connect"),
        .zone
      )
    } run: { changing, app, path, isFetched, endpoint, skipsRefused, takesPast, source, zone in
      let (context, options) = (changing.context, changing.options)
      try UsageError.demand(!skipsRefused || !takesPast, together: "--skip-refused and --past")
      let mode: ImportMode = skipsRefused ? .skippingRefused : takesPast ? .past : .whole
      try UsageError.demand(isFetched != (path != nil), "usage.invalid/one", ["options": "FILE and --fetch"])
      try UsageError.demand(!isFetched || source == nil, together: "--fetch and --source")
      try UsageError.demand(isFetched || endpoint == nil, "--endpoint", needs: "--fetch")
      let known = try path == nil || source == .asc ? changing.open().app(app) : nil
      let lines: PastFile.Lines
      var warnings: [String] = []
      if let path {
        let bytes = try context.readGiven(path, limit: PastFile.limit)
        changing.cover([Recording.digest(of: bytes)])
        lines =
          try known.map { try ConnectPast.lines(in: bytes, about: $0, context) }
          ?? context.past(of: bytes, path, zone, &warnings)
      } else {
        guard let known, let appleID = known.appleID else {
          throw CommandFailure("asc.no-apple-id", ["app": app])
        }
        let versions = context.oneRecordEach(try context.listing(of: appleID, endpoint: endpoint).versions)
        lines = ConnectPast.lines(of: versions, about: known, now: context.clock())
      }
      let file = path ?? PawlContext.connectName
      let state = "none of the \(grouped(lines.count)) lines of \(quoted(file)) was recorded"
      do {
        return try context.working(ifStopped: state) { [warnings] work in
          try changing.run(work: work) { draft in
            var run = Import(app: app, mode: mode, channel: try draft.line(app).app.channel, warnings)
            try run.take(lines, &draft, work)
            let nothingTaken = run.imported == 0 && run.skipped == 0
            if !run.refused.isEmpty, !skipsRefused || nothingTaken { throw ImportRefused(run: run) }
            if isFetched, run.refused.isEmpty { try draft.setPast(.whole, of: app) }
            return run.outcome(isDryRun: options.isDryRun, context)
          }
        }
      } catch let refused as ImportRefused {
        let run = refused.run
        let head = try changing.open().head()
        // A plan whose lines are refused now has an answer of its own.
        if context.planTask?.applied == nil {
          try options.common.print(run.unrecorded(head), context) {
            run.refusedTable(context) + ReleaseText.warnings(run.warnings)
          }
        }
        throw run.failure(of: lines.count, file)
      }
    }
  }
}

extension ConnectPast {
  /// The versions in an answer that was kept, of those that were on the store.
  fileprivate static func lines(
    in bytes: [UInt8], about app: App, _ context: PawlContext
  ) throws -> PastFile.Lines {
    let answers = try answers(in: bytes, about: app)
    if answers.count == 1 { context.noteOnePage(answers[0]) }
    let versions = context.oneRecordEach(answers.flatMap(\.versions))
    context.noteUnread(versions)
    // Those under way are for `publish` and `ingest asc`; of those that were removed no one knows since when.
    return lines(of: versions, about: app, now: context.clock()).filter { line in
      if case .success(let line) = line { line.wasReleased } else { true }
    }
  }
}

extension ChangeSet {
  /// Records whether every version of an app that was ever shipped is recorded.
  mutating func setPast(_ past: RecordedPast, of slug: String) throws {
    var app = try line(slug).app
    app.past = past
    try set(app)
  }
}

extension PawlContext {
  /// What stands for a file where App Store Connect was asked.
  static let connectName = "App Store Connect"

  /// What App Store Connect says of an app; of a plan that is applied, what it said when that was made.
  func listing(of appleID: Int64, endpoint: String?) throws -> ConnectListing {
    let text = try answered(as: PawlContext.connectName) {
      let fetch = try connectFetch(endpoint: endpoint)
      return try fetch.listing(appleID: appleID).json.text()
    }
    let listing = try ConnectListing(ConnectAnswer.tree(of: Array(text.utf8)))
    noteUnread(listing.versions)
    return listing
  }

  /// The lines of a file that people wrote, and warnings about the file as a whole.
  fileprivate func past(
    of bytes: [UInt8], _ file: String, _ zone: ZoneOptions, _ warnings: inout [String]
  ) throws -> PastFile.Lines {
    var unzoned = 0
    let (lines, unknown) = try PastFile(name: file).releases(bytes) { text in
      do {
        let moment = try WrittenTime(text, .happening).moment(now: clock(), zone, self)
        if (try? Timestamp(text)) == nil { unzoned += 1 }
        return moment
      } catch let failure as CommandFailure {
        throw TextFault("\(failure.message): \(failure.hint ?? "")")
      }
    }
    if !unknown.isEmpty {
      warnings.append("ignored columns: \(unknown.map { printable($0, limit: 40) }.joined(separator: ", "))")
    }
    // The file may come from another place, so its times may be in a zone other than this host's.
    if unzoned > 0, zone.name == nil {
      warnings.append(
        "\(grouped(unzoned, "time")) without a zone \(unzoned == 1 ? "was" : "were") read as "
          + "\(try zone.zone(self).name); --zone sets another")
    }
    return lines
  }
}

extension RefusedLine: JSONValue {
  var json: JSON {
    [
      "line": .integer(line), "version": .string(version), "id": .string(id),
      "message": .string(printable(message)),
    ]
  }

  /// The message without what the other columns of its row say.
  var reason: String {
    let said = ["cannot import \(version) for ", "invalid version '\(version)'"].first(
      where: message.hasPrefix)
    let rest = message.dropFirst(said?.count ?? 0)
    return printable(String(said == nil ? rest : rest.drop { $0 != ":" }.dropFirst(2)))
  }
}
