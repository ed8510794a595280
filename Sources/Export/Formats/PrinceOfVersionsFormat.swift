import JSON
import ReleaseModel

/// What the Prince of Versions libraries read: bounds for each tier of systems, in one file.
struct PrinceOfVersionsFormat: DocumentFormat {
  var name: String { "prince-of-versions" }

  func documents(
    for sheet: AnswerSheet
  ) throws(ExportFinding) -> (documents: [Document], warnings: [ExportFinding]) {
    guard let key = PrinceOfVersionsFormat.key(sheet.app.platform) else {
      return sheet.isNotFor(name, "there are such clients for ios and macos only")
    }
    // From the newest system down: clients take the first entry that their system is new enough for.
    var entries: [(system: Version?, says: JSON.Object)] = []
    for system in sheet.systems.reversed().map(Optional.some) + [nil] {
      let os = system ?? .zero
      let thresholds = try Thresholds(sheet, format: name) { sheet.decide($0.version, os: os) }
      let says = entry(thresholds, sheet.app)
      // An entry that says what the next one says is not needed.
      if entries.last?.says == says { entries.removeLast() }
      entries.append((system, says))
    }
    let array = entries.map { system, says in
      var says = says
      if let system { says["requirements"] = ["required_os_version": .string(system.text)] }
      return JSON.object(says)
    }
    let document = Document(
      path: "\(name)/\(sheet.app.slug).json", bytes: JSON.object(JSON.Object([(key, .array(array))])).bytes())
    return ([document], sheet.componentCounts(format: name, mixed: false))
  }

  private static func key(_ platform: ApplePlatform) -> String? {
    switch platform {
    case .iOS: "ios"
    case .macOS: "macos"
    case .tvOS, .visionOS, .watchOS: nil
    }
  }

  private func entry(_ thresholds: Thresholds?, _ app: App) -> JSON.Object {
    // One of the two versions must be there; nothing is below 0.
    guard let thresholds else { return JSON.Object([("required_version", "0.0.0")]) }
    // A value that is no text would make the whole file unreadable.
    var meta = JSON.Object([
      ("update_url", .string(thresholds.url)), ("target_version", .string(thresholds.target.version.text)),
    ])
    if let notes = thresholds.target.note(for: nil) { meta["release_notes"] = .string(notes) }
    if let date = thresholds.target.liveAt { meta["release_date"] = .string(date.text) }
    var entry = JSON.Object([
      ("last_version_available", .string(thresholds.announced.text)),
      // In capitals, since some versions of the library drop the file otherwise.
      ("notify_last_version_frequency", app.remindEvery == .once ? "ONCE" : "ALWAYS"),
      ("meta", .object(meta)),
    ])
    if let forced = thresholds.forced { entry["required_version"] = .string(forced.text) }
    return entry
  }

  func conclusion(
    from documents: [String: [UInt8]], app: String, version: Version, os: Version?
  ) -> Conclusion? {
    client(of: documents, app: app)(version, os)
  }

  func client(of documents: [String: [UInt8]], app: String) -> (Version, Version?) -> Conclusion? {
    let json = documents["\(name)/\(app).json"].flatMap { try? JSON(parsing: $0) }
    let entries = (json?["ios"] ?? json?["macos"])?.array.map { $0.compactMap(Entry.init) } ?? []
    return { version, os in
      guard let entry = entries.first(where: { $0.runs(on: os) }) else { return nil }
      if let required = entry.required, version.isBelow(inThreeComponents: required) {
        return Conclusion(.force, url: entry.url)
      }
      if let newest = entry.newest, version.isBelow(inThreeComponents: newest) {
        return Conclusion(.remind, url: entry.url)
      }
      return Conclusion(.none)
    }
  }

  /// One entry as the clients read it.
  private struct Entry {
    let required: Version?
    let newest: Version?
    let system: Version?
    let url: String?

    init(_ json: JSON) {
      func version(_ json: JSON?) -> Version? { json?.string.flatMap { try? Version($0) } }
      required = version(json["required_version"])
      newest = version(json["last_version_available"])
      system = version(json["requirements"]?["required_os_version"])
      url = json["meta"]?["update_url"]?.string
    }

    func runs(on os: Version?) -> Bool {
      guard let os, let system else { return true }
      return !os.isBelow(inThreeComponents: system)
    }
  }
}
