package import Crypto
import JSON
import Platform
package import ReleaseModel

extension ExportRun {
  static let documentLimit = 1 << 26

  /// The documents of an app in their envelopes: signed now, or with the moment of before, which gives the same bytes, as
  /// long as they say the same and half of their time is left.
  ///
  /// Without a key they stay as they are, or stay absent; if they would say something else, they are listed as unsigned.
  func sign(
    _ documents: [Document], of slug: String, below prefix: String, after earlier: ExportState.Cell?,
    for cell: inout ExportState.Cell
  ) throws -> [Document] {
    let before = earlier?.signing ?? ExportState.Signing()
    let isSame = before.digest == cell.digest
    if let signer = exporter.signer {
      let isHeld = isSame && before.holds(for: signer, at: exporter.moment)
      let moment = isHeld ? before.signedAt : exporter.moment
      cell.signing = ExportState.Signing(
        keyID: signer.keyID, signedAt: moment, lifetime: signer.lifetime, digest: cell.digest)
      return try documents.map { try signer.sign($0, ledger: source.ledger, app: slug, at: moment) }
    }
    var (there, unsigned): ([Document], Set<String>) = ([], [])
    for path in documents.map(\.path) {
      let suffix = String(path.dropFirst(prefix.count))
      let bytes = tree.owns(path) ? try? tree.read(path, limit: ExportRun.documentLimit) : nil
      if let bytes { there.append(Document(path: path, bytes: bytes)) } else { cell.suffixes.remove(suffix) }
      if !isSame || bytes == nil { unsigned.insert(suffix) }
    }
    cell.signing = before
    cell.signing?.unsigned = unsigned
    return there
  }

  static func finding(unsigned: Set<String>, _ slug: String, _ format: String) -> ExportFinding {
    let names = unsigned.compactMap { DocumentPath.version(of: $0[...]) }
    let count = unsigned.count == 1 ? "1 document" : "\(unsigned.count) documents"
    return ExportFinding(
      id: "export.unsigned", app: slug, format: format, versions: names.sorted(),
      message: "\(count) could not be signed: clients read what was signed before")
  }
}

/// Signs documents with a key, for a certain time.
package struct DocumentSigner: Sendable {
  let key: SigningKey
  package let keyID: String
  package let publicX: String
  let lifetime: TimeSpan

  /// How long a signature is valid if nobody says.
  package static let usualLifetime = TimeSpan(seconds: 7 * 86_400)

  /// Prepares to sign.
  package init?(_ key: SigningKey, lifetime: TimeSpan) {
    guard let keyID = key.publicKey.jwkThumbprint, let x = key.publicKey.jwkX else { return nil }
    self.key = key
    self.keyID = keyID
    publicX = x
    self.lifetime = lifetime
  }

  func sign(_ document: Document, ledger: String, app: String, at moment: Timestamp) throws -> Document {
    var payload = (try? JSON(parsing: document.bytes))?.object ?? JSON.Object()
    payload["aud"] = .string(app)
    payload["exp"] = .integer((moment + lifetime).seconds)
    payload["iat"] = .integer(moment.seconds)
    payload["ledger"] = .string(ledger)
    let header: JSON = ["alg": "EdDSA", "kid": .string(keyID), "typ": "pawl+jws"]
    guard let signed = JWS(header: header.bytes(), payload: JSON.object(payload).bytes(), key: key) else {
      throw SigningFailure()
    }
    return Document(path: document.path, bytes: signed.bytes)
  }
}

struct SigningFailure: Error {}
