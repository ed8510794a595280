import JSON
import ReleaseModel

/// The answer of a server that names the required version, which clients compare again.
///
/// There is one file per version, and one for the clients that do not say their version; it names the version
/// below which all are told the same.
struct TypeFormat: DocumentFormat {
  var name: String { "type" }

  func documents(for sheet: AnswerSheet) -> (documents: [Document], warnings: [ExportFinding]) {
    let folder = "\(name)/\(sheet.app.slug)/"
    var documents: [Document] = []
    var misread: [Version] = []
    for release in sheet.published {
      let decision = sheet.decideWithoutSystem(release.version)
      let required = required(release.version, decision, sheet)
      if let required, Comparator.asHundreds.misreads(release.version, required) {
        misread.append(release.version)
      }
      let json = json(decision, required, settings: sheet.settings(of: release.version))
      documents.append(Document(path: "\(folder)\(release.version.text).json", bytes: json.bytes()))
    }
    let unknown = sheet.answerToUnknown.answer
    documents.append(
      Document(
        path: folder + DocumentPath.fallback,
        bytes: json(unknown.decision, nil, settings: unknown.settings).bytes()))

    let thresholds = Thresholds(sheet.lineWithoutSystem(), sheet)
    documents.append(Document(path: path(sheet.app.slug), bytes: json(thresholds, sheet).bytes()))
    if let announced = thresholds?.announced {
      misread += sheet.known.map(\.version).filter { Comparator.asHundreds.misreads($0, announced) }
    }
    return (documents, sheet.misread(misread, by: .asHundreds, format: name))
  }

  private func path(_ slug: String) -> String { "\(name)/\(slug).json" }

  /// The version to name: the target's, or, if versions cannot be compared, one that is newer than the
  /// client.
  private func required(_ version: Version, _ decision: Decision, _ sheet: AnswerSheet) -> Version? {
    guard decision.action != .none, let target = decision.target?.version else { return nil }
    if version < target { return target }
    return sheet.nameable(above: max(version, sheet.newestEverLive ?? version)) ?? target
  }

  private func json(_ decision: Decision, _ required: Version?, settings: [String: String]) -> JSON {
    json(
      decision.action, required, notes: decision.target?.note(for: nil), url: decision.url, settings: settings
    )
  }

  /// What clients that do not say their version are told: a force only if all that are prompted are forced.
  private func json(_ thresholds: Thresholds?, _ sheet: AnswerSheet) -> JSON {
    let isForced = thresholds.map { $0.forced == $0.announced } ?? false
    return json(
      isForced ? .force : .remind, thresholds?.announced, notes: thresholds?.target.note(for: nil),
      url: thresholds?.url, settings: sheet.settingsOfAll)
  }

  private func json(
    _ action: Action, _ required: Version?, notes: String?, url: String?, settings: [String: String]
  ) -> JSON {
    var object = JSON.Object([
      ("settings", .settings(settings)), ("type", action == .force ? "force" : "normal"),
      ("update_content", .string(notes ?? "")), ("update_url", .string(url ?? "")),
    ])
    if let required { object["required_version"] = .string(required.text) }
    return .object(object)
  }

  func clients(of documents: [String: [UInt8]], app: String) -> [DocumentClient] {
    let byVersion = DocumentClient.byVersion(documents, in: "\(name)/\(app)/") { bytes, version in
      let conclusion = Answer(bytes)?.conclusion(version)
      return { _ in conclusion }
    }
    guard let answer = documents[path(app)].flatMap(Answer.init) else {
      return [byVersion, .blind(path(app))]
    }
    let forAll = DocumentClient(path: path(app), bounds: [answer.required].compactMap(\.self)) { version in
      { _ in answer.conclusion(version) }
    }
    return [byVersion, forAll]
  }

  /// A document as the clients read it.
  private struct Answer {
    let required: Version?
    let action: Action
    let url: String?

    /// Nil for a document that they cannot read.
    init?(_ bytes: [UInt8]) {
      guard let json = try? JSON(parsing: bytes) else { return nil }
      let text = json["required_version"]?.string
      required = text.flatMap { try? Version($0) }
      if text != nil, required == nil { return nil }
      action = json["type"] == "force" ? .force : .remind
      url = json["update_url"]?.string
    }

    func conclusion(_ version: Version) -> Conclusion {
      guard let required, version < required else { return Conclusion(.none) }
      return Conclusion(action, url: url)
    }
  }
}
