import JSON
import Platform
import ReleaseModel

/// One export in progress: data first, then the manifest, then removals, and last the state that lets the
/// next one skip work.
struct ExportRun {
  /// The apps that are examined.
  private(set) var selected: [ExportSubject] = []
  let exporter: Exporter
  let source: any ExportSource
  let tree: OwnedTree
  private let head: ExportHead
  private var formats: [any DocumentFormat]
  private(set) var state: ExportState
  private var earlier: ExportState { tree.state }
  private var removals: [String] = []
  private var report = ExportReport()
  private var isChanged: Bool
  private var due: [String: [any DocumentFormat]] = [:]
  /// Whether there is a manifest of the size that the state records, and no run put anything in place after it.
  private(set) var isManifestThere: Bool
  /// Whether only stopped apps are silenced, because the other documents are those of another past.
  private var silencesOnly = false
  /// What stands in the place of documents: a stop passes over it, since it reaches clients whatever is there.
  private(set) var obstructions: Set<Obstruction> = []
  /// Why a stop passed over the first of those that something else kept from getting in place.
  private(set) var failure: (any Error)?

  init(_ exporter: Exporter, _ source: any ExportSource, tree: OwnedTree, head: ExportHead) {
    (self.exporter, self.source, self.tree, self.head) = (exporter, source, tree, head)
    state = tree.state
    let owner = tree.state.file
    // What only silences another file's documents leaves them to that file.
    silencesOnly = exporter.silencesOthers && owner.map { !$0.isSame(as: source.file) } ?? false
    if !silencesOnly { state.file = source.file.succeeding(owner) }
    isChanged = tree.wasInterrupted || state.file != owner
    let size = (try? tree.status(of: DocumentPath.manifest))?.size
    isManifestThere = !tree.wasInterrupted && state.manifestSize > 0 && size == state.manifestSize
    let known = ExportFormats.all.filter { tree.state.formats.contains($0.name) }
    formats = exporter.formats ?? (known.isEmpty ? [V1Format()] : known)
  }

  /// Refuses a directory whose documents come from an event that the ledger does not have.
  ///
  /// What silences an app is written all the same.
  mutating func check() throws {
    if exporter.purpose == .otherTime, formats.contains(where: \.isSigned) {
      throw Refusal("export.other-time/signed", ["directory": exporter.root])
    }
    let lacked = try source.lacked(of: earlier)
    if exporter.purpose == .stop {
      silencesOnly = silencesOnly || !lacked.isEmpty
      if silencesOnly { formats = ExportFormats.all.filter { earlier.formats.contains($0.name) } }
    }
    guard let written = lacked.first else { return }
    switch exporter.purpose {
    case .takeOver where earlier.served < head.seq: return
    case .stop: return
    case .now, .otherTime, .takeOver:
      throw Refusal(
        "export.forked", details: ["directory": .string(exporter.root), "seq": .integer(written.seq)])
    }
  }

  /// Finds out what has to be done, whether existing documents can be built upon, and whether something is in
  /// the way.
  mutating func prepare(_ subjects: [ExportSubject]) throws {
    selected = subjects.filter { exporter.apps.isEmpty || exporter.apps.contains($0.slug) }
    for subject in selected { due[subject.slug] = formats.filter { !isUpToDate(subject, $0) } }
    let names = Set(formats.map(\.name))
    // Nothing is left to say about an app that was struck out.
    let known = Set(subjects.map(\.slug))
    let held = exporter.apps.isEmpty ? Array(state.cells.keys) : selected.map(\.slug)
    let unwanted =
      silencesOnly
      ? []
      : held.sorted().flatMap { slug in
        (state.cells[slug] ?? [:]).keys.filter { !names.contains($0) || !known.contains(slug) }
          .map { (slug: slug, format: $0) }
      }
    isChanged = isChanged || !unwanted.isEmpty || due.values.contains { !$0.isEmpty }
    guard isChanged || !isManifestThere else { return }
    if isManifestThere {
      isManifestThere = try passing { [tree, state] in try tree.inPlace(state.manifest) } != nil
    }
    if !isManifestThere, !silencesOnly {
      // An export was interrupted after its manifest, or someone wrote there: everything is examined again.
      isChanged = true
      let chosen = Set(selected.map(\.slug))
      selected = subjects.filter { chosen.contains($0.slug) || state.cells[$0.slug] != nil }
      for slug in selected.map(\.slug) {
        due[slug] =
          chosen.contains(slug)
          ? formats : ExportFormats.all.filter { state.cells[slug]?[$0.name] != nil }
      }
    }
    for (slug, format) in unwanted {
      removals += state.paths(slug, format)
      state.cells[slug]?[format] = nil
      if state.cells[slug]?.isEmpty == true { state.cells[slug] = nil }
    }
    guard exporter.purpose != .stop else { return }
    try tree.check(DocumentPath.manifest)
    for (slug, formats) in due.sorted(by: { $0.key < $1.key }) { try look(slug, formats) }
  }

  /// Runs a body; for a stop, returns nil and notes why if that cannot be done here.
  private mutating func passing<T>(_ body: () throws -> T?) throws -> T? {
    do {
      return try body()
    } catch let found as Obstruction where exporter.purpose == .stop {
      obstructions.insert(found)
    } catch  where exporter.purpose == .stop {
      failure = failure ?? error
    }
    return nil
  }

  /// Puts a document in place unless it is there; returns it as it is served, or nil if a stop passed over it.
  private mutating func place(_ document: Document) throws -> Document? {
    var isNew = false
    let served = try passing { [tree] in
      if let found = try tree.inPlace(document) { return found }
      isNew = true
      return try tree.add(document)
    }
    if isNew, served != nil { report.written += 1 }
    return served
  }

