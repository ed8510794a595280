import CommandLineKit
import Export
import JSON
import Ledger
import Platform
import ReleaseModel

/// The documents that clients read, and the directory they are written to.
struct DocumentExport {
  /// A directory, and whether someone on this host named it just now; the ledger may have come from elsewhere.
  typealias Place = (path: String, isAgreed: Bool)

  var exporter: Exporter
  var wait: Double = 60
  /// Whether a change was recorded, which stands whatever happens here.
  var isAfterChange = false
  /// The key that the command names; nil for the one that this host keeps for the ledger.
  var key: DocumentKey?

  init(_ ledger: Ledger, _ place: Place, at moment: Timestamp) throws {
    exporter = Exporter(place.path, try Agreement(ledger, isGiven: place.isAgreed), at: moment)
  }

  /// The directory that gets the documents after every change: the ledger's own, whatever a variable says.
  ///
  /// - Parameter isAnyones: Whether it may be another file's, of which the ledger is a copy.
  static func directory(of ledger: Ledger, _ context: PawlContext, isAnyones: Bool = false) throws -> Place? {
    let variable = context.environment("PAWL_EXPORT")
    let own = try (isAnyones ? ledger.publication() : publication(of: ledger))?.directory
    return (own ?? variable).map { ($0, $0 == variable) }
  }

  /// Has a change find the room that a failed export took.
  static func makeRoom(_ ledger: Ledger, _ context: PawlContext) throws {
    guard let named = try directory(of: ledger, context) else { return }
    try DocumentExport(ledger, named, at: context.clock()).exporter.makeRoom()
  }

  /// Where the ledger's documents go, as `init --export` said; nil if no one said so, or this is a copy.
  ///
  /// A copy that was put in the place of the file that the directory belongs to is no longer a copy.
  static func publication(of ledger: Ledger) throws -> Publication? {
    guard let named = try ledger.publication() else { return nil }
    guard named.isCopied else { return named }
    guard let agreement = try? Agreement(ledger, isGiven: false),
      try Exporter.belongs(named.directory, agreement, ledger: ledger.name(), file: ledger.identity())
    else { return nil }
    return named
  }

  /// The formats that the ledger names for its documents; nil if it names none.
  static func formats(of ledger: Ledger) throws -> [any DocumentFormat]? {
    guard let names = try ledger.publication()?.formats else { return nil }
    let known = ExportFormats.all.filter { names.contains($0.name) }
    // A later pawl may know formats that this one does not; then the formats in the directory count.
    return known.isEmpty ? nil : known
  }

  /// The formats that a ledger names after `init --export`; without any named, an earlier choice stays.
  static func formats(_ asked: [String], after known: Publication?) -> [String] {
    if !asked.isEmpty { return ExportFormats.all.map(\.name).filter(asked.contains) }
    return known?.formats ?? [ExportFormats.standard]
  }

  /// Refuses a directory that others could replace, or that belongs to another file.
  static func check(_ directory: String, for ledger: Ledger) throws {
    try Exporter.check(
      directory, Agreement(ledger, isGiven: false), ledger: ledger.name(), file: ledger.identity())
  }

  /// Writes the documents, and says what signs them, and why some could not be signed.
  ///
  /// - Parameter made: The event of a change, and the schedules made with it.
  func write(
    _ ledger: Ledger, _ context: PawlContext, made: LedgerDocuments.Made? = nil
  ) throws -> (report: ExportReport, signer: DocumentSigner?, unsigned: CommandFailure?) {
    var signer = try key?.signer()
    var fault: CommandFailure?
    if key == nil {
      do { signer = try DocumentKey.named(for: ledger, context)?.signer() } catch { fault = report(error) }
    }
    let now = try ledger.now(clock: context.clock())
    try ledger.checkHead()
    var exporter = exporter
    // Nothing is signed that does not hold yet.
    if exporter.purpose != .otherTime { exporter.signer = signer }
    var source = try LedgerDocuments(ledger, at: exporter.moment, now: now)
    source.made = made
    let directory = printable(exporter.root)
    let done = try context.working(
      ifStopped:
        "every document in '\(directory)' is complete, but some may be from the previous export",
      hint: "run 'pawl export \(directory)': documents that are already written are left alone"
    ) { work in
      try exporter.export(source, wait: wait) { try work.step() }
    }
    return (done, signer, done.unsigned.isEmpty ? nil : failure(done.unsigned, fault))
  }

