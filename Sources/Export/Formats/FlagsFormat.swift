import JSON
import ReleaseModel

/// The answer of the servers of old: three flags and a URL, one file for each version.
struct FlagsFormat: DocumentFormat {
  var name: String { "flags" }

  func documents(for sheet: AnswerSheet) -> (documents: [Document], warnings: [ExportFinding]) {
    let folder = "\(name)/\(sheet.app.slug)/"
    var documents = sheet.published.map { release in
      Document(
        path: "\(folder)\(release.version.text).json", bytes: json(sheet.decideWithoutSystem(release)).bytes()
      )
    }
    documents.append(
      Document(path: folder + "default.json", bytes: json(sheet.answerToUnknown.decision).bytes()))
    return (documents, [])
  }

  private func json(_ decision: Decision) -> JSON {
    // Clients of old send the URL to openURL whatever the flags say, so there is always a text.
    let body: JSON = [
      "downloadUrl": .string(decision.url ?? ""),
      "hasNewVersion": .string(decision.action == .none ? "0" : "1"),
      "needUpgrade": .string(decision.action == .force ? "1" : "0"),
      "review": .string(decision.review ? "1" : "0"),
    ]
    return ["body": body]
  }

  func conclusion(
    from documents: [String: [UInt8]], app: String, version: Version, os: Version?
  ) -> Conclusion? {
    let folder = "\(name)/\(app)/"
    guard let bytes = documents["\(folder)\(version.text).json"] ?? documents[folder + "default.json"],
      let body = (try? JSON(parsing: bytes))?["body"]
    else { return nil }
    if body["hasNewVersion"]?.string == "0" { return Conclusion(.none) }
    let action: Action = body["needUpgrade"]?.string == "1" ? .force : .remind
    return Conclusion(action, url: body["downloadUrl"]?.string)
  }
}
