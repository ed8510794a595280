import Crypto
import ReleaseModel

extension AppAnswers {
  /// An app's documents in a format, and what the state keeps about them; none if they may not be written.
  func cell(_ format: any DocumentFormat) -> (ExportState.Cell, [Document]) {
    var cell = ExportState.Cell(
      generation: generation, from: lastChange, until: nextChange, suffixes: [],
      includesUnreleased: includesUnreleased, warnings: [], refusal: nil)
    do {
      let (documents, warnings) = format.documents(for: self)
      cell.warnings = try warnings + compare(documents, with: format)
      let prefix = "\(format.name)/\(app.slug)"
      cell.digest = AppAnswers.digest(of: documents)
      cell.suffixes = Set(documents.map { String($0.path.dropFirst(prefix.count)) })
      cell.prompting = cell.suffixes.filter { suffix in
        DocumentPath.version(of: suffix[...]).map { decide($0).action != .none } ?? false
      }
      cell.isSaidAgain = cell.warnings.contains { names(unreleased: $0) }
      return (cell, documents)
    } catch {
      cell.refusal = error
      cell.isSaidAgain = names(unreleased: error)
      return (cell, [])
    }
  }

  /// Of the documents as they are made, so that it covers all that they are made of.
  private static func digest(of documents: [Document]) -> String {
    var digest = SHA256()
    for document in documents {
      digest.update(Array("\(document.path) \(document.bytes.count)\n".utf8))
      digest.update(document.bytes)
    }
    return hexadecimalText(digest.finish())
  }
}
