import CommandLineKit
import Export
import JSON
import Ledger
import ReleaseModel

extension Command where Context == PawlContext {
  static var export: Command {
    Command(
      "export", reach: .remote,
      no: "documents were refused, or with --strict, a format cannot say everything",
      summary: "Write the documents that clients read",
      discussion: """
        Writes static files for any web server or CDN; see 'pawl help documents' and 'pawl help formats'. Each file \
        is replaced as a whole, and left alone if nothing in it changes. DIR defaults to the \
        directory set with 'init --export', else to PAWL_EXPORT. It is marked as belonging to this ledger; files that pawl \
        did not write are never touched. DIR gets exactly the formats of --format (default: the ledger's, else \
        what DIR has, else v1); documents in other formats are removed. For the ledger's own directory use \
        'init --export'.
        """,
      examples: [
        .init("pawl export", "everything, where and in the formats that 'init --export' named"),
        .init("pawl export preview --at 7d --app taxi", "what one app's clients will be told in a week"),
        .init("pawl export /srv/documents --take-over", "take over from another file of the ledger"),
      ]
    ) {
      (
        .optionalArgument("DIR", .directory, help: "Where to write"),
        .options(
          "--format", "FORMAT", .exportFormat, help: "A format that DIR should hold", reach: .host),
        .options("--app", "APP", .slug, help: "One app only"),
        .option(
          "--at", "TIME", .time(.question), help: "Write what will hold at a time, or after a span (7d)",
          reach: .host),
        .flag(
          "--include-unreleased", help: "Also write versions that were never live; this announces them",
          reach: .host),
        .flag("--strict", help: "Exit with 1 if a format cannot express every decision"),
        .flag(
          "--take-over",
          help: "Replace the documents of another file of the ledger, or of events that it lost; asks first",
          reach: .host),
        .signing, .zone, .unplannedChange
      )
    } run: {
      context, directory, formats, apps, written, includesUnreleased, isStrict, takesOver, key, zone, options
      in
      let common = options.common
      try UsageError.demand(
        takesOver || !(options.isDryRun || options.requestID != nil || options.expectedHead != nil),
        "--dry-run, --request-id and --expect-head", needs: "--take-over")
      let ledger = try takesOver ? options.open(context) : common.open(context)
      let said = directory.map { DocumentExport.Place($0, true) }
      guard let named = try said ?? DocumentExport.directory(of: ledger, context, isAnyones: takesOver)
      else {
        throw UsageError("usage.missing-argument/export")
      }
      if key != nil, !formats.isEmpty, !formats.contains(where: { ExportFormats.named($0)?.isSigned == true })
      {
        throw UsageError("usage.invalid/sign")
      }
      for app in apps { _ = try ledger.app(app) }
      let now = try ledger.now(clock: context.clock())
      let at = try written?.moment(now: now, zone, context)
      var export = try DocumentExport(ledger, named, at: at ?? now)
      export.exporter.formats =
        try formats.isEmpty
        ? DocumentExport.formats(of: ledger) : ExportFormats.all.filter { formats.contains($0.name) }
      export.exporter.apps = Set(apps)
      export.exporter.includesUnreleased = includesUnreleased
      export.wait = options.call.words.contains { $0.name == "--wait" } ? options.patience : 60
      export.key = key
      if let at, at != now { export.exporter.purpose = .otherTime }
      let isLifetimeGiven = options.call.words.contains { $0.name == "--expire-in" }
      try export.checkOwn(ledger, formats, isLifetimeGiven: isLifetimeGiven, context)
      if export.exporter.purpose == .otherTime, key != nil {
        throw CommandFailure("export.other-time/signed", ["directory": named.path])
      }
      var change: JSON?
      if takesOver {
        try UsageError.demand(at == nil && apps.isEmpty, together: "--take-over and --at or --app")
        change = try export.takeOver(ledger, options, context)
        if options.isDryRun { return .success }
        export.exporter.purpose = .takeOver
      }
      let (report, signer, unsigned) = try export.write(ledger, context)
      if said != nil, export.exporter.purpose != .otherTime { Elsewhere.note(named.path, of: ledger) }
      if !common.isJSON {
        for finding in report.warnings { context.note(DocumentExport.text(finding, isRefusal: false)) }
      }
      try common.print(json(report, signer, at: at, change), context) {
        text(report, signer, at: at, named.path, formats)
      }
      guard report.refusals.isEmpty else { throw failure("export.refused", "refused", report.refusals) }
      if let unsigned { throw unsigned }
      let milder = report.warnings.filter { $0.id == "export.milder" }
      if isStrict, !milder.isEmpty { throw failure("export.milder", "milder", milder) }
      return .success
    }
  }

  private static func json(
    _ report: ExportReport, _ signer: DocumentSigner?, at moment: Timestamp?, _ change: JSON?
  ) -> JSON {
    let json = (change ?? [:]).adding(report.json).adding(["key": signer?.json ?? .null])
    return moment.map { json.adding(["at": .string($0.text)]) } ?? json
  }

  private static func text(
    _ report: ExportReport, _ signer: DocumentSigner?, at moment: Timestamp?, _ directory: String,
    _ formats: [String]
  ) -> String {
    var text = "\(report.written) written, \(report.unchanged) unchanged, \(report.removed) removed: "
    text += "\(report.files) \(report.files == 1 ? "document" : "documents") in '\(printable(directory))'"
    text += (moment.map { ", as of \($0.text)" } ?? "") + ".\n"
    if let signer { text += "signed with key \(signer.keyID), x \(signer.publicX)\n" }
    if let next = report.nextChange {
      // Repeat the formats chosen here, whatever the ledger names.
      let formats = formats.map { " --format \($0)" }.joined()
      text += "next: pawl export \(printable(directory))\(formats), at \(next.text)\n"
    }
    return text
  }

  private static func failure(_ id: String, _ member: String, _ findings: [ExportFinding]) -> CommandFailure {
    let lines = findings.map { finding in
      let versions = finding.versions.map(\.text).joined(separator: " ")
      return "\(finding.app) as \(finding.format): \(finding.message)"
        + (versions.isEmpty ? "" : " (\(versions))")
    }
    return CommandFailure(
      id, ["findings": lines.joined(separator: "; ")],
      details: .object(JSON.Object([(member, .array(findings.map(\.json)))])))
  }
}

extension Parameter where Value == DocumentKey? {
  static var signing: Parameter {
    .group(
      .option(
        "--sign", "KEY", .path, help: "The Ed25519 key that signs documents in format v1-signed",
        reach: .host),
      .option("--expire-in", "D", .span, help: "With --sign: how long a signature is valid; default: 7d")
    ) { path, lifetime throws(UsageError) in
      guard let path else {
        try UsageError.demand(lifetime == nil, "--expire-in", needs: "--sign KEY")
        return nil
      }
      return DocumentKey(path: path, lifetime: try DocumentKey.lifetime(lifetime))
    }
  }
}

extension ExportReport {
  var json: JSON {
    [
      "files": .integer(Int64(files)), "nextChange": .optional(nextChange?.text),
      "refused": .array(refusals.map(\.json)), "removed": .integer(Int64(removed)),
      "unchanged": .integer(Int64(unchanged)), "unsigned": .array(unsigned.map(\.json)),
      "warnings": .array(warnings.map(\.json)),
      "written": .integer(Int64(written)),
    ]
  }
}
