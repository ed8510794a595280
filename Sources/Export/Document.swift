import Crypto
package import ReleaseModel

/// One file for clients.
package struct Document: Sendable, Equatable {
  /// Below the directory, such as `v1/taxi/7.3.2.json`.
  package let path: String
  package let bytes: [UInt8]

  /// What follows the app in its path, such as `/7.3.2.json`.
  var suffix: String { DocumentPath.parts(of: path).map { String($0.suffix) } ?? "" }
  var digest: String { SHA256.hexadecimal(of: bytes) }
}

extension [Document] {
  /// What each says, by its path.
  var byPath: [String: [UInt8]] { Dictionary(map { ($0.path, $0.bytes) }, uniquingKeysWith: { $1 }) }
}

extension [UInt8] {
  /// Whether a file with these bytes says what a document does; line feeds at its end tell states of one second apart.
  func says(_ document: [UInt8]) -> Bool {
    starts(with: document) && self[document.count...].allSatisfy { $0 == 0x0A }
  }
}

/// What someone should know about an app's documents in one format: a warning, or why they were refused.
package struct ExportFinding: Fields {
  /// A stable id, listed in docs/errors.md.
  package private(set) var id: String
  package private(set) var app: String
  package private(set) var format: String
  /// Those concerned that the ledger knows, ascending.
  package var versions: [Version] = []
  /// All versions concerned, ascending; empty if only known ones are.
  package var ranges: [VersionRange] = []
  /// What the documents say instead, of which versions, and why; or why there are none. A sentence without a
  /// full stop.
  package var message: String
  /// From when, if that is still to come.
  package var at: Timestamp?

  package init(
    id: String, app: String, format: String, versions: [Version] = [], ranges: [VersionRange] = [],
    message: String, at: Timestamp? = nil
  ) {
    (self.id, self.app, self.format) = (id, app, format)
    (self.versions, self.ranges, self.message, self.at) = (versions, ranges, message, at)
  }
}

extension ExportFinding {
  package static let columns = Columns(of: ExportFinding.self)
  package static let blank = ExportFinding(id: "", app: "", format: "", message: "")

  package mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(FieldFault) {
    try fields.field(&id, nil, "id")
    try fields.field(&app, nil, "app")
    try fields.field(&format, nil, "format")
    try fields.field(&versions, nil, "versions")
    try fields.field(&ranges, nil, "ranges")
    try fields.field(&message, nil, "message")
    try fields.field(&at, nil, "at")
  }

  /// A few of some versions by name.
  package static func named(_ versions: [Version], _ ranges: [VersionRange] = []) -> String {
    let names = versions.isEmpty ? ranges.map(\.text) : versions.map(\.text)
    guard names.count > 3 else { return names.joined(separator: ", ") }
    return "\(names.prefix(2).joined(separator: ", ")) and \(names.count - 2) more"
  }
}

/// Neighbouring versions that are told the same at the documents' moment.
typealias Stretch = Steps<VersionKey, Schedule.Current>.Span

struct VersionGroup {
  /// Those that the ledger knows, ascending.
  private(set) var versions: [Version] = []
  private var stretches: [VersionRange] = []

  /// Adds versions that are greater than all in it.
  mutating func add(_ step: Stretch, _ known: Release?) {
    if let known { versions.append(known.version) }
    stretches.append(step.range)
  }

  var ranges: [VersionRange] { stretches.joined() }

  var names: String { ExportFinding.named(versions, ranges) }

  var isOne: Bool { versions.count == 1 }
}

extension AppAnswers {
  /// No finding if it is about no version.
  func finding(
    _ id: String, _ format: String, versions: [Version], ranges: [VersionRange] = [],
    _ message: @autoclosure () -> String
  ) -> [ExportFinding] {
    guard !versions.isEmpty || !ranges.isEmpty else { return [] }
    return [
      ExportFinding(
        id: id, app: app.slug, format: format, versions: versions, ranges: ranges, message: message())
    ]
  }

  /// Passes what every version is told, cut so that each known version is a step of its own; leaves out those
  /// that no client has.
  func eachStep(
    cutAt cuts: [VersionKey] = [], includingUnreleasable: Bool = false,
    _ body: (_ step: Stretch, _ known: Release?) -> Void
  ) {
    // Also cut where clients that no one has begin and end, and where other systems are needed.
    var cuts = cuts + needs.map(\.from) + known.flatMap { [VersionKey($0.version), .after($0.version)] }
    if let newest = newestEverLive { cuts += [.after(newest), VersionKey(newest.nextPatch)] }
    var next = 0
    for step in schedule.current(at: moment, cutAt: cuts) {
      while next < known.count, known[next].version < step.first { next += 1 }
      guard includingUnreleasable || !isUnreleasable(step.first) else { continue }
      let release = next < known.count && known[next].version == step.first ? known[next] : nil
      body(step, release)
    }
  }
}

