import Platform
import ReleaseModel

// What an export finds in its directory.
extension ExportRun {
  /// Whether nothing concerns an app's documents in a format, and all of them are there.
  func isUpToDate(_ subject: ExportSubject, _ format: any DocumentFormat) -> Bool {
    guard let cell = state.cells[subject.slug]?[format.name], isManifestThere,
      cell.holds(subject, at: exporter.moment, includesUnreleased: exporter.includesUnreleased)
    else { return false }
    if format.isSigned {
      guard let signing = cell.signing, signing.unsigned.isEmpty,
        exporter.signer.map({ signing.holds(for: $0, at: exporter.moment) })
          ?? !signing.isOver(at: exporter.moment)
      else { return false }
    }
    return areThere(cell.files, subject.slug, format)
  }

  func areThere(_ files: [String: String], _ slug: String, _ format: any DocumentFormat) -> Bool {
    (try? existing(slug, format.name)).map(Set(files.keys).isSubset) ?? false
  }

  /// The existing files of an app in a format, including foreign ones, by what follows the app in the path.
  func existing(_ slug: String, _ format: String) throws -> [String] {
    let path = "\(format)/\(slug)"
    var found = try DocumentPath.endings.filter { try tree.status(of: path + $0) != nil }
    // Something that is not a folder is only in the way of files in it.
    if let status = try tree.status(of: path) {
      guard status.kind == .directory else { return found + ["/"] }
      found += try (tree.names(in: path) ?? []).map { "/" + $0 }
    }
    return found
  }

  /// Refuses to continue if something that is not ours is in the way of an app's documents.
  ///
  /// The documents are made for this check only if something exists that could be in the way.
  func look(_ slug: String, _ formats: [any DocumentFormat]) throws {
    for format in formats {
      let prefix = "\(format.name)/\(slug)"
      let doubtful = try existing(slug, format.name).filter { suffix in
        suffix == "/" || DocumentPath.isSuffix(suffix[...]) && (try? tree.check(prefix + suffix)) == nil
      }
      guard !doubtful.isEmpty else { continue }
      for document in try sheet(slug).cell(format).1 {
        if doubtful.contains("/"), document.path.hasPrefix(prefix + "/") {
          throw Obstruction(
            path: "\(exporter.root)/\(prefix)",
            what: try tree.status(of: prefix)?.kind.words ?? "something that is not a directory")
        }
        try tree.check(document.path)
      }
    }
  }
}
