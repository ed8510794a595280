import CommandLineKit
import JSON
import Ledger
import Platform
import ReleaseModel

private struct ImportOptions: Sendable {
  var change = ChangeOptions()
  var app = ""
  var file = ""
  var skipsRefused = false
}

/// What became of the lines of a file.
private struct ImportTally {
  var imported = 0
  var skipped = 0
  var refused: [JSON] = []

  var json: [(String, JSON)] {
    [
      ("imported", .integer(Int64(imported))), ("skipped", .integer(Int64(skipped))),
      ("refused", .array(refused)),
    ]
  }
}

/// Leaves the transaction because lines were refused, with the tally to show.
private struct ImportRefused: Error { let tally: ImportTally }

extension Command where Context == PawlContext {
  /// Takes over the past of an app.
  static var importPast: Command {
    Command(
      "import", summary: "Take over the past releases of an app from CSV or JSON",
      discussion: """
        The file has the columns version and released_at, and if you like build, min_os and notes, named by its \
        header. Lines are taken in order of time; each becomes live and visible at its time. All or nothing, unless \
        --skip-refused; what is recorded identically is skipped, so the same file can be imported twice.
        """,
      examples: [
        .init("pawl import taxi history.csv", "all of it or nothing"),
        .init(
          "pawl import taxi history.csv --skip-refused", "what the laws let through, each other line named"),
      ],
      section: "Releases", options: { ImportOptions() },
      parameters: {
        [
          .argument("APP", .slug, help: "The app") { $0.app = $1 },
          .argument("FILE", .path, help: "The file; - for standard input") { $0.file = $1 },
          .flag("--skip-refused", help: "Take the lines that the laws let through") {
            $0.skipsRefused = true
          },
        ] + ChangeOptions.parameters.pulled(\.change)
      }
    ) { options, call, context in
      let bytes =
        options.file == "-"
        ? try context.readAllInput(limit: PastFile.limit) : try readPast(options.file)
      let (lines, unknown) = try PastFile.lines(of: bytes, name: options.file)
      if !unknown.isEmpty {
        context.note(
          "note: columns not used: \(unknown.map { printable($0, limit: 40) }.joined(separator: ", "))\n")
      }
      var tally = ImportTally()
      let work = LongWork(context)
      defer { work.pause() }
      var changing = Changing(options.change, call, context)
      changing.extraWords = [Recording.digest(of: bytes)]
      do {
        return try changing.run(work: work) { draft in
          tally = ImportTally()
          try take(lines, options.app, &draft, &tally, work)
          let nothingTaken = tally.imported == 0 && tally.skipped == 0
          if !tally.refused.isEmpty, !options.skipsRefused || nothingTaken {
            throw ImportRefused(tally: tally)
          }
        } answer: { _ in
          tally.json
        } text: { answer in
          text(answer, app: options.app)
        }
      } catch let stopped as Stopped {
        throw stopped.report(
          "none of the \(grouped(lines.count)) lines of '\(printable(options.file, limit: 200))' is recorded",
          hint: "run the same command again")
      } catch let refused as ImportRefused {
        var tally = refused.tally
        tally.imported = 0
        if options.change.common.isJSON {
          let answer = tally.json + [("changed", .bool(false)), ("event", .null), ("impact", [])]
          try context.print(JSON.object(JSON.Object(answer)).text() + "\n")
        } else {
          try context.print(refusedTable(tally.refused))
        }
        throw Report(
          "import.refused",
          "cannot import '\(printable(options.file, limit: 200))': \(tally.refused.count) of \(lines.count) lines were refused; nothing was recorded",
          hint: options.skipsRefused
            ? "correct the lines named above"
            : "correct the lines named above, or take the others with --skip-refused",
          details: ["refused": .integer(Int64(tally.refused.count))], exit: .data)
      }
    }
  }
}

private func readPast(_ path: String) throws -> [UInt8] {
  if let status = try? FileStatus(of: path), status.kind == .directory {
    throw Report(
      "import.unusable-file", "cannot import '\(printable(path, limit: 200))': it is a directory",
      hint: "name a CSV or JSON file", exit: .data)
  }
  return try readFile(path, limit: PastFile.limit)
}

private func take(
  _ lines: [PastRelease], _ app: String, _ draft: inout Draft, _ tally: inout ImportTally, _ work: LongWork
)
  throws
{
  _ = try draft.line(app)
  var dated: [(line: PastRelease, entry: PastRelease.Entry)] = []
  func refuse(_ line: PastRelease, _ id: String, _ message: String) {
    tally.refused.append([
      "line": .integer(Int64(line.line)), "version": .string(line.versionText), "id": .string(id),
      "message": .string(message),
    ])
  }
  for line in lines {
    switch line.entry {
    case .success(let entry): dated.append((line, entry))
    case .failure(let refusal): refuse(line, refusal.id, refusal.message)
    }
  }
  // Sorting is stable, so lines of one moment keep the file's order.
  let sorted = dated.sorted { $0.entry.releasedAt < $1.entry.releasedAt }
  for (index, (line, entry)) in sorted.enumerated() {
    try work.step("taking lines", index, of: sorted.count)
    do {
      let now = draft.now
      let isNew = try draft.change(app, "import \(entry.version.text)") { release, id throws(LawViolation) in
        try release.importPast(entry.version, entry.details, releasedAt: entry.releasedAt, id: id, now: now)
      }
      if isNew { tally.imported += 1 } else { tally.skipped += 1 }
    } catch LedgerError.law(let app, let command, let violation) {
      let refusal = report(app: app, command: command, violation)
      refuse(line, refusal.id, refusal.message)
    }
  }
  tally.refused.sort { ($0["line"]?.integer ?? 0) < ($1["line"]?.integer ?? 0) }
}

private func text(_ answer: JSON, app: String) -> String {
  let imported = answer["imported"]?.integer ?? 0
  let skipped = answer["skipped"]?.integer ?? 0
  let refused = answer["refused"]?.array ?? []
  var text = refusedTable(refused)
  text += "Imported \(imported) \(imported == 1 ? "release" : "releases") into \(app)"
  if skipped > 0 { text += ", \(skipped) were recorded already" }
  if !refused.isEmpty { text += ", \(refused.count) were refused" }
  return text + ".\nnext: pawl status \(app)\n"
}

private func refusedTable(_ refused: [JSON]) -> String {
  guard !refused.isEmpty else { return "" }
  var table = Table(columns: [Column("LINE", .right), Column("VERSION"), Column("REFUSED BECAUSE")])
  for line in refused {
    table.add([
      Cell(line["line"]?.integer.map { String($0) } ?? ""), Cell(line["version"]?.string ?? ""),
      Cell(line["message"]?.string ?? ""),
    ])
  }
  return table.render() + "\n"
}
