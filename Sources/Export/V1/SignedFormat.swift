package import Crypto
import JSON
package import ReleaseModel

/// pawl's own documents, each signed by itself (`DocumentSigner`), for clients that trust a key rather than a
/// server.
///
/// What is made and compared here is what will be signed.
struct SignedFormat: DocumentFormat {
  var name: String { "v1-signed" }

  var saysTimes: Bool { true }

  var checksSystems: Bool { true }

  var isSigned: Bool { true }

  private let plain = V1Format()

  func documents(for answers: AppAnswers) -> (documents: [Document], warnings: [ExportFinding]) {
    let (documents, warnings) = plain.documents(for: answers)
    return (
      documents.map { Document(path: signed($0.path), bytes: $0.bytes) },
      // What plain documents announce, these do too, and it was said of the plain ones.
      warnings.map { ExportFinding($0.id, app: $0.app, format: name, versions: $0.versions, $0.message) }
    )
  }

  func clients(of documents: [String: [UInt8]], app: String, at moment: Timestamp) -> [DocumentClient] {
    let files = documents.map { (plainPath($0.key), $0.value) }
    return plain.clients(of: Dictionary(files, uniquingKeysWith: { $1 }), app: app, at: moment)
  }

  private func signed(_ path: String) -> String {
    name + path.dropFirst(plain.name.count).dropLast(".json".count) + ".jws"
  }

  private func plainPath(_ path: String) -> String {
    plain.name + path.dropFirst(name.count).dropLast(".jws".count) + ".json"
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
