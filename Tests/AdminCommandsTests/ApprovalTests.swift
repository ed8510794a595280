import Crypto
import JSON
import TestSupport
import Testing

@Suite struct ApprovalTests {
  /// What the refusal names, what is there before approvals are demanded, what anybody may do since, and the step that is refused.
  static let ways = """
    forces |  |  | force taxi below:7.3 --reason x
    forces |  |  | force taxi 7.2.5 --reason x
    forces |  |  | force taxi from:9.0 --reason x --when-visible
    forces |  |  | force taxi below:7.3 --reason x --until 1m
    forces |  |  | force taxi below:7.3 --reason x --grace 14d
    harsher | app set taxi --policy none |  | remind taxi below:7.3
    harsher |  |  | remind taxi 7.4.0
    page |  |  | remind taxi below:7.4 --url PAGE1
    harsher | allow taxi below:7.4 |  | lift taxi 1
    forces | force taxi below:7.3 --reason x --yes; allow taxi below:7.3 |  | lift taxi 2
    harsher |  | allow taxi below:7.4 --until 9d | lift taxi 1
    forces | force taxi below:7.3 --reason x --yes | lift taxi 1 | force taxi below:7.3 --reason x
    forces |  | stop taxi | force taxi below:7.3 --reason x
    forces |  | allow taxi all --until 9d | app set taxi --policy force,force,force
    page |  | allow taxi all --until 9d | remind taxi below:7.3 --url PAGE1
    forces |  | allow taxi 7.2.0 --until 5d; allow taxi 7.2.0 --from 6d --until 9d | force taxi below:7.3 --reason x --from 4d --until 7d
    harsher |  | stop taxi; app retire taxi | undo LAST
    forces | force taxi below:7.3 --reason x --from 30d --yes | app retire taxi | undo LAST
    harsher | amend taxi 7.4.0 --expires 2027-01-20 |  | amend taxi 7.4.0 --expires 2028-01-20
    forces | force taxi below:7.4 --reason x --yes; amend taxi 7.4.0 --expires 2027-01-10 |  | amend taxi 7.4.0 --expires 2028-01-20
    forces | publish taxi 8.0 --yes --mandatory --expires 2027-01-20 |  | amend taxi 8.0 --expires 2028-01-20
    forces | amend taxi 7.4.0 --expires 2027-01-17 |  | force taxi below:7.4 --reason x
    harsher |  | app set taxi --remind-after phase | app set taxi --remind-after visible
    forces |  |  | app set taxi --policy force,remind,force
    forces |  | stop taxi | app set taxi --policy force
    harsher |  | app set taxi --policy none,none,none | app set taxi --policy force,remind,none
    hold |  |  | app set taxi --hold 23h
    hold |  | app set taxi --hold 48h | undo LAST
    live-by |  |  | app set taxi --live-by lookup
    countries | app set taxi --countries US,DE |  | app set taxi --countries US
    countries | app set taxi --countries US |  | app set taxi --countries=
    page |  |  | app set taxi --store-url PAGE1
    page |  |  | app set taxi --apple-id 7
    harsher |  | stop taxi | resume taxi
    harsher |  | stop --all | resume --all
    mandatory |  |  | publish taxi 8.0 --yes --mandatory
    mandatory,forces |  |  | publish taxi 7.4.1 --yes --mandatory
    page |  |  | publish taxi 7.5.0 --yes --url PAGE1
    mandatory,forces |  |  | amend taxi 7.4.0 --mandatory
    page |  | publish taxi 7.5.0 --yes | amend taxi 7.5.0 --url PAGE1
    harsher | amend taxi 7.4.0 --min-os 18 |  | amend taxi 7.4.0 --min-os 15
    forces |  |  | publish taxi 8.0
    forces | publish taxi 8.0 --yes |  | mark taxi 8.0 live
    forces | publish taxi 8.0 --yes; allow taxi below:8.0 |  | lift taxi 1
    forces | publish taxi 8.0 --yes; mark taxi 8.0 live --yes |  | mark taxi 8.0 live --visible-now
    forces | live taxi 8.0 | mark taxi 8.0 removed --reason x | mark taxi 8.0 live --visible-now
    never-shipped |  |  | void taxi 7.4.0 --never-shipped --reason x
    forces |  |  | import taxi @past --yes
    page |  |  | redirect taxi 7.4.0 --url PAGE1 --from 9d
    page | redirect taxi below:7.4 --url PAGE1 --yes |  | redirect taxi below:7.4 --clear
    page | BUS; live bus 1.0 |  | redirect taxi all --to bus
    forces | BUS; publish bus 1.0 --yes |  | force taxi all --to bus --when-visible --reason x
    page | BUS; live bus 1.0; redirect taxi below:7.3 --to bus --yes |  | app set bus --store-url PAGE3
    forces | BUS; live bus 1.0; force taxi below:7.3 --to bus --reason x --yes | stop bus | resume bus
    page | BUS --policy none; live bus 1.0; redirect taxi below:7.3 --to bus --yes |  | publish bus 2.0 --url PAGE3
    forces | BUS |  | app set bus --policy force
    setting | setting taxi map a |  | setting taxi map --clear
    setting | setting taxi map a |  | setting taxi map b --versions 7.2.0
    setting | setting taxi map a |  | setting taxi map b --during released --from 9d
    harsher |  | app set taxi --policy none | undo LAST
    forces | force taxi below:7.3 --reason x --yes | lift taxi 1 | undo LAST
    setting |  | setting taxi map a | undo LAST
    trust |  |  | trust host evil.example.com
    trust | trust host a.example.com |  | trust remove host a.example.com
    trust |  |  | trust mx mx.example.com
    trust |  |  | trust recipient me@example.com
    trust |  |  | trust webhook taxi --secret-file @secret
    trust |  |  | trust dkim email.apple.com s1 --key @dkim
    trust |  |  | trust signer ada KEY
    trust |  |  | trust remove signer cyd
    trust |  |  | trust approvals 1
    trust |  |  | trust remove approvals 2
    trust |  |  | trust approvals 3
    """.split(separator: "\n").map(String.init)

