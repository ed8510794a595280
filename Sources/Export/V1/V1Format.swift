import JSON
import ReleaseModel

/// pawl's own documents: everything that is decided, in self-contained files, plain or each in a signed envelope.
struct V1Format: DocumentFormat {
  var isSigned = false

  var name: String { isSigned ? "v1-signed" : "v1" }

  var saysTimes: Bool { true }

  var checksSystems: Bool { true }

  private var ending: String { isSigned ? ".jws" : ".json" }

  func documents(for answers: AppAnswers) -> (documents: [Document], warnings: [ExportFinding]) {
    let version = VersionDocument(answers: answers)
    func document(_ file: String, _ json: JSON) -> Document {
      Document(path: "\(name)/\(answers.app.slug)/\(file)\(ending)", bytes: json.bytes())
    }
    let documents =
      answers.published.map { document($0.version.text, version.json($0.version)) }
      + [document("default", version.fallback), document("schedule", answers.scheduleDocument)]
    return (documents, answers.announced(by: name))
  }

  func clients(of documents: [String: [UInt8]], app: String, at moment: Timestamp) -> [DocumentClient] {
    let folder = "\(name)/\(app)/"
    let client = DocumentClient.byVersion(documents, in: folder, ending: ending) { bytes, _ in
      { os in (try? JSON(parsing: bytes)).flatMap { Conclusion($0, os: os) } }
    }
    let path = "\(folder)schedule\(ending)"
    let schedule = documents[path].flatMap { ScheduleClient($0, at: moment) }
    return [
      client,
      DocumentClient(path: path, bounds: []) { version in { os in schedule?.conclusion(version, os: os) } },
    ]
  }
}
