import ReleaseModel

extension AppAnswers {
  func cell(_ format: any DocumentFormat, includesUnreleased: Bool) -> (ExportState.Cell, [Document]) {
    var cell = ExportState.Cell(
      generation: generation, from: lastChange, until: nextChange, suffixes: [],
      includesUnreleased: includesUnreleased, warnings: [], refusal: nil)
    do {
      let (documents, warnings) = format.documents(for: self)
      cell.warnings = try warnings + compare(documents, with: format)
      let prefix = "\(format.name)/\(app.slug)"
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
}
