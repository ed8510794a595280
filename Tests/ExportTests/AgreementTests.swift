import Export
import JSON
import Platform
import ReleaseModel
import Testing

/// What every format's clients conclude, held against the decision function, over random ledgers.
@Suite struct AgreementTests {
  private static let count = environment("PAWL_SEQUENCES").flatMap(UInt64.init) ?? 200
  private static let first = environment("PAWL_SEED").flatMap(UInt64.init) ?? 1

  /// What was found, for a format.
  private struct Tally: Sendable {
    var written = 0
    var refused = 0
    var questions = 0
    var prompts = 0
    var excused = 0
    var broken: [String] = []

    mutating func add(_ other: Tally) {
      written += other.written
      refused += other.refused
      questions += other.questions
      prompts += other.prompts
      excused += other.excused
      broken += other.broken
    }
  }

  private static func tally(_ body: @escaping @Sendable (UInt64) throws -> Tally) async throws -> Tally {
    try await withThrowingTaskGroup(of: Tally.self) { group in
      for seed in first..<(first + count) { group.addTask { try body(seed) } }
      var whole = Tally()
      for try await part in group { whole.add(part) }
      return whole
    }
  }

  @Test(arguments: ExportFormats.all.map(\.name))
  func `a client hears what was decided, or the export said that it does not`(name: String) async throws {
    let tally = try await AgreementTests.tally { seed in
      var app = try RandomApp(seed: seed)
      return try AgreementTests.compare(try format(name), &app, seed)
    }
    #expect(tally.broken.isEmpty, "\(tally.broken.count): \(tally.broken.prefix(5).joined(separator: "\n"))")
    // Formats that are mostly refused, clients that are never prompted, and warnings for everybody prove nothing.
    #expect(tally.written > Int(AgreementTests.count) / 2, "\(tally)")
    #expect(tally.prompts > tally.questions / 20, "\(tally)")
    #expect(tally.excused < tally.questions * 3 / 10, "\(tally)")
    if environment("PAWL_TALLY") != nil { print(name, tally) }
  }

  private static func compare(
    _ format: any DocumentFormat, _ app: inout RandomApp, _ seed: UInt64
  ) throws -> Tally {
    let sheet = app.stage.sheet
    let written = Written(format, sheet)
    var tally = Tally()
    if written.documents.isEmpty {
      tally.refused = 1
      // Only an app that has no clients of the format is without its documents.
      if written.remarks != ["export.not-for-app"] { tally.broken.append("\(seed): \(written.remarks)") }
      return tally
    }
    tally.written = 1
    let client = format.client(of: written.documents, app: "taxi")
    let deciders = app.clocks().map { Decider(app.stage.snapshot, at: $0) }
    let levels: [Version?] = try [nil] + app.levels()
    for release in sheet.known {
      let version = release.version
      let (folder, ending) = format.isSigned ? ("v1-signed", "jws") : ("v1", "json")
      let path = "\(folder)/taxi/\(version.text).\(ending)"
      let until = (written.documents[path] ?? written.documents["\(folder)/taxi/default.\(ending)"])
        .flatMap { try? JSON(parsing: $0) }?["validUntil"]?.string.flatMap { try? Timestamp($0) }
      let remarks = Set(written.warnings.filter { $0.versions.contains(version) }.map(\.id))
      for os in levels {
        let told = client(version, os) ?? Conclusion(.none)
        for decider in deciders {
          let decision = decider.decide(Client(version: version, os: os))
          tally.questions += 1
          if decision.action != .none { tally.prompts += 1 }
          if told.action == decision.action, told.leads(to: decision.url) { continue }
          let isExcused =
            (told.action < decision.action && remarks.contains("export.milder"))
            || (os != nil && remarks.contains("export.no-systems"))
            || (decider.moment > sheet.moment && remarks.contains("export.no-times"))
            || remarks.contains("export.dead-version")
            || (until.map { $0 <= decider.moment } ?? false)
          if isExcused {
            tally.excused += 1
          } else {
            tally.broken.append(
              "\(seed) \(format.name) \(version.text) os \(os?.text ?? "any") at \(decider.moment.text): "
                + "told \(told), decided \(decision.action) \(decision.url ?? "") \(written.remarks)")
          }
        }
      }
    }
    return tally
  }

