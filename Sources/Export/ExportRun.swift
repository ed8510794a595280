import Crypto
import JSON
import Platform
import ReleaseModel

/// One export on its way: data first, then the manifest, then removals, and last what lets the next one pass things over.
struct ExportRun {
  private let exporter: Exporter
  private let ledger: String
  private var state: ExportState
  private var earlier: ExportState?
  private var staging: Staging?
  private var manifest = Manifest()
  private var removals: [String] = []
  private var report = ExportReport()
  private var isChanged = false
  /// The formats in which an app's documents need a look, by app.
  private var due: [String: [any DocumentFormat]] = [:]
  /// Whether there is a manifest of the size that the state was left with.
  private var isManifestThere: Bool

  init(_ exporter: Exporter, ledger: String, state: ExportState?) {
    self.exporter = exporter
    earlier = state
    self.state = state ?? ExportState(ledger: ledger)
    self.ledger = ledger
    let status = try? FileStatus(of: "\(exporter.root)/\(Manifest.path)")
    isManifestThere = state != nil && status?.size == state?.manifestSize
  }

  /// Refuses a directory whose documents another ledger wrote, or a later state of this one.
  func check(_ generations: [(slug: String, generation: Int64)]) throws {
    guard let earlier else { return }
    guard earlier.ledger == ledger else { throw ExportError.otherLedger(exporter.root) }
    for (slug, generation) in generations {
      for cell in (earlier.cells[slug] ?? [:]).values where cell.generation > generation {
        throw ExportError.olderLedger(
          exporter.root, app: slug, found: cell.generation, generation: generation)
      }
    }
  }

  /// Finds out whether anything is to be done, and if so whether what is there can be built upon.
  mutating func prepare(_ generations: [(slug: String, generation: Int64)]) throws {
    for (slug, generation) in generations {
      let formats = exporter.formats.filter { !isUpToDate(slug, $0.name, generation) }
      if !formats.isEmpty { due[slug] = formats }
    }
    if due.isEmpty { return }
    if let earlier, let bytes = try? readFile("\(exporter.root)/\(Manifest.path)", limit: 1 << 30),
      SHA256.hexadecimal(of: bytes) == earlier.manifest
    {
      manifest = Manifest(bytes)
    } else {
      // An export was interrupted after its manifest, or somebody wrote there: everything is looked at again.
      earlier = nil
      isManifestThere = false
      state = ExportState(ledger: ledger)
      for (slug, _) in generations { due[slug] = exporter.formats }
    }
  }

  /// Writes the documents of one app, where they need it.
  ///
  /// - Parameter beforeEach: Called before each document; throws to end the export.
  mutating func export(
    _ slug: String, generation: Int64, sheet: (String) throws -> AnswerSheet, beforeEach: () throws -> Void
  ) throws {
    let isDue = due[slug] ?? []
    for format in exporter.formats where !isDue.contains(where: { $0.name == format.name }) {
      guard let cell = state.cells[slug]?[format.name] else { continue }
      report.unchanged += cell.files
    }
    guard !isDue.isEmpty else { return }
    isChanged = true
    let sheet = try sheet(slug)
    var entries = manifest.files(of: slug)
    for format in isDue {
      let (cell, documents) = cell(format, sheet)
      state.cells[slug, default: [:]][format.name] = cell
      let prefixes = ["\(format.name)/\(slug)/", "\(format.name)/\(slug)."]
      entries.removeAll { entry in prefixes.contains { entry.path.hasPrefix($0) } }
      for document in documents {
        try beforeEach()
        entries.append((document.path, SHA256.hexadecimal(of: document.bytes)))
        try put(document)
      }
      removals += leftovers(slug, format.name, Set(documents.map(\.path)))
    }
    let cells = (state.cells[slug] ?? [:]).values
    manifest.set(
      slug, generation: cells.map(\.generation).max() ?? generation, until: cells.compactMap(\.until).min(),
      files: entries)
  }

