import CommandLineKit
import Export
import JSON
import Ledger
import Platform
import ReleaseModel

extension Command where Context == PawlContext {
  static var probe: Command {
    Command(
      "probe", isReadOnly: true, no: "what is served is stricter than decided, missing, or old",
      summary: "Compare what is served with what is decided",
      discussion: """
        Asks for the documents of an app as its clients do: 'schedule.json', then for each format the file of each \
        version. Runs COMMAND once for each document, with its path in place of {} in its words, else as its last word; \
        COMMAND prints the document, or fails where none is, as 'curl -sf' does. Without --version it asks for up to \
        100 versions: the newest, the next, those that most devices run, those where answers begin and end, and then \
        others that have files. Give COMMAND a time limit of its own, with curl --max-time or timeout(1).
        """,
      examples: [
        .init("pawl probe taxi -- curl -sf https://updates.example.com/{}", "what the CDN serves"),
        .init(
          "pawl probe taxi --version 7.2.0 --os 16.4 -- curl -sf https://updates.example.com/{}", "one client"
        ),
        .init("pawl probe taxi -- cat documents/{}", "what lies in a directory"),
      ]
    ) {
      (
        .app, .options("--version", "V", .version, help: "A client's version"),
        .option("--os", "V", .system, help: "The client's system"),
        .option("--grace", "D", .span, help: "How old a document may be that is not the newest; default: 5m"),
        .arguments("COMMAND", .text, help: "The program and its arguments, after --"), .common
      )
    } run: { context, app, versions, os, grace, command, common in
      let ledger = try common.open(context)
      let (now, head) = (try ledger.now(clock: context.clock()), try ledger.head().seq)
      let answers = try ledger.answers(of: app, at: now, includesUnreleased: false)
      let written = try DocumentExport.formatsWritten(of: ledger, context)
      let formats =
        written.isEmpty ? [ExportFormats.named(ExportFormats.standard)].compactMap(\.self) : written
      var (asked, failed) = (0, 0)
      func fetch(_ path: String) throws -> [UInt8]? {
        let holds = command.contains { $0.holds("{}") }
        let words = holds ? command.map { $0.replacing(each: "{}", by: path) } : command + [path]
        asked += 1
        let end: ProgramEnd
        do { end = try context.captureProgram(words, [], false) } catch let error as SystemError {
          throw CommandFailure("probe.failed", ["reason": error.reason])
        }
        if end.status != 0 { failed += 1 }
        return end.status == 0 ? end.output : nil
      }
      let asking = versions.isEmpty ? answers.probed : versions
      let files = try formats.flatMap { try answers.served($0, to: asking, on: os, fetch) }
      guard failed < asked || asked == 0 else {
        throw CommandFailure("probe.failed", ["reason": "it failed for every document"])
      }
      let since = max(0, now.seconds - answers.lastChange.seconds)
      let isLate = since > (grace?.seconds ?? 300)
      try common.print(
        [
          "app": .string(app), "asOf": .integer(head), "at": .string(now.text),
          "files": .array(files.map { $0.json(since) }),
          "generation": .integer(answers.generation),
        ], context
      ) {
        let rows = files.map { file in
          [
            Cell(file.path), Cell(file.outcome.rawValue, file.outcome == .same ? .plain : .red),
            Cell(file.words(since)),
          ]
        }
        return context.table(["DOCUMENT", "IS", ""], rows)
      }
      return files.contains { $0.outcome != .same && ($0.outcome != .behind || isLate) } ? .refused : .success
    }
  }
}

extension ServedFile {
  fileprivate func json(_ since: Int64) -> JSON {
    [
      "behindSeconds": outcome == .same ? .null : .integer(since), "generation": .optional(generation),
      "outcome": .string(outcome.rawValue), "path": .string(path),
      "versions": .array(
        differing.map {
          [
            "decided": .string($0.wanted.rawValue), "told": .string($0.told.rawValue),
            "version": .string($0.version.text),
          ]
        }),
    ]
  }

  /// Who is told something else, and for how long that has been old.
  fileprivate func words(_ since: Int64) -> String {
    guard outcome != .same else { return "" }
    let told = differing.prefix(3).map {
      "\($0.version.text): \($0.told.rawValue), not \($0.wanted.rawValue)"
    }
    let more = differing.count > 3 ? ["\(differing.count - 3) more"] : []
    let age = generation.map { " of event \($0)," } ?? ""
    return (told + more).joined(separator: "; ") + (told.isEmpty ? "" : ";")
      + "\(age) since \(TimeSpan(seconds: since).roundedText)"
  }
}