  private static let dkim = """
    v=DKIM1; k=rsa; p=MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDwIRP/UC3SBsEmGqZ9ZJW3/DkMoGeLnQg1fWn7/zYtIxN2SnFCjxOCKG9v3b4jYfcTNh5ijSsq631uBItLa7od+v/RtdC2UzJ1lWT947qR+Rcac2gbto/NMqJ0fzfVjH4OuKhitdY9tf6mcwGjaNBcWToIMmPSPDdQPNUYckcQ2QIDAQAB
    """

  @Test(arguments: ways) func `a way around two people is refused`(_ way: String) throws {
    let key = try Signer("eve", seed: 77).line
    let parts = (" " + way).replacing("PAGE", with: "https://apps.apple.com/app/id").replacing(
      "KEY", with: "\"\(key)\""
    )
    .replacing("BUS", with: "app add bus --bundle-id com.example.bus --apple-id 2").replacing(
      "; ", with: "\n"
    )
    .split(separator: " |").map { $0.split(separator: " ").isEmpty ? "" : String($0.dropFirst()) }
    let shell = try Shell.guarded(parts[1])
    try shell.directory.write(ApprovalTests.dkim, to: "dkim")
    let step = parts[3]
    // By a plan of two it is recorded, and by a plan of one it is not.
    try shell.tell(
      """
      file secret secret
      file past "version,released_at\\n9.0,2027-01-15T12:00:00Z\\n"
      \(parts[2])
      \(step) → 1 approvals.required
      """)
    let refused = shell.run(step + " --json").error["details"]
    #expect(Set(parts[0].split(separator: ",")).isSubset(of: needs(refused)), "\(needs(refused))")
    #expect(refused?["impact"]?.array != nil)
    try shell.tell(
      """
      \(step.replacing(" --yes", with: "")) --plan @plan
      sign plan ada
      plan apply @plan → approvals.required
      sign plan ben
      plan apply @plan
      verify
      """)
  }

  private func needs(_ details: JSON?) -> [Substring] {
    (details?["needs"]?.array ?? []).compactMap { $0.string.map { $0[...] } }
  }

  @Test(arguments: ["--yes", "--actor ada", "--request-id r1", "--expect-head LAST"])
  func `no option stands for agreement`(option: String) throws {
    try Shell.guarded().tell("force taxi below:7.3 --reason x \(option) → 1 approvals.required")
  }

  @Test(arguments: [
    "stop taxi", "stop --all", "allow taxi below:7.4 --until 9d", "app set taxi --policy none",
    "app set taxi --hold 48h", "app set taxi --name Taxi", "publish taxi 7.5.0",
    "app add bus --bundle-id com.example.bus --policy force", "setting taxi new value",
    "setting taxi map a --during review", "mark taxi 7.4.0 removed --reason gone",
    "app set taxi --countries US,DE", "app retire taxi", "app set taxi --remind-after phase",
    "amend taxi 7.4.0 --expires 2027-01-20", "publish taxi 7.5.0 --expires 2027-01-20",
    #"ingest usage taxi - < "version,devices\n7.2.0,5\n""#,
  ])
  func `what makes answers milder, and what tells nobody anything, needs nobody`(_ line: String) throws {
    let shell = try Shell.guarded()
    let head = shell.head()
    try shell.tell("\(line)\nverify")
    #expect(shell.head() != head)
  }

