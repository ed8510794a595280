import Crypto
import JSON
import Platform
import ReleaseModel
import TestSupport
import Testing

@testable import AdminCommands

/// Documents in format v1-signed: what is signed, when it is signed again, and what happens without a key.
@Suite struct SignedDocumentTests {
  private static let day: Int64 = 86_400

  /// A ledger with 1.0 and 1.1 live and visible, a key, and a directory for documents.
  fileprivate struct Site {
    let shell: Shell
    let key: SigningKey
    var out: String { shell.directory.file("out") }
    var keyFile: String { shell.directory.file("documents.key") }

    init() throws {
      shell = try Shell.taxi()
      try shell.tell("past taxi 1.0 1.1")
      key = try #require(SigningKey(seed: [UInt8](repeating: 7, count: 32)))
      try Site.write(key, to: shell.directory.file("documents.key"))
    }

    static func write(_ key: SigningKey, to path: String) throws {
      try publishFile(Array(key.pem.utf8), as: path, rights: 0o600, replaces: true)
    }

    func bytes(_ path: String) throws -> [UInt8] { try readFile("\(out)/\(path)", limit: 1 << 20) }

    /// The payload of a document that a key signed, without what signing added, and what it added.
    func signed(_ path: String, by key: SigningKey? = nil) throws -> (content: JSON, added: JSON) {
      let jws = try #require(JWS(bytes("v1-signed/taxi/\(path).jws")))
      let key = key ?? self.key
      #expect(jws.isSigned(by: key.publicKey), "\(path)")
      #expect(
        try JSON(parsing: jws.header)
          == ["alg": "EdDSA", "kid": .optional(key.publicKey.jwkThumbprint), "typ": "pawl+jws"])
      var content = try #require(JSON(parsing: jws.payload).object)
      var added = JSON.Object()
      for name in ["aud", "exp", "iat", "ledger"] {
        added[name] = content[name]
        content[name] = nil
      }
      return (.object(content), .object(added))
    }