  private func failure(_ unsigned: [ExportFinding], _ fault: CommandFailure?) -> CommandFailure {
    let what = unsigned.map { finding in
      let names = finding.versions.prefix(5).map(\.text) + (finding.versions.count > 5 ? ["…"] : [])
      return ([finding.app] + names).joined(separator: " ")
    }.joined(separator: ", ")
    return CommandFailure(
      isAfterChange ? "export.unsigned/change" : "export.unsigned",
      ["what": what, "words": fault?.message ?? "no key is named"],
      details: [
        "cause": .optional(fault?.id), "directory": .string(exporter.root),
        "unsigned": .array(unsigned.map(\.json)),
      ], hint: fault?.hint)
  }

  /// Writes the documents after a change, if there is a directory for them.
  ///
  /// The change stands whatever happens here; refused documents are only reported, since the change itself
  /// was not refused.
  ///
  /// - Parameter apps: The apps whose documents are checked; empty for all apps.
  /// - Returns: What was done, as the change's answer reports it, and in words; nil if no directory is named.
  static func update(after changing: Changing, apps: Set<String>) throws -> (told: JSON, notes: String)? {
    let context = changing.context
    var named: Place?
    do {
      let ledger = try changing.open()
      try changing.keepBesideLedger()
      named = try directory(of: ledger, context, isAnyones: changing.silencesOthers)
      guard let named else { return nil }
      var export = try DocumentExport(
        ledger, (named.path, named.isAgreed || changing.namesDirectory),
        at: ledger.now(clock: context.clock()))
      (export.exporter.formats, export.exporter.apps) = (try formats(of: ledger), apps)
      // What silences apps reaches clients whatever else is wrong.
      if changing.isUrgent { export.exporter.purpose = .stop }
      export.exporter.silencesOthers = changing.silencesOthers
      let owner = try changing.silencesOthers ? standing(in: named, ledger, context)?.owner : nil
      (export.wait, export.isAfterChange) = (max(10, changing.options.patience), true)
      // The variable that named it may be gone when an app is stopped.
      if named.isAgreed { Elsewhere.note(named.path, of: ledger) }
      let (done, _, unsigned) = try export.write(ledger, context, made: changing.made)
      if let unsigned { throw unsigned }
      let place = printable(named.path)
      var notes = ""
      if done.written > 0 || done.removed > 0 {
        notes = "documents: \(done.written) written, \(done.removed) removed in '\(place)'\n"
      }
      if let owner {
        notes += "'\(place)' belongs to another file of this ledger, \(owner), and still does:\n"
        let whose =
          apps.isEmpty ? "its documents" : "its documents of \(apps.sorted().joined(separator: ", "))"
        notes += "\(whose) prompt no one until 'pawl export \(place) --take-over'\n"
      }
      notes += done.refusals.map { text($0, isRefusal: true) }.joined()
      let told: JSON = [
        "removed": .integer(Int64(done.removed)), "written": .integer(Int64(done.written)),
        "warnings": .array((done.warnings + done.refusals).map(\.json)),
      ]
      return (owner.map { told.adding(["owner": .string($0)]) } ?? told, notes)
    } catch {
      throw failed(report(error), named?.path, isFull: (error as? SystemError)?.isFull == true)
    }
  }

  /// Reasons that trying again does not remove, and that are reported as they are.
  private static let lasting: Set = [
    "export.forked", "export.no-identity", "export.other-copy", "export.unmarked",
  ]

  private static func failed(_ cause: CommandFailure, _ directory: String?, isFull: Bool) -> CommandFailure {
    if cause.id == "export.unsigned" { return cause }
    let details: JSON = ["cause": .string(cause.id), "directory": .optional(directory)]
    if lasting.contains(cause.id) {
      return CommandFailure(
        cause.id, "the change is recorded, but \(cause.message)", hint: cause.hint, details: details,
        exit: .io)
    }
    let key =
      directory == nil
      ? "export.failed/unknown"
      : isFull
        ? "export.failed/full" : cause.id == "export.foreign" ? "export.failed/foreign" : "export.failed"
    return CommandFailure(
      key, ["words": cause.message],
      details: details, hint: cause.id == "export.other-ledger" ? cause.hint : nil,
      exit: cause.id == "interrupted" ? cause.exit : nil)
  }

