import Export
import JSON
import ReleaseModel
import TestSupport
import Testing

@Suite struct AgreementTests {
  private static let count = environmentNumber("PAWL_SEQUENCES", else: 200)
  private static let seeds: Range<Int> = {
    let first = environmentNumber("PAWL_SEED", else: 1)
    return first..<first + count
  }()

  @Test(arguments: ExportFormats.all.map(\.name))
  func `a client concludes what was decided, unless the export warned of it`(name: String) async throws {
    let tally = try await Tally.of(AgreementTests.seeds) { seed, tally in
      var app = try RandomApp(seed: UInt64(seed))
      try AgreementTests.compare(try format(name), &app, seed, &tally)
    }
    #expect(tally.broken.isEmpty, "\(tally.broken.count): \(tally.broken.prefix(5).joined(separator: "\n"))")
    // Formats that are mostly refused, clients that are never prompted, and warnings for everybody prove nothing.
    #expect(tally.written > AgreementTests.count / 2, "\(tally)")
    #expect(tally.prompts > tally.questions / 20, "\(tally)")
    #expect(tally.excused < tally.questions * 3 / 10, "\(tally)")
  }

  private static func compare(
    _ format: any DocumentFormat, _ app: inout RandomApp, _ seed: Int, _ tally: inout Tally
  ) throws {
    let answers = app.stage.answers()
    let written = Written(format, answers)
    if written.documents.isEmpty {
      // Only an app that has no clients of the format is without its documents.
      if written.remarks != ["export.not-for-app"] { tally.broken.append("\(seed): \(written.remarks)") }
      return
    }
    tally.written += 1
    let client = format.client(of: written.documents, app: "taxi", at: app.stage.now)
    let deciders = app.clocks().map { Decider(app.stage.snapshot, at: $0) }
    let levels: [Version?] = try [nil] + app.levels()
    for release in answers.known {
      let version = release.version
      let (folder, ending) = format.isSigned ? ("v1-signed", "jws") : ("v1", "json")
      let path = "\(folder)/taxi/\(version.text).\(ending)"
      let until = (written.documents[path] ?? written.documents["\(folder)/taxi/default.\(ending)"])
        .flatMap { try? JSON(parsing: $0) }?["validUntil"]?.string.flatMap { try? Timestamp($0) }
      let released = answers.known.filter(\.state.isReleased)
      let needed = (released.last { $0.version <= version } ?? released.first)?.minOS
      let remarks = Set(written.warnings.filter { $0.versions.contains(version) }.map(\.id))
      for os in levels {
        let told = client(version, os) ?? Prompt(.none)
        for decider in deciders {
          let decision = decider.decide(Client(version: version, os: os))
          tally.questions += 1
          if decision.action != .none { tally.prompts += 1 }
          if told.action == decision.action, told.leads(to: decision.url) { continue }
          let isExcused =
            (told.action < decision.action && remarks.contains("export.milder"))
            // What is milder on a system that the client runs on is said to be.
            || (remarks.contains("export.no-systems")
              && os.map { told.action >= decision.action || $0 < needed ?? .zero } ?? false)
            || (decider.moment > answers.moment && remarks.contains("export.no-times"))
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
  }

  @Test func `a schedule client concludes what is decided for any version, system and time`() async throws {
    let tally = try await Tally.of(AgreementTests.seeds) { seed, tally in
      var app = try RandomApp(seed: UInt64(seed))
      // A schedule starts at its generation's moment.
      let start = app.stage.now - TimeSpan(seconds: seed % 2 == 0 ? 0 : 100_000)
      let written = Written(try format("v1"), app.stage.answers(since: start))
      let bytes = try #require(written.documents["v1/taxi/schedule.json"])
      let known = app.stage.answers().known
      let levels: [Version?] = try [nil] + app.levels()
      let anybody = try (0..<20).map { _ in try app.anybody() }
      for moment in app.clocks() {
        let client = try #require(ScheduleClient(bytes, at: moment))
        let decider = Decider(app.stage.snapshot, at: moment)
        for version in try known.map(\.version) + app.strangers() + anybody {
          for os in levels {
            let told = client.conclusion(version, os: os)
            let decision = decider.decide(Client(version: version, os: os))
            tally.questions += 1
            if decision.action != .none { tally.prompts += 1 }
            if told != Prompt(decision.action, url: decision.url) {
              tally.broken.append(
                "\(seed) \(version.text) os \(os?.text ?? "any") at \(moment.text): \(told as Any), \(decision)"
              )
            }
          }
          let review = decider.decide(Client(version: version)).review
          let settings = decider.settings(of: version, inReview: review)
          if client.settings(version) != settings {
            tally.broken.append(
              "\(seed) \(version.text): \(client.settings(version) ?? [:]), not \(settings)")
          }
        }
      }
    }
    #expect(tally.broken.isEmpty, "\(tally.broken.count): \(tally.broken.prefix(5).joined(separator: "\n"))")
    #expect(tally.prompts > tally.questions / 20, "\(tally)")
  }

  @Test func `a version's file has the right forcedFrom, validFrom and validUntil`() async throws {
    let tally = try await Tally.of(AgreementTests.seeds) { seed, tally in
      let app = try RandomApp(seed: UInt64(seed))
      let (snapshot, now) = (app.stage.snapshot, app.stage.now)
      let start = now - TimeSpan(seconds: seed % 2 == 0 ? 0 : 100_000)
      let written = Written(try format("v1"), app.stage.answers(since: start))
      let moments = [start] + snapshot.momentsOfChange(after: start).sorted()
      for release in app.stage.answers().published {
        let bytes = try #require(written.documents["v1/taxi/\(release.version.text).json"])
        let json = try JSON(parsing: bytes)
        func moment(_ name: String) throws -> Timestamp? { try json[name]?.string.map { try Timestamp($0) } }
        let (from, until) = (try moment("validFrom") ?? start, try moment("validUntil"))
        func action(_ at: Timestamp) -> Action {
          Decider(snapshot, at: at).decide(Client(version: release.version)).action
        }
        let later = moments.filter { now < $0 }
        let forced = action(now) == .force ? nil : later.first { action($0) == .force }
        tally.questions += 1
        if forced != nil { tally.prompts += 1 }
        let isHeld = from <= now && until.map { now < $0 } ?? true
        let isSteady = moments.allSatisfy { at in
          at < from || until.map { $0 <= at } ?? false || action(at) == action(now)
        }
        if try moment("forcedFrom") != forced || !isHeld || !isSteady {
          tally.broken.append("\(seed) \(release.version.text): \(json.text()), forced \(forced as Any)")
        }
      }
    }
    #expect(tally.broken.isEmpty, "\(tally.broken.count): \(tally.broken.prefix(5).joined(separator: "\n"))")
    #expect(tally.prompts > 20, "\(tally)")
  }

  @Test func `exactly the versions misinformed for lack of a file are named`() async throws {
    let tally = try await Tally.of(AgreementTests.seeds) { seed, tally in
      var app = try RandomApp(seed: UInt64(seed))
      let (snapshot, now, answers) = (app.stage.snapshot, app.stage.now, app.stage.answers())
      let documents = Written(try format("v1"), answers).documents
      let (decider, documented) = (Decider(snapshot, at: now), DocumentedVersions(snapshot, at: now))
      let past = answers.published.map(\.version)
      for version in try (0..<30).map({ _ in try app.anybody() }) + past {
        let name = past.first { $0 == version }?.text ?? "default"
        let json = try JSON(parsing: try #require(documents["v1/taxi/\(name).json"]))
        let decision = decider.decide(Client(version: version))
        let settings = decider.settings(of: version, inReview: decision.review)
        let said = (json["settings"]?.object?.members ?? []).map { ($0.key, $0.value.string ?? "") }
        let isSame =
          json["action"]?.string == decision.action.rawValue
          && Dictionary(said, uniquingKeysWith: { $1 }) == settings
        tally.questions += 1
        if !isSame { tally.prompts += 1 }
        let told = Told(decision, settings: settings, remindEvery: .once)
        if (documented.misinformed(.exactly(version), told: told) != nil) == isSame {
          tally.broken.append(
            "\(seed) \(version.text): \(json.text()), decided \(decision.action) \(settings)")
        }
      }
    }
    #expect(tally.broken.isEmpty, "\(tally.broken.count): \(tally.broken.prefix(5).joined(separator: "\n"))")
    #expect(tally.prompts > tally.questions / 20, "\(tally)")
  }

  @Test func `no file names a version yet to be released, and every file is well formed`() async throws {
    let tally = try await Tally.of(AgreementTests.seeds) { seed, tally in
      let app = try RandomApp(seed: UInt64(seed))
      let answers = app.stage.answers()
      // Below one that clients were told of nothing can go live any more (law 1), and rules may say its number.
      let told = answers.known.last { $0.becameVisible(by: app.stage.now) }?.version ?? .zero
      let hidden = Set(answers.known.filter { !$0.state.isReleased && told < $0.version }.map(\.version))
      for format in ExportFormats.all {
        let written = Written(format, answers)
        let announced = Set(written.warnings.filter { $0.id == "export.announces" }.flatMap(\.versions))
        for (path, bytes) in written.documents {
          tally.questions += 1
          let isReadable =
            path.hasSuffix(".xml") ? AgreementTests.isMarkup(bytes) : (try? JSON(parsing: bytes)) != nil
          if !isReadable { tally.broken.append("\(seed) \(path) cannot be read") }
          for version in AgreementTests.versions(in: bytes + Array(path.utf8)) where hidden.contains(version)
          {
            tally.broken.append("\(seed) \(path) names \(version.text)")
          }
          // A schedule is exact, and what it announces is said.
          let text = String(decoding: bytes, as: UTF8.self)
          for version in hidden.subtracting(announced) where text.contains("\"\(VersionKey(version).text)\"")
          {
            tally.broken.append("\(seed) \(path) has the key of \(version.text)")
          }
        }
      }
    }
    #expect(tally.broken.isEmpty, "\(tally.broken.count): \(tally.broken.prefix(5).joined(separator: "\n"))")
  }

  /// Whether, but for tags, nothing is left that would begin one, and nothing that XML forbids.
  private static func isMarkup(_ bytes: [UInt8]) -> Bool {
    let text = String(decoding: bytes, as: UTF8.self)
      .replacing(/<(\?xml |\/?[a-z:A-Z]+)( ?[a-z:A-Z]+="[^"<]*")*[?\/]?>/, with: "")
      .replacing(/&(amp|lt|gt|quot|apos|#13);/, with: "")
    return text.unicodeScalars.allSatisfy {
      !["<", "&"].contains($0) && ($0 >= " " || $0 == "\n" || $0 == "\t")
    }
  }

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
