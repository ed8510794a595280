import JSON
import ReleaseModel

/// What the Updates library (rwbutler/Updates) reads.
///
/// Reminders take the path that checks the system and counts how often it prompted; forces cannot take it.
struct UpdatesFormat: DocumentFormat {
  var name: String { "updates" }

  func documents(for answers: AppAnswers) -> (documents: [Document], warnings: [ExportFinding]) {
    guard let appleID = answers.app.appleID, answers.app.platform == .iOS else {
      return answers.isNotFor(
        name, "its clients run on ios and open the page of the Apple ID, and the app has none")
    }
    let found = Thresholds(answers.lineWithoutSystem(), answers)
    // Its clients open a page of Apple's store, of whichever app; if people are sent elsewhere, nobody is
    // prompted.
    let page = found.flatMap { storeID(of: $0.url) }
    let thresholds = page == nil ? nil : found
    // Without 'manually', the clients ask Apple instead; without a system, they never remind.
    var object = JSON.Object([
      ("app-store-id", .string(String(page ?? appleID))), ("check-for", "manually"),
      ("min-os-required", .string(thresholds?.target.minOS?.text ?? LookupFormat.anySystem)),
      ("notify", answers.app.remindEvery == .once ? "once" : "always"), ("update-type", "soft"),
      ("version", .string(thresholds?.announced.text ?? "0.0.0")),
    ])
    if let forced = thresholds?.forced { object["min-required-app-version"] = .string(forced.text) }
    if let notes = thresholds?.target.note(for: nil) { object["release-notes"] = .string(notes) }
    let json: JSON = ["updates": .object(object)]
    let document = Document(path: path(answers.app.slug), bytes: json.bytes())
    return ([document], answers.componentCounts(format: name, mixed: false))
  }

  func limit(of client: DocumentClient, _ decision: Decision) -> String {
    decision.url.flatMap(storeID) == nil ? "opens pages of Apple's store only" : Thresholds.limit
  }

  func clients(of documents: [String: [UInt8]], app: String, at moment: Timestamp) -> [DocumentClient] {
    guard let settings = documents[path(app)].flatMap({ try? JSON(parsing: $0) })?["updates"],
      settings["check-for"] == "manually"
    else { return [.blind(path(app))] }
    func read(_ key: String) -> Version? { settings[key]?.string.flatMap { try? Version($0) } }
    let (required, optional) = (read("min-required-app-version"), read("min-optional-app-version"))
    let (newest, system) = (read("version"), read("min-os-required"))
    let plain: Action = settings["update-type"] == "hard" ? .force : .remind
    let page = settings["app-store-id"]?.string.flatMap { Int64($0) }.map(storePage)
    let bounds = [required, optional, newest].compactMap(\.self)
    let client = DocumentClient(path: path(app), bounds: bounds) { version in
      { os in
        if let required, version.isBelow(inThreeComponents: required) { return Conclusion(.force, url: page) }
        if let optional, version.isBelow(inThreeComponents: optional) {
          return Conclusion(.remind, url: page)
        }
        guard let newest, let system, version.isBelow(inThreeComponents: newest),
          os.map({ !$0.isBelow(inThreeComponents: system) }) ?? true
        else { return Conclusion(.none) }
        return Conclusion(plain, url: page)
      }
    }
    return [client]
  }
}
