import Export
import JSON
import Platform
import ReleaseModel
import TestSupport
import Testing

@Suite struct ExporterTests {
  private static let formats = ExportFormats.all.filter { ["v1", "flags"].contains($0.name) }

  /// A directory, and the apps whose documents go there.
  private final class World {
    let directory: TemporaryDirectory
    var snapshots: [String: Snapshot] = [:]
    var generations: [String: Int64] = [:]
    var moment = noon
    var ledger = "0123456789abcdef0123456789abcdef"
    var file = "host:1@2.3:/srv/pawl.db"
    var purpose = Exporter.Purpose.now
    var formats: [any DocumentFormat]? = ExporterTests.formats
    /// Whether somebody names the directory, and whose marks count.
    var isGiven = true
    var trusts: (FileStatus) -> Bool = { _ in true }
    /// The hashes of the ledger's events.
    var hashes = ["first"]
    /// The apps whose answers were asked for.
    var asked: [String] = []
    /// Called each time before an app's answers are handed over, with how often that happened.
    var onAsking: (Int) throws -> Void = { _ in }
    /// The moments that documents were said to be written for.
    var told: [Timestamp] = []

    init() throws {
      directory = try TemporaryDirectory()
      try add("taxi", ["1.0", "1.1", "2.0"])
      try add("van", ["5.0"])
    }

    var root: String { directory.file("out") }

    func add(_ slug: String, _ versions: [String]) throws {
      var app = App(slug: slug, bundleID: "com.example.\(slug)")
      app.appleID = 7
      var line = ReleaseLine(app: app)
      for (index, text) in versions.enumerated() {
        let at = later(Int64(index) - 1_000)
        var release = Release(
          id: Int64(index + 1), version: try Version(text),
          state: index == versions.count - 1 ? .live : .superseded, since: at)
        release.liveAt = at
        release.visibleAt = at
        line.releases.append(release)
      }
      snapshots[slug] = Snapshot(line: line)
      generations[slug, default: 0] += 1
    }

    @discardableResult
    func export(to root: String? = nil, apps: Set<String> = []) throws -> ExportReport {
      asked = []
      return try exporter(root ?? self.root, apps: apps).export(source(), wait: 5)
    }

    func exporter(_ root: String, apps: Set<String> = []) throws -> Exporter {
      let group = try FileStatus(of: directory.path).group
      return Exporter(
        root: root, formats: formats, at: moment, includesUnreleased: false,
        agreement: Export.Agreement(isGiven: isGiven, group: group, trusts: trusts), apps: apps,
        purpose: purpose)
    }

    func source() throws -> ExportSource {
      ExportSource(ledger: ledger, file: try #require(FileIdentity(file))) {
        ExportHead(seq: Int64(self.hashes.count), hash: self.hashes.last ?? "")
      } hash: { seq in
        (1...self.hashes.count).contains(Int(seq)) ? self.hashes[Int(seq) - 1] : nil
      } generations: {
        self.generations.map { (slug: $0.key, generation: $0.value) }.sorted { $0.slug < $1.slug }
      } sheet: { slug in
        self.asked.append(slug)
        try self.onAsking(self.asked.count)
        let snapshot = try #require(self.snapshots[slug])
        let generation = self.generations[slug] ?? 0
        return AppAnswers(
          snapshot, Schedule(snapshot, from: noon), at: self.moment, generation: generation,
          hash: "", ledger: self.ledger, includesUnreleased: false)
      } tell: {
        self.told.append($0)
      }
    }

    func standing(_ generations: [(slug: String, generation: Int64)]) throws -> ExportStanding {
      let file = try #require(FileIdentity(file))
      let found = try Exporter.standing(
        in: root, of: ledger, file: file, agreement: exporter(root).agreement, generations: generations
      ) { seq in
        (1...hashes.count).contains(Int(seq)) ? hashes[Int(seq) - 1] : nil
      }
      return try #require(found)
    }

    func text(_ path: String) throws -> String {
      String(decoding: try readFile("\(root)/\(path)", limit: 1 << 20), as: UTF8.self)
    }

    func json(_ path: String) throws -> JSON {
      try JSON(parsing: readFile("\(root)/\(path)", limit: 1 << 20))
    }

    /// The v1 documents of the second generation.
    func silenced() throws -> Set<String> {
      Set(
        try tree().keys.filter { path in
          try path.hasPrefix("v1/") && json(path)["generation"] == 2
        })
    }

