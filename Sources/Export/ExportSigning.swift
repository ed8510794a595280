package import Crypto
import JSON
import Platform
package import ReleaseModel

extension ExportRun {
  static let documentLimit = 1 << 26

  /// The documents of an app as they are served: existing ones that still say the same, and the others newly
  /// signed.
  ///
  /// A document that would say something else and cannot be signed stays as it is, or stays absent; it is
  /// listed as unsigned.
  func sign(
    _ documents: [Document], of slug: String, below prefix: String, for cell: inout ExportState.Cell
  ) throws -> [Document] {
    var signing = ExportState.Signing(
      keyID: "", lifetime: exporter.signer?.lifetime ?? .zero, renewAt: nil, expiresAt: nil, unsigned: [])
    var keys: Set<String> = []
    var written: [Document] = []
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
    let names = unsigned.compactMap { DocumentPath.version(of: $0[...]) }
    return ExportFinding(
      "export.unsigned", app: slug, format: format, versions: names.sorted(),
      "\(unsigned.count == 1 ? "1 document" : "\(unsigned.count) documents") could not be signed: clients read what "
        + "was signed before")
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

/// A signed document as it was found: what it says, and from when until when.
struct SignedDocument {
  let content: JSON
  let keyID: String
  let signedAt: Timestamp
  let expiresAt: Timestamp

  /// When it has to be signed again: once half of its time is over.
  var renewAt: Timestamp { SignedDocument.renewal(signedAt, expiresAt) }

  static func renewal(_ signedAt: Timestamp, _ expiresAt: Timestamp) -> Timestamp {
    Timestamp(seconds: signedAt.seconds + (expiresAt.seconds - signedAt.seconds) / 2)
  }

  /// Nil for bytes that are not a JSON object.
  static func content(of bytes: [UInt8]) -> JSON? {
    guard var object = (try? JSON(parsing: bytes))?.object else { return nil }
    for member in ["aud", "exp", "iat", "ledger"] { object[member] = nil }
    return .object(object)
  }

  /// Reads a signed document of a ledger and app; nil for anything else. The signature is not verified.
  init?(_ bytes: [UInt8], ledger: String, app: String) {
    guard let jws = JWS(bytes), let header = try? JSON(parsing: jws.header),
      let keyID = header["kid"]?.string,
      let payload = (try? JSON(parsing: jws.payload))?.object, payload["ledger"] == .string(ledger),
      payload["aud"] == .string(app), let signedAt = payload["iat"]?.integer,
      let expiresAt = payload["exp"]?.integer, signedAt <= expiresAt, signedAt >= 0,
      expiresAt <= OwnedTree.latest
    else { return nil }
    content = SignedDocument.content(of: jws.payload) ?? .null
    self.keyID = keyID
    self.signedAt = Timestamp(seconds: signedAt)
    self.expiresAt = Timestamp(seconds: expiresAt)
  }
}
