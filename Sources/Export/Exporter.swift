import Crypto
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
package struct ExportStanding: Sendable, Equatable {
  package let directory: String
  package let nextChange: Timestamp?
  package let behind: [String]
  package let formats: Set<String>
  /// Whether the directory bears this ledger's mark, so that changes write documents there.
  package let isMarked: Bool
  /// The other file of the ledger that it belongs to; nil if it belongs to this one.
  package let owner: FileIdentity?
  /// Whether its documents are from an event that the ledger does not have.
  package let isForked: Bool
  /// The highest number of an event that clients were told of, for an app or for all.
  package let served: Int64
  package let servedApps: [String: Int64]
  /// The apps whose signed documents say something that is no longer decided.
  package let unsigned: [String]
  /// When the first signed document has to be signed again, and when the first expires; nil if none is
  /// signed.
  package let renewAt: Timestamp?
  package let expiresAt: Timestamp?
}

/// An event by its number and hash.
package struct ExportHead: Sendable, Equatable {
  package let seq: Int64
  package let hash: String

  package init(seq: Int64, hash: String) {
    self.seq = seq
    self.hash = hash
  }
}

/// An app whose documents are written, and what they are made of.
package struct ExportSubject: Sendable {
  package let slug: String
  /// The last event that changed its schedule.
  package let generation: Int64
  /// Stands for everything recorded that `AppAnswers` are made from: while it is the same, so are they.
  package let origin: String

  package init(slug: String, generation: Int64, origin: String) {
    (self.slug, self.generation, self.origin) = (slug, generation, origin)
  }
}

/// What an export asks a ledger for, once the directory is known to be ours.
package protocol ExportSource {
  /// The ledger's id.
  var ledger: String { get }
  /// Its file on this host.
  var file: FileIdentity { get }
  /// The last event.
  func head() throws -> ExportHead
  /// The hash of an event; nil if there is none of that number.
  func hash(of seq: Int64) throws -> String?
  /// All apps, by slug.
  func subjects() throws -> [ExportSubject]
  /// What the documents of an app are made from.
  func answers(of slug: String, includesUnreleased: Bool) throws -> AppAnswers
  /// Called, before an app's documents are put in place, with the moment since which some answer in them holds.
  func tell(_ moment: Timestamp) throws
}

/// Why the documents in a directory are not replaced.
package enum ExportError: Error, Sendable, Equatable {
  /// The directory belongs to another file of the same ledger.
  case otherCopy(String, owner: FileIdentity)
  /// The directory holds the documents of an event that the ledger does not have: an older ledger was
  /// restored, or a copy of it was changed too.
  case forked(String, seq: Int64)
  case signedAhead(String)
  /// A stop has written everything but these, where something else is.
  case passedOver([Obstruction])
}