    func findings(_ id: String) -> [JSON] {
      (shell.run("doctor --json").json["findings"]?.array ?? []).filter { $0["id"]?.string == id }
    }
  }

  @Test func `each document is the one of v1, signed for seven days`() throws {
    let site = try Site()
    let ran = try site.shell.done(
      "export \(site.out) --format v1 --format v1-signed --sign \(site.keyFile) --json")
    for name in ["1.0", "1.1", "default", "schedule"] {
      let (content, added) = try site.signed(name)
      var plain = try #require(JSON(parsing: site.bytes("v1/taxi/\(name).json")).object)
      // Every signed document has the ledger's id; a schedule has it unsigned, too.
      plain["ledger"] = nil
      #expect(content == .object(plain))
      #expect(
        added == [
          "aud": "taxi", "exp": .integer(noon.seconds + 7 * SignedDocumentTests.day),
          "iat": .integer(noon.seconds),
          "ledger": "0123456789abcdef0123456789abcdef",
        ])
    }
    #expect(ran.json["files"] == 8)
    #expect(ran.json["unsigned"] == [])
    #expect(ran.json["key"]?["kid"]?.string == site.key.publicKey.jwkThumbprint)
    #expect(ran.json["key"]?["x"]?.string == site.key.publicKey.jwkX)
    #expect(ran.json["nextChange"]?.string == later(7 * SignedDocumentTests.day / 2).text)
    // The manifest has them as they are served, and the same again is no change.
    #expect(
      String(decoding: try site.bytes("manifest.json"), as: UTF8.self).contains("v1-signed/taxi/schedule.jws")
    )
    #expect(try site.shell.done("export \(site.out) --sign \(site.keyFile) --json").json["written"] == 0)
  }

  @Test func `a signature is renewed at half its time, and not before`() throws {
    let site = try Site()
    try site.shell.done("export \(site.out) --format v1-signed --sign \(site.keyFile) --expire-in 10h")
    let first = try site.bytes("v1-signed/taxi/1.0.jws")
    site.shell.clock = later(5 * 3_600 - 1)
    #expect(
      try site.shell.done("export \(site.out) --sign \(site.keyFile) --expire-in 10h --json").json["written"]
        == 0)
    #expect(site.findings("export.renewal").isEmpty)
    site.shell.clock = later(5 * 3_600)
    #expect(
      try site.shell.done("export \(site.out) --sign \(site.keyFile) --expire-in 10h --json").json["written"]
        == 4)
    #expect(try site.bytes("v1-signed/taxi/1.0.jws") != first)
    #expect(try site.signed("1.0").added["iat"]?.integer == noon.seconds + 5 * 3_600)
    // Another time to hold is another signature at once.
    #expect(try site.shell.done("export \(site.out) --sign \(site.keyFile) --json").json["written"] == 4)
  }

  @Test func `the same ledger, moment and key give the same bytes anywhere`() throws {
    let site = try Site()
    let other = site.shell.directory.file("other")
    for out in [site.out, other] {
      try site.shell.done("export \(out) --format v1-signed --sign \(site.keyFile)")
    }
    for name in ["1.0", "default", "schedule"] {
      #expect(
        try site.bytes("v1-signed/taxi/\(name).jws")
          == readFile("\(other)/v1-signed/taxi/\(name).jws", limit: 1 << 20))
    }
  }

  @Test func `what somebody altered is signed again`() throws {
    let site = try Site()
    try site.shell.done("export \(site.out) --format v1-signed --sign \(site.keyFile)")
    let path = "\(site.out)/v1-signed/taxi/1.0.jws"
    let good = try readFile(path, limit: 1 << 20)
    try publishFile(
      good.dropLast() + [good.last == 0x41 ? 0x42 : 0x41], as: path, rights: 0o644, replaces: true)
    site.shell.clock = later(60)
    try site.shell.done("stop taxi --reason test")
    try site.shell.done("resume taxi --yes")
    try site.shell.done("export \(site.out) --sign \(site.keyFile)")
    _ = try site.signed("1.0")
  }

  @Test func `without the key what is unchanged stays, and what changed is an alarm`() throws {
    let site = try Site()
    try site.shell.done("export \(site.out) --format v1 --format v1-signed --sign \(site.keyFile)")
    try site.shell.done("export \(site.out) --json")
    site.shell.clock = later(4 * SignedDocumentTests.day)
    // Half the time is over: nothing is wrong yet, and somebody should act.
    try site.shell.done("export \(site.out)")
    site.shell.environment["PAWL_EXPORT"] = site.out
    #expect(site.findings("export.renewal").count == 1)
    let before = try site.bytes("v1-signed/taxi/1.0.jws")
    let ran = site.shell.run("stop taxi --reason test --json")
    #expect(ran.status == 74)
    #expect(ran.errorID == "export.unsigned")
    #expect(ran.json["changed"] == true)
    // What needs no key is written; the old signed ones stay.
    #expect(try JSON(parsing: site.bytes("v1/taxi/1.0.json"))["decidedBy"] == "stopped")
    #expect(try site.bytes("v1-signed/taxi/1.0.jws") == before)
    let again = site.shell.run("export \(site.out) --json")
    #expect(again.status == 74 && again.errorID == "export.unsigned")
    #expect(again.json["unsigned"]?.array?.first?["versions"] == ["1.0", "1.1"])
    #expect(site.findings("export.unsigned").first?["act"] == true)
    try site.shell.tell("due → export.unsigned.#=1")
    try site.shell.done("export \(site.out) --sign \(site.keyFile)")
    #expect(try site.signed("1.0").content["decidedBy"] == "stopped")
    #expect(site.findings("export.unsigned").isEmpty && site.findings("export.renewal").isEmpty)
  }

  @Test func `init keeps the key's name on this host, and changes sign with it`() throws {
    let site = try Site()
    try site.shell.done("init --export \(site.out) --format v1-signed --sign \(site.keyFile) --expire-in 2d")
    #expect(try site.signed("1.0").added["exp"]?.integer == noon.seconds + 2 * SignedDocumentTests.day)
    try site.shell.done("stop taxi --reason test")
    #expect(try site.signed("1.0").content["decidedBy"] == "stopped")
    // The ledger does not name it: a ledger from elsewhere must not choose what is signed with.
    #expect(!site.shell.run("history --json").out.contains("documents.key"))
    // Another key, and every document is signed anew.
    let next = try #require(SigningKey(seed: [UInt8](repeating: 8, count: 32)))
    let nextFile = site.shell.directory.file("next.key")
    try Site.write(next, to: nextFile)
    try site.shell.done("init --export \(site.out) --sign \(nextFile)")
    for name in ["1.0", "1.1", "default", "schedule"] { _ = try site.signed(name, by: next) }
    // A key that others may read is none, and says so.
    try publishFile(Array(next.pem.utf8), as: nextFile, rights: 0o644, replaces: true)
    let ran = site.shell.run("resume taxi --yes --json")
    #expect(ran.status == 74 && ran.errorID == "export.unsigned")
    #expect(ran.error["details"]?["cause"] == "key.rights")
    try site.shell.done("init --no-export")
    #expect(throws: SystemError.self) { try FileStatus(of: site.shell.ledger + "-sign") }
  }

  @Test func `a key is named with a format to sign, and a format to sign with a key`() throws {
    let site = try Site()
    let key = "--sign @documents.key"
    try site.shell.tell(
      """
      init --export @out --format v1 \(key) → 64
      init \(key) → 64
      export @out --format v1 \(key) → 64
      init --export @out --format v1-signed → 64
      export @out --expire-in 3d → 64
      export @out --format v1-signed \(key) --expire-in 1s → 64
      export @out --format v1-signed --sign @pawl.db → 77
      """)
    // Nothing could be signed, and nothing is there that could mislead.
    let ran = site.shell.run("export \(site.out) --format v1-signed --json")
    #expect(ran.status == 74 && ran.errorID == "export.unsigned" && ran.json["files"] == 0)
  }
}
