import Crypto
import JSON
package import Platform
package import ReleaseModel

/// What an export did.
package struct ExportReport: Sendable, Equatable {
  package var written = 0
  package var unchanged = 0
  package var removed = 0
  package var files = 0
  /// When some document needs a new export even without an event.
  package var nextChange: Timestamp?
  package var warnings: [ExportFinding] = []
  package var refusals: [ExportFinding] = []
  package var unsigned: [ExportFinding] = []
}

/// How the documents in a directory relate to the ledger.
package struct ExportStanding {
  package let directory: String
  let state: ExportState
  package let behind: [String]
  /// Whether the directory bears this ledger's mark, so that changes write documents there.
  package let isMarked: Bool
  /// Whether it bears the mark of another ledger.
  package let isOthers: Bool
  /// The other file of the ledger that it belongs to, in words; nil if it belongs to this one.
  package let owner: String?
  /// Whether something tells the ledger's file from its copies, so that the directory can belong to it.
  package let isFileKnown: Bool
  /// Whether its documents are from an event that the ledger does not have.
  package let isForked: Bool

  package var nextChange: Timestamp? { cells.compactMap(\.next).min() }
  package var formats: Set<String> { state.formats }
  /// The highest number of an event that clients were told of, for all apps and for each.
  package var served: Int64 { state.served }
  package var servedApps: [String: Int64] {
    state.cells.mapValues { $0.values.map(\.generation).max() ?? 0 }
  }
  /// The apps whose signed documents say something that is no longer decided.
  package var unsigned: [String] {
    state.cells.filter { $0.value.values.contains { $0.signing?.unsigned.isEmpty == false } }.keys.sorted()
  }
  /// When the first signed document has to be signed again, and when the first expires; nil if none is
  /// signed.
  package var renewAt: Timestamp? { cells.compactMap { $0.signing?.renewAt }.min() }
  package var expiresAt: Timestamp? { cells.compactMap { $0.signing?.expiresAt }.min() }

  private var cells: [ExportState.Cell] { state.cells.values.flatMap(\.values) }
}

/// An event by its number and hash.
package typealias ExportHead = (seq: Int64, hash: String)

/// An app whose documents are written, the last event that changed its schedule, and what stands for everything
/// recorded that `AppAnswers` are made from: while it is the same, so are they.
package typealias ExportSubject = (slug: String, generation: Int64, origin: String)

/// What an export asks a ledger for, once the directory is known to be ours.
package protocol ExportSource {
  /// The ledger's id.
  var ledger: String { get }
  /// Its file on this host.
  var file: FileIdentity { get }
  /// The last event.
  func head() throws -> ExportHead
  /// The hash of an event; nil if no event has that number.
  func hash(of seq: Int64) throws -> String?
  /// All apps, by slug.
  func subjects() throws -> [ExportSubject]
  /// What the documents of an app are made from.
  func answers(of slug: String, includesUnreleased: Bool) throws -> AppAnswers
  /// Called, before an app's documents are put in place, with the moment since which some answer in them holds.
  func tell(_ moment: Timestamp) throws
}

