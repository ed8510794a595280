import JSON
import ReleaseModel

/// What the Prince of Versions libraries read: bounds for each tier of systems, in one file.
struct PrinceOfVersionsFormat: DocumentFormat {
  var name: String { "prince-of-versions" }

  var checksSystems: Bool { true }

  func documents(for answers: AppAnswers) -> (documents: [Document], warnings: [ExportFinding]) {
    guard [.iOS, .macOS].contains(answers.app.platform) else {
      return answers.isNotFor(name, "such clients exist for ios and macos only")
    }
    // From the newest system down: clients take the first entry that their system is new enough for.
    var entries: [(system: Version?, says: JSON.Object)] = []
    for system in answers.snapshot.systemNames.reversed().map(Optional.some) + [nil] {
      let thresholds = Thresholds(answers) { answers.withoutTimes($1.decision(on: system ?? .zero)) }
      let says = entry(thresholds, answers.app)
      // An entry that says the same as the next one is not needed.
      if entries.last?.says == says { entries.removeLast() }
      entries.append((system, says))
    }
    let array = entries.map { system, says in
      var says = says
      if let system { says["requirements"] = ["required_os_version": .string(system.text)] }
      return JSON.object(says)
    }
    let document = Document(
      path: path(answers.app.slug),
      bytes: JSON.object(JSON.Object([(answers.app.platform.rawValue, .array(array))])).bytes())
    return ([document], answers.componentCounts(format: name, mixed: false))
  }

  private func entry(_ thresholds: Thresholds?, _ app: App) -> JSON.Object {
    // One of the two versions must be there; nothing is below 0.
    guard let thresholds else { return JSON.Object([("required_version", "0.0.0")]) }
    // A value that is not text would make the whole file unreadable.
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

  func clients(of documents: [String: [UInt8]], app: String, at moment: Timestamp) -> [DocumentClient] {
    let json = documents[path(app)].flatMap { try? JSON(parsing: $0) }
    func version(_ json: JSON?) -> Version? { json?.string.flatMap { try? Version($0) } }
    let entries = (json?["ios"] ?? json?["macos"])?.array ?? []
    let bounds = entries.map { entry in
      Bounds(
        forced: version(entry["required_version"]), announced: version(entry["last_version_available"]),
        url: entry["meta"]?["update_url"]?.string,
        system: version(entry["requirements"]?["required_os_version"]))
    }
    return [.bounded(path(app), bounds)]
  }
}
