import JSON
import ReleaseModel

/// The answer of earlier servers: three flags and a URL, in one file per version.
struct FlagsFormat: DocumentFormat {
  var name: String { "flags" }

  func documents(for answers: AppAnswers) -> (documents: [Document], warnings: [ExportFinding]) {
    (answers.files(name) { _, decision, settings in json(decision, settings: settings) }, [])
  }

  private func json(_ decision: Decision, settings: [String: String]) -> JSON {
    // Old clients pass the URL to openURL whatever the flags say, so there is always a text.
    let body: JSON = [
      "downloadUrl": .string(decision.url ?? ""),
      "hasNewVersion": .string(decision.action == .none ? "0" : "1"),
      "needUpgrade": .string(decision.action == .force ? "1" : "0"),
      "review": .string(decision.review ? "1" : "0"), "settings": .settings(settings),
    ]
    return ["body": body]
  }

  func clients(of documents: [String: [UInt8]], app: String, at moment: Timestamp) -> [DocumentClient] {
    let client = DocumentClient.byVersion(documents, in: "\(name)/\(app)/") { bytes, _ in
      guard let body = (try? JSON(parsing: bytes))?["body"] else { return { _ in nil } }
      let action: Action = body["needUpgrade"]?.string == "1" ? .force : .remind
      let isTold = body["hasNewVersion"]?.string != "0"
      return { _ in isTold ? Conclusion(action, url: body["downloadUrl"]?.string) : Conclusion(.none) }
    }
    return [client]
  }
}

extension JSON {
  static func settings(_ settings: [String: String]) -> JSON {
    .object(JSON.Object(settings.map { ($0.key, .string($0.value)) }))
  }
}
