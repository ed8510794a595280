import JSON
import Platform
import ReleaseModel

/// What an export leaves beside the tree: which files are ours, and what lets the next export skip documents.
///
/// It is a file in a directory, so it is read as strictly as typed input.
struct ExportState {
  struct Cell {
    var generation: Int64
    /// What they were made of (`ExportSubject.origin`), and what they said (`AppAnswers.digest`), before signing.
    var origin = ""
    var digest = ""
    /// Between these moments, they need no new export.
    var from: Timestamp?
    var until: Timestamp?
    /// The existing files, by what follows the app in their path.
    var suffixes: Set<String>
    /// Those of them by which some version is prompted.
    var prompting: Set<String> = []
    var includesUnreleased: Bool
    /// What was reported when they were written.
    var warnings: [ExportFinding]
    var refusal: ExportFinding?
    /// Whether the report names versions that were never live. Such a report is not stored, since the state
    /// lies beside what is served; instead, the documents are made again each time so that it is repeated.
    var isSaidAgain = false
    var signing: Signing?

    /// When they need a new export although nothing is recorded: an answer changes, or signatures have to be
    /// renewed.
    var next: Timestamp? { [until, signing?.renewAt].compactMap(\.self).min() }

    /// Whether nothing they are made of can have changed, and no moment of change has passed.
    func holds(_ subject: ExportSubject, at moment: Timestamp, includesUnreleased: Bool) -> Bool {
      !isSaidAgain && origin == subject.origin && self.includesUnreleased == includesUnreleased
        && (from.map { $0 <= moment } ?? true) && (until.map { moment < $0 } ?? true)
    }
  }

  /// How the documents of a cell were signed.
  struct Signing {
    /// Empty if they never were.
    var keyID = ""
    var signedAt = Timestamp(seconds: 0)
    var lifetime = TimeSpan.zero
    /// What follows the app in the paths of those that say, or would say, something else and could not be signed.
    var unsigned: Set<String> = []

    /// When they have to be signed again: once half of their time is over.
    var renewAt: Timestamp? { end(of: lifetime.seconds / 2) }
    var expiresAt: Timestamp? { end(of: lifetime.seconds) }

    private func end(of seconds: Int64) -> Timestamp? {
      keyID.isEmpty ? nil : signedAt + TimeSpan(seconds: seconds)
    }

    /// What is in the envelope of a document.
    func payload(of document: Document, ledger: String, app: String) -> [UInt8] {
      var payload = (try? JSON(parsing: document.bytes))?.object ?? JSON.Object()
      payload["aud"] = .string(app)
      payload["exp"] = .integer((signedAt + lifetime).seconds)
      payload["iat"] = .integer(signedAt.seconds)
      payload["ledger"] = .string(ledger)
      return JSON.object(payload).bytes()
    }

    /// Whether a signer has nothing to do at a moment, provided that they say the same.
    func holds(for signer: DocumentSigner, at moment: Timestamp) -> Bool {
      unsigned.isEmpty && keyID == signer.keyID && lifetime == signer.lifetime && signedAt <= moment
        && renewAt.map { moment < $0 } ?? false
    }
  }

  /// Raised when a build writes different documents for the same ledger, so that all are rewritten.
  static let edition: Int64 = 4

  var ledger: String
  var file: FileIdentity?
  var cells: [String: [String: Cell]] = [:]
  var formats: Set<String> = []
  var head: ExportHead?
  /// An empty digest without one.
  var manifest = ""
  var manifestSize: Int64 = 0
  /// `OwnedTree.newest` and `OwnedTree.replaced` at the end of the last run.
  var newest: Int64 = 0
  var replaced: [String: Set<Int64>] = [:]

  /// The highest number of an event that clients were told of.
  var served: Int64 { max(head?.seq ?? 0, cells.values.flatMap(\.values).map(\.generation).max() ?? 0) }

  var json: JSON {
    let apps = cells.map { slug, formats in
      (slug, JSON.object(JSON.Object(formats.map { ($0.key, ExportState.json($0.value)) })))
    }
    let gone = replaced.mapValues { sizes in JSON.array(sizes.sorted().map { .integer($0) }) }
    var head = JSON.null
    if let found = self.head { head = ["hash": .string(found.hash), "seq": .integer(found.seq)] }
    return [
      "apps": .object(JSON.Object(apps)), "edition": .integer(ExportState.edition),
      "file": .optional(file?.text), "formats": .array(formats.sorted().map { .string($0) }), "head": head,
      "ledger": .string(ledger), "manifest": .string(manifest), "manifestSize": .integer(manifestSize),
      "newest": .integer(newest), "replaced": .object(JSON.Object(gone.map { ($0.key, $0.value) })),
    ]
  }

