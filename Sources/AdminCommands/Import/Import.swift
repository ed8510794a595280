import CommandLineKit
import JSON
import Ledger
import Platform
import ReleaseModel

/// A line that was refused, and why.
private struct RefusedLine: JSONValue {
  let line: Int64
  let version: String
  let id: String
  let message: String

  init(_ line: PastRelease, _ id: String, _ message: String) {
    self.line = Int64(line.line)
    version = line.versionText
    self.id = id
    self.message = message
  }

  init?(json: JSON) {
    line = json["line"]?.integer ?? 0
    version = json["version"]?.string ?? ""
    id = json["id"]?.string ?? ""
    message = json["message"]?.string ?? ""
  }

  var json: JSON {
    ["line": .integer(line), "version": .string(version), "id": .string(id), "message": .string(message)]
  }
}

/// What became of the lines of a file: the answer of `import`.
private struct ImportTally {
  var imported: Int64 = 0
  var skipped: Int64 = 0
  var refused: [RefusedLine] = []

  func said(of app: String) -> Said {
    var text = refusedTable
    text += "Imported \(imported) \(imported == 1 ? "release" : "releases") into \(app)"
    if skipped > 0 { text += ", \(skipped) were recorded already" }
    if !refused.isEmpty { text += ", \(refused.count) were refused" }
    return Said(text + ".\n", next: "pawl status \(app)")
  }

  var refusedTable: String {
    guard !refused.isEmpty else { return "" }
    var table = Table(columns: [Column("LINE", .right), Column("VERSION"), Column("REFUSED BECAUSE")])
    for line in refused {
      table.add([Cell(String(line.line)), Cell(line.version), Cell(line.message)])
    }
    return table.render() + "\n"
  }
}

extension ImportTally: Answer {
  init(answer json: JSON) throws(UnreadableAnswer) {
    self = try ImportTally(
      imported: json.value("imported"), skipped: json.value("skipped"), refused: json.value("refused"))
  }

  var members: [(String, JSON)] {
    [("imported", imported.json), ("skipped", skipped.json), ("refused", refused.json)]
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
      section: "Releases"
    ) {
      (
        .app, .argument("FILE", .path, help: "The file; - for standard input"),
        .flag("--skip-refused", help: "Take the lines that the laws let through"), .change
      )
    } run: { context, app, file, skipsRefused, change in
      let bytes = file == "-" ? try context.readAllInput(limit: PastFile.limit) : try readPast(file)
      let (lines, unknown) = try PastFile.lines(of: bytes, name: file)
      if !unknown.isEmpty {
        context.note(
          "note: columns not used: \(unknown.map { printable($0, limit: 40) }.joined(separator: ", "))\n")
      }
      var tally = ImportTally()
      let work = LongWork(context)
      defer { work.pause() }
      var changing = Changing(change, context)
      changing.extraWords = [Recording.digest(of: bytes)]
      do {
        return try changing.run(work: work) { draft in
          tally = try take(lines, app, &draft, work)
          let nothingTaken = tally.imported == 0 && tally.skipped == 0
          if !tally.refused.isEmpty, !skipsRefused || nothingTaken { throw ImportRefused(tally: tally) }
        } answer: { _ in
          tally
        } text: { answer, _ in
          answer.said(of: app)
        }
      } catch let stopped as Stopped {
        throw stopped.report(
          "none of the \(grouped(lines.count)) lines of '\(printable(file, limit: 200))' is recorded",
          hint: "run the same command again")
      } catch let refused as ImportRefused {
        var tally = refused.tally
        tally.imported = 0
        let answer = tally.members + [("changed", .bool(false)), ("event", .null), ("impact", [])]
        try change.common.print(.object(JSON.Object(answer)), context) { tally.refusedTable }
        throw failure(tally, of: lines.count, file, skipsRefused: skipsRefused)
      }
    }
  }

  private static func failure(
    _ tally: ImportTally, of count: Int, _ file: String, skipsRefused: Bool
  ) -> CommandFailure {
    CommandFailure(
      "import.refused",
      "cannot import '\(printable(file, limit: 200))': \(tally.refused.count) of \(count) lines were refused; nothing was recorded",
      hint: "correct the lines named above"
        + (skipsRefused ? "" : ", or take the others with --skip-refused"),
      details: ["refused": .integer(Int64(tally.refused.count))], exit: .data)
  }
}

private func readPast(_ path: String) throws -> [UInt8] {
  if let status = try? FileStatus(of: path), status.kind == .directory {
    throw CommandFailure(
      "import.unusable-file", "cannot import '\(printable(path, limit: 200))': it is a directory",
      hint: "name a CSV or JSON file", exit: .data)
  }
  return try readFile(path, limit: PastFile.limit)
}

/// Takes the lines that the laws let through, in order of time.
private func take(
  _ lines: [PastRelease], _ app: String, _ draft: inout Draft, _ work: LongWork
) throws -> ImportTally {
  _ = try draft.line(app)
  var tally = ImportTally()
  var dated: [(line: PastRelease, entry: PastRelease.Entry)] = []
  for line in lines {
    switch line.entry {
    case .success(let entry): dated.append((line, entry))
    case .failure(let refusal): tally.refused.append(RefusedLine(line, refusal.id, refusal.message))
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
      tally.refused.append(RefusedLine(line, refusal.id, refusal.message))
    }
  }
  tally.refused.sort { $0.line < $1.line }
  return tally
}
