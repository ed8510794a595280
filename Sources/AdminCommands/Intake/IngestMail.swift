import CommandLineKit
import Intake
import JSON
import Ledger
import Platform

/// The mails that a command takes in, and how.
private struct MailOptions {
  let files: [String]
  let maildirs: [String]
  let mboxes: [String]
  let isStrict: Bool
  let change: ChangeOptions
}

extension Command where Context == PawlContext {
  static var ingest: Command {
    Command(
      "ingest", summary: "Take in evidence: mails from Apple, App Store lookups, webhooks, device counts",
      section: "Evidence",
      subcommands: [ingestMail, ingestLookup, ingestWebhook, ingestConnect, ingestUsage])
  }

  private static var ingestMail: Command {
    Command(
      "mail", reach: .remote, summary: "Take in mails; proved ones from Apple move releases",
      discussion: """
        A mail is believed if a DKIM signature verifies with a key you pinned ('trust dkim'), or if your own \
        mail server vouches for it ('trust mx'), and only if it is addressed to a trusted recipient ('trust \
        recipient'). It moves a release that the ledger knows, and does nothing else. A mail that claims to \
        be from Apple but is unproved, unknown or unclear is parked for 'inbox'. In an mbox only signatures \
        count. From standard input, exit 0 means stored or deliberately ignored, 65 means too large, and 75 \
        asks the mail server to try again.
        """,
      examples: [
        .init("pawl ingest mail mail.eml", "a file"),
        .init(
          "pawl ingest mail --maildir ~/Maildir", "a whole Maildir, in order of Date; it is left unchanged"),
        .init("pawl ingest mail - < mail.eml", "from a mail server's pipe"),
      ]
    ) {
      (
        .arguments("FILE", .input, help: "Files with one mail each; - for standard input", required: false),
        .options("--maildir", "DIR", .directory, help: "A Maildir"),
        .options("--mbox", "FILE", .path, help: "An mbox"),
        .flag(
          "--strict",
          help: "Exit with 1 (from standard input: 75) unless all are applied, duplicate or overtaken"),
        .unplannedChange
      )
    } run: { context, files, maildirs, mboxes, isStrict, change in
      guard !files.isEmpty || !maildirs.isEmpty || !mboxes.isEmpty else {
        throw UsageError(
          id: "usage.missing-argument", message: "no mail was given",
          hint: "name files, --maildir DIR, --mbox FILE, or - for standard input")
      }
      return try takeMails(
        MailOptions(files: files, maildirs: maildirs, mboxes: mboxes, isStrict: isStrict, change: change),
        context)
    }
  }

  /// How many mails share a transaction, and how many bytes; no mail is split between two.
  private static let batch = (mails: 200, bytes: 8 << 20)

  private static func takeMails(_ options: MailOptions, _ context: PawlContext) throws -> ExitCode {
    let work = LongWork(context)
    defer { work.pause() }
    var maildir = MailSource.Maildir()
    for file in options.files {
      guard file == "-" else {
        maildir.mails.append(MailSource.file(file))
        continue
      }
      // Read it before the ledger is opened, which would reuse the descriptor of a standard input that is
      // closed.
      let bytes = try context.readInputPrefix(limit: MailSource.limit)
      maildir.mails.append(MailSource.Mail(name: file) { bytes })
    }
    for path in options.mboxes { maildir.mails += try MailSource.mbox(path) }
    for path in options.maildirs {
      let before = maildir.mails.count
      let found = try MailSource.maildir(path) { try work.step("looking for mails", before + $0, of: 0) }
      maildir.mails += found.mails
      maildir.passedOver += found.passedOver
    }
    var mails = maildir.mails
    var words: [String] = []
    // With a request id, all mails form one command with one answer.
    let isOne = options.change.requestID != nil
    if isOne {
      mails = try mails.compactMap { mail in
        do {
          let bytes = try mail.read()
          words.append(Recording.digest(of: bytes))
          return mail.holding(bytes)
        } catch let fault as EntryFault {
          maildir.passedOver.append((mail.name, fault))
          return nil
        }
      }
    }
    var run = try IngestRun(options.change, context, words: words)
    for (name, fault) in maildir.passedOver { run.passOver(name, PassedOver(fault)) }
    let most = isOne ? (mails: Int.max, bytes: Int.max) : batch
    var results: [JSON] = []
    var start = 0
    var next = 0
    repeat {
      start = next
      do {
        let part = try readBatch(mails, from: &next, most, &run)
        results += try takeBatch(part, isOne: isOne, &run) { index in
          try work.step("taking in mails", index, of: mails.count)
        }
      } catch let stopped as Stopped {
        throw left(stopped, after: options.change.isDryRun ? 0 : results.count, of: mails.count)
      } catch let batch as StoppedBatch {
        results += batch.results
        throw left(batch.stopped, after: options.change.isDryRun ? 0 : results.count, of: mails.count)
      } catch  where start > 0 {
        throw broken(off: start, of: mails.count, report(error))
      }
    } while next < mails.count
    work.pause()
    let exit = try run.finish(results, isStrict: options.isStrict)
    return exit == .refused && options.files.contains("-") ? .busy : exit
  }

