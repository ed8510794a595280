import JSON
import ReleaseModel

/// What an export leaves beside the tree so that the next one can pass over what needs none.
///
/// A pure function of the ledger and the moment, like the tree, so that it too is the same for the same of both.
struct ExportState: Equatable {
  /// The documents of one app in one format.
  struct Cell: Equatable {
    /// The newest event that concerned them.
    var generation: Int64
    /// Between these moments they need no new export.
    var from: Timestamp?
    var until: Timestamp?
    /// How many files there are.
    var files: Int
    var includesUnreleased: Bool
    /// What was said when they were written.
    var warnings: [ExportFinding]
    var refusal: ExportFinding?
    /// Whether what was said names versions that were never live: it is not kept, since the state lies beside what is
    /// served, and the documents are made again each time so that it is said again.
    var isSaidAgain = false

    /// Whether nothing that concerns the documents happened, and no moment of change has passed.
    func holds(generation: Int64, at moment: Timestamp, includesUnreleased: Bool) -> Bool {
      !isSaidAgain && self.generation == generation && self.includesUnreleased == includesUnreleased
        && (from.map { $0 <= moment } ?? true) && (until.map { moment < $0 } ?? true)
    }
  }

  /// Raised when a build writes other documents for the same ledger, so that all are written anew.
  static let edition: Int64 = 2

  /// The ledger's own name.
  var ledger: String
  /// By app and format.
  var cells: [String: [String: Cell]] = [:]
  /// The manifest's digest and size.
  var manifest = ""
  var manifestSize: Int64 = 0

  init(ledger: String) { self.ledger = ledger }

  var json: JSON {
    let apps = cells.map { slug, formats in
      (slug, JSON.object(JSON.Object(formats.map { ($0.key, ExportState.json($0.value)) })))
    }
    return [
      "apps": .object(JSON.Object(apps)), "edition": .integer(ExportState.edition), "ledger": .string(ledger),
      "manifest": .string(manifest), "manifestSize": .integer(manifestSize),
    ]
  }

  /// Reads it back; nil where another build or something else wrote it.
  init?(_ json: JSON) {
    guard json["edition"]?.integer == ExportState.edition, let ledger = json["ledger"]?.string,
      let manifest = json["manifest"]?.string, let size = json["manifestSize"]?.integer,
      let apps = json["apps"]?.object
    else { return nil }
    self.init(ledger: ledger)
    self.manifest = manifest
    manifestSize = size
    for app in apps.members {
      for format in app.value.object?.members ?? [] {
        guard let cell = ExportState.cell(format.value, app: app.key, format: format.key) else { return nil }
        cells[app.key, default: [:]][format.key] = cell
      }
    }
  }

  private static func json(_ cell: Cell) -> JSON {
    var object = JSON.Object([
      ("files", .integer(Int64(cell.files))), ("from", .optional(cell.from?.text)),
      ("generation", .integer(cell.generation)), ("unreleased", .bool(cell.includesUnreleased)),
      ("until", .optional(cell.until?.text)),
    ])
    if cell.isSaidAgain {
      object["again"] = true
      return .object(object)
    }
    if !cell.warnings.isEmpty { object["warnings"] = .array(cell.warnings.map(\.json)) }
    if let refusal = cell.refusal { object["refusal"] = refusal.json }
    return .object(object)
  }

  private static func cell(_ json: JSON, app: String, format: String) -> Cell? {
    func moment(_ key: String) -> Timestamp? { json[key]?.string.flatMap { try? Timestamp($0) } }
    guard let generation = json["generation"]?.integer, let files = json["files"]?.integer,
      let unreleased = json["unreleased"]?.bool
    else { return nil }
    return Cell(
      generation: generation, from: moment("from"), until: moment("until"), files: Int(clamping: files),
      includesUnreleased: unreleased,
      warnings: (json["warnings"]?.array ?? []).compactMap(ExportFinding.init(json:)),
      refusal: json["refusal"].flatMap(ExportFinding.init(json:)),
      isSaidAgain: json["again"]?.bool == true)
  }
}