/// Writes the documents of a ledger into a directory.
package struct Exporter {
  package let root: String
  package let agreement: Agreement
  package let moment: Timestamp
  /// The formats that the directory should hold; nil for those that it already holds, or `v1` if it holds
  /// none.
  package var formats: [any DocumentFormat]?
  package var includesUnreleased = false
  /// Those to examine; empty for all.
  package var apps: Set<String> = []
  /// What signs documents; nil if no one named a usable key.
  package var signer: DocumentSigner?
  package var purpose = Purpose.now
  /// Whether documents of another file, or another past, of the ledger are silenced, too.
  package var silencesOthers = false

  /// What documents are written for.
  package enum Purpose: Sendable {
    case now
    case otherTime
    /// To silence apps that were stopped, whatever else is there.
    case stop
    /// To replace the documents of another file, or another past, of the ledger.
    case takeOver
  }

  /// Refuses a directory that others could replace, or that belongs to another ledger or to another file of it.
  package static func check(
    _ root: String, _ agreement: Agreement, ledger: String, file: FileIdentity
  ) throws {
    try file.check(root, "export.no-identity/init")
    _ = try OwnedTree.open(root, agreement)
    try OwnedTree.look(at: root, agreement: agreement)?.state.check(root, ledger: ledger, file: file)
  }

  /// Whether a directory belongs to a file of a ledger, as far as this account may look.
  package static func belongs(
    _ root: String, _ agreement: Agreement, ledger: String, file: FileIdentity
  ) -> Bool {
    guard let state = (try? OwnedTree.look(at: root, agreement: agreement))?.state else { return false }
    return state.ledger == ledger && state.file?.isSame(as: file) == true
  }

  /// Removes what a run that was killed left in staging, unless another one is at work: a change may need the room.
  package func makeRoom() {
    guard let found = try? Directory.open(root, group: agreement.group).directory(OwnedTree.homeName),
      let mark = try? found.status(of: OwnedTree.stateName), agreement.trusts(mark),
      let staging = try? found.directory(OwnedTree.stagingName), (try? staging.names().isEmpty) == false,
      let lock = try? found.lock(OwnedTree.lockName, rights: OwnedTree.Rights(in: found).own),
      (try? lock.take(waiting: 0)) == true
    else { return }
    OwnedTree.empty(staging)
  }

  /// How the documents in a directory relate to the ledger; nil if this account may not look.
  package func standing(_ source: some ExportSource) throws -> ExportStanding? {
    let looked: (state: ExportState, isTrusted: Bool)?
    do { looked = try OwnedTree.look(at: root, agreement: agreement) } catch { return nil }
    let found = looked?.state.ledger == source.ledger ? looked : nil
    let state = found?.state ?? ExportState([:])
    let behind = try source.subjects().filter { subject in
      guard let held = state.cells[subject.slug],
        formats.map({ $0.allSatisfy { held[$0.name] != nil } }) ?? true
      else { return true }
      let changed = held.filter { $0.value.origin != subject.origin }
        .map { (format: ExportFormats.named($0.key), cell: $0.value) }
      // Nothing has to be made where documents bear the number of the event: after a stop, there is no time for that.
      let isOld = changed.contains { format, cell in
        format?.saysTimes == true && !cell.files.isEmpty && cell.generation != subject.generation
      }
      return try isOld
        || changed.contains { format, cell in
          let answers = try source.answers(of: subject.slug, includesUnreleased: cell.includesUnreleased)
          return format.map { answers.cell($0).0.digest != cell.digest } ?? true
        }
    }
    return ExportStanding(
      directory: root, state: state, behind: behind.map(\.slug), isMarked: found?.isTrusted == true,
      isOthers: looked != nil && found == nil,
      owner: state.file.flatMap { $0.isSame(as: source.file) ? nil : $0.words(besides: source.file) },
      isFileKnown: source.file.isKnown,
      isForked: try !source.lacked(of: state).isEmpty)
  }

  /// Prepares to write what holds at a moment.
  package init(_ root: String, _ agreement: Agreement, at moment: Timestamp) {
    (self.root, self.agreement, self.moment) = (root, agreement, moment)
  }

  /// - Parameters:
  ///   - wait: How many seconds to wait for another export.
  ///   - between: Called before each app and each document; throws to end the export, which leaves complete
  ///     documents and the previous manifest.
  /// - Throws: `Refusal`, `Obstruction`, `UnsafeDirectory`, `SystemError`.
  package func export(
    _ source: some ExportSource, wait: Double,
    between: () throws -> Void = {}
  ) throws -> ExportReport {
    let isAnyones = purpose == .takeOver || silencesOthers
    let tree = try OwnedTree(
      root, ledger: source.ledger, file: isAnyones ? nil : source.file, agreement: agreement, waiting: wait)
    // What a failed run leaves would take the room that the next change needs.
    defer { tree.emptyStaging() }
    // Read before the apps, so that documents never come from an earlier event than the state says.
    let head = try source.head()
    let known = try source.subjects()
    var run = ExportRun(self, source, tree: tree, head: head)
    do {
      for subject in known where !App.isSlug(subject.slug) { throw Refusal.badName(subject.slug) }
      try run.check()
      try run.prepare(known)
    } catch {
      tree.withdraw()
      throw error
    }
    tree.head = head
    let selected = run.selected
    if purpose == .stop {
      (tree.mostFiles, tree.isUrgent) = (1, true)
      for subject in selected { try run.hurry(subject.slug) }
      tree.mostFiles = OwnedTree.fewAtOnce
    }
    for subject in selected {
      try between()
      try run.export(subject, beforeEach: between)
    }
    let report = try run.finish()
    if let failure = run.failure { throw failure }
    guard run.obstructions.isEmpty else {
      // A stop has written everything but these, where something else is.
      let files = run.obstructions.map(\.path).sorted().prefix(5)
      throw Refusal("export.foreign/stop", ["files": files.map { "'\($0)'" }.joined(separator: ", ")])
    }
    return report
  }
}

extension ExportSource {
  /// The events that documents are of and that the ledger does not have; it has what comes before the first.
  func lacked(of state: ExportState) throws -> [ExportHead] {
    try state.heads.filter { try 0 < $0.seq && hash(of: $0.seq) != $0.hash }
  }
}
