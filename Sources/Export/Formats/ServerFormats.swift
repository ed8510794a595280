import JSON
import ReleaseModel

/// The answer of earlier servers: three flags and a URL, in one file per version.
struct FlagsFormat: DocumentFormat {
  var name: String { "flags" }

  var isByVersion: Bool { true }

  func documents(for answers: AppAnswers) -> (documents: [Document], warnings: [ExportFinding]) {
    func flag(_ holds: Bool) -> JSON { .string(holds ? "1" : "0") }
    let documents = answers.files(name) { _, decision, settings in
      // Old clients pass the URL to openURL whatever the flags say, so there is always a text.
      let body: JSON = [
        "downloadUrl": .string(decision.url ?? ""), "hasNewVersion": flag(decision.action != .none),
        "needUpgrade": flag(decision.action == .force), "review": flag(decision.review),
      ]
      return ["body": body.adding(settings)]
    }
    return (documents, [])
  }

  func clients(of documents: [String: [UInt8]], app: String, at moment: Timestamp) -> [DocumentClient] {
    let client = DocumentClient.byVersion(documents, in: "\(name)/\(app)/") { bytes, _ in
      guard let body = (try? JSON(parsing: bytes))?["body"] else { return { _ in nil } }
      let action: Action = body["needUpgrade"]?.string == "1" ? .force : .remind
      let isTold = body["hasNewVersion"]?.string != "0"
      return { _ in isTold ? Prompt(action, url: body["downloadUrl"]?.string) : Prompt(.none) }
    }
    return [client]
  }
}

extension SharedSettings {
  /// The members of a file that several clients read.
  var json: JSON { ["settings": Setting.json(values), "withheld": .array(withheld.map { .string($0) })] }
}

/// The answer of a server that names the required version, which clients compare again.
///
/// There is one file per version, and one for the clients that do not say their version; it names the version
/// below which all are told the same.
struct TypeFormat: DocumentFormat {
  var name: String { "type" }

  var isByVersion: Bool { true }

  func documents(for answers: AppAnswers) -> (documents: [Document], warnings: [ExportFinding]) {
    var named: [Version: [Version]] = [:]
    var documents = answers.files(name) { version, decision, settings in
      let toName = version.flatMap { required($0, decision, answers) }
      if let version { named[version] = toName.map { [$0] } }
      return json(decision.action, toName, decision.target, url: decision.url, settings: settings)
    }
    // Clients that do not say their version are forced only if all that are prompted are.
    let thresholds = Thresholds(answers, answers.decideWithoutSystem)
    let isForced = thresholds.map { $0.forced == $0.announced } ?? false
    documents.append(
      Document(
        path: path(answers.app.slug),
        bytes: json(
          isForced ? .force : .remind, thresholds?.announced, thresholds?.target, url: thresholds?.url,
          settings: answers.settingsOfAll.json
        ).bytes()))
    let warnings = answers.misread(by: .asHundreds, format: name) { version in
      (named[version] ?? []) + [thresholds?.announced].compactMap(\.self)
    }
    return (documents, warnings)
  }

  /// The version to name: the target's, or, if versions cannot be compared, one that is newer than the
  /// client.
  private func required(_ version: Version, _ decision: Decision, _ answers: AppAnswers) -> Version? {
    guard decision.action != .none, let target = decision.target?.version else { return nil }
    if version < target { return target }
    return answers.nameable(above: max(version, answers.newestEverLive ?? version)) ?? target
  }

  private func json(
    _ action: Action, _ required: Version?, _ target: Release?, url: String?, settings: JSON
  ) -> JSON {
    var object = JSON.Object([
      ("type", action == .force ? "force" : "normal"),
      ("update_content", .string(target?.note(for: nil) ?? "")), ("update_url", .string(url ?? "")),
    ])
    if let required { object["required_version"] = .string(required.text) }
    return JSON.object(object).adding(settings)
  }

  var limit: String { "says the same to all versions below one" }

  func clients(of documents: [String: [UInt8]], app: String, at moment: Timestamp) -> [DocumentClient] {
    let byVersion = DocumentClient.byVersion(documents, in: "\(name)/\(app)/") { bytes, version in
      let conclusion = TypeFormat.bounds(bytes)?.conclusion(version)
      return { _ in conclusion }
    }
    let forAll = documents[path(app)].flatMap(TypeFormat.bounds)
    return [byVersion, .bounded(path(app), forAll.map { [$0] } ?? [])]
  }

  /// Nil for what is no reply.
  private static func bounds(_ bytes: [UInt8]) -> Bounds? {
    guard let json = try? JSON(parsing: bytes) else { return nil }
    let text = json["required_version"]?.string
    let required = text.flatMap { try? Version($0) }
    if text != nil, required == nil { return nil }
    return Bounds(
      forced: json["type"] == "force" ? required : nil, announced: required, url: json["update_url"]?.string)
  }
}
