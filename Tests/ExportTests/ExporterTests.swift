import Export
import JSON
import Platform
import ReleaseModel
import TestSupport
import Testing

@Suite struct ExporterTests {
  @Test func `every version that was live gets a file, and all others share one`() throws {
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

  @Test func `an export with nothing to do reads no app and changes no file`() throws {
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

  @Test func `a file that is no longer a document is removed, and a missing one restored`() throws {
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

  @Test func `an altered manifest is not used`() throws {
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

  @Test func `files that an interrupted export left in staging are removed`() throws {
    let world = try World()
    try world.export()
    try publishFile([1, 2, 3], as: world.root + "/.pawl/staging/77", rights: 0o600, replaces: true)
    try world.add("van", ["5.0", "5.1"])
    try world.export()
    #expect(try fileNames(in: world.root + "/.pawl/staging") == [])
  }

  @Test func `what an interrupted run put in place is looked at again`() throws {
    let world = try World()
    try world.export()
    world.snapshots["taxi"]?.line.app.isStopped = true
    (world.generations["taxi"], world.purpose) = (2, .stop)
    world.hashes.append("second")
    let stop = try world.exporter(world.root)
    #expect(throws: CancellationError.self) { try stop.export(world, wait: 5) { throw CancellationError() } }
    #expect(try world.silenced().contains("v1/taxi/1.0.json"))
    // Clients were told of its event, which a ledger restored from before does not have.
    (world.purpose, world.hashes) = (.now, ["first"])
    #expect(refused { try world.export() }?.details["seq"] == 2)
    #expect(try world.standing().served == 2)
    world.snapshots["taxi"]?.line.app.isStopped = false
    (world.generations["taxi"], world.hashes) = (3, ["first", "second", "third"])
    try world.export()
  }

  @Test func `exporting one app or one format leaves the others as they are`() throws {
    let world = try World()
    try world.export(apps: ["van"])
    #expect(Set(try world.tree().keys.filter { $0.contains("taxi") }) == [])
    world.formats = World.formats.filter { $0.name == "flags" }
    try world.export(apps: ["taxi"])
    #expect(try world.tree().keys.contains("v1/van/5.0.json"))
    world.formats = World.formats
    try world.export()
    let other = try World()
    try other.export()
    #expect(try world.tree() == other.tree())
  }

  @Test func `the same ledger and moment give the same bytes, whatever was exported before`() throws {
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
    #expect(refused { try world.export() }?.details["seq"] == 2)
    world.hashes = ["first", "other", "third"]
    #expect(refused { try world.export() }?.details["seq"] == 2)
    world.hashes = ["first", "second"]
    let owner = world.file
    for file in ["host:2@2.3:/srv/copy.db", "host:1@2.4:/srv/copy.db", "other:1@2.3:/srv/pawl.db"] {
      world.file = try #require(FileIdentity(file))
      #expect(refused { try world.export() }?.details["file"]?.string == owner.path)
      #expect(try world.standing().owner?.hasPrefix("'\(owner.path)'") == true)
    }
    world.ledger = "another"
    #expect(refused { try world.export() }?.key == "export.other-ledger")
    #expect(try world.tree() == before)
  }

  @Test func `a ledger that was moved or restored keeps its directory`() throws {
    let world = try World()
    try world.export()
    for file in ["host:9@9.9:/srv/pawl.db", "host:9@9.9:/moved/pawl.db", "host:-:/moved/pawl.db"] {
      world.file = try #require(FileIdentity(file))
      try world.export()
      #expect(try world.json(".pawl/state.json")["file"]?.string == file)
    }
    // Without a birth time a number says nothing.
    world.file = try #require(FileIdentity("host:-:/other.db"))
    #expect(refused { try world.export() }?.key == "export.other-copy")
  }

  @Test func `in documents of another past a stop changes only the stopped apps`() throws {
    let world = try World()
    world.hashes = ["first", "second", "third"]
    try world.export()
    let before = try world.tree()
    #expect(before["v1/taxi/1.0.json"].map { String(decoding: $0, as: UTF8.self).contains("force") } == true)
    let served = try world.exporter(world.root).served()
    #expect(served.keys.sorted() == ["taxi", "van"])
    world.hashes = ["first", "other"] + Array(repeating: "later", count: 3)
    world.purpose = .stop
    world.snapshots["taxi"]?.line.app.isStopped = true
    world.generations = ["taxi": 5, "van": 4]
    let report = try world.export()
    #expect(report.written > 5 && report.removed == 0)
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
    #expect(refused { try world.export() }?.details["seq"] == 3)
    world.purpose = .takeOver
    world.generations = ["taxi": 5, "van": 5]
    #expect(refused { try world.export() }?.details["seq"] == 3)
    world.hashes.append("take-over")
    world.generations = ["taxi": 6, "van": 6]
    try world.export()
    world.purpose = .now
    #expect(try world.export().written == 0)
    #expect(try world.json("v1/van/5.0.json")["generation"] == 6)
  }

  @Test func `a bound is spelled as its version is, however others are`() throws {
    let world = try World(["taxi": ["1.0", "1.1", "2.0.0"]])
    world.formats = ExportFormats.all.filter { $0.name == "lookup" }
    try world.export()
    #expect(try world.json("lookup/taxi.json")["results"]?.array?.first?["version"] == "2.0.0")
  }

  @Test(arguments: [false, true])
  func `a stop first writes documents that prompt and those for many versions`(onOlderSystems: Bool) throws {
    let world = try World()
    if onOlderSystems {
      world.snapshots["taxi"]?.line.app.policy = try #require(SegmentPolicy("none,remind"))
      var newest = try #require(world.snapshots["taxi"]?.line.known.last)
      newest.minOS = try Version("17.0")
      world.snapshots["taxi"]?.line.put(newest)
    }
    world.snapshots["taxi"]?.line.rules = [Rule(number: 1, range: try VersionRange("1.1"), action: .none)]
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
    #expect(seen == ["v1/taxi/1.0.json", "v1/taxi/schedule.json", "v1/van/schedule.json"])
    #expect(try world.silenced().count == 8)
  }

  @Test func `an export that may not wait for another one is refused as busy`() throws {
    let world = try World()
    try world.export()
    let lock = try FileLock(world.root + "/.pawl/lock", rights: 0o644)
    #expect(try lock.take(waiting: 0))
    let exporter = try world.exporter(world.root)
    #expect(refused { try exporter.export(world, wait: 0) }?.key == "export.busy")
    lock.release()
    #expect(try world.export().written == 0)
  }

  @Test func `everyone may read documents, and only the owner pawl's own files`() throws {
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

  @Test func `documents are behind if their app has a newer event`() throws {
    let world = try World()
    #expect(try world.standing().behind == ["taxi", "van"])
    try world.export()
    #expect(try world.standing().behind == [])
    world.generations["taxi"] = 2
    world.asked = []
    #expect(try world.standing().behind == ["taxi"])
    #expect(world.asked == [], "its documents bear the number of the event")
  }
}
