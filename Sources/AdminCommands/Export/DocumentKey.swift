import CommandLineKit
import Crypto
import Export
import JSON
import Ledger
import Platform
import ReleaseModel

/// The key that signs a ledger's documents, as someone on this host named it.
///
/// The key's name is kept in a file beside the ledger, not in the ledger, which may come from elsewhere and
/// name any file.
struct DocumentKey: Equatable {
  let path: String
  let lifetime: TimeSpan

  private static let limit = 1 << 16

  private static func place(_ ledger: Ledger) throws -> (folder: Directory, name: String) {
    let name = ledger.path.split(separator: "/").last.map(String.init) ?? ledger.path
    return (try Directory.open(folder(of: ledger.path)), name + Companion.sign.rawValue)
  }

  /// The key named for a ledger on this host by an account that may change the ledger, or nil.
  static func named(for ledger: Ledger, _ context: PawlContext) throws -> DocumentKey? {
    let (folder, name) = try place(ledger)
    guard let status = try folder.status(of: name), status.kind == .regular, !status.isWorldWritable,
      try Agreement(ledger, isGiven: false).trusts(status),
      let bytes = try folder.read(name, limit: limit), let json = try? JSON(parsing: bytes),
      json["host"]?.string == context.host, let path = json["key"]?.string, path.hasPrefix("/"),
      let seconds = json["expireIn"]?.integer, seconds >= shortest.seconds
    else { return nil }
    return DocumentKey(path: path, lifetime: TimeSpan(seconds: seconds))
  }

  static func keep(_ key: DocumentKey?, for ledger: Ledger, _ context: PawlContext) throws {
    if key == nil, (try? FileStatus(of: ledger.path(of: .sign))) == nil { return }
    let (folder, name) = try place(ledger)
    guard let key else { return try folder.remove(name) }
    let json: JSON = [
      "expireIn": .integer(key.lifetime.seconds), "host": .string(context.host), "key": .string(key.path),
    ]
    let rights = try FileStatus(of: ledger.path).rights & 0o660
    try publishFile(json.bytes() + [0x0A], as: "\(folder.path)/\(name)", rights: rights, replaces: true)
  }

  func signer() throws -> DocumentSigner {
    guard let signer = DocumentSigner(try SigningKey(file: path), lifetime: lifetime) else {
      throw CommandFailure("internal", ["reason": "libcrypto cannot use the key"])
    }
    return signer
  }

  /// A signature is renewed halfway through its lifetime, which therefore needs two seconds.
  private static let shortest = TimeSpan(seconds: 2)

  static func lifetime(_ asked: TimeSpan?) throws(UsageError) -> TimeSpan {
    guard let asked else { return DocumentSigner.usualLifetime }
    try UsageError.demand(asked >= shortest, "usage.invalid/expire-in", ["span": asked.text])
    return asked
  }
}

extension DocumentSigner {
  /// The public key as a JSON Web Key, with which clients verify (RFC 8037 §2).
  var json: JSON {
    [
      "alg": "EdDSA", "crv": "Ed25519", "kid": .string(keyID), "kty": "OKP", "use": "sig",
      "x": .string(publicX),
    ]
  }
}
