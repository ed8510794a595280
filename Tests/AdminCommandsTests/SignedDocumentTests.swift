import Crypto
import JSON
import Platform
import ReleaseModel
import TestSupport
import Testing

@Suite struct SignedDocumentTests {
  private static let day: Int64 = 86_400
  private static let sign = "--sign @documents.key"
  private let shell: Shell
  private let key: SigningKey

  init() throws {
    shell = try Shell.taxi()
    try shell.tell("past taxi 1.0 1.1")
    key = try #require(SigningKey(seed: [UInt8](repeating: 7, count: 32)))
    try write(key, to: "documents.key")
  }

  private func write(_ key: SigningKey, to name: String, rights: UInt32 = 0o600) throws {
    try publishFile(Array(key.pem.utf8), as: shell.directory.file(name), rights: rights, replaces: true)
  }

  /// The payload of a document that a key signed, without what signing added, and what it added.
  private func signed(_ path: String, by key: SigningKey? = nil) throws -> (content: JSON, added: JSON) {
    let bytes = try shell.bytes("out/v1-signed/taxi/\(path).jws")
    let jws = try #require(JWS(bytes))
    let key = key ?? self.key
    let input = Array(bytes.prefix(bytes.lastIndex(of: UInt8(ascii: ".")) ?? 0))
    #expect(key.publicKey.verify(signature: jws.signature, message: input), "\(path)")
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

  @Test func `each signed document has the content of its v1 document, for seven days`() throws {
    // The manifest has them as they are served, and the same again is no change.
    try shell.tell(
      """
      export @out --format v1 --format v1-signed \(Self.sign) → files=8 unsigned=[] key.kid=\(key.publicKey.jwkThumbprint ?? "") key.x=\(key.publicKey.jwkX ?? "") nextChange=\(later(7 * Self.day / 2).text)
      export @out \(Self.sign) → written=0
      """)
    for name in ["1.0", "1.1", "default", "schedule"] {
      let (content, added) = try signed(name)
      var plain = try #require(JSON(parsing: shell.bytes("out/v1/taxi/\(name).json")).object)
      // Every signed document has the ledger's id; a schedule has it unsigned, too.
      plain["ledger"] = nil
      #expect(content == .object(plain))
      #expect(
        added == [
          "aud": "taxi", "exp": .integer(noon.seconds + 7 * Self.day), "iat": .integer(noon.seconds),
          "ledger": "0123456789abcdef0123456789abcdef",
        ])
    }
    #expect(try shell.text("out/manifest.json").contains("v1-signed/taxi/schedule.jws"))
  }

  @Test func `a signature is renewed at half its time, and not before`() throws {
    // Another time to hold is another signature at once.
    try shell.tell(
      """
      export @out --format v1-signed \(Self.sign) --expire-in 10h
      sleep 5h
      sleep -1s
      amend taxi 1.0 --build 9
      export @out \(Self.sign) --expire-in 10h → written=0
      doctor → findings=[]
      sleep 1s
      export @out \(Self.sign) --expire-in 10h → written=4
      """)
    #expect(try signed("1.0").added["iat"]?.integer == noon.seconds + 5 * 3_600)
    try shell.tell("export @out \(Self.sign) → written=4")
  }

  @Test func `the same ledger, moment and key give the same bytes anywhere`() throws {
    for out in ["out", "other"] { try shell.done("export @\(out) --format v1-signed \(Self.sign)") }
    for name in ["1.0", "default", "schedule"] {
      #expect(
        try shell.bytes("out/v1-signed/taxi/\(name).jws")
          == shell.bytes("out/../other/v1-signed/taxi/\(name).jws"))
    }
  }

  @Test func `an altered document is signed again`() throws {
    try shell.done("export @out --format v1-signed \(Self.sign)")
    let good = try shell.bytes("out/v1-signed/taxi/1.0.jws")
    try shell.directory.write(
      good.dropLast() + [good.last == 0x41 ? 0x42 : 0x41], to: "out/v1-signed/taxi/1.0.jws")
    try shell.tell("sleep 1m\nstop taxi\nresume taxi --yes\nexport @out \(Self.sign)")
    _ = try signed("1.0")
  }

  @Test func `without the key unchanged documents stay, and changed ones are reported`() throws {
    // Half the time is over: nothing is wrong yet, and somebody should act.
    try shell.tell(
      """
      export @out --format v1 --format v1-signed \(Self.sign)
      export @out
      sleep 4d
      export @out
      set PAWL_EXPORT=@out
      """)
    #expect(shell.findings() == ["export.renewal"])
    // A version that joins has no file yet, and says of the others nothing new.
    shell.environment["PAWL_EXPORT"] = nil
    try shell.tell(
      #"""
      import taxi - --past --yes < "version,released_at\n0.9,2025-01-01T00:00:00Z\n"
      export @out → 74 export.unsigned unsigned.*.versions=[[0.9]]
      set PAWL_EXPORT=@out
      """#)
    let before = try shell.bytes("out/v1-signed/taxi/1.0.jws")
    // What needs no key is written; the old signed ones stay.
    try shell.tell(
      """
      stop taxi --reason test → 74 export.unsigned changed=true
      json @out/v1/taxi/1.0.json → decidedBy=stopped
      export @out → 74 export.unsigned unsigned.0.versions=[0.9,1.0,1.1]
      doctor → 1 findings.*.id=[export.unsigned]
      due → export.unsigned.#=1
      """)
    #expect(try shell.bytes("out/v1-signed/taxi/1.0.jws") == before)
    try shell.tell("export @out \(Self.sign)\ndoctor → findings=[]")
    #expect(try signed("1.0").content["decidedBy"] == "stopped")
  }

  @Test func `init keeps the key's path on this host, and changes sign with it`() throws {
    try shell.tell("init --export @out --format v1-signed \(Self.sign) --expire-in 2d")
    #expect(try signed("1.0").added["exp"]?.integer == noon.seconds + 2 * Self.day)
    try shell.tell("stop taxi --reason test")
    #expect(try signed("1.0").content["decidedBy"] == "stopped")
    // The ledger does not name it: a ledger from elsewhere must not choose what is signed with.
    #expect(!shell.run("history --json").out.contains("documents.key"))
    // Another key, and every document is signed anew.
    let next = try #require(SigningKey(seed: [UInt8](repeating: 8, count: 32)))
    try write(next, to: "next.key")
    try shell.tell("init --export @out --sign @next.key")
    for name in ["1.0", "1.1", "default", "schedule"] { _ = try signed(name, by: next) }
    // A key that others may read is none, and says so.
    try write(next, to: "next.key", rights: 0o644)
    try shell.tell("resume taxi --yes → 74 export.unsigned details.cause=key.rights\ninit --no-export")
    #expect(!shell.directory.exists("pawl.db-sign"))
  }

  @Test func `--sign needs a signed format, and a signed format needs --sign`() throws {
    // Nothing could be signed, and nothing is there that could mislead.
    try shell.tell(
      """
      init --export @out --format v1 \(Self.sign) → 64
      init \(Self.sign) → 64
      init --export @out --format v1-signed → 64
      export @out --expire-in 3d → 64
      export @out --format v1-signed --sign @pawl.db → 77
      export @out --format v1-signed → 74 export.unsigned files=0
      """)
  }
}