    /// The digests that the manifest lists, by path.
    func listed(_ root: String? = nil) throws -> [String: String] {
      var listed: [String: String] = [:]
      let manifest = try JSON(parsing: readFile("\(root ?? self.root)/manifest.json", limit: 1 << 20))
      for app in manifest["apps"]?.object?.members ?? [] {
        for file in app.value["files"]?.object?.members ?? [] { listed[file.key] = file.value.string }
      }
      return listed
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
            files[prefix + name] = Array(
              (files[prefix + name] ?? []).reversed().drop { $0 == 0x0A }.reversed())
            guard name == "state.json" || name == "manifest.json" else { continue }
            let json = try JSON(parsing: files[prefix + name] ?? []).object
            var kept = JSON.Object((json?.members ?? []).map { ($0.key, $0.value) })
            for key in ["newest", "replaced", "manifest", "manifestSize"] { kept[key] = nil }
            if name == "manifest.json" {
              kept["apps"] = .array(try listed(root).keys.sorted().map { .string($0) })
            }
            files[prefix + name] = JSON.object(kept).bytes()
          }
        }
      }
      try look(root ?? self.root, "")
      return files
    }
  }

  @Test func `every version that was live gets a file, and so do the others together`() throws {
    let world = try World()
    let report = try world.export()
    #expect(report.written == 14)
    #expect(report.files == 14)
    #expect(
      Set(try world.tree().keys) == [
        "v1/taxi/1.0.json", "v1/taxi/1.1.json", "v1/taxi/2.0.json", "v1/taxi/default.json",
        "v1/taxi/schedule.json",
        "v1/van/5.0.json", "v1/van/default.json", "v1/van/schedule.json", "flags/taxi/1.0.json",
        "flags/taxi/1.1.json", "flags/taxi/2.0.json", "flags/taxi/default.json", "flags/van/5.0.json",
        "flags/van/default.json", "manifest.json", ".pawl/state.json",
      ])
  }

  @Test func `the manifest has the digest of every file and no other`() throws {
    let world = try World()
    try world.export()
    let files = try world.tree().filter { $0.key.hasPrefix("v1/") || $0.key.hasPrefix("flags/") }
    #expect(try world.listed() == files.mapValues { sha256($0) })
    #expect(try world.json("manifest.json")["apps"]?["taxi"]?["generation"]?.integer == 1)
  }

  @Test func `an export with nothing to do asks for nothing and touches nothing`() throws {
    let world = try World()
    try world.export()
    let before = try world.tree()
    let report = try world.export()
    #expect(world.asked == [])
    #expect(report.written == 0 && report.removed == 0 && report.unchanged == 14 && report.files == 14)
    #expect(try world.tree() == before)
  }

  @Test func `after one change only that app is looked at, and only what differs is written`() throws {
    let world = try World()
    try world.export()
    try world.add("taxi", ["1.0", "1.1", "2.0", "2.1"])
    let report = try world.export()
    #expect(world.asked == ["taxi"])
    // Each v1 document carries the generation; of the flags only the new version's are new, and 2.0's stay: a patch.
    #expect(report.removed == 0)
    #expect(report.files == 16)
    #expect(try world.json("v1/taxi/1.0.json")["generation"]?.integer == 2)
    #expect(try world.json("manifest.json")["apps"]?["van"]?["files"]?.object?.members.count == 5)
  }

  @Test func `a moment of change that has passed makes the app due again`() throws {
    let world = try World()
    world.snapshots["taxi"]?.line.rules = [
      Rule(number: 1, range: try VersionRange("1.0"), action: .none, from: later(3_600))
    ]
    #expect(try world.export().nextChange == later(3_600))
    #expect(try world.json("v1/taxi/1.0.json")["validUntil"]?.string == later(3_600).text)
    #expect(try world.json("v1/taxi/2.0.json")["validUntil"] == .null)
    world.moment = later(3_599)
    try world.export()
    #expect(world.asked == [])
    world.moment = later(3_600)
    #expect(try world.export().nextChange == nil)
    #expect(world.asked == ["taxi"])
    #expect(try world.json("v1/taxi/1.0.json")["action"]?.string == "none")
    #expect(try world.json("v1/taxi/1.0.json")["validFrom"]?.string == later(3_600).text)
    // Going back with --at is no reason to keep what came after.
    world.moment = later(10)
    try world.export()
    #expect(world.asked == ["taxi"])
    #expect(try world.json("v1/taxi/1.0.json")["action"]?.string == "force")
  }

  @Test func `what is no document any more is removed, and what is missing comes back`() throws {
    let world = try World()
    try world.export()
    let before = try world.tree()
    removeFile(world.root + "/flags/van/5.0.json")
    #expect(try world.export().written == 1)
    #expect(try world.tree() == before)
    removeFile(world.root + "/manifest.json")
    try world.export()
    #expect(try world.tree() == before)
    world.snapshots["taxi"]?.line.releases.removeFirst()
    world.generations["taxi"] = 2
    #expect(try world.export().removed == 2)
    #expect(
      Set(before.keys).subtracting(try world.tree().keys) == ["v1/taxi/1.0.json", "flags/taxi/1.0.json"])
  }

  @Test func `a manifest that somebody altered is not built upon`() throws {
    let world = try World()
    try world.export()
    let before = try world.tree()
    var bytes = try #require(before["manifest.json"])
    bytes[bytes.count / 2] ^= 1
    try publishFile(bytes, as: world.root + "/manifest.json", rights: 0o644, replaces: true)
    try world.add("taxi", ["1.0", "1.1", "2.0"])
    try world.export()
    #expect(try world.json("manifest.json")["apps"]?["van"]?["files"]?.object?.members.count == 5)
    #expect(try world.tree()["v1/van/5.0.json"] == before["v1/van/5.0.json"])
  }

  @Test func `what an interrupted export left in its folder is removed`() throws {
    let world = try World()
    try world.export()
    try publishFile([1, 2, 3], as: world.root + "/.pawl/staging/77", rights: 0o600, replaces: true)
    try world.add("van", ["5.0", "5.1"])
    try world.export()
    #expect(try fileNames(in: world.root + "/.pawl/staging") == [])
  }

  @Test func `one app or one format at a time leaves the others as they are`() throws {
    let world = try World()
    try world.export(apps: ["van"])
    #expect(Set(try world.tree().keys.filter { $0.contains("taxi") }) == [])
    world.formats = ExporterTests.formats.filter { $0.name == "flags" }
    try world.export(apps: ["taxi"])
    #expect(try world.tree().keys.contains("v1/van/5.0.json"))
    world.formats = ExporterTests.formats
    try world.export()
    let other = try World()
    try other.export()
    #expect(try world.tree() == other.tree())
  }

  @Test func `the same ledger and moment give the same bytes, in whatever steps`() throws {
    let world = try World()
    world.snapshots["taxi"]?.line.rules = [
      Rule(number: 1, range: try VersionRange("1.0"), action: .force, from: later(60), reason: "because")
    ]
    try world.export()
    world.moment = later(30)
    try world.add("van", ["5.0", "6.0"])
    try world.export()
    world.moment = later(90)
    try world.export()
    let fresh = world.directory.file("fresh")
    try world.export(to: fresh)
    #expect(try world.tree() == world.tree(fresh))
  }

  @Test func `documents of another ledger, file or past are not overwritten`() throws {
    let world = try World()
    world.hashes = ["first", "second"]
    try world.export()
    let before = try world.tree()
    world.hashes = ["first"]
    #expect(throws: ExportError.forked(world.root, seq: 2)) { try world.export() }
    world.hashes = ["first", "other", "third"]
    #expect(throws: ExportError.forked(world.root, seq: 2)) { try world.export() }
    world.hashes = ["first", "second"]
    let owner = try #require(FileIdentity(world.file))
    for file in ["host:2@2.3:/srv/copy.db", "host:1@2.4:/srv/copy.db", "other:1@2.3:/srv/pawl.db"] {
      world.file = file
      #expect(throws: ExportError.otherCopy(world.root, owner: owner)) { try world.export() }
      #expect(try world.standing([]).owner == owner)
    }
    world.ledger = "another"
    #expect(throws: TreeError.otherLedger(world.root)) { try world.export() }
    #expect(try world.tree() == before)
  }

  @Test func `a file that was moved or put back keeps its directory`() throws {
    let world = try World()
    try world.export()
    for file in ["host:9@9.9:/srv/pawl.db", "host:9@9.9:/moved/pawl.db", "host:-:/moved/pawl.db"] {
      world.file = file
      try world.export()
      #expect(try world.json(".pawl/state.json")["file"]?.string == file)
    }
    // Without a birth time a number says nothing.
    world.file = "host:-:/other.db"
    #expect(throws: ExportError.self) { try world.export() }
  }

  @Test func `a stop silences stopped apps in documents of another past, and nothing else`() throws {
    let world = try World()
    world.hashes = ["first", "second", "third"]
    try world.export()
    let before = try world.tree()
    #expect(before["v1/taxi/1.0.json"].map { String(decoding: $0, as: UTF8.self).contains("force") } == true)
    world.hashes = ["first", "other"] + Array(repeating: "later", count: 3)
    world.purpose = .stop
    world.snapshots["taxi"]?.line.app.isStopped = true
    world.generations = ["taxi": 5, "van": 4]
    let report = try world.export()
    #expect(report.isForked && report.written > 5 && report.removed == 0)
    let after = try world.tree()
    for (path, bytes) in before where path.contains("/van/") { #expect(after[path] == bytes, "\(path)") }
    for path in after.keys where path.hasPrefix("v1/taxi/") && !path.hasSuffix("schedule.json") {
      #expect(try world.json(path)["action"] == "none" && world.json(path)["generation"] == 5, "\(path)")
    }
    for (path, digest) in try world.listed() where path.contains("/taxi/") {
      #expect(try sha256(readFile("\(world.root)/\(path)", limit: 1 << 20)) == digest, "\(path)")
    }
    // Said again, it changes nothing, and the others are still nobody's to replace.
    #expect(try world.export().written == 0)
    world.purpose = .now
    #expect(throws: ExportError.forked(world.root, seq: 3)) { try world.export() }
    world.purpose = .takeOver
    world.generations = ["taxi": 5, "van": 5]
    #expect(throws: ExportError.forked(world.root, seq: 3)) { try world.export() }
    world.hashes.append("take-over")
    world.generations = ["taxi": 6, "van": 6]
    try world.export()
    world.purpose = .now
    #expect(try world.export().written == 0)
    #expect(try world.json("v1/van/5.0.json")["generation"] == 6)
  }

  @Test func `a stop writes what prompts, and what speaks of many versions, before the rest`() throws {
    let world = try World()
    world.snapshots["taxi"]?.line.rules = [
      Rule(number: 1, range: try VersionRange("1.1"), action: .none)
    ]
    try world.export()
    for slug in ["taxi", "van"] {
      world.snapshots[slug]?.line.app.isStopped = true
      world.generations[slug] = 2
    }
    world.purpose = .stop
    // What is written first is put in place, of all apps, before the rest is made.
    var seen: Set<String> = []
    world.onAsking = { count in
      if count == 3 { seen = try world.silenced() }
    }
    try world.export()
    #expect(
      seen == [
        "v1/taxi/1.0.json", "v1/taxi/schedule.json", "v1/taxi/default.json", "v1/van/schedule.json",
        "v1/van/default.json",
      ])
    #expect(try world.silenced().count == 8)
  }

  @Test func `an export waits for another one, and gives up in time`() throws {
    let world = try World()
    try world.export()
    let lock = try FileLock(world.root + "/.pawl/lock", rights: 0o644)
    #expect(try lock.take(waiting: 0))
    #expect(throws: TreeError.busy(world.root)) {
      try world.exporter(world.root).export(world.source(), wait: 0)
    }
    lock.release()
    #expect(try world.export().written == 0)
  }

  @Test func `everybody may read documents, and only the owner what pawl keeps for itself`() throws {
    let world = try World()
    try world.export()
    for path in try world.tree().keys {
      let rights: UInt32 = path.hasPrefix(".pawl/") ? 0o600 : 0o644
      #expect(try FileStatus(of: "\(world.root)/\(path)").rights == rights, "\(path)")
    }
    #expect(try FileStatus(of: "\(world.root)/.pawl/lock").rights == 0o600)
    for folder in ["", "v1", "v1/taxi", "flags", "flags/van"] {
      #expect(try FileStatus(of: "\(world.root)/\(folder)").rights == 0o755, "\(folder)")
    }
    #expect(try FileStatus(of: "\(world.root)/.pawl").rights == 0o700)
  }

  @Test func `documents stand behind where an app has a newer event, and say when they are due`() throws {
    let world = try World()
    let asked = [(slug: "taxi", generation: Int64(1)), (slug: "van", generation: Int64(1))]
    #expect(try world.standing(asked).behind == ["taxi", "van"])
    try world.export()
    #expect(try world.standing(asked).behind == [])
    let later = [(slug: "taxi", generation: Int64(2)), (slug: "van", generation: Int64(1))]
    #expect(try world.standing(later).behind == ["taxi"])
  }
}
