import AppleIntake
import CommandLineKit
import Intake
import JSON
import Ledger
import Platform
import ReleaseModel

extension Command where Context == PawlContext {
  static var ingest: Command {
    Command(
      "ingest", summary: "Import evidence from Apple: mails, lookups, webhooks; and device counts",
      subcommands: { [ingestMail, ingestLookup, ingestWebhook, ingestConnect, ingestUsage] })
  }

  private static var ingestMail: Command {
    .change(
      "mail", summary: "Import mails; proved ones from Apple move releases",
      discussion: """
        A mail is believed if a DKIM signature verifies with a key you pinned ('trust dkim'), or if your own \
        mail server vouches for it ('trust mx'), and only if it is addressed to a trusted recipient ('trust \
        recipient'). It moves a release that the ledger knows, and does nothing else. A mail that claims to \
        be from Apple but is unproved, unknown or unclear is parked for 'inbox'. From standard input, exit 0 \
        means stored or deliberately ignored, 65 means too large, and 75 asks the mail server to try again.
        """,
      examples: [
        .init("pawl ingest mail mail.eml", "a file"),
        .init(
          "pawl ingest mail --maildir ~/Maildir", "a whole Maildir, in order of Date; it is left unchanged"),
        .init("pawl ingest mail - < mail.eml", "from a mail server's pipe"),
      ], options: .unplannedChange
    ) {
      (
        .arguments("FILE", .input, help: "Files with one mail each; - for standard input", required: false),
        .options("--maildir", "DIR", .directory, help: "A Maildir"),
        .flag(
          "--strict",
          help: "Exit with 1 (from standard input: 75) unless all are applied, duplicate or overtaken")
      )
    } run: { changing, files, maildirs, isStrict in
      try UsageError.demand(!files.isEmpty || !maildirs.isEmpty, "usage.missing-argument/mail")
      return try takeMails(files, maildirs, isStrict: isStrict, changing)
    }
  }

  /// How many mails share a transaction, and how many bytes; no mail is split between two.
  private static let batch = (mails: 200, bytes: 8 << 20)

  private static func takeMails(
    _ files: [String], _ maildirs: [String], isStrict: Bool, _ changing: Changing
  ) throws -> ExitCode {
    let (context, change) = (changing.context, changing.options)
    let work = LongWork(context)
    defer { work.pause() }
    var maildir = MailSource.Maildir()
    maildir.mails = try files.map { try MailSource.file($0, input: context.readInputPrefix) }
    for path in maildirs {
      let found = try MailSource.maildir(path) { try work.step() }
      maildir.mails += found.mails
      maildir.passedOver += found.passedOver
    }
    let mails = maildir.mails
    var passedOver: Changing.PassedOverEntries = []
    func passOver(_ source: String, _ reason: PassedOver) {
      passedOver.append((source, reason))
      context.note("skipped '\(printable(source, limit: 300))': \(reason.words)\n")
    }
    for (name, fault) in maildir.passedOver { passOver(name, PassedOver(fault)) }
    // With a request id, all mails form one command with one answer.
    let isOne = change.requestID != nil
    let most = isOne ? (mails: Int.max, bytes: Int.max) : batch
    var results: [IntakeResult] = []
    var next = 0
    repeat {
      let start = next
      do {
        let part = try readBatch(mails, from: &next, most, passOver)
        if isOne { changing.cover(part.map { Recording.digest(of: $0.bytes) }) }
        let (taken, waiting, stopped) = try takeBatch(part, isOne: isOne, changing, work)
        for name in waiting { passOver(name, .quota) }
        results += taken
        if let stopped { throw stopped }
      } catch {
        work.pause()
        // What is recorded reaches clients all the same.
        try changing.conclude(isRecorded: changing.mayRecord && !results.isEmpty, isQuiet: true) { _ in }
        guard let stopped = error as? Stopped else {
          throw start > 0 ? broken(off: start, of: mails.count, report(error)) : error
        }
        throw left(stopped, after: change.isDryRun ? 0 : results.count, of: mails.count)
      }
    } while next < mails.count
    work.pause()
    let exit = try changing.finish(results, passedOver, isStrict: isStrict)
    return exit == .refused && files.contains("-") ? .busy : exit
  }

  private typealias ReadMail = (mail: MailSource.Mail, bytes: [UInt8])

  /// Reads the mails of one transaction, from an index on, which moves behind them.
  private static func readBatch(
    _ mails: [MailSource.Mail], from next: inout Int, _ most: (mails: Int, bytes: Int),
    _ passOver: (String, PassedOver) -> Void
  ) throws -> [ReadMail] {
    var part: [ReadMail] = []
    var size = 0
    while next < mails.count, part.count < most.mails, size < most.bytes {
      let mail = mails[next]
      do {
        let bytes = try mail.read()
        size += bytes.count
        part.append((mail, bytes))
      } catch let fault as EntryFault {
        passOver(mail.name, PassedOver(fault))
      }
      next += 1
    }
    return part
  }

  private static func takeBatch(
    _ part: [ReadMail], isOne: Bool, _ changing: Changing, _ work: LongWork
  ) throws -> (taken: [IntakeResult], waiting: [String], stopped: Stopped?) {
    var stopped: Stopped?
    var waiting: [String] = []
    let taken = try changing.take { intake, draft in
      let source = AppleMail(draft)
      var taken: [IntakeResult] = []
      (stopped, waiting) = (nil, [])
      for (mail, bytes) in part {
        do {
          try work.step()
          taken.append(try intake.take(bytes, named: mail.name, from: source, &draft))
        } catch let error as Stopped where !isOne {
          // The mails already taken in may stay, as in a smaller batch; a request is all or nothing.
          stopped = error
          break
        } catch let refusal as Refusal where !isOne && refusal.key == EvidenceQuota.reached {
          waiting.append(mail.name)
        }
      }
      return taken
    }
    return (taken.results, waiting, stopped)
  }

  private static func left(_ stopped: Stopped, after count: Int, of all: Int) -> CommandFailure {
    guard count > 0 else {
      return stopped.report("none of the \(grouped(all)) mails was imported")
    }
    return stopped.report(
      "\(grouped(count)) of \(grouped(all)) mails were imported and are kept",
      hint: "run the same command again: mails already recorded count as duplicates")
  }

  private static func broken(off count: Int, of all: Int, _ cause: CommandFailure) -> CommandFailure {
    CommandFailure(
      "ingest.broken-off", ["count": String(count), "all": String(all), "words": cause.message],
      details: ["cause": .string(cause.id)], exit: cause.exit)
  }
}
