import Crypto
import JSON
import Platform
package import ReleaseModel

/// What an export did.
package struct ExportReport: Sendable, Equatable {
  package var written = 0
  package var unchanged = 0
  package var removed = 0
  /// How many documents there are now.
  package var files = 0
  /// When some document needs a new export without any event.
  package var nextChange: Timestamp?
  package var warnings: [ExportFinding] = []
  package var refusals: [ExportFinding] = []
}

/// How the documents in a directory stand to the ledger.
package struct ExportStanding: Sendable, Equatable {
  package let directory: String
  /// When some document needs a new export without any event.
  package let nextChange: Timestamp?
  /// The apps of which something newer is recorded.
  package let behind: [String]
}

/// Why a directory is not written.
package enum ExportError: Error, Sendable, Equatable {
  /// Another export holds the directory.
  case busy(String)
  /// The directory holds the documents of another ledger.
  case otherLedger(String)
  /// The directory holds documents of a later event than the ledger has: an older ledger was put back.
  case olderLedger(String, app: String, found: Int64, generation: Int64)
}

/// Writes the documents of a ledger into a directory.
package struct Exporter {
  /// The directory.
  package let root: String
  package let formats: [any DocumentFormat]
  package let moment: Timestamp
  package let includesUnreleased: Bool
  private let lock: String

  private static let folder = ".pawl"

  /// How the documents in a directory stand to the ledger.
  ///
  /// - Parameter generations: The apps with the newest event that concerns each.
  package static func standing(
    in root: String, generations: [(slug: String, generation: Int64)]
  ) -> ExportStanding {
    let cells = (state(in: root)?.cells ?? [:]).mapValues { Array($0.values) }
    let behind = generations.filter { slug, generation in
      cells[slug]?.contains { $0.generation < generation } ?? true
    }
    return ExportStanding(
      directory: root, nextChange: cells.values.flatMap { $0 }.compactMap(\.until).min(),
      behind: behind.map(\.slug))
  }

  /// The formats an export wrote into a directory.
  package static func formats(in root: String) -> Set<String> {
    Set(state(in: root)?.cells.values.flatMap(\.keys) ?? [])
  }

  /// Prepares an export of a ledger's documents to a directory, made where it is not there.
  package init(
    root: String, formats: [any DocumentFormat], at moment: Timestamp, includesUnreleased: Bool
  ) {
    self.root = root
    self.formats = formats
    self.moment = moment
    self.includesUnreleased = includesUnreleased
    lock = "\(root)/\(Exporter.folder)/lock"
  }

  /// Writes what has to be written, one export at a time.
  ///
  /// - Parameters:
  ///   - ledger: The ledger's own name.
  ///   - wait: How many seconds to wait for another export.
  ///   - generations: The apps with the newest event that concerns each; asked once the directory is ours.
  ///   - sheet: What an app's clients are told.
  ///   - progress: Told, before each app and each document, how many of how many apps are done; throws to end the export,
  ///     which leaves whole documents, of this export or the one before, and the manifest of the one before.
  /// - Throws: `ExportError`, `SystemError`, and what the closures throw.
  package func export(
    ledger: String, wait: Double, generations: () throws -> [(slug: String, generation: Int64)],
    sheet: (String) throws -> AnswerSheet,
    progress: (_ done: Int, _ total: Int) throws -> Void = { _, _ in }
  ) throws -> ExportReport {
    // A new directory's own name is kept by the one above it.
    if try makeDirectory(root, rights: Staging.folderRights) { try flush("\(root)/..") }
    try makeDirectory("\(root)/\(Exporter.folder)", rights: Staging.folderRights)
    let lock = try FileLock(self.lock, rights: 0o644)
    guard try lock.take(waiting: wait) else { throw ExportError.busy(root) }
    defer { lock.release() }

    let generations = try generations()
    var run = ExportRun(self, ledger: ledger, state: Exporter.state(in: root))
    try run.check(generations)
    try run.prepare(generations)
    for (index, (slug, generation)) in generations.enumerated() {
      try progress(index, generations.count)
      try run.export(slug, generation: generation, sheet: sheet) { try progress(index, generations.count) }
    }
    return try run.finish()
  }

  var stagingFolder: String { "\(root)/\(Exporter.folder)/staging" }

  var statePath: String { "\(Exporter.folder)/state.json" }

  private static func state(in root: String) -> ExportState? {
    guard let bytes = try? readFile("\(root)/\(folder)/state.json", limit: 1 << 28) else { return nil }
    return (try? JSON(parsing: bytes)).flatMap(ExportState.init)
  }
}
