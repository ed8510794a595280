import JSON
import Platform
import ReleaseModel

/// What an export leaves beside the tree: which files are ours, and what lets the next export skip documents.
///
/// It is a file in a directory, so it is read as strictly as typed input.
struct ExportState {
  /// The documents of an app in a format.
  struct Cell: Fields {
    var generation: Int64 = 0
    /// What they were made of (`ExportSubject.origin`); empty where they are made again each time, since something is
    /// not in place, or since the report on them names versions that were never live. Such a report is not stored: the
    /// state lies beside what is served.
    var origin = ""
    /// What they said (`AppAnswers.digest`), before signing.
    var digest = ""
    /// Between these moments, they need no new export.
    var from: Timestamp?
    var until: Timestamp?
    /// The digests of the existing files, by what follows the app in their path.
    var files: [String: String] = [:]
    /// Those of them by which some version is prompted.
    var prompting: Set<String> = []
    var includesUnreleased = false
    /// What was reported when they were written.
    var warnings: [ExportFinding] = []
    var refusal: ExportFinding?
    var signing: Signing?

    /// When they need a new export although nothing is recorded: an answer changes, or signatures have to be
    /// renewed.
    var next: Timestamp? { [until, signing?.renewAt].compactMap(\.self).min() }

    /// Whether nothing they are made of can have changed, and no moment of change has passed.
    func holds(_ subject: ExportSubject, at moment: Timestamp, includesUnreleased: Bool) -> Bool {
      origin == subject.origin && self.includesUnreleased == includesUnreleased
        && (from.map { $0 <= moment } ?? true) && (until.map { moment < $0 } ?? true)
    }

    static let columns = Columns(of: Cell.self)
    static let blank = Cell()

    mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(FieldFault) {
      try fields.field(&generation, nil, "generation")
      try fields.field(&origin, nil, "origin")
      try fields.field(&digest, nil, "digest")
      try fields.field(&from, nil, "from")
      try fields.field(&until, nil, "until")
      var (names, prompts) = (files.map { "\($0)=\($1)" }.sorted(), prompting.sorted())
      try fields.field(&names, nil, "files")
      try fields.field(&prompts, nil, "prompting")
      let pairs = names.map { $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false) }
      files = Dictionary(
        pairs.filter { $0.count == 2 && DocumentPath.isSuffix($0[0]) }.map { (String($0[0]), String($0[1])) },
        uniquingKeysWith: { $1 })
      prompting = Set(prompts).intersection(files.keys)
      try fields.field(&includesUnreleased, nil, "unreleased")
      try fields.group(&refusal, "refusal")
      try fields.group(&signing, "signing")
    }

    var stored: JSON {
      var cell = self
      if origin.isEmpty { (cell.warnings, cell.refusal) = ([], nil) }
      return cell.json.adding(["warnings": .array(cell.warnings.map(\.json))])
    }

    init() {}

    /// Reads back what `stored` was; nil for anything else.
    init?(stored: JSON) {
      self.init(json: stored)
      warnings = (stored["warnings"]?.array ?? []).compactMap(ExportFinding.init(json:))
    }
  }

  /// How the documents of a cell were signed.
  struct Signing: Fields {
    /// Empty if they never were.
    var keyID = ""
    var signedAt = Timestamp(seconds: 0)
    var lifetime = TimeSpan.zero
    /// What follows the app in the paths of those that say, or would say, something else and could not be signed.
    var unsigned: Set<String> = []

    /// When they have to be signed again: once half of their time is over.
    var renewAt: Timestamp? { end(of: lifetime.seconds / 2) }
    var expiresAt: Timestamp? { end(of: lifetime.seconds) }

    /// Whether clients no longer accept them.
    func isOver(at moment: Timestamp) -> Bool { expiresAt.map { $0 <= moment } ?? false }

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

    static let columns = Columns(of: Signing.self)
    static let blank = Signing()

    mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(FieldFault) {
      try fields.field(&keyID, nil, "key")
      try fields.field(&signedAt, nil, "at")
      try fields.field(&lifetime, nil, "lifetime")
      var names = unsigned.sorted()
      try fields.field(&names, nil, "unsigned")
      unsigned = Set(names.filter { DocumentPath.isSuffix($0[...]) })
    }
  }

  var ledger: String
  var file: FileIdentity?
  var cells: [String: [String: Cell]] = [:]
  /// The last event that they are of. After a stop that silenced documents of another past they are of both: only who has
  /// all of these events goes on from here.
  var heads: [ExportHead] = []
  /// 0 without one.
  var manifestSize: Int64 = 0
  /// `OwnedTree.newest` and `OwnedTree.replaced` at the end of the last run.
  var newest: Int64 = 0
  var replaced: [String: Set<Int64>] = [:]

  /// The files of an app in a format.
  func paths(_ slug: String, _ format: String) -> [String] {
    (cells[slug]?[format]?.files.keys.sorted() ?? []).map { "\(format)/\(slug)\($0)" }
  }

  var formats: Set<String> { Set(cells.values.flatMap(\.keys)) }

  /// The highest number of an event that clients were told of.
  var served: Int64 {
    max(heads.map(\.seq).max() ?? 0, cells.values.flatMap(\.values).map(\.generation).max() ?? 0)
  }

  var json: JSON {
    let apps = cells.map { ($0, JSON.object(JSON.Object($1.map { ($0, $1.stored) }))) }
    let gone = replaced.map { ($0, JSON.array($1.sorted().map(JSON.integer))) }
    return [
      "apps": .object(JSON.Object(apps)), "file": .optional(file?.text),
      "heads": .array(heads.map { ["hash": .string($0.hash), "seq": .integer($0.seq)] }),
      "ledger": .string(ledger), "manifestSize": .integer(manifestSize), "newest": .integer(newest),
      "replaced": .object(JSON.Object(gone)),
    ]
  }

  /// Reads the state back; what is missing or malformed counts as never written, so that none of it is ours.
  init(_ json: JSON) {
    ledger = json["ledger"]?.string ?? ""
    manifestSize = json["manifestSize"]?.integer ?? 0
    file = json["file"]?.string.flatMap { FileIdentity($0) }
    newest = ExportState.time(json["newest"]?.integer ?? 0)
    for entry in json["replaced"]?.object?.members ?? [] where DocumentPath.isOwn(entry.key) {
      replaced[entry.key] = Set((entry.value.array ?? []).compactMap(\.integer))
    }
    heads = (json["heads"]?.array ?? []).compactMap { head in
      head["seq"]?.integer.flatMap { seq in head["hash"]?.string.map { (seq, $0) } }
    }
    for app in json["apps"]?.object?.members ?? [] where App.isSlug(app.key) {
      for format in app.value.object?.members ?? [] where App.isSlug(format.key) {
        cells[app.key, default: [:]][format.key] = Cell(stored: format.value)
      }
    }
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
    if path == DocumentPath.manifest { return manifestSize > 0 }
    guard let parts = DocumentPath.parts(of: path) else { return false }
    return cells[parts.app]?[parts.format]?.files[String(parts.suffix)] != nil
  }
}

extension FileIdentity {
  /// Refuses to have a directory belong to a file that nothing tells from its copies.
  func check(_ directory: String, _ key: String = "export.no-identity") throws(Refusal) {
    guard !isKnown else { return }
    throw Refusal(key, ["path": path], details: ["directory": .string(directory)])
  }
}
