import Export
import JSON
import Platform
import ReleaseModel
import TestSupport
import Testing

class World: ExportSource {
  static let formats = ExportFormats.all.filter { ["v1", "flags"].contains($0.name) }

  let directory: TemporaryDirectory
  var snapshots: [String: Snapshot] = [:]
  var generations: [String: Int64] = [:]
  var moment = noon
  var ledger = "0123456789abcdef0123456789abcdef"
  var file: FileIdentity
  var purpose = Exporter.Purpose.now
  var formats: [any DocumentFormat]? = World.formats
  var isGiven = true
  var trusts: (FileStatus) -> Bool = { _ in true }
  var hashes = ["first"]
  var asked: [String] = []
  var onAsking: (Int) throws -> Void = { _ in }
  var told: [Timestamp] = []

  init(_ apps: [String: [String]] = ["taxi": ["1.0", "1.1", "2.0"], "van": ["5.0"]]) throws {
    directory = try TemporaryDirectory()
    file = try #require(FileIdentity("host:1@2.3:/srv/pawl.db"))
    for (slug, versions) in apps { try add(slug, versions) }
  }

  var root: String { directory.file("out") }

  func add(_ slug: String, _ versions: [String]) throws {
    var app = App(slug: slug, bundleID: "com.example.\(slug)")
    app.appleID = 7
    var line = AppState(app: app)
    for (index, text) in versions.enumerated() {
      let at = later(Int64(index) - 1_000)
      var release = Release(
        id: Int64(index + 1), version: try Version(text),
        state: index == versions.count - 1 ? .live : .superseded, since: at)
      release.liveAt = at
      release.visibleAt = at
      line.put(release)
    }
    snapshots[slug] = Snapshot(line: line)
    generations[slug, default: 0] += 1
  }

  @discardableResult
  func export(to root: String? = nil, apps: Set<String> = []) throws -> ExportReport {
    asked = []
    let report = try exporter(root ?? self.root, apps: apps).export(self, wait: 5)
    if root == nil, apps.isEmpty, case .now = purpose { try compareWithFresh() }
    return report
  }

  /// Expects the directory to have the documents of a fresh one, but for line feeds at the end.
  private func compareWithFresh() throws {
    let (asked, told, onAsking, isGiven) = (asked, told, onAsking, isGiven)
    defer { (self.asked, self.told, self.onAsking, self.isGiven) = (asked, told, onAsking, isGiven) }
    (self.onAsking, self.isGiven) = ({ _ in }, true)
    let place = try TemporaryDirectory()
    _ = try exporter(place.path).export(self, wait: 5)
    let paths = try listed(place.path).keys.sorted()
    #expect(try listed().keys.sorted() == paths)
    func said(_ root: String, _ path: String) throws -> [UInt8] {
      Array(try readFile("\(root)/\(path)", limit: 1 << 20).reversed().drop { $0 == 0x0A }.reversed())
    }
    for path in paths { #expect(try said(root, path) == said(place.path, path), "\(path)") }
  }

  func exporter(_ root: String, apps: Set<String> = []) throws -> Exporter {
    let group = try FileStatus(of: directory.path).group
    let agreement = Export.Agreement(isGiven: isGiven, group: group, trusts: trusts)
    var exporter = Exporter(root, agreement, at: moment)
    (exporter.formats, exporter.apps, exporter.purpose) = (formats, apps, purpose)
    return exporter
  }

  func head() -> ExportHead { ExportHead(seq: Int64(hashes.count), hash: hashes.last ?? "") }

  func hash(of seq: Int64) -> String? {
    (1...hashes.count).contains(Int(seq)) ? hashes[Int(seq) - 1] : nil
  }

  func subjects() -> [ExportSubject] {
    generations.map { ExportSubject(slug: $0.key, generation: $0.value, origin: "\($0.value)") }
      .sorted { $0.slug < $1.slug }
  }

  func answers(of slug: String, includesUnreleased: Bool) throws -> AppAnswers {
    asked.append(slug)
    try onAsking(asked.count)
    let snapshot = try #require(snapshots[slug])
    return AppAnswers(
      snapshot, Schedule(snapshot, from: noon), at: moment, generation: generations[slug] ?? 0, hash: "",
      ledger: ledger, includesUnreleased: includesUnreleased)
  }

  func tell(_ moment: Timestamp) { told.append(moment) }

  func standing() throws -> ExportStanding {
    try #require(try exporter(root).standing(self))
  }

  func text(_ path: String) throws -> String {
    String(decoding: try readFile("\(root)/\(path)", limit: 1 << 20), as: UTF8.self)
  }

  func json(_ path: String) throws -> JSON {
    try JSON(parsing: readFile("\(root)/\(path)", limit: 1 << 20))
  }

  func silenced() throws -> Set<String> {
    Set(
      try tree().keys.filter { path in
        try path.hasPrefix("v1/") && json(path)["generation"] == 2
      })
  }

  func listed(_ root: String? = nil) throws -> [String: String] {
    var listed: [String: String] = [:]
    let manifest = try JSON(parsing: readFile("\(root ?? self.root)/manifest.json", limit: 1 << 20))
    for app in manifest["apps"]?.object?.members ?? [] {
      for file in app.value["files"]?.object?.members ?? [] { listed[file.key] = file.value.string }
    }
    return listed
  }

  private func withoutDigests(_ json: JSON) -> JSON {
    if let text = json.string { return .string(String(text.prefix { $0 != "=" })) }
    if let list = json.array { return .array(list.map(withoutDigests)) }
    guard let object = json.object else { return json }
    return .object(JSON.Object(object.members.map { ($0.key, withoutDigests($0.value)) }))
  }

  /// Every file below a directory with its bytes, by its path, but the lock, the times in the state, and the
  /// line feeds that tell states of one second apart, with the digests that cover them.
  func tree(_ root: String? = nil) throws -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    func look(_ folder: String, _ prefix: String) throws {
      for name in try fileNames(in: folder) where name != "lock" {
        let path = "\(folder)/\(name)"
        if try FileStatus(of: path).kind == .directory {
          try look(path, prefix + name + "/")
        } else {
          files[prefix + name] = try readFile(path, limit: 1 << 20)
          files[prefix + name] = Array((files[prefix + name] ?? []).reversed().drop { $0 == 0x0A }.reversed())
          guard name == "state.json" || name == "manifest.json" else { continue }
          let json = try JSON(parsing: files[prefix + name] ?? []).object
          var kept = JSON.Object((json?.members ?? []).map { ($0.key, $0.value) })
          for key in ["newest", "replaced", "manifestSize"] { kept[key] = nil }
          if name == "manifest.json" {
            kept["apps"] = .array(try listed(root).keys.sorted().map { .string($0) })
          } else {
            kept["apps"] = withoutDigests(kept["apps"] ?? .null)
          }
          files[prefix + name] = JSON.object(kept).bytes()
        }
      }
    }
    try look(root ?? self.root, "")
    return files
  }
}
