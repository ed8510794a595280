import AppleIntake
import CommandLineKit
import JSON
import Ledger
import Platform
import ReleaseModel

private struct MailOptions: Sendable {
  var change = ChangeOptions()
  var files: [String] = []
  var maildirs: [String] = []
  var mboxes: [String] = []
  var isStrict = false
}

extension Command where Context == PawlContext {
  /// Evidence in.
  static var ingest: Command {
    Command(
      "ingest", summary: "Take in evidence: Apple's mails, the store's lookup, webhooks", section: "Evidence",
      subcommands: [ingestMail, ingestLookup, ingestWebhook])
  }

  private static var ingestMail: Command {
    Command(
      "mail", summary: "Take in mails; proved ones from Apple move releases",
      discussion: """
        A mail is believed if a DKIM signature verifies with a key you pinned ('trust dkim'), or if your own mail \
        server says so ('trust mx'); and only if it is to an address of yours ('trust recipient'). It moves a release \
        the ledger knows, and nothing else. What claims to be Apple's and is not proved, unknown or unclear is parked \
        for 'inbox'. From standard input, exit 0 means stored or not for us, 65 too large, and 75 asks the mail \
        server to try again.
        """,
      examples: [
        .init("pawl ingest mail letter.eml", "a file"),
        .init(
          "pawl ingest mail --maildir ~/Maildir", "all of a Maildir, in order of Date; it is not altered"),
        .init("pawl ingest mail - < letter.eml", "from a mail server's pipe"),
      ],
      options: { MailOptions() },
      parameters: {
        [
          .argument(
            "FILE", .path, help: "Mails, one a file; - for standard input", required: false, repeatable: true
          ) {
            $0.files.append($1)
          },
          .option("--maildir", "DIR", .directory, help: "A Maildir", repeatable: true) {
            $0.maildirs.append($1)
          },
          .option("--mbox", "FILE", .path, help: "An mbox", repeatable: true) { $0.mboxes.append($1) },
          .flag("--strict", help: "Exit 1 unless everything was applied, there already or overtaken") {
            $0.isStrict = true
          },
        ] + ChangeOptions.parameters.pulled(\.change)
      }
    ) { options, call, context in
      guard !options.files.isEmpty || !options.maildirs.isEmpty || !options.mboxes.isEmpty else {
        throw UsageError(
          id: "usage.missing-argument", message: "no mail was named",
          hint: "name files, --maildir DIR, --mbox FILE, or - for standard input")
      }
      return try takeMails(options, call, context)
    }
  }

  /// How many mails share a transaction; each mail is whole in one.
  private static let batch = 200

  private static func takeMails(
    _ options: MailOptions, _ call: Call, _ context: PawlContext
  ) throws -> ExitCode {
    let work = LongWork(context)
    defer { work.pause() }
    var mails: [MailSource.Mail] = []
    for file in options.files {
      mails.append(
        file == "-"
          ? MailSource.Mail(name: "-") { try context.readInputPrefix(limit: MailSource.limit) }
          : MailSource.file(file))
    }
    for path in options.mboxes { mails += try MailSource.mbox(path) }
    for path in options.maildirs {
      let before = mails.count
      mails += try MailSource.maildir(path) { try work.step("looking for mails", before + $0, of: 0) }
    }
    var words: [String] = []
    if options.change.requestID != nil {
      mails = try mails.map { mail in
        let bytes = try mail.read()
        words.append(Recording.digest(of: bytes))
        return MailSource.Mail(name: mail.name) { bytes }
      }
    }
    let intake = try Intake(options.change, call, context, words: words)
    let isOne = options.change.requestID != nil
    // With a request id all mails are one command with one answer.
    let size = isOne ? max(1, mails.count) : batch
    var results: [JSON] = []
    var start = 0
    repeat {
      do {
        let part = try mails[start..<min(start + size, mails.count)].map {
          (name: $0.name, bytes: try $0.read())
        }
        var stopped: Stopped?
        results += try intake.record { draft in
          let intake = MailIntake(draft)
          var taken: [IntakeResult] = []
          stopped = nil
          for (index, mail) in part.enumerated() {
            do throws(Stopped) {
              try work.step("taking in mails", start + index, of: mails.count)
            } catch {
              // What was taken in of a batch is as whole as a batch; one request is all or nothing.
              if isOne { throw error }
              stopped = error
              break
            }
            taken.append(try intake.take(mail.bytes, source: mail.name, &draft))
          }
          return taken
        }
        if let stopped { throw stopped }
      } catch let stopped as Stopped {
        throw left(stopped, after: options.change.isDryRun ? 0 : results.count, of: mails.count)
      } catch  where start > 0 {
        throw broken(off: start, of: mails.count, report(error))
      }
      start += size
    } while start < mails.count
    work.pause()
    return try intake.finish(results, isStrict: options.isStrict)
  }

