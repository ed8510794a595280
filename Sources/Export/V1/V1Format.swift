import JSON
import ReleaseModel

/// pawl's own documents: everything that is decided, in self-contained files.
struct V1Format: DocumentFormat {
  var name: String { "v1" }

  var saysTimes: Bool { true }

  var checksSystems: Bool { true }

  func documents(for answers: AppAnswers) -> (documents: [Document], warnings: [ExportFinding]) {
    let folder = "\(name)/\(answers.app.slug)/"
    let version = VersionDocument(answers: answers)
    var documents = answers.published.map { release in
      Document(path: "\(folder)\(release.version.text).json", bytes: version.json(release.version).bytes())
    }
    documents.append(Document(path: folder + DocumentPath.fallback, bytes: version.fallback.bytes()))
    documents.append(Document(path: folder + DocumentPath.schedule, bytes: answers.scheduleDocument.bytes()))
    return (documents, answers.announced(by: name))
  }

  func clients(of documents: [String: [UInt8]], app: String, at moment: Timestamp) -> [DocumentClient] {
    let folder = "\(name)/\(app)/"
    let client = DocumentClient.byVersion(documents, in: folder) { bytes, _ in
      { os in (try? JSON(parsing: bytes)).flatMap { Conclusion($0, os: os) } }
    }
    let path = folder + DocumentPath.schedule
    guard let schedule = documents[path].flatMap({ ScheduleClient($0, at: moment) }) else {
      return [client, .blind(path)]
    }
    return [
      client,
      DocumentClient(path: path, bounds: []) { version in { os in schedule.conclusion(version, os: os) } },
    ]
  }
}