/// Writes the documents of a ledger into a directory.
package struct Exporter {
  package let root: String
  /// The formats that the directory should hold; nil for those that it already holds, or `v1` if it holds
  /// none.
  package let formats: [any DocumentFormat]?
  package let moment: Timestamp
  package let includesUnreleased: Bool
  package let agreement: Agreement
  /// Those to examine; empty for all.
  package let apps: Set<String>
  /// What signs documents; nil if nobody named a usable key.
  package let signer: DocumentSigner?
  package let purpose: Purpose

  /// What documents are written for.
  package enum Purpose: Sendable {
    case now
    case otherTime
    /// To silence apps that were stopped, whatever else is there.
    case stop
    /// To replace the documents of another file, or another past, of the ledger.
    case takeOver
  }

  /// The file that a directory belongs to, and its ledger; nil if it belongs to none.
  ///
  /// - Throws: `SystemError` if this account may not look.
  package static func owner(
    of root: String, agreement: Agreement
  ) throws(SystemError) -> (ledger: String, file: FileIdentity?)? {
    try OwnedTree.look(at: root, agreement: agreement).map { ($0.state.ledger, $0.state.file) }
  }

  /// How the documents in a directory relate to the ledger; nil if this account may not look.
  package static func standing(
    in root: String, _ source: some ExportSource, agreement: Agreement
  ) throws -> ExportStanding? {
    let found: (state: ExportState, isTrusted: Bool)?
    do {
      found = try OwnedTree.look(at: root, agreement: agreement)
    } catch {
      return nil
    }
    let state = found.flatMap { $0.state.ledger == source.ledger ? $0.state : nil }
    let cells = (state?.cells ?? [:]).mapValues { Array($0.values) }
    let behind = try source.subjects().filter { subject in
      guard let held = state?.cells[subject.slug]?.filter({ $0.value.origin != subject.origin }) else {
        return true
      }
      let changed = held.map { (format: ExportFormats.named($0.key), cell: $0.value) }
      // Nothing has to be made where documents bear the number of the event: after a stop, there is no time for that.
      if changed.contains(where: { format, cell in
        format.map { $0.saysTimes && !cell.suffixes.isEmpty && cell.generation != subject.generation } ?? true
      }) {
        return true
      }
      return try changed.contains { format, cell in
        let answers = try source.answers(of: subject.slug, includesUnreleased: cell.includesUnreleased)
        return format.map { answers.cell($0).0.digest != cell.digest } ?? true
      }
    }
    let all = cells.values.flatMap { $0 }
    return ExportStanding(
      directory: root, nextChange: all.compactMap(\.next).min(),
      behind: behind.map(\.slug), formats: state?.formats ?? [],
      isMarked: state != nil && found?.isTrusted == true,
      owner: state?.file.flatMap { $0.isSame(as: source.file) ? nil : $0 },
      isForked: try state?.head.map { try $0.seq > 0 && source.hash(of: $0.seq) != $0.hash } ?? false,
      served: state?.served ?? 0,
      servedApps: cells.mapValues { $0.map(\.generation).max() ?? 0 },
      unsigned: cells.filter { $0.value.contains { $0.signing?.unsigned.isEmpty == false } }.keys.sorted(),
      renewAt: all.compactMap { $0.signing?.renewAt }.min(),
      expiresAt: all.compactMap { $0.signing?.expiresAt }.min())
  }

  package init(
    root: String, formats: [any DocumentFormat]?, at moment: Timestamp, includesUnreleased: Bool,
    agreement: Agreement, apps: Set<String> = [], signer: DocumentSigner? = nil,
    purpose: Purpose = .now
  ) {
    (self.root, self.formats, self.moment) = (root, formats, moment)
    (self.includesUnreleased, self.agreement, self.apps) = (includesUnreleased, agreement, apps)
    (self.signer, self.purpose) = (signer, purpose)
  }

  /// - Parameters:
  ///   - wait: How many seconds to wait for another export.
  ///   - progress: Called before each app and each document; throws to end the export, which leaves complete
  ///     documents and the previous manifest.
  /// - Throws: `ExportError`, `TreeError`, `Obstruction`, `UnsafeDirectory`, `SystemError`.
  package func export(
    _ source: some ExportSource, wait: Double,
    progress: (_ done: Int, _ total: Int) throws -> Void = { _, _ in }
  ) throws -> ExportReport {
    let tree = try OwnedTree(
      root, ledger: source.ledger, agreement: agreement, waiting: wait
    ) { state in
      guard purpose != .takeOver, let owner = state.file, !owner.isSame(as: source.file) else { return }
      throw ExportError.otherCopy(root, owner: owner)
    }
    // Read before the apps, so that documents never come from an earlier event than the state says.
    let head = try source.head()
    let known = try source.subjects()
    var run = ExportRun(self, source, tree: tree, head: head)
    do {
      for subject in known where !App.isSlug(subject.slug) { throw TreeError.badName(subject.slug) }
      try run.check()
      try run.prepare(known)
    } catch {
      tree.withdraw()
      throw error
    }
    let selected = run.selected
    if purpose == .stop {
      for subject in selected { try run.hurry(subject.slug) }
      try tree.commit()
    }
    for (index, subject) in selected.enumerated() {
      try progress(index, selected.count)
      try run.export(subject) { try progress(index, selected.count) }
    }
    let report = try run.finish()
    guard run.obstructions.isEmpty else {
      throw ExportError.passedOver(run.obstructions.sorted { $0.path < $1.path })
    }
    return report
  }
}

/// What the clients of one app conclude from the documents that lie in a directory.
package struct ServedApp {
  package let app: String
  package let versions: [Version]
  let client: DocumentClient?

  /// What a client of a version concludes; `none` if it finds nothing that it can read.
  package func conclude(_ version: Version) -> Conclusion {
    client?.conclude(version)(nil) ?? Conclusion(.none)
  }
}

extension Exporter {
  /// What is served from a directory, by app, read from the first of its formats.
  ///
  /// - Throws: `SystemError` if this account may not look.
  package static func served(
    in root: String, agreement: Agreement, at moment: Timestamp
  ) throws(SystemError) -> [ServedApp] {
    guard let found = try OwnedTree.look(at: root, agreement: agreement) else { return [] }
    return found.state.cells.sorted { $0.key < $1.key }.map { slug, cells in
      guard let format = ExportFormats.all.first(where: { cells[$0.name] != nil }),
        let cell = cells[format.name]
      else { return ServedApp(app: slug, versions: [], client: nil) }
      var documents: [String: [UInt8]] = [:]
      let top = try? Directory.open(root, makingWith: nil, group: agreement.group).directory(format.name)
      let folder = (try? top?.directory(slug)) ?? nil
      for suffix in cell.suffixes {
        let place = suffix.hasPrefix("/") ? (folder, String(suffix.dropFirst())) : (top, slug + suffix)
        guard let bytes = (try? place.0?.read(place.1, limit: ExportRun.documentLimit)) ?? nil else {
          continue
        }
        documents["\(format.name)/\(slug)\(suffix)"] = format.isSigned ? JWS(bytes)?.payload : bytes
      }
      let client = format.clients(of: documents, app: slug, at: moment).first
      return ServedApp(
        app: slug, versions: cell.suffixes.compactMap { DocumentPath.version(of: $0[...]) }.sorted(),
        client: client)
    }
  }
}