  /// Reads the state back; what is missing or malformed counts as never written, so that none of it is ours.
  init(_ json: JSON) {
    ledger = json["ledger"]?.string ?? ""
    manifest = json["manifest"]?.string ?? ""
    manifestSize = json["manifestSize"]?.integer ?? 0
    file = json["file"]?.string.flatMap { FileIdentity($0) }
    newest = ExportState.time(json["newest"]?.integer ?? 0)
    for entry in json["replaced"]?.object?.members ?? [] where DocumentPath.isOwn(entry.key) {
      replaced[entry.key] = Set((entry.value.array ?? []).compactMap(\.integer))
    }
    if let seq = json["head"]?["seq"]?.integer, let hash = json["head"]?["hash"]?.string {
      head = ExportHead(seq: seq, hash: hash)
    }
    let isCurrent = json["edition"]?.integer == ExportState.edition
    for app in json["apps"]?.object?.members ?? [] where App.isSlug(app.key) {
      for format in app.value.object?.members ?? [] where App.isSlug(format.key) {
        guard var cell = ExportState.cell(format.value) else { continue }
        if !isCurrent { (cell.origin, cell.digest) = ("", "") }
        cells[app.key, default: [:]][format.key] = cell
      }
    }
    let named = json["formats"]?.array?.compactMap(\.string).filter(App.isSlug)
    formats = Set(named ?? cells.values.flatMap(\.keys))
  }

  /// Refuses a directory that belongs to another ledger, or to another file of it if one is named.
  func check(_ directory: String, ledger: String, file: FileIdentity?) throws(Refusal) {
    if self.ledger != ledger { throw Refusal("export.other-ledger", ["directory": directory]) }
    try file?.check(directory)
    guard let file, let owner = self.file, !owner.isSame(as: file) else { return }
    throw Refusal(
      "export.other-copy", ["owner": owner.words(besides: file)],
      details: ["directory": .string(directory), "file": .string(owner.path)])
  }

  static func time(_ seconds: Int64) -> Int64 { min(max(seconds, 0), OwnedTree.latest) }

  func lists(_ path: String) -> Bool {
    if path == Manifest.path { return !manifest.isEmpty }
    guard let parts = DocumentPath.parts(of: path) else { return false }
    return cells[parts.app]?[parts.format]?.suffixes.contains(String(parts.suffix)) ?? false
  }

  private static func json(_ cell: Cell) -> JSON {
    var object = JSON.Object([
      ("digest", .string(cell.digest)), ("from", .optional(cell.from?.text)),
      ("generation", .integer(cell.generation)), ("origin", .string(cell.origin)),
      // No suffix contains a space.
      ("names", .string(cell.suffixes.sorted().joined(separator: " "))),
      ("prompting", .string(cell.prompting.sorted().joined(separator: " "))),
      ("unreleased", .bool(cell.includesUnreleased)), ("until", .optional(cell.until?.text)),
    ])
    if let signing = cell.signing { object["signing"] = json(signing) }
    if cell.isSaidAgain {
      object["again"] = true
      return .object(object)
    }
    if !cell.warnings.isEmpty { object["warnings"] = .array(cell.warnings.map(\.json)) }
    if let refusal = cell.refusal { object["refusal"] = refusal.json }
    return .object(object)
  }

  private static func json(_ signing: Signing) -> JSON {
    [
      "at": .integer(signing.signedAt.seconds), "key": .string(signing.keyID),
      "lifetime": .integer(signing.lifetime.seconds),
      "unsigned": .string(signing.unsigned.sorted().joined(separator: " ")),
    ]
  }

  private static func signing(_ json: JSON) -> Signing? {
    guard let keyID = json["key"]?.string, let at = json["at"]?.integer,
      let lifetime = json["lifetime"]?.integer,
      0...OwnedTree.latest ~= at, 0...OwnedTree.latest ~= lifetime
    else { return nil }
    return Signing(
      keyID: keyID, signedAt: Timestamp(seconds: at), lifetime: TimeSpan(seconds: lifetime),
      unsigned: json.suffixes("unsigned"))
  }

  private static func cell(_ json: JSON) -> Cell? {
    guard let generation = json["generation"]?.integer, let unreleased = json["unreleased"]?.bool else {
      return nil
    }
    return Cell(
      generation: generation, origin: json["origin"]?.string ?? "", digest: json["digest"]?.string ?? "",
      from: json.moment("from"), until: json.moment("until"),
      suffixes: json.suffixes("names"), prompting: json.suffixes("prompting"), includesUnreleased: unreleased,
      warnings: (json["warnings"]?.array ?? []).compactMap(ExportFinding.init(json:)),
      refusal: json["refusal"].flatMap(ExportFinding.init(json:)),
      isSaidAgain: json["again"]?.bool == true, signing: json["signing"].flatMap(signing))
  }
}

extension FileIdentity {
  /// Refuses to have a directory belong to a file that nothing tells from its copies.
  func check(_ directory: String, _ key: String = "export.no-identity") throws(Refusal) {
    guard !isKnown else { return }
    throw Refusal(key, ["path": path], details: ["directory": .string(directory)])
  }
}

extension JSON {
  fileprivate func moment(_ key: String) -> Timestamp? { self[key]?.string.flatMap { try? Timestamp($0) } }

  fileprivate func suffixes(_ key: String) -> Set<String> {
    var text = self[key]?.string ?? ""
    return text.withUTF8 { bytes in
      let names = bytes.split(separator: UInt8(ascii: " ")).map { UnsafeBufferPointer(rebasing: $0) }
      return Set(names.filter(DocumentPath.isSuffix).map { String(decoding: $0, as: UTF8.self) })
    }
  }
}
