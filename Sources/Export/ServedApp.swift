import Crypto
package import Platform
package import ReleaseModel

/// What the clients of one app conclude from the documents that lie in a directory.
package struct ServedApp {
  package let app: String
  package let versions: [Version]
  let client: DocumentClient?

  /// What a client of a version concludes; `none` if it finds nothing that it can read.
  package func conclude(_ version: Version) -> Conclusion {
    client?.conclude(version)(nil) ?? Conclusion(.none)
  }
}

extension Exporter {
  /// What is served from a directory, by app, read from the first of its formats.
  ///
  /// - Throws: `SystemError` if this account may not look.
  package static func served(
    in root: String, agreement: Agreement, at moment: Timestamp
  ) throws(SystemError) -> [ServedApp] {
    guard let found = try OwnedTree.look(at: root, agreement: agreement) else { return [] }
    let state = ExportState(found.state)
    return state.cells.sorted { $0.key < $1.key }.map { slug, cells in
      guard let format = ExportFormats.all.first(where: { cells[$0.name] != nil }),
        let cell = cells[format.name]
      else { return ServedApp(app: slug, versions: [], client: nil) }
      var documents: [String: [UInt8]] = [:]
      let top = try? Directory.open(root, makingWith: nil, group: agreement.group).directory(format.name)
      let folder = (try? top?.directory(slug)) ?? nil
      for suffix in cell.suffixes {
        let place = suffix.hasPrefix("/") ? (folder, String(suffix.dropFirst())) : (top, slug + suffix)
        guard let bytes = (try? place.0?.read(place.1, limit: ExportRun.documentLimit)) ?? nil else {
          continue
        }
        documents["\(format.name)/\(slug)\(suffix)"] = format.isSigned ? JWS(bytes)?.payload : bytes
      }
      let client = format.clients(of: documents, app: slug, at: moment).first
      return ServedApp(
        app: slug, versions: cell.suffixes.compactMap { DocumentPath.version(of: $0[...]) }.sorted(),
        client: client)
    }
  }
}
