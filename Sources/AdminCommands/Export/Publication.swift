import CommandLineKit
import Export
import JSON
import Ledger
import Platform
import ReleaseModel

/// The documents that clients read, and the directory they are written to.
struct Publication {
  let directory: String
  let formats: [any DocumentFormat]
  var apps: Set<String> = []
  var includesUnreleased = false
  /// How many seconds to wait for another export.
  var wait: Double = 60

  /// The directory that gets the documents after every change: `PAWL_EXPORT`, else what `init --export` named.
  static func directory(of ledger: Ledger, _ context: PawlContext) throws -> String? {
    try context.environment("PAWL_EXPORT") ?? ledger.publication()?.directory
  }

  /// Writes the documents that have to be written, and says how far it is.
  ///
  /// - Throws: What goes wrong; `Report` where somebody asked to stop.
  func write(_ ledger: Ledger, at moment: Timestamp, _ context: PawlContext) throws -> ExportReport {
    let work = LongWork(context)
    defer { work.pause() }
    var reached = (done: 0, total: 0)
    do {
      return try write(ledger, at: moment) { done, total in
        reached = (done, total)
        try work.step("writing documents, app", done, of: total)
      }
    } catch let stopped as Stopped {
      throw stopped.report(
        "\(grouped(reached.done)) of \(grouped(reached.total)) apps were done; each document in '\(printable(directory))' is "
          + "whole, and some may be those of the export before",
        hint: "run 'pawl export \(printable(directory))': what is written already is not written again")
    }
  }

  private func write(
    _ ledger: Ledger, at moment: Timestamp, progress: (Int, Int) throws -> Void
  ) throws -> ExportReport {
    let exporter = Exporter(
      root: directory, formats: formats, at: moment, includesUnreleased: includesUnreleased)
    // A slice of reading for each app: a long one would hold up whoever writes the ledger.
    return try exporter.export(ledger: ledger.name(), wait: wait) {
      try ledger.generations().filter { apps.isEmpty || apps.contains($0.slug) }
    } sheet: { slug in
      try ledger.snapshotting {
        AnswerSheet(
          try ledger.snapshot(slug), at: moment, generation: try ledger.generation(of: slug),
          includesUnreleased: includesUnreleased)
      }
    } progress: { done, total in
      try progress(done, total)
    }
  }

  /// Writes the documents after a change, if there is a directory for them.
  ///
  /// The change stands whatever happens here; what was refused is only said, since the change itself was not.
  static func update(after ledger: Ledger, _ context: PawlContext, isQuiet: Bool) throws {
    let named: String?
    do {
      named = try directory(of: ledger, context)
    } catch {
      throw failed("whether documents follow from it cannot be told", report(error))
    }
    guard let directory = named else { return }
    let known = Exporter.formats(in: directory)
    let formats = ExportFormats.all.filter { known.isEmpty || known.contains($0.name) }
    do {
      let done = try Publication(directory: directory, formats: formats, wait: 10)
        .write(ledger, at: try ledger.now(clock: context.clock()), context)
      guard !isQuiet else { return }
      context.note(
        "documents: \(done.written) written, \(done.removed) removed in '\(printable(directory))'\n")
      for finding in done.refusals { context.note(Publication.text(finding, isRefusal: true)) }
    } catch {
      throw failed(
        "the documents in '\(printable(directory))' could not all be written", report(error), directory)
    }
  }

  private static func failed(_ what: String, _ cause: Report, _ directory: String? = nil) -> Report {
    Report(
      "export.failed", "the change is recorded, but \(what): \(cause.message)",
      hint:
        "run 'pawl export\(directory.map { " \(printable($0))" } ?? "")'; the same --request-id again does so too",
      details: ["cause": .string(cause.id), "directory": .optional(directory)],
      exit: cause.id == "interrupted" ? cause.exit : .io)
  }

  /// How the documents that changes write stand to the ledger; nil where nobody named a directory.
  static func standing(_ ledger: Ledger, _ context: PawlContext) throws -> ExportStanding? {
    guard let directory = try directory(of: ledger, context) else { return nil }
    return try Exporter.standing(in: directory, generations: ledger.generations())
  }

  /// A finding in words, as a line of its own.
  static func text(_ finding: ExportFinding, isRefusal: Bool) -> String {
    var text = isRefusal ? "refused: " : "warning: "
    text += "\(finding.app), \(finding.format)"
    if !finding.versions.isEmpty { text += ", \(shown(finding.versions))" }
    return text + ": \(finding.message)\n"
  }

  /// A few versions by name.
  private static func shown(_ versions: [Version]) -> String {
    let names = versions.prefix(5).map(\.text).joined(separator: " ")
    return versions.count > 5 ? "\(names) and \(versions.count - 5) more" : names
  }
}

extension ExportStanding {
  /// Why somebody should export, and how; nil where the documents say what the ledger says.
  func overdue(now: Timestamp) -> Finding? {
    let hint = "pawl export \(printable(directory))"
    if !behind.isEmpty {
      let apps = behind.count == 1 ? behind[0] : "\(behind.count) apps"
      return Finding(
        id: "export.behind", app: behind.count == 1 ? behind[0] : "",
        message: "the documents in '\(printable(directory))' lack what was recorded of \(apps)", hint: hint)
    }
    guard let next = nextChange, next <= now else { return nil }
    return Finding(
      id: "export.overdue", app: "",
      message: "the documents in '\(printable(directory))' needed a new export at \(next.text)", hint: hint)
  }

  /// How it is shown by `due` and `status`.
  func json(now: Timestamp) -> JSON {
    [
      "behind": .array(behind.map { .string($0) }), "directory": .string(directory),
      "nextChange": .optional(nextChange?.text), "overdue": .bool(overdue(now: now) != nil),
    ]
  }
}