  @Test func `a client with policy json decides as pawl does, at any time, of unknown versions too`()
    async throws
  {
    let tally = try await AgreementTests.tally { seed in
      var app = try RandomApp(seed: seed)
      let written = Written(try format("v1"), app.stage.sheet)
      let bytes = try #require(written.documents["v1/taxi/policy.json"])
      let client = try #require(PolicyClient(bytes))
      let known = app.stage.sheet.known
      let withheld = Set(written.warnings.filter { $0.id == "export.settings-withheld" }.flatMap(\.versions))
      let live = known.filter(\.wasReleased).map(\.version)
      let levels: [Version?] = try [nil] + app.levels()
      var tally = Tally()
      for moment in app.clocks() {
        let decider = Decider(app.stage.snapshot, at: moment)
        for version in try known.map(\.version) + app.strangers() {
          // Between two that were live, where one lies that was not and still may be, nobody is told anything.
          let lower = live.last { $0 < version } ?? .zero
          let isHidden =
            !live.contains(version) && live.contains { version < $0 }
            && known.contains { release in
              !release.wasReleased && lower < release.version
                && !live.contains { lower < $0 && $0 < release.version }
                && !known.contains { release.version < $0.version && $0.becameVisible(by: app.stage.now) }
            }
          for os in levels {
            let told = client.conclusion(version, os: os, at: moment)
            let decision = decider.decide(Client(version: version, os: os))
            tally.questions += 1
            if decision.action != .none { tally.prompts += 1 }
            let isAlike = told.action == decision.action && told.url == decision.url
            if !isAlike && !(isHidden && told.action == .none) {
              tally.broken.append(
                "\(seed) \(version.text) os \(os?.text ?? "any") at \(moment.text): \(told), \(decision)")
            }
          }
          let review = decider.decide(Client(version: version)).review
          let settings = decider.settings(of: version, inReview: review)
          // Above the newest that was live, a known version changes what unknown ones are told too.
          let isNear = known.contains { $0.version == version } || live.contains { version < $0 }
          if isNear, !isHidden, !withheld.contains(version), client.settings(version, at: moment) != settings
          {
            tally.broken.append(
              "\(seed) \(version.text): \(client.settings(version, at: moment)), not \(settings)")
          }
        }
      }
      return tally
    }
    #expect(tally.broken.isEmpty, "\(tally.broken.count): \(tally.broken.prefix(5).joined(separator: "\n"))")
    #expect(tally.prompts > tally.questions / 20, "\(tally)")
  }

  @Test func `no file speaks of a version that may yet be released, and every file can be read`() async throws
  {
    let tally = try await AgreementTests.tally { seed in
      let app = try RandomApp(seed: seed)
      let sheet = app.stage.sheet
      // Below one that clients were told of nothing can go live any more (law 1), and rules may say its number.
      let told = sheet.known.last { $0.becameVisible(by: app.stage.now) }?.version ?? .zero
      let hidden = Set(sheet.known.filter { !$0.wasReleased && told < $0.version }.map(\.version))
      var tally = Tally()
      for format in ExportFormats.all {
        for (path, bytes) in Written(format, sheet).documents {
          tally.questions += 1
          let isReadable =
            path.hasSuffix(".xml")
            ? Markup.Element(parsing: bytes) != nil : (try? JSON(parsing: bytes)) != nil
          if !isReadable { tally.broken.append("\(seed) \(path) cannot be read") }
          for version in AgreementTests.versions(in: bytes + Array(path.utf8)) where hidden.contains(version)
          {
            tally.broken.append("\(seed) \(path) names \(version.text)")
          }
        }
      }
      return tally
    }
    #expect(tally.broken.isEmpty, "\(tally.broken.count): \(tally.broken.prefix(5).joined(separator: "\n"))")
  }

  /// The versions of at least two components that stand in a text.
  private static func versions(in bytes: [UInt8]) -> [Version] {
    let point = UInt8(ascii: ".")
    return bytes.split { !(0x30...0x39).contains($0) && $0 != point }.filter { $0.contains(point) }.compactMap
    {
      var token = $0
      while token.last == point { token.removeLast() }
      while token.first == point { token.removeFirst() }
      return try? Version(String(decoding: token, as: UTF8.self))
    }
  }
}
