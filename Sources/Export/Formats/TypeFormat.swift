import JSON
import ReleaseModel

/// The answer of a server that names the version required, one file for each version; clients compare it once more.
struct TypeFormat: DocumentFormat {
  var name: String { "type" }

  func documents(for sheet: AnswerSheet) -> (documents: [Document], warnings: [ExportFinding]) {
    let folder = "\(name)/\(sheet.app.slug)/"
    var documents: [Document] = []
    var misread: [Version] = []
    for release in sheet.published {
      let decision = sheet.decideWithoutSystem(release)
      let required = required(release.version, decision, sheet)
      if let required, !SeedComparator.asOneNumber(release.version, isBelow: required) {
        misread.append(release.version)
      }
      documents.append(
        Document(path: "\(folder)\(release.version.text).json", bytes: json(decision, required).bytes()))
    }
    documents.append(
      Document(path: folder + "default.json", bytes: json(sheet.answerToUnknown.decision, nil).bytes()))
    guard !misread.isEmpty else { return (documents, []) }
    let warning = ExportFinding(
      "export.misread", app: sheet.app.slug, format: name, versions: misread,
      "clients that make one number of a version (major × 1000 + minor × 100 + patch) take what is required for no newer "
        + "and say nothing")
    return (documents, [warning])
  }

  /// The version to name: that of the target, and where versions do not compare, one that is newer than the client.
  private func required(_ version: Version, _ decision: Decision, _ sheet: AnswerSheet) -> Version? {
    guard decision.action != .none, let target = decision.target?.version else { return nil }
    if version < target { return target }
    return sheet.newestEverLive.flatMap { sheet.successor(of: $0) } ?? target
  }

  private func json(_ decision: Decision, _ required: Version?) -> JSON {
    var object = JSON.Object([
      ("type", decision.action == .force ? "force" : "normal"),
      ("update_content", .string(decision.target?.note(for: nil) ?? "")),
      ("update_url", .string(decision.url ?? "")),
    ])
    if let required { object["required_version"] = .string(required.text) }
    return .object(object)
  }

  func conclusion(
    from documents: [String: [UInt8]], app: String, version: Version, os: Version?
  ) -> Conclusion? {
    let folder = "\(name)/\(app)/"
    guard let bytes = documents["\(folder)\(version.text).json"] ?? documents[folder + "default.json"],
      let json = try? JSON(parsing: bytes)
    else { return nil }
    guard let text = json["required_version"]?.string else { return Conclusion(.none) }
    guard let required = try? Version(text) else { return nil }
    guard version < required else { return Conclusion(.none) }
    return Conclusion(json["type"] == "force" ? .force : .remind, url: json["update_url"]?.string)
  }
}
