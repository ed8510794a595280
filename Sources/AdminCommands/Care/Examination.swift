import CommandLineKit
import Export
import Intake
import JSON
import Ledger
import Platform
import ReleaseModel

/// What `doctor` finds out about the ledger's file and what depends on it.
struct Examination {
  private let now: Timestamp
  private let clock: Timestamp
  private let facts: LedgerFacts
  private let documents: ExportStanding?
  private let quota: EvidenceQuota
  private let deliveries: [Standing]
  private let mirrors: [Standing]
  /// Whom each app forces now and at the end of its holds.
  var forced: [Forced] = []
  /// How many events the last checkpoint covers, and when the first one after them was recorded; nil if no checkpoint
  /// was named.
  private let checkpoint: (file: String, events: Int64, at: Timestamp?)?

  /// How old an event that no checkpoint covers may get before it is reported.
  private static let oldCheckpoint = TimeSpan(seconds: 7 * 86_400)

  init(_ ledger: Ledger, _ context: PawlContext, now: Timestamp) throws {
    self.now = now
    clock = context.clock()
    facts = try ledger.facts(now: now)
    quota = try EvidenceQuota(used: ledger.unprovedBytes(), limit: EvidenceQuota.limit(context))
    documents = try DocumentExport.standing(ledger, context)
    deliveries = try Standing.deliveries(of: ledger, now: now)
    mirrors = try Standing.mirrors(of: ledger, now: now)
    checkpoint = try context.environment("PAWL_CHECKPOINT").map { file in
      let events = Int64(clamping: try NoteFiles.checkpoint(file).checkpoint.size)
      return (file, events, try ledger.moment(afterEvents: events))
    }
  }

  func findings(of ledger: Ledger, _ context: PawlContext) throws -> [Finding] {
    var findings: [Finding] = []
    func add(_ id: String, _ message: String, _ hint: String) {
      findings.append(Finding(id: id, app: "", message: message, hint: hint))
    }
    do {
      try ledger.checkHead()
    } catch LedgerError.headBroken {
      add(
        "ledger.head-broken", "event \(facts.head.seq), the last one, does not match its hash",
        "the file was changed without pawl: run 'pawl verify', then restore a backup")
    }
    if let overdue = documents?.overdue(now: now) { findings.append(overdue) }
    findings += try Elsewhere.findings(of: ledger, context)
    findings += (deliveries + mirrors).compactMap(\.finding)
    let trusts = try ledger.trusts()
    if let finding = trusts.agreementFinding(now: now) {
      findings.append(finding)
    } else if trusts.approvals > 0, trusts.approvals == trusts.signers(at: now).count {
      add(
        "signers.no-spare", "approvals need every signer: one lost key would block them all",
        "trust one more by a plan: pawl trust signer NAME KEY --plan FILE; see docs/tasks/spare-key.md")
    }
    if facts.fileSystem.isRemote {
      add(
        "file.remote", "the ledger is on \(facts.fileSystem.name), where locks are not reliable",
        "keep it on a local disk, and reach it with --ledger ssh://HOST/PATH")
    }
    if facts.journalMode != "delete" {
      add(
        "file.journal-mode", "the journal mode was set to \(facts.journalMode)",
        "any command that changes the ledger sets it back")
    }
    if let ahead = try ledger.clockFinding(clock) { findings.append(ahead) }
    if facts.inbox > 0 {
      add("inbox.waiting", "\(facts.inbox) in the inbox", "pawl inbox")
    }
    if let full = quota.finding { findings.append(full) }
    guard let checkpoint else { return findings }
    guard checkpoint.events <= facts.events else {
      add(
        "checkpoint.ahead",
        "the checkpoint covers \(checkpoint.events) events, but the ledger has \(facts.events)",
        "an older ledger was restored: pawl verify --checkpoint \(printable(checkpoint.file)) --public-key KEY"
      )
      return findings
    }
    if let at = checkpoint.at, Examination.oldCheckpoint < age(at) {
      add(
        "checkpoint.old", "the first event after the last checkpoint is \(age(at).roundedText) old",
        "pawl checkpoint --out \(printable(checkpoint.file))")
    }
    return findings
  }

  private func age(_ moment: Timestamp) -> TimeSpan {
    TimeSpan(seconds: max(0, now.seconds - moment.seconds))
  }

  var json: JSON {
    var last = JSON.null
    if let checkpoint {
      last = [
        "file": .string(checkpoint.file), "events": .integer(checkpoint.events),
        "uncoveredSince": .optional(checkpoint.at?.text),
      ]
    }
    return [
      "armedForces": .integer(facts.armedForces), "forced": .array(forced.map(\.json)),
      "bytes": .integer(facts.status.size), "checkpoint": last,
      "clock": .string(clock.text), "deliveries": .array(deliveries.map(\.json)),
      "events": .integer(facts.events),
      "evidence": quota.json, "eventsOfThirtyDays": .integer(facts.recentEvents),
      "export": documents?.json(now: now) ?? .null,
      "fileSystem": .string(facts.fileSystem.name), "folderRights": .string(Self.octal(facts.folder.rights)),
      "inbox": .integer(facts.inbox), "journalMode": .string(facts.journalMode),
      "lastEvent": .optional(facts.head.at?.text), "mirrors": .array(mirrors.map(\.json)),
      "rights": .string(Self.octal(facts.status.rights)),
      "schema": .integer(Int64(facts.schemaVersion)), "sqlite": .string(facts.sqliteVersion),
      "sqliteSource": .string(facts.sqliteSource),
    ]
  }

  func table(_ context: PawlContext) -> String {
    let file = [
      ("SQLite", "\(facts.sqliteVersion), \(facts.sqliteSource.prefix(31))"),
      (
        "file",
        "\(facts.status.size >> 10) KiB on \(facts.fileSystem.name), rights \(Self.octal(facts.status.rights)), "
          + "folder \(Self.octal(facts.folder.rights)), journal mode \(facts.journalMode), "
          + "schema \(facts.schemaVersion)"
      ),
    ]
    let names = ["events", "eventsOfThirtyDays", "clock", "lastEvent", "armedForces", "inbox"]
    func words(_ standings: [Standing]) -> String? {
      standings.isEmpty ? nil : standings.map(\.words).joined(separator: ", ")
    }
    let others = [
      ("documents", documents?.directory ?? "none are written (see init --export, PAWL_EXPORT)"),
      ("messages", words(deliveries)), ("mirrors", words(mirrors)),
      (
        "checkpoint",
        checkpoint.map { "covers \($0.events) of \(facts.events) events" } ?? "none (set PAWL_CHECKPOINT)"
      ),
    ]
    return context.rendered(Table(facts: file + FieldChange.facts(json, names, context.zone) + others))
  }

  private static func octal(_ rights: UInt32) -> String {
    "0" + String(rights, radix: 8)
  }
}