  @Test func `a retired app takes nothing, not even by a plan that two signed before`() throws {
    try Shell.guarded().tell(
      """
      force taxi below:7.3 --reason x --plan @plan
      sign plan ada ben
      app retire taxi
      plan apply @plan → plan.stale
      force taxi below:7.3 --reason x --yes → 1 app.retired
      publish taxi 8.0 --yes → 1 app.retired
      mark taxi 7.4.0 removed → 1 app.retired
      resume taxi → same
      undo LAST --plan @back
      sign back ada ben
      plan apply @back
      plan apply @plan
      verify
      """)
  }

  @Test func `a release that reminds goes live by one person's word`() throws {
    try Shell.guarded().tell(
      """
      publish taxi 7.5.0 --yes
      mark taxi 7.5.0 in-review
      mark taxi 7.5.0 rejected --reason x
      mark taxi 7.5.0 waiting
      mark taxi 7.5.0 live
      unmark taxi 7.5.0 --reason typing
      mark taxi 7.5.0 live --visible-now --yes → approvals.required
      mark taxi 7.5.0 live
      sleep 2d
      check taxi 7.4.0 → action=remind
      publish taxi 7.6.0 --yes
      void taxi 7.6.0 --reason typing
      verify
      """)
  }

  @Test func `signers have keys of their own, and there are as many as are demanded`() throws {
    let lines = try Signer.three().map(\.line)
    let key = try #require(Base64.decode(lines[0].dropFirst(12).utf8))
    func part(_ data: [UInt8]) -> [UInt8] { [0, 0, UInt8(data.count / 256), UInt8(data.count % 256)] + data }
    // The key of a token signs in its own way, but has the same private half.
    let kind = "sk-ssh-ed25519@openssh.com"
    let tokens = ["ssh:", "ssh:more", ""].map {
      "\(kind) \(Base64.encode(part(Array(kind.utf8)) + part(key.suffix(32)) + part(Array($0.utf8))))"
    }
    // So has the negative of a point, and a modulus with another exponent.
    let negative = Base64.encode(key.dropLast() + [(key.last ?? 0) ^ 0x80])
    let rsa = [[1, 0, 1], [17]].map { (exponent: [UInt8]) in
      let parts = [Array("ssh-rsa".utf8), exponent, [0] + [UInt8](repeating: 0xC1, count: 256)]
      return "ssh-rsa \(Base64.encode(parts.flatMap(part)))"
    }
    // Everybody can sign for the identity.
    let identity = part(Array("ssh-ed25519".utf8)) + part([1] + [UInt8](repeating: 0, count: 31))
    // One lost key would end all agreement; a signer whom two need stays, whoever agrees to it.
    try Shell.taxi().tell(
      """
      trust signer ada "\(lines[0])"
      trust signer ada "\(lines[0])" → same changed=false
      trust signer ben "\(lines[0])" → trust.key-taken
      trust signer ben "\(tokens[0])" → trust.key-taken
      trust signer cyd "\(tokens[1])" → trust.key-taken
      trust signer dan "\(tokens[2])" → trust.key-taken
      trust signer ben "ssh-ed25519 \(negative)" → trust.key-taken
      trust signer rex "\(rsa[0])"
      trust signer ben "\(rsa[1])" → trust.key-taken
      trust remove signer rex
      trust signer eve "ssh-ed25519 \(Base64.encode(identity))" → trust.key-malformed
      trust signer x "ssh-ed25519 nonsense" → 65
      trust signer * "\(lines[2])" → 64
      trust signer "a b" "\(lines[2])" → 64
      trust signer x "\(lines[2])" --until 2020-01-01T00:00:00Z → 64
      trust approvals 2 → trust.too-few-signers
      trust signer ben "\(lines[1])"
      trust approvals 2 → confirm.required
      trust approvals 2 --yes
      trust approvals 2 → same changed=false
      trust approvals 100 → 64
      doctor → 1 findings.*.id=[signers.no-spare]
      trust remove signer ben --plan - → trust.too-few-signers
      trust approvals 1 --plan @one
      sign one ada ben
      plan apply @one
      trust remove signer ben --plan @two
      sign two ada
      plan apply @two
      trust remove signer ada --plan - → trust.too-few-signers
      trust approvals 0 --plan @three
      sign three ada
      plan apply @three
      trust remove signer ada
      verify
      """)
  }
}
