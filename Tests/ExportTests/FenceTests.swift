import Export
import JSON
import Platform
import ReleaseModel
import TestSupport
import Testing

@Suite struct FenceTests {
  fileprivate final class Site: World {
    var place: TemporaryDirectory { directory }
    var generation: Int64 {
      get { generations["taxi"] ?? 0 }
      set { generations["taxi"] = newValue }
    }

    init() throws {
      try super.init(["taxi": ["1.0", "2.0"]])
      formats = [ExportFormats.all[0]]
      try place.directory("outside")
      try place.write("theirs", to: "outside/1.0.json")
      try place.write("theirs", to: "outside/0")
    }

    /// Every name below the directory with its bytes, or what it is; links and pipes as themselves.
    func content(_ folder: String? = nil) throws -> [String: String] {
      var found: [String: String] = [:]
      for name in try fileNames(in: folder ?? place.path) {
        let path = "\(folder ?? place.path)/\(name)"
        let status = try FileStatus(of: path)
        switch status.kind {
        case .directory: found.merge(try content(path)) { $1 }
        case .regular: found[path] = String(decoding: try readFile(path, limit: 1 << 20), as: UTF8.self)
        default: found[path] = status.kind.words
        }
      }
      return found
    }

    /// Expects that an export names what is in the way, and leaves everything as it was.
    func refuses(_ path: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
      let before = try content()
      do {
        try export()
        Issue.record("exported over '\(path)'", sourceLocation: sourceLocation)
      } catch let found as Obstruction {
        #expect(found.path == "\(root)/\(path)", sourceLocation: sourceLocation)
      }
      #expect(try content() == before, sourceLocation: sourceLocation)
    }

    func modified(_ path: String) throws -> Int64 { try FileStatus(of: "\(root)/\(path)").modified }
  }

  enum Trap: CaseIterable {
    case link
    case danglingLink
    case pipe

    fileprivate func set(_ site: Site, at name: String, folder: Bool) throws {
      switch self {
      case .link: try site.place.link(name, to: site.place.file(folder ? "outside" : "outside/1.0.json"))
      case .danglingLink: try site.place.link(name, to: site.place.file("outside/new"))
      case .pipe: try site.place.pipe(name)
      }
    }
  }

  private static let folders = [".pawl", ".pawl/staging", "v1", "v1/taxi"]
  private static let files = [
    "manifest.json", "v1/taxi/1.0.json", "v1/taxi/default.json", ".pawl/state.json", ".pawl/lock",
  ]

  @Test(arguments: Trap.allCases, FenceTests.folders + FenceTests.files)
  func `an obstacle to an export is named, and nothing is written`(trap: Trap, name: String) throws {
    for wasExported in [false, true] {
      let site = try Site()
      let parts = name.split(separator: "/").map(String.init)
      if wasExported {
        try site.export()
        site.generation = 2
        let parent = try Directory.open(site.root + parts.dropLast().map { "/" + $0 }.joined())
        try parent.rename(parts.last ?? "", to: "aside", in: try Directory.open(site.place.path))
      } else {
        for count in parts.indices {
          try site.place.directory((["out"] + parts.prefix(count)).joined(separator: "/"))
        }
      }
      try trap.set(site, at: "out/" + name, folder: FenceTests.folders.contains(name))
      try site.refuses(name)
    }
  }

  @Test(arguments: [
    "v1/taxi/2.0.json", "v1/taxi/1.0.json", "v1/taxi", "flags/taxi/1.0.json", "flags", "manifest.json",
  ])
  func `a stop passes over an obstacle, names it and writes the rest`(name: String) throws {
    let site = try Site()
    site.formats = World.formats
    try site.add("taxi", name == "v1/taxi/2.0.json" ? ["1.0"] : ["1.0", "2.0"])
    try site.export()
    try site.add("taxi", ["1.0", "2.0"])
    site.snapshots["taxi"]?.line.app.isStopped = true
    (site.generation, site.purpose) = (9, .stop)
    let parts = name.split(separator: "/").map(String.init)
    let parent = try Directory.open(site.root + parts.dropLast().map { "/" + $0 }.joined())
    try? parent.rename(parts.last ?? "", to: "aside", in: try Directory.open(site.place.path))
    try site.place.link("out/" + name, to: site.place.file("outside"))
    #expect(refused { try site.export() }?.values["files"] == "'\(site.root)/\(name)'")
    for path in ["v1/taxi/1.0.json", "v1/taxi/2.0.json", "v1/taxi/schedule.json", "flags/taxi/1.0.json"]
    where !path.hasPrefix(name) {
      let text = try site.text(path)
      #expect(!text.contains("\"force\"") && !text.contains("\"needUpgrade\":\"1\""), "\(path): \(text)")
    }
    #expect(try site.text(name.hasPrefix("v1") ? "flags/taxi/2.0.json" : "v1/taxi/2.0.json").contains("0"))
    // It is not forgotten: once nothing is in the way, the next export writes it.
    #expect(try site.standing().behind == (name == "manifest.json" ? [] : ["taxi"]))
    removeFile("\(site.root)/\(name)")
    site.purpose = .now
    try site.export()
    #expect(try site.content().filter { $0.key.contains("/outside/") }.values.allSatisfy { $0 == "theirs" })
  }