/// A kind of client of a format, with the documents it reads; a model that compares versions as numbers.
package struct DocumentClient {
  /// The document it reads; nil if each version has its own.
  let path: String?
  package var isForAll: Bool { path != nil }
  /// The versions that its documents name; between two of them, it always concludes the same.
  let bounds: [Version]
  /// The systems that they name.
  var systems: [Version] = []
  /// Whether it knows the answers to every version and those to come.
  package var isExact = false
  /// These, if it could read them.
  package var schedule: Schedule?
  /// What it concludes when it runs as a version on a system.
  ///
  /// The system is nil if it is unknown, so that everything is taken to run on it; the conclusion is nil if
  /// the client finds no document, or none that it can read.
  package let conclude: (Version) -> (Version?) -> Prompt?

  /// Where what it concludes may change: for a bound with four components already at the third.
  var cuts: [VersionKey] {
    bounds.flatMap { [VersionKey($0), .after($0), VersionKey($0.truncated(to: 3))] }
  }

  /// A client that follows the first bounds for whose system its own is new enough; it finds nothing without any.
  static func bounded(_ path: String, _ bounds: [Bounds]) -> DocumentClient {
    let versions = bounds.flatMap { [$0.forced, $0.announced].compactMap(\.self) }
    return DocumentClient(path: path, bounds: versions, systems: bounds.compactMap(\.system)) { version in
      { os in bounds.first { $0.runs(on: os) }?.conclusion(version) }
    }
  }

  /// A client that reads the file of its own version, else the one for all versions without a file.
  static func byVersion(
    _ documents: [String: [UInt8]], in folder: String, ending: String = ".json",
    systems: [Version] = [], read: @escaping ([UInt8], Version) -> (Version?) -> Prompt?
  ) -> DocumentClient {
    var files: [Version: [UInt8]] = [:]
    for (path, bytes) in documents where path.hasPrefix(folder) {
      guard let version = try? Version(String(path.dropFirst(folder.count).dropLast(ending.count))) else {
        continue
      }
      files[version] = bytes
    }
    let others = documents["\(folder)default\(ending)"]
    return DocumentClient(path: nil, bounds: Array(files.keys), systems: systems) { [files] version in
      (files[version] ?? others).map { read($0, version) } ?? { _ in nil }
    }
  }
}

/// Below which version a document forces, and below which it reminds.
struct Bounds {
  var forced: Version?
  var announced: Version?
  var url: String?
  /// The oldest system that they are for.
  var system: Version?

  func runs(on os: Version?) -> Bool {
    guard let os, let system else { return true }
    return system <= os
  }

  func conclusion(_ version: Version) -> Prompt {
    if let forced, version < forced { return Prompt(.force, url: url) }
    if let announced, version < announced { return Prompt(.remind, url: url) }
    return Prompt(.none)
  }
}

/// A shape of documents that some clients read.
package protocol DocumentFormat: Sendable {
  /// Of its folder and of the option that chooses it.
  var name: String { get }

  /// Whether the documents state until when they hold, and the event that they are of.
  var saysTimes: Bool { get }

  /// Whether each document is put into an envelope that is signed (`DocumentSigner`); what is made, and what clients
  /// read, is what is in it.
  var isSigned: Bool { get }

  var checksSystems: Bool { get }

  /// Whether each version that was live has a document of its own, and all others share one.
  var isByVersion: Bool { get }

  /// Why a client is told less than was decided, as in "it …", if neither systems nor times are the reason.
  var limit: String { get }

  /// What is decided for one app, or the closest that the format can express and that is never stricter.
  func documents(for answers: AppAnswers) -> (documents: [Document], warnings: [ExportFinding])

  /// Models of the clients that read the documents, which are given by path.
  func clients(of documents: [String: [UInt8]], app: String, at moment: Timestamp) -> [DocumentClient]
}

extension DocumentFormat {
  package var saysTimes: Bool { false }
  package var checksSystems: Bool { false }
  package var isByVersion: Bool { false }
  package var isSigned: Bool { false }
  package var limit: String { "has one bound to force below and one to remind below" }

  func path(_ slug: String, _ ending: String = ".json") -> String { "\(name)/\(slug)\(ending)" }
}

/// All formats, in the order of the documentation.
package enum ExportFormats {
  package static let all: [any DocumentFormat] = [
    V1Format(), FlagsFormat(), TypeFormat(), LookupFormat(), PrinceOfVersionsFormat(), UpgraderFormat(),
    V1Format(isSigned: true),
  ]

  package static let standard = "v1"

  /// Raised when a build writes different documents for the same ledger, so that all are rewritten.
  package static let edition = 6

  /// The format with a name.
  package static func named(_ name: String) -> (any DocumentFormat)? { all.first { $0.name == name } }
}
