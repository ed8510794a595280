import Crypto
import Platform
import Testing

struct Signer {
  let name: String
  private let key: SigningKey

  init(_ name: String, seed: UInt8) throws {
    self.name = name
    key = try #require(SigningKey(seed: [UInt8](repeating: seed, count: 32)))
  }

  static func three() throws -> [Signer] {
    try [("ada", 1), ("ben", 2), ("cyd", 3)].map { try Signer($0.0, seed: $0.1) }
  }

  /// Those, and others whom nobody trusts at first.
  static func known() throws -> [Signer] {
    try three() + [("dee", 4), ("stranger", 9), ("eve", 77)].map { try Signer($0.0, seed: $0.1) }
  }

  /// What `ssh-keygen -Y sign … -n NAMESPACE -f KEY` answers for a key that is called like a signer.
  static func keygen(_ words: [String], _ input: [UInt8]) throws -> ProgramEnd? {
    guard words.prefix(3) == ["ssh-keygen", "-Y", "sign"], let space = words.firstIndex(of: "-n"),
      let signer = try known().first(where: { words.last?.split(separator: "/").last == $0.name[...] })
    else { return nil }
    let signature = try signer.signature(over: input, namespace: words[space + 1])
    return ProgramEnd(status: 0, output: Array(signature.utf8))
  }

  private var blob: [UInt8] {
    Signer.string(Array("ssh-ed25519".utf8)) + Signer.string(key.publicKey.ed25519Bytes ?? [])
  }

  var line: String { "ssh-ed25519 \(Base64.encode(blob))" }

  private static func string(_ bytes: [UInt8]) -> [UInt8] {
    [0, 0, UInt8(truncatingIfNeeded: bytes.count >> 8), UInt8(truncatingIfNeeded: bytes.count)] + bytes
  }

  func signature(over message: [UInt8], namespace: String = "pawl-plan@v1") throws -> String {
    let (space, hash) = (Signer.string(Array(namespace.utf8)), Signer.string(Array("sha256".utf8)))
    let signed =
      Array("SSHSIG".utf8) + space + Signer.string([]) + hash + Signer.string(SHA256.digest(of: message))
    let signature = Signer.string(Array("ssh-ed25519".utf8)) + Signer.string(try #require(key.sign(signed)))
    let armoured = Base64.encode(
      Array("SSHSIG".utf8) + [0, 0, 0, 1] + Signer.string(blob) + space + Signer.string([]) + hash
        + Signer.string(signature))
    return "-----BEGIN SSH SIGNATURE-----\n\(armoured)\n-----END SSH SIGNATURE-----\n"
  }
}

extension Shell {
  func sign(_ file: String, _ signers: [Signer], sourceLocation: SourceLocation = #_sourceLocation) throws {
    for signer in signers {
      try done("plan sign @\(file) --key \(signer.name)", sourceLocation: sourceLocation)
    }
  }

  func demand() throws {
    for signer in try Signer.three() { try tell("trust signer \(signer.name) \"\(signer.line)\"") }
    try tell("trust approvals 2")
  }

  /// A ledger of the app `taxi` with 7.4.0 live and visible, more that a story tells, and approvals of two of three people.
  static func guarded(_ story: String = "") throws -> Shell {
    let shell = try Shell.taxi()
    try shell.tell("live taxi 7.2.0 7.3.0 7.4.0\n" + story)
    try shell.demand()
    return shell
  }

  func agreed(_ line: String, after span: String = "0s", sourceLocation: SourceLocation = #_sourceLocation)
    throws
  {
    try tell(
      "\(line) --plan @agreed\nsign agreed ada ben\nsleep \(span)\nplan apply @agreed",
      sourceLocation: sourceLocation)
  }
}