  /// Writes those documents of a stopped app first that prompt someone, or that speak of many versions.
  mutating func hurry(_ slug: String) throws {
    let sheet = try sheet(slug)
    for format in due[slug] ?? [] where sheet.app.isStopped {
      guard let earlier = state.cells[slug]?[format.name] else { continue }
      var (cell, documents) = sheet.cell(format)
      // A document without a version is a schedule, or thresholds, unless it answers clients that have no file.
      documents = documents.filter {
        DocumentPath.version(of: $0.suffix[...]) == nil && !$0.path.hasSuffix(DocumentPath.fallback)
          || earlier.prompting.contains($0.suffix) || tree.wasInterrupted
      }
      if format.isSigned { documents = try sign(documents, of: slug, after: earlier, for: &cell) }
      for document in documents { _ = try place(document) }
    }
  }

  /// - Parameter beforeEach: Called before each document; throws to end the export.
  mutating func export(_ subject: ExportSubject, beforeEach: () throws -> Void) throws {
    let slug = subject.slug
    guard let isDue = due[slug], !isDue.isEmpty else { return }
    let sheet = try sheet(slug)
    guard !silencesOnly || sheet.app.isStopped else { return }
    // A stop goes on where this cannot be noted.
    do { try source.tell(sheet.lastChange) } catch  where exporter.purpose == .stop {}
    for format in isDue {
      var (cell, documents) = sheet.cell(format, of: subject.origin)
      let before = state.cells[slug]?[format.name] ?? ExportState.Cell()
      let isSame = before.digest == cell.digest && isManifestThere
      if isSame, !format.isSigned, areThere(before.files, slug, format) {
        cell.files = before.files
        state.cells[slug]?[format.name] = cell
        continue
      }
      if format.isSigned { documents = try sign(documents, of: slug, after: before, for: &cell) }
      let gone = state.paths(slug, format.name)
      state.cells[slug, default: [:]][format.name] = cell
      for document in documents {
        try beforeEach()
        if let served = try place(document) {
          state.cells[slug]?[format.name]?.files[document.suffix] = served.digest
        } else {
          miss(document.path)
        }
      }
      removals += gone.filter { !state.lists($0) }
    }
  }

  /// Has what waits put in place.
  private mutating func settle() throws {
    _ = try passing { [tree] in try tree.commit() }
    for (path, error) in tree.missed {
      miss(path)
      _ = try passing { () -> Void? in throw error }
    }
  }

  /// Has the next export look at all documents beside one that is not in place; what never was ours stays another's.
  private mutating func miss(_ path: String) {
    guard let parts = DocumentPath.parts(of: path), var cell = state.cells[parts.app]?[parts.format] else {
      return
    }
    let (before, suffix) = (earlier.cells[parts.app]?[parts.format], String(parts.suffix))
    (cell.origin, cell.digest) = ("", "")
    if before?.prompting.contains(suffix) == true { cell.prompting.insert(suffix) }
    if tree.owns(path) { cell.files[suffix] = before?.files[suffix] ?? "" }
    state.cells[parts.app]?[parts.format] = cell
  }

  func sheet(_ slug: String) throws -> AppAnswers {
    try source.answers(of: slug, includesUnreleased: exporter.includesUnreleased)
  }

  /// Writes the manifest, removes what no longer applies, and stores the state for the next export.
  mutating func finish() throws -> ExportReport {
    if isChanged {
      // Files that an interrupted export left and that this one does not list.
      let leftovers = tree.journaled.filter { !state.lists($0) && $0 != DocumentPath.manifest }
      removals = Array(Set(removals).union(leftovers)).sorted()
      try settle()
      for served in try passing({ [tree, removals] in try tree.renewFallbacks(of: removals) }) ?? [] {
        guard let parts = DocumentPath.parts(of: served.path) else { continue }
        state.cells[parts.app]?[parts.format]?.files[String(parts.suffix)] = served.digest
      }
      // Only once what it lists is in place.
      try settle()
      let made = state.manifest
      let served = try passing { [tree] in try tree.inPlace(made) ?? tree.add(made) }
      try settle()
      if let served, tree.missed[served.path] == nil {
        state.manifestSize = Int64(served.bytes.count)
      } else if tree.owns(DocumentPath.manifest) {
        // What the disk had no room to finish may be put in place later: it is ours, and the next export looks at it.
        state.manifestSize = max(1, state.manifestSize)
      }
      report.removed = try tree.remove(removals)
      // Nobody goes on unasked from documents of which only some were silenced.
      state.heads = try (silencesOnly ? source.lacked(of: earlier) : []) + [head]
      try tree.finish(state, exporter.agreement)
    }
    let (examined, names) = (Set(selected.map(\.slug)), Set(formats.map(\.name)))
    report.unchanged = -report.written
    for (slug, cells) in state.cells.sorted(by: { $0.key < $1.key }) {
      for (name, cell) in cells.sorted(by: { $0.key < $1.key }) {
        if let unsigned = cell.signing?.unsigned, !unsigned.isEmpty {
          report.unsigned.append(ExportRun.finding(unsigned: unsigned, slug, name))
        }
        report.files += cell.files.count
        if examined.contains(slug), names.contains(name) { report.unchanged += cell.files.count }
        report.warnings += cell.warnings
        if let refusal = cell.refusal { report.refusals.append(refusal) }
        if let next = cell.next { report.nextChange = min(report.nextChange ?? next, next) }
      }
    }
    return report
  }
}