  /// How up to date the documents that changes write are; nil if no one named a directory.
  static func standing(
    _ ledger: Ledger, _ context: PawlContext, isAnyones: Bool = false
  ) throws -> ExportStanding? {
    try directory(of: ledger, context, isAnyones: isAnyones).flatMap {
      try standing(in: $0, holding: formats(of: ledger), ledger, context)
    }
  }

  /// - Parameter formats: Those that it should hold; nil for whatever it holds.
  static func standing(
    in place: Place, holding formats: [any DocumentFormat]? = nil, _ ledger: Ledger, _ context: PawlContext
  ) throws -> ExportStanding? {
    let now = try ledger.now(clock: context.clock())
    var exporter = try DocumentExport(ledger, place, at: now).exporter
    exporter.formats = formats
    return try exporter.standing(LedgerDocuments(ledger, at: now, now: now))
  }

  /// Has the stop of apps bear a number above every one that clients were told of, whatever goes wrong here.
  ///
  /// - Parameter isAnyones: Whether documents of another file are silenced, too.
  static func outrun(
    _ draft: inout ChangeSet, _ slugs: [String], _ context: PawlContext, isAnyones: Bool
  ) throws {
    let ledger = draft.ledger
    guard let standing = try? standing(ledger, context, isAnyones: isAnyones), standing.isForked,
      isAnyones || standing.owner == nil
    else { return }
    let isNews = try slugs.contains { try !draft.line($0).app.isStopped }
    let isAhead =
      try isNews
      ? ledger.head().seq < standing.served
      : slugs.contains { try ledger.generation(of: $0) < standing.servedApps[$0] ?? 0 }
    if isAhead { try? draft.takeOver(nil, above: standing.served) }
  }

  static func text(_ finding: ExportFinding, isRefusal: Bool) -> String {
    "\(isRefusal ? "refused" : "warning"): \(finding.app), \(finding.format): \(finding.words)\n"
  }
}

/// A ledger as documents as of a moment are made from it.
struct LedgerDocuments: ExportSource {
  let core: Ledger
  let ledger: String
  let file: FileIdentity
  let moment: Timestamp
  let now: Timestamp
  /// The schedules that need not be made again: those of a change, with its last event.
  typealias Made = (event: Int64, schedules: [String: Schedule])
  var made: Made?

  init(_ ledger: Ledger, at moment: Timestamp, now: Timestamp) throws {
    (core, self.ledger, file) = (ledger, try ledger.name(), try ledger.identity())
    (self.moment, self.now) = (moment, now)
  }

  func head() throws -> ExportHead {
    let head = try core.head()
    return (head.seq, head.hash)
  }

  func hash(of seq: Int64) throws -> String? { try core.hash(of: seq) }

  func subjects() throws -> [ExportSubject] {
    try core.origins().map { ($0.slug, $0.generation, "\(ExportFormats.edition) \($0.digest)") }
  }

  func answers(of slug: String, includesUnreleased: Bool) throws -> AppAnswers {
    try core.answers(of: slug, at: moment, made: made, includesUnreleased: includesUnreleased)
  }

  /// Documents for a future moment are not what clients are told now.
  func tell(_ since: Timestamp) throws { if moment <= now { try core.tell(since) } }
}

extension Agreement {
  /// Lets the ledger's group write too, and accepts the mark of anyone who may change the ledger.
  init(_ ledger: Ledger, isGiven: Bool) throws {
    let file = try FileStatus(of: ledger.path)
    let isGroups = file.rights & 0o020 != 0
    self.init(isGiven: isGiven, group: file.group, heir: file) { mark in
      [0, effectiveUserID, file.owner].contains(mark.owner) || (isGroups && mark.group == file.group)
    }
  }
}

extension ValueType where Value == String {
  static var exportFormat: Self {
    one(ofWords: ExportFormats.all.map(\.name)) { ExportFormats.named($0)?.name }
  }
}