  @Test func `a file of two names is neither read nor replaced`() throws {
    let site = try Site()
    try site.export()
    site.generation = 2
    removeFile(site.root + "/v1/taxi/1.0.json")
    try site.place.hardLink("out/v1/taxi/1.0.json", to: "outside/1.0.json")
    try site.refuses("v1/taxi/1.0.json")
  }

  @Test func `links and pipes in the staging folder are never written through`() throws {
    let site = try Site()
    try site.export()
    site.generation = 2
    try site.place.link("out/.pawl/staging/0", to: site.place.file("outside/0"))
    try site.place.hardLink("out/.pawl/staging/1", to: "outside/1.0.json")
    try site.place.pipe("out/.pawl/staging/2")
    #expect(try site.export().written == 4)
    for name in ["0", "1.0.json"] { #expect(try site.text("../outside/\(name)") == "theirs") }
  }

  @Test(arguments: ["manifest.json", "v1/taxi/2.0.json", "v1/taxi/schedule.json"])
  func `a foreign file is refused, even with the bytes that would be written`(name: String) throws {
    let site = try Site()
    try site.export()
    let bytes = try readFile("\(site.root)/\(name)", limit: 1 << 20)
    let fresh = try Site()
    try fresh.place.directory("out")
    try fresh.place.directory("out/v1")
    try fresh.place.directory("out/v1/taxi")
    try fresh.place.write(bytes, to: "out/" + name)
    try fresh.refuses(name)
  }

  @Test func `a foreign file that is not in the way stays, whatever its name`() throws {
    let site = try Site()
    try site.place.directory("out")
    for folder in ["v1", "v1/taxi", "v1/taxi/folder", "other", "lookup", "flags"] {
      try site.place.directory("out/" + folder)
    }
    let names = [
      "README.txt", ".htaccess", "v1/taxi/README.txt", "v1/taxi/9.9.json", "other/taxi.xml",
      "lookup/taxi.json",
      "v1/taxi.json", "flags/taxi.json", "v1/taxi/1.0.xml",
    ]
    for name in names { try site.place.write("theirs", to: "out/" + name) }
    try site.place.link("out/link", to: site.place.file("outside"))
    try site.place.link("out/v1/taxi/5.0.json", to: site.place.file("outside/1.0.json"))
    for _ in 1...3 {
      try site.export()
      site.generation += 1
      site.formats = site.generation == 3 ? [ExportFormats.all[1]] : [ExportFormats.all[0]]
    }
    // Nothing to do is nothing done, whatever lies beside.
    #expect(try site.export().written > 0)
    #expect(try site.export().written == 0)
    for name in names + ["v1/taxi/5.0.json"] { #expect(try site.text(name) == "theirs", "\(name)") }
    #expect(site.place.exists("out/v1/taxi/folder") && site.place.exists("out/link/0"))
  }

  @Test func `foreign files that the state lists are left alone`() throws {
    let site = try Site()
    try site.export()
    let paths = [
      "/../../../outside/1.0", "/README", "/../../README", "/..", "/.", "//1.0", "/1.0.json/../../x",
    ]
    let state = try #require(site.json(".pawl/state.json").object)
    var cell = try #require(state["apps"]?["taxi"]?["v1"]?.object)
    let names = paths.map { $0 + ".json" } + paths + [".json", "/9.9.json"]
    cell["files"] = .array(names.map { .string("\($0)=digest") })
    var hostile = state
    hostile["apps"] = [
      "taxi": ["v1": .object(cell)], "../outside": ["v1": .object(cell)], "": ["..": .object(cell)],
      "van": ["../..": .object(cell), "": .object(cell), ".pawl": .object(cell)],
    ]
    for (key, value) in [
      ("manifestSize", JSON.integer(.max)), ("newest", .integer(.max)),
    ] {
      hostile[key] = value
    }
    try publishFile(
      JSON.object(hostile).bytes(), as: site.root + "/.pawl/state.json", rights: 0o644, replaces: true)
    try site.place.write("theirs", to: "README.json")
    try site.place.write("theirs", to: "out/README.json")
    let before = try site.content().filter { !$0.key.contains("/out/v1/") && !$0.key.contains("/.pawl/") }
    // Its documents are there and not listed any more: somebody else's.
    #expect(throws: Obstruction.self) { try site.export() }
    for name in ["1.0", "2.0", "default", "schedule"] { removeFile("\(site.root)/v1/taxi/\(name).json") }
    site.generation = 2
    try site.export()
    let after = try site.content().filter { !$0.key.contains("/out/v1/") && !$0.key.contains("/.pawl/") }
    #expect(after.keys == before.keys)
    for (path, text) in before where !path.hasSuffix("manifest.json") {
      #expect(after[path] == text, "\(path)")
    }
  }

  @Test func `foreign files that the journal names are left alone`() throws {
    let site = try Site()
    try site.export()
    let lines = ["9 0 ../outside/0", "9 0 README.txt", "x 0 v1/taxi/9.9.json", "9 0 v1/taxi/9.8.json"]
    try publishFile(
      Array((lines.joined(separator: "\n")).utf8), as: site.root + "/.pawl/journal", rights: 0o644,
      replaces: true)
    for name in ["out/README.txt", "out/v1/taxi/9.9.json", "out/v1/taxi/9.8.json"] {
      try site.place.write("theirs", to: name)
    }
    // The last line has no end: it was never finished.
    #expect(try site.export().removed == 0)
    for name in ["out/README.txt", "out/v1/taxi/9.9.json", "out/v1/taxi/9.8.json", "outside/0"] {
      #expect(site.place.exists(name), "\(name)")
    }
    #expect(!site.place.exists("out/.pawl/journal"))
    // What a finished line names was put there, and is no longer a document.
    try publishFile(
      Array("9 0 v1/taxi/9.8.json\n".utf8), as: site.root + "/.pawl/journal", rights: 0o644, replaces: true)
    #expect(try site.export().removed == 1)
    #expect(!site.place.exists("out/v1/taxi/9.8.json"))
  }

  @Test(arguments: ["../../home", "..", "a/b", "", "Taxi", "taxi.json", ".pawl", "-taxi"])
  func `an app whose name is not a slug is refused`(slug: String) throws {
    let site = try Site()
    (site.snapshots, site.generations) = ([:], [:])
    try site.add(slug, ["1.0"])
    let before = try site.content()
    #expect(refused { try site.export() }?.values["place"] == slug)
    #expect(try site.content() == before)
  }

  @Test func `a world-writable directory is refused`() throws {
    let site = try Site()
    try site.export()
    site.generation = 2
    for (name, rights) in [("out", 0o777), ("out", 0o1777), ("out/v1", 0o777), ("out/.pawl", 0o777)]
      as [(String, UInt32)]
    {
      try site.place.setRights(rights, of: name)
      let before = try site.content()
      #expect(throws: UnsafeDirectory.self, "\(name)") { try site.export() }
      #expect(try site.content() == before)
      try site.place.setRights(0o755, of: name)
    }
    try site.export()
  }

  @Test func `nothing is written until this host has agreed`() throws {
    let site = try Site()
    site.isGiven = false
    #expect(refused { try site.export() }?.key == "export.unmarked")
    #expect(!site.place.exists("out"))
    try site.place.directory("out")
    #expect(refused { try site.export() }?.key == "export.unmarked")
    try site.place.directory("out/.pawl")
    #expect(refused { try site.export() }?.key == "export.unmarked")
    #expect(try fileNames(in: site.root + "/.pawl") == [])
    site.isGiven = true
    try site.export()
    site.isGiven = false
    site.generation = 2
    #expect(try site.export().written == 4)
    // A mark of somebody who may not change the ledger does not count.
    site.trusts = { _ in false }
    site.generation = 3
    #expect(refused { try site.export() }?.key == "export.unmarked")
    site.trusts = { _ in true }
    site.ledger = "another"
    #expect(refused { try site.export() }?.key == "export.other-ledger")
  }

  /// One state of an address: what a web server tells it from others by, and what a client gets.
  private struct Served: Hashable {
    let size: Int64
    let modified: Int64
    let bytes: [UInt8]

    /// What `nginx.conf` answers with: the file of a version, or the one for versions without a file.
    init(_ site: Site, _ path: String) throws {
      let own = "\(site.root)/flags/taxi/\(path)"
      let file = (try? FileStatus(of: own)) == nil ? "\(site.root)/flags/taxi/default.json" : own
      let status = try FileStatus(of: file)
      (size, modified) = (status.size, status.modified)
      bytes = try readFile(file, limit: 1 << 20)
    }
  }

  @Test func `no two states of a document share size and time, and no time is in the future`() throws {
    let site = try Site()
    site.formats = ExportFormats.all.filter { $0.name == "flags" }
    let addresses = ["1.0.json", "1.1.json", "2.0.json", "default.json"]
    var states: [String: Set<Served>] = [:]
    // Documents go and come back, and others of the same length stand in for them, many times a second.
    for versions in Array(repeating: [["1.0", "2.0"], ["1.0", "1.1"], ["2.0"], ["1.1", "2.0"]], count: 12)
      .joined()
    {
      try site.add("taxi", versions)
      try site.export()
      let now = secondsNow()
      for address in addresses {
        let state = try Served(site, address)
        #expect(state.modified <= now)
        states[address, default: []].insert(state)
      }
    }
    for (address, states) in states {
      let tags = Set(states.map { [$0.size, $0.modified] })
      #expect(tags.count == states.count, "\(address)")
    }
  }

  @Test func `a document written again within a second is one line feed longer`() throws {
    let site = try Site()
    var sizes: [Int64: Int64] = [:]
    for _ in 1...5 {
      site.generation = 10 + (site.generation + 1) % 80
      #expect(try site.export().written == 4)
      let status = try FileStatus(of: site.root + "/v1/taxi/1.0.json")
      let earlier = sizes.updateValue(status.size, forKey: status.modified)
      #expect(earlier.map { status.size == $0 + 1 } ?? true)
      // It is one document all the same.
      #expect(try site.export().written == 0)
      let bytes = try readFile(site.root + "/v1/taxi/1.0.json", limit: 1 << 20)
      let listed = try site.json("manifest.json")
      #expect(listed["apps"]?["taxi"]?["files"]?["v1/taxi/1.0.json"]?.string == sha256(bytes))
    }
  }

  @Test func `files that are written in one run have the time of that run`() throws {
    let site = try Site()
    let versions = (1...300).map { "1.\($0)" }
    try site.add("taxi", versions)
    let before = secondsNow()
    try site.export()
    let after = secondsNow()
    for version in versions {
      #expect((before...after).contains(try site.modified("v1/taxi/\(version).json")))
    }
  }

  @Test func `the default document gets a new time when a version's file is removed`() throws {
    let site = try Site()
    // Documents that do not bear the number of an event, so that they stay as they are.
    site.formats = ExportFormats.all.filter { $0.name == "flags" }
    try site.export()
    let folder = try Directory.open(site.root + "/flags/taxi")
    // Both were last written long ago, at one moment.
    for name in ["1.0.json", "default.json"] { try folder.setModified(name, to: 1_000_000_000) }
    try site.add("taxi", ["2.0"])
    #expect(try site.export().removed == 1)
    #expect(try site.modified("flags/taxi/default.json") > 1_000_000_000)
  }

  @Test func `a format no longer wanted is removed with its folders, and foreign files stay`() throws {
    let site = try Site()
    site.formats = ExportFormats.all.filter { ["v1", "flags", "lookup"].contains($0.name) }
    try site.export()
    try site.place.write("theirs", to: "out/lookup/README.txt")
    site.formats = [ExportFormats.all[0]]
    let report = try site.export()
    #expect(report.removed == 4 && report.written == 0 && report.files == 4)
    #expect(!site.place.exists("out/flags") && site.place.exists("out/lookup/README.txt"))
    let before = try site.content()
    let again = try site.export()
    #expect(again.removed == 0 && again.written == 0 && again.unchanged == 4)
    #expect(try site.content() == before)
    // What the directory holds counts where nobody says anything.
    site.formats = nil
    site.generation = 2
    #expect(try site.export().written == 4)
    #expect(!site.place.exists("out/flags"))
    let manifest = try site.json("manifest.json")
    #expect(
      manifest["apps"]?["taxi"]?["files"]?.object?.members.allSatisfy { $0.key.hasPrefix("v1/") } == true)
  }
}
