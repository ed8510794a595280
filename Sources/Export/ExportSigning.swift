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
    _ documents: [Document], of slug: String, after earlier: ExportState.Cell,
    for cell: inout ExportState.Cell
  ) throws -> [Document] {
    let before = earlier.signing ?? ExportState.Signing()
    if let signer = exporter.signer {
      let isHeld = earlier.digest == cell.digest && before.holds(for: signer, at: exporter.moment)
      let moment = isHeld ? before.signedAt : exporter.moment
      let signing = ExportState.Signing(
        keyID: signer.keyID, signedAt: moment, lifetime: signer.lifetime)
      cell.signing = signing
      return try documents.map { document in
        let payload = signing.payload(of: document, ledger: source.ledger, app: slug)
        return Document(path: document.path, bytes: try signer.sign(payload))
      }
    }
    var (there, unsigned): ([Document], Set<String>) = ([], [])
    for document in documents {
      let path = document.path
      let bytes = tree.owns(path) ? try? tree.read(path, limit: ExportRun.documentLimit) : nil
      if let bytes { there.append(Document(path: path, bytes: bytes)) }
      let payload = before.payload(of: document, ledger: source.ledger, app: slug)
      if before.isOver(at: exporter.moment) || bytes.flatMap({ JWS($0) })?.payload != payload {
        unsigned.insert(document.suffix)
      }
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

  /// How long a signature is valid if no one says.
  package static let usualLifetime = TimeSpan(seconds: 7 * 86_400)

  /// Prepares to sign.
  package init?(_ key: SigningKey, lifetime: TimeSpan) {
    guard let keyID = key.publicKey.jwkThumbprint, let x = key.publicKey.jwkX else { return nil }
    self.key = key
    self.keyID = keyID
    publicX = x
    self.lifetime = lifetime
  }

  func sign(_ payload: [UInt8]) throws -> [UInt8] {
    let header: JSON = ["alg": "EdDSA", "kid": .string(keyID), "typ": "pawl+jws"]
    guard let signed = JWS(header: header.bytes(), payload: payload, key: key) else {
      throw Refusal("internal", ["reason": "libcrypto cannot use the key"])
    }
    return signed.bytes
  }
}
