import JSON
import ReleaseModel

/// pawl's own documents: everything that is decided, in self-contained files.
struct V1Format: DocumentFormat {
  var name: String { "v1" }

  var saysTimes: Bool { true }

  func documents(for sheet: AnswerSheet) -> (documents: [Document], warnings: [ExportFinding]) {
    let folder = "\(name)/\(sheet.app.slug)/"
    let version = VersionDocument(sheet: sheet)
    var documents = sheet.answers(to: sheet.published).map { release, stretch in
      Document(
        path: "\(folder)\(release.version.text).json", bytes: version.json(release.version, stretch).bytes())
    }
    let unknown = version.json(nil, sheet.answerToUnknown)
    documents.append(Document(path: folder + DocumentPath.fallback, bytes: unknown.bytes()))
    let policy = PolicyDocument(sheet)
    documents.append(Document(path: folder + "policy.json", bytes: policy.json.bytes()))
    return (documents, policy.warnings)
  }

  func clients(of documents: [String: [UInt8]], app: String) -> [DocumentClient] {
    let client = DocumentClient.byVersion(documents, in: "\(name)/\(app)/") { bytes, _ in
      { os in VersionDocument.conclusion(from: bytes, os: os) }
    }
    return [client]
  }
}