  /// A batch that stopped after its first mails, because somebody asked to stop.
  private struct StoppedBatch: Error {
    let stopped: Stopped
    let results: [JSON]
  }

  private typealias ReadMail = (index: Int, mail: MailSource.Mail, bytes: [UInt8])

  /// Reads the mails of one transaction, from an index on, which moves behind them.
  private static func readBatch(
    _ mails: [MailSource.Mail], from next: inout Int, _ most: (mails: Int, bytes: Int),
    _ run: inout IngestRun
  ) throws -> [ReadMail] {
    var part: [ReadMail] = []
    var size = 0
    while next < mails.count, part.count < most.mails, size < most.bytes {
      let mail = mails[next]
      do {
        let bytes = try mail.read()
        size += bytes.count
        part.append((next, mail, bytes))
      } catch let fault as EntryFault {
        run.passOver(mail.name, PassedOver(fault))
      }
      next += 1
    }
    return part
  }

  private static func takeBatch(
    _ part: [ReadMail], isOne: Bool, _ run: inout IngestRun, step: (Int) throws -> Void
  ) throws -> [JSON] {
    var stopped: Stopped?
    var waiting: [String] = []
    let quota = run.quota
    let results = try run.record { draft in
      let whole = AppleMail(draft, countsServer: true)
      let quoted = AppleMail(draft, countsServer: false)
      var intake = try EvidenceIntake(draft, limit: quota)
      var taken: [IntakeResult] = []
      stopped = nil
      waiting = []
      for (index, mail, bytes) in part {
        do {
          try step(index)
          taken.append(
            try intake.take(bytes, named: mail.name, from: mail.isWhole ? whole : quoted, &draft))
        } catch let error as Stopped where !isOne {
          // The mails already taken in may stay, as if the batch had been smaller; a request is all or
          // nothing.
          stopped = error
          break
        } catch let error as QuotaReached {
          if isOne { throw full(error.quota) }
          waiting.append(mail.name)
        }
      }
      return taken
    }
    for name in waiting { run.passOver(name, .quota) }
    if let stopped { throw StoppedBatch(stopped: stopped, results: results) }
    return results
  }

  private static func full(_ quota: EvidenceQuota) -> CommandFailure {
    CommandFailure(
      "evidence.quota",
      "cannot take in more unproved evidence: the inbox holds \(quota.used) of at most \(quota.limit) bytes",
      hint: "settle what 'pawl inbox' lists, then try again", details: ["used": .integer(quota.used)],
      exit: .busy)
  }

  /// Reports that mails taken in before somebody asked to stop are kept.
  private static func left(_ stopped: Stopped, after count: Int, of all: Int) -> CommandFailure {
    guard count > 0 else {
      return stopped.report(
        "none of the \(grouped(all)) mails was taken in", hint: "run the same command again")
    }
    return stopped.report(
      "\(grouped(count)) of \(grouped(all)) mails were taken in and are kept",
      hint: "run the same command again: mails already recorded count as duplicates")
  }

  /// Reports that earlier batches are kept although a later one failed.
  private static func broken(off count: Int, of all: Int, _ cause: CommandFailure) -> CommandFailure {
    CommandFailure(
      "ingest.broken-off", "the first \(count) of \(all) mails are recorded, then: \(cause.message)",
      hint: "run it again: mails already recorded count as duplicates", details: ["cause": .string(cause.id)],
      exit: cause.exit)
  }
}
