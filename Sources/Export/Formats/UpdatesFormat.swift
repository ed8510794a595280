import JSON
import ReleaseModel

/// What the Updates library (rwbutler/Updates) reads.
///
/// Reminders go the way that looks at the system and counts how often it prompted; what is forced cannot.
struct UpdatesFormat: DocumentFormat {
  var name: String { "updates" }

  func documents(
    for sheet: AnswerSheet
  ) throws(ExportFinding) -> (documents: [Document], warnings: [ExportFinding]) {
    guard let appleID = sheet.app.appleID, sheet.app.platform == .iOS else {
      return sheet.isNotFor(
        name, "its clients run on ios and open the page of the Apple ID, and the app has none")
    }
    let thresholds = try Thresholds.withoutSystem(sheet, format: name)
    if let thresholds, !sheet.isStorePage(thresholds.url) {
      throw ExportFinding(
        "export.other-page", app: sheet.app.slug, format: name,
        versions: sheet.known.map(\.version).filter { sheet.decide($0).action != .none },
        "its clients open the store page of id \(appleID), and these are sent to \(thresholds.url)")
    }
    // Without 'manually' the clients ask Apple instead; without a system they never remind.
    var object = JSON.Object([
      ("app-store-id", .string(String(appleID))), ("check-for", "manually"),
      ("min-os-required", .string(thresholds?.target.minOS?.text ?? LookupFormat.anySystem)),
      ("notify", sheet.app.remindEvery == .once ? "once" : "always"), ("update-type", "soft"),
      ("version", .string(thresholds?.announced.text ?? "0.0.0")),
    ])
    if let forced = thresholds?.forced { object["min-required-app-version"] = .string(forced.text) }
    if let notes = thresholds?.target.note(for: nil) { object["release-notes"] = .string(notes) }
    let json: JSON = ["updates": .object(object)]
    let document = Document(path: "\(name)/\(sheet.app.slug).json", bytes: json.bytes())
    return ([document], sheet.componentCounts(format: name, mixed: false))
  }

  func conclusion(
    from documents: [String: [UInt8]], app: String, version: Version, os: Version?
  ) -> Conclusion? {
    client(of: documents, app: app)(version, os)
  }

  func client(of documents: [String: [UInt8]], app: String) -> (Version, Version?) -> Conclusion? {
    guard let bytes = documents["\(name)/\(app).json"],
      let settings = (try? JSON(parsing: bytes))?["updates"],
      settings["check-for"] == "manually"
    else { return { _, _ in nil } }
    func read(_ key: String) -> Version? { settings[key]?.string.flatMap { try? Version($0) } }
    let (required, optional) = (read("min-required-app-version"), read("min-optional-app-version"))
    let (newest, system) = (read("version"), read("min-os-required"))
    let plain: Action = settings["update-type"] == "hard" ? .force : .remind
    return { version, os in
      if let required, version.isBelow(inThreeComponents: required) { return Conclusion(.force) }
      if let optional, version.isBelow(inThreeComponents: optional) { return Conclusion(.remind) }
      guard let newest, let system, version.isBelow(inThreeComponents: newest) else {
        return Conclusion(.none)
      }
      if let os, os.isBelow(inThreeComponents: system) { return Conclusion(.none) }
      return Conclusion(plain)
    }
  }
}
