import AppleIntake
import CommandLineKit
import Export
import Intake
import JSON
import Ledger
import Platform
import ReleaseModel

extension Command where Context == PawlContext {
  static var doctor: Command {
    .query(
      "doctor", no: "action needed", summary: "Report what needs attention",
      discussion: """
        Looks for outdated documents, a full inbox, releases that have waited too long, builds that stop opening, \
        sources of evidence gone silent, stored answers or a last event that someone altered, and a file system or \
        clock that cannot be relied on. Then lists what is worth knowing, such as running holds, and facts about the \
        ledger's file. Exits with 1 while action is needed, else with 0. 'verify' checks the whole record.
        """,
      examples: [
        .init("pawl doctor", "what to look at")
      ]
    ) {
      ()
    } run: { query in
      try examine(query)
    }
  }

  private static func examine(_ query: Query) throws -> ExitCode {
    let (context, ledger) = (query.context, query.ledger)
    let now = try ledger.now(clock: context.clock())
    let examination = try Examination(ledger, context, now: now)
    let formats = try DocumentExport.thresholdFormats(of: ledger, context)
    let findings = try ledger.snapshotting {
      try examination.findings(of: ledger, context) + ledger.inboxWithAlarms().compactMap(\.alarm)
        + InboxText.unknownSelectors(ledger.inboxWithAlarms().map(\.evidence), ledger)
        + ledger.apps().flatMap { app in
          var snapshot = try ledger.present(app.slug)
          let usage = try ledger.usage(of: app.slug)
          // Whom a release forces, which devices are unknown, and what a format says depend on every version.
          if !formats.isEmpty || usage != nil
            || snapshot.line.releases.contains(where: { $0.isOnLine && !$0.state.isReleased })
          {
            snapshot = try ledger.snapshot(app.slug)
          }
          // A retired app needs nobody.
          let single =
            app.isRetired
            ? []
            : [
              try ledger.storeFinding(of: snapshot, now: now),
              usage.flatMap { UsageReport($0, of: snapshot, at: now).finding(app.slug) },
            ] + (try ledger.renamedFindings(of: snapshot.line))
          let alarms = ([try ledger.alteredAnswers(in: snapshot)] + single).compactMap(\.self)
          return try alarms
            + snapshot.findings(now: now) { seq in try? Timestamp(ledger.event(seq).at) }
            + ledger.sourceWords(of: snapshot.line, now: now).findings(app: app.slug, now: now)
            + snapshot.documentFindings(in: formats, from: now).map(\.noted)
        }
    }
    let acting = findings.filter(\.acts)
    try query.print(["facts": examination.json, "findings": .array(findings.map(\.json))]) {
      table(acting, "ACTION NEEDED", context)
        + table(findings.filter { !$0.acts }, "FYI", context)
        + (findings.isEmpty ? "Nothing needs attention.\n\n" : "") + examination.table(context)
    }
    return acting.isEmpty ? .success : .refused
  }

  private static func table(_ findings: [Finding], _ title: String, _ context: PawlContext) -> String {
    guard !findings.isEmpty else { return "" }
    let rows = findings.map { finding in
      [
        Cell(finding.app.isEmpty ? "–" : finding.app, .bold),
        Cell(finding.id, finding.acts ? .yellow : .plain), Cell(context.inZone(finding.message)),
        Cell(finding.hint),
      ]
    }
    return context.table([Column(title), "FINDING", "WHAT", "WHAT TO DO"], rows) + "\n"
  }
}

/// What `doctor` finds out about the ledger's file and what depends on it.
struct Examination {
  private let now: Timestamp
  private let clock: Timestamp
  private let facts: LedgerFacts
  private let documents: ExportStanding?
  private let quota: EvidenceQuota
  private let deliveries: [Standing]
  private let mirrors: [Standing]

  init(_ ledger: Ledger, _ context: PawlContext, now: Timestamp) throws {
    self.now = now
    clock = context.clock()
    facts = try ledger.facts()
    quota = try EvidenceQuota(used: ledger.unprovedBytes(), limit: EvidenceQuota.limit(context))
    documents = try DocumentExport.standing(ledger, context)
    deliveries = try Standing.deliveries(of: ledger, now: now)
    mirrors = try Standing.mirrors(of: ledger, now: now)
  }

  func findings(of ledger: Ledger, _ context: PawlContext) throws -> [Finding] {
    var findings: [Finding] = []
    do {
      try ledger.checkHead()
    } catch LedgerError.headBroken {
      findings.append(Finding("ledger.head-broken", ["event": "\(facts.head.seq)"]))
    }
    if let overdue = documents?.overdue(now: now) { findings.append(overdue) }
    findings += try Elsewhere.findings(of: ledger, context)
    findings += (deliveries + mirrors).compactMap(\.finding)
    let others = [
      try ledger.trusts().agreementFinding(now: now),
      facts.fileSystem.isRemote ? Finding("file.remote", ["system": facts.fileSystem.name]) : nil,
      Ledger.viewFinding(try ledger.alteredViews()), try ledger.clockFinding(clock),
      facts.inbox == 0 ? nil : Finding("inbox.waiting", ["count": "\(facts.inbox)"]),
      quota.finding,
    ]
    return findings + others.compactMap(\.self)
  }

  var json: JSON {
    [
      "bytes": .integer(facts.status.size), "clock": .string(clock.text),
      "deliveries": .array(deliveries.map(\.json)), "events": .integer(facts.events), "evidence": quota.json,
      "export": documents?.json(now: now) ?? .null, "fileSystem": .string(facts.fileSystem.name),
      "folderRights": .string(Self.octal(facts.folder.rights)), "inbox": .integer(facts.inbox),
      "lastEvent": .optional(facts.head.at?.text), "mirrors": .array(mirrors.map(\.json)),
      "rights": .string(Self.octal(facts.status.rights)),
    ]
  }

  func table(_ context: PawlContext) -> String {
    let file = [
      (
        "file",
        "\(facts.status.size >> 10) KiB on \(facts.fileSystem.name), rights \(Self.octal(facts.status.rights)), "
          + "folder \(Self.octal(facts.folder.rights))"
      )
    ]
    let names = ["events", "clock", "lastEvent", "inbox"]
    func words(_ standings: [Standing]) -> String? {
      standings.isEmpty ? nil : standings.map(\.words).joined(separator: ", ")
    }
    let others = [
      ("documents", documents?.directory ?? "none are written (see init --export, PAWL_EXPORT)"),
      ("messages", words(deliveries)), ("mirrors", words(mirrors)),
    ]
    return context.rendered(Table(facts: file + FieldChange.facts(json, names, context.zone) + others))
  }

  private static func octal(_ rights: UInt32) -> String {
    "0" + String(rights, radix: 8)
  }
}

extension EvidenceQuota {
  /// Whether there is no room for the largest mail, or for what the whole quota would hold.
  private var isFull: Bool { isFull(for: max(1, min(limit, Int64(RawMessage.maximumSize)))) }

  /// Reports that evidence has to wait; nil while there is room.
  var finding: Finding? {
    isFull ? Finding("inbox.full", ["used": "\(used)", "limit": "\(limit)"]) : nil
  }

  var json: JSON { ["full": .bool(isFull), "limit": .integer(limit), "unproved": .integer(used)] }
}