  /// What was taken in before somebody asked to stop stays.
  private static func left(_ stopped: Stopped, after count: Int, of all: Int) -> Report {
    guard count > 0 else {
      return stopped.report(
        "none of the \(grouped(all)) mails was taken in", hint: "run the same command again")
    }
    return stopped.report(
      "\(grouped(count)) of \(grouped(all)) mails were taken in, and stay",
      hint: "run the same command again: what is recorded counts as duplicate")
  }

  /// Earlier batches stay, whatever became of a later one.
  private static func broken(off count: Int, of all: Int, _ cause: Report) -> Report {
    Report(
      "ingest.broken-off", "the first \(count) of \(all) mails are recorded, then: \(cause.message)",
      hint: "run it again: what is recorded counts as duplicate", details: ["cause": .string(cause.id)],
      exit: cause.exit)
  }
}

/// What every way of taking in evidence does around its own part.
struct Intake {
  let options: ChangeOptions
  let call: Call
  let context: PawlContext
  private let ledger: Ledger
  private let changing: Changing

  /// - Parameter words: What a request id stands for beside the command line: the digests of what is taken in.
  init(_ options: ChangeOptions, _ call: Call, _ context: PawlContext, words: [String] = []) throws {
    self.options = options
    self.call = call
    self.context = context
    ledger = try options.open(context)
    var changing = Changing(options, call, context)
    changing.extraWords = words
    self.changing = changing
  }

  /// Records what a body takes in, and returns its results as JSON.
  ///
  /// Evidence never asks: the hold is the time to object.
  func record(_ body: (inout Draft) throws -> [IntakeResult]) throws -> [JSON] {
    var results: [IntakeResult] = []
    let recorded = try ledger.record(changing.recording(), confirm: { _ in }) { draft in
      results = try body(&draft)
    } answer: { _ in
      [("results", .array(results.map(\.json)))]
    }
    return recorded.answer["results"]?.array ?? []
  }

  /// Prints the results and says how it went.
  func finish(_ results: [JSON], isStrict: Bool) throws -> ExitCode {
    defer { ledger.close() }
    try changing.conclude(on: ledger, isRecorded: !options.isDryRun, isQuiet: true) {
      if options.common.isJSON {
        try context.print(JSON.object(JSON.Object([("results", .array(results))])).text() + "\n")
      } else {
        try context.print(IntakeText.table(results, context))
      }
    }
    if results.contains(where: { $0["outcome"] == "refused" }) { return .data }
    let isPlain = results.allSatisfy {
      $0["outcome"] == "applied" || $0["outcome"] == "duplicate" || $0["reason"] == "mail.overtaken"
    }
    return isStrict && !isPlain ? .refused : .success
  }
}

/// Results of taking in evidence, in words.
enum IntakeText {
  static func table(_ results: [JSON], _ context: PawlContext) -> String {
    guard !results.isEmpty else { return "Nothing came in.\n" }
    var table = Table(columns: [
      Column("SOURCE"), Column("OUTCOME"), Column("RELEASE"), Column("MOVE"), Column("EVIDENCE", .right),
      Column("REASON"),
    ])
    for result in results {
      let outcome = result["outcome"]?.string ?? ""
      let from = result["from"]?.string
      let to = result["to"]?.string
      let style: Style =
        outcome == "applied" ? .green : outcome == "parked" || outcome == "refused" ? .yellow : .dim
      table.add([
        Cell(result["source"]?.string ?? ""), Cell(outcome, style),
        Cell([result["app"]?.string, result["version"]?.string].compactMap { $0 }.joined(separator: " ")),
        Cell(outcome == "applied" ? "\(from ?? "") → \(to ?? "")" : to ?? ""),
        Cell(result["evidence"]?.integer.map { String($0) } ?? "–"), Cell(result["reason"]?.string ?? ""),
      ])
    }
    let parked = results.filter { $0["outcome"] == "parked" }.count
    return context.rendered(table)
      + (parked > 0 ? "next: pawl inbox shows the \(parked) parked\n" : "")
  }
}