  /// Writes the manifest, removes what is no longer said, and leaves the state for the next export.
  mutating func finish() throws -> ExportReport {
    if isChanged || !isManifestThere {
      var staging = try stagingOnce()
      try staging.commit()
      let known = isManifestThere ? earlier?.manifest : nil
      (state.manifest, state.manifestSize) = try staging.put(Manifest.path) { path in
        try manifest.write(to: path, ledger: ledger)
      } unless: {
        $0.sha256 == known
      }
      for path in removals { try staging.remove(path) }
      if !removals.isEmpty { try staging.commitRemovals(removals) }
      report.removed = removals.count
      if state.json != earlier?.json {
        try staging.put(exporter.statePath) { path in
          try writeFile(state.json.bytes() + [0x0A], to: path, rights: Staging.fileRights)
        }
      }
    }
    for (_, formats) in state.cells.sorted(by: { $0.key < $1.key }) {
      for (_, cell) in formats.sorted(by: { $0.key < $1.key }) {
        report.files += cell.files
        report.warnings += cell.warnings
        if let refusal = cell.refusal { report.refusals.append(refusal) }
        if let until = cell.until { report.nextChange = min(report.nextChange ?? until, until) }
      }
    }
    return report
  }

  /// Whether an app's documents in a format need no look: nothing concerns them, and all of them are there.
  private func isUpToDate(_ slug: String, _ format: String, _ generation: Int64) -> Bool {
    guard let cell = state.cells[slug]?[format], isManifestThere,
      cell.holds(
        generation: generation, at: exporter.moment, includesUnreleased: exporter.includesUnreleased)
    else { return false }
    let folder = "\(exporter.root)/\(format)/\(slug)"
    let beside = ["json", "xml"].filter { (try? FileStatus(of: "\(folder).\($0)"))?.kind == .regular }
    return (entryCount(in: folder) ?? 0) + beside.count == cell.files
  }

  /// The documents of an app in a format, compared with what is decided.
  private func cell(_ format: any DocumentFormat, _ sheet: AnswerSheet) -> (ExportState.Cell, [Document]) {
    var cell = ExportState.Cell(
      generation: sheet.generation, from: sheet.lastChange, until: sheet.nextChange, files: 0,
      includesUnreleased: exporter.includesUnreleased, warnings: [], refusal: nil)
    do {
      let (documents, warnings) = format.documents(for: sheet)
      cell.warnings = try warnings + sheet.compare(documents, with: format)
      cell.files = documents.count
      cell.isSaidAgain = cell.warnings.contains { sheet.names(unreleased: $0) }
      return (cell, documents)
    } catch {
      cell.refusal = error
      cell.isSaidAgain = sheet.names(unreleased: error)
      return (cell, [])
    }
  }

  /// Stages a document unless the very same is in place.
  private mutating func put(_ document: Document) throws {
    if Staging.isInPlace(document, below: exporter.root) {
      report.unchanged += 1
      return
    }
    _ = try stagingOnce()
    try staging?.add(document)
    report.written += 1
  }

  /// What is in an app's folder, or has its name, and is no document of it any more.
  private func leftovers(_ slug: String, _ format: String, _ documents: Set<String>) -> [String] {
    var found: [String] = []
    if let names = try? fileNames(in: "\(exporter.root)/\(format)/\(slug)") {
      found += names.map { "\(format)/\(slug)/\($0)" }
    }
    for ending in ["json", "xml"] {
      let path = "\(format)/\(slug).\(ending)"
      if (try? FileStatus(of: "\(exporter.root)/\(path)")) != nil { found.append(path) }
    }
    return found.filter { !documents.contains($0) }.sorted()
  }

  private mutating func stagingOnce() throws -> Staging {
    if let staging { return staging }
    let made = try Staging(root: exporter.root, folder: exporter.stagingFolder)
    staging = made
    return made
  }
}
