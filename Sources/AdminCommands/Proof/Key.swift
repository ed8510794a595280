import CommandLineKit
import Crypto
import Export
import JSON
import Platform

extension Command where Context == PawlContext {
  static var key: Command {
    Command("key", summary: "Make a key that signs documents", subcommands: { [newKey] })
  }

  private static var newKey: Command {
    Command(
      "new", reach: .remote, summary: "Make a key, and print its public half",
      discussion: "Writes an Ed25519 key that only its owner may read. It never replaces a file.",
      examples: [
        .init("pawl key new documents.key > documents.jwk", "the key, and its public half as a JSON Web Key")
      ]
    ) {
      (.argument("FILE", .newFile, help: "Where to write the key"), .common)
    } run: { context, file, common in
      let key = try SigningKey.making(file)
      guard let signer = DocumentSigner(key, lifetime: DocumentSigner.usualLifetime) else {
        throw CommandFailure("internal", ["reason": "libcrypto cannot use the key"])
      }
      try common.print(["publicKey": signer.json, "file": .string(file)], context, isExact: true) {
        signer.json.text() + "\n"
      }
      if !common.isJSON {
        context.note("Keep '\(printable(file))' secret, and put the public key into the app.\n")
      }
      return .success
    }
  }
}

extension SigningKey {
  private static let limit = 1 << 16

  /// Reads a key that nobody else may read.
  init(file path: String) throws {
    do {
      let text = String(decoding: try readSecret(path, limit: SigningKey.limit), as: UTF8.self)
      guard let key = SigningKey(pem: text) else { throw CommandFailure("key.malformed", ["path": path]) }
      self = key
    } catch let fault as SecretFault {
      throw CommandFailure("key.rights", ["path": path, "reason": fault.reason])
    }
  }

  fileprivate static func making(_ path: String) throws -> SigningKey {
    guard let key = SigningKey.random() else {
      throw CommandFailure("internal", ["reason": "the system has no randomness for a key"])
    }
    do {
      try publishFile(Array(key.pem.utf8), as: path, rights: 0o600, replaces: false)
    } catch {
      guard error.isTaken else { throw error }
      throw CommandFailure("key.exists", ["path": path])
    }
    return key
  }
}
