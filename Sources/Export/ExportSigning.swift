import Platform
import ReleaseModel

extension ExportRun {
  static let documentLimit = 1 << 26

  /// The documents of an app as they are served: existing ones that still say the same, and the others newly
  /// signed.
  ///
  /// A document that would say something else and cannot be signed stays as it is, or stays absent; it is
  /// listed as unsigned.
  func sign(
    _ documents: [Document], of slug: String, for cell: inout ExportState.Cell
  ) throws -> [Document] {
    var signing = ExportState.Signing(
      keyID: "", lifetime: exporter.signer?.lifetime ?? .zero, renewAt: nil, expiresAt: nil, unsigned: [])
    var keys: Set<String> = []
    var written: [Document] = []
    let prefix = "\(SignedFormat().name)/\(slug)"
    for document in documents {
      var bytes: [UInt8]?
      do {
        bytes = try tree.owns(document.path) ? tree.read(document.path, limit: ExportRun.documentLimit) : nil
      } catch is FileTooLarge {}
      let found = bytes.flatMap { SignedDocument($0, ledger: source.ledger, app: slug) }
      let isSame = found.map { $0.content == SignedDocument.content(of: document.bytes) } ?? false
      var (signedAt, expiresAt, keyID) = (found?.signedAt, found?.expiresAt, found?.keyID)
      if let signer = exporter.signer {
        let holds =
          found.map { found in
            isSame && found.signedAt + signer.lifetime == found.expiresAt && found.signedAt <= exporter.moment
              && exporter.moment < found.renewAt
          } ?? false
        let moment = holds ? signedAt ?? exporter.moment : exporter.moment
        // Signed again with the same moment, it has the same bytes, unless somebody altered the file.
        written.append(try signer.sign(document, ledger: source.ledger, app: slug, at: moment))
        (signedAt, expiresAt, keyID) = (moment, moment + signer.lifetime, signer.keyID)
      } else {
        if let bytes { written.append(Document(path: document.path, bytes: bytes)) }
        let suffix = String(document.path.dropFirst(prefix.count))
        if !isSame { signing.unsigned.insert(suffix) }
        if bytes == nil { cell.suffixes.remove(suffix) }
      }
      guard let signedAt, let expiresAt, let keyID else { continue }
      let renewAt = SignedDocument.renewal(signedAt, expiresAt)
      signing.renewAt = min(signing.renewAt ?? renewAt, renewAt)
      signing.expiresAt = min(signing.expiresAt ?? expiresAt, expiresAt)
      keys.insert(keyID)
    }
    if keys.count == 1, let key = keys.first { signing.keyID = key }
    cell.signing = signing
    return written
  }

  static func finding(unsigned: Set<String>, _ slug: String, _ format: String) -> ExportFinding {
    let names = unsigned.compactMap { suffix -> Version? in
      try? Version(String(suffix.dropFirst().dropLast(".jws".count)))
    }
    return ExportFinding(
      "export.unsigned", app: slug, format: format, versions: names.sorted(),
      "\(unsigned.count == 1 ? "1 document" : "\(unsigned.count) documents") could not be signed: clients read what "
        + "was signed before")
  }
}
