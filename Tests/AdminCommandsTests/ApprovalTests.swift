import AdminCommands
import Crypto
import JSON
import Ledger
import ReleaseModel
import TestSupport
import Testing

/// Ways around the agreement of two people: each is refused, whichever command takes it.
@Suite struct ApprovalTests {
  /// One way: what is there before approvals are demanded, what anybody may do since, and the step that is refused.
  struct Way: Sendable, CustomStringConvertible {
    /// What the refusal names.
    let needs: Set<String>
    let before: [String]
    let since: [String]
    let step: String

    init(_ line: Substring) {
      let full = line.replacing("QUIETBUS", with: "\(Way.bus) --policy none; live bus 1.0")
        .replacing("BUS", with: "\(Way.bus); live bus 1.0").replacing(
          "PAGE", with: "https://apps.apple.com/app/id")
      let parts = full.split(separator: "|").map { part in
        part.split(separator: ";").map { $0.split(separator: " ").joined(separator: " ") }.filter {
          !$0.isEmpty
        }
      }
      needs = Set((parts[0].first ?? "").split(separator: " ").map(String.init))
      (before, since, step) = (parts[1], parts[2], parts[3][0])
    }

    private static let bus = "app add bus --bundle-id com.example.bus --apple-id 2"
    var description: String { step }
  }

  static let ways = """
    forces |  |  | force taxi below:7.3 --reason x
    forces |  |  | force taxi 7.2.0 --reason x
    forces |  |  | force taxi 7.2.5 --reason x
    forces |  |  | force taxi 7.4.0 --reason x --when-visible
    forces |  |  | force taxi all --reason x --when-visible
    forces |  |  | force taxi from:9.0 --reason x --when-visible
    forces |  |  | force taxi below:7.3 --reason x --from 30d
    forces |  |  | force taxi below:7.3 --reason x --until 1m
    forces |  |  | force taxi below:7.3 --reason x --grace 14d
    harsher | app set taxi --policy none |  | remind taxi below:7.3
    harsher |  |  | remind taxi 7.4.0
    page |  |  | remind taxi below:7.4 --url PAGE1
    harsher | allow taxi below:7.4 |  | lift taxi 1
    forces | force taxi below:7.3 --reason x --yes; allow taxi below:7.3 |  | lift taxi 2
    harsher |  | allow taxi below:7.4 --until 9d | lift taxi 1
    forces | force taxi below:7.3 --reason x --yes | lift taxi 1 | force taxi below:7.3 --reason x
    forces |  |  | force taxi below:7.3 --reason x --yes
    forces |  |  | force taxi below:7.3 --reason x --actor ada
    forces |  |  | force taxi below:7.3 --reason x --request-id r1
    forces |  |  | force taxi 7.3.0 --reason x --expect-head 12
    forces |  | stop taxi | force taxi below:7.3 --reason x
    forces |  | allow taxi all --until 9d | app set taxi --policy force,force,force
    page |  | allow taxi all --until 9d | remind taxi below:7.3 --url PAGE1
    forces |  | allow taxi 7.2.0 --until 5d; allow taxi 7.2.0 --from 6d --until 9d | force taxi below:7.3 --reason x --from 4d --until 7d
    page |  |  | redirect taxi below:7.4 --url PAGE1 --until 1h
    harsher |  | app retire taxi | revert LAST
    harsher |  | stop taxi; app retire taxi | revert LAST
    forces | force taxi below:7.3 --reason x --yes | app retire taxi | revert LAST
    forces | force taxi below:7.3 --reason x --from 30d --yes | app retire taxi | revert LAST
    harsher | amend taxi 7.4.0 --expires 2027-01-20 |  | amend taxi 7.4.0 --expires 2028-01-20
    forces | force taxi below:7.4 --reason x --yes; amend taxi 7.4.0 --expires 2027-01-10 |  | amend taxi 7.4.0 --expires 2028-01-20
    forces | publish taxi 8.0 --mandatory --expires 2027-01-20 |  | amend taxi 8.0 --expires 2028-01-20
    forces | amend taxi 7.4.0 --expires 2027-01-17 |  | force taxi below:7.4 --reason x
    harsher | app set taxi --remind-after phase |  | app set taxi --remind-after visible
    harsher |  | app set taxi --remind-after phase | app set taxi --remind-after visible
    harsher |  | app set taxi --remind-after phase | revert LAST
    forces |  |  | app set taxi --policy force,force,force
    forces |  |  | app set taxi --policy force,remind,force
    forces |  |  | app set taxi --policy force,force,none
    forces |  | stop taxi | app set taxi --policy force
    harsher |  |  | app set taxi --policy force,remind,remind
    harsher |  | app set taxi --policy none,none,none | app set taxi --policy force,remind,none
    hold |  |  | app set taxi --hold 0
    hold |  |  | app set taxi --hold 23h
    hold |  | app set taxi --hold 48h | app set taxi --hold 24h
    live-by |  |  | app set taxi --live-by lookup
    countries | app set taxi --countries US,DE |  | app set taxi --countries US
    countries | app set taxi --countries US |  | app set taxi --countries=
    countries | app set taxi --countries US |  | app set taxi --countries DE
    page |  |  | app set taxi --store-url PAGE1
    page |  |  | app set taxi --apple-id 7
    harsher |  | stop taxi | resume taxi
    harsher |  | stop --all | resume --all
    mandatory |  |  | publish taxi 8.0 --mandatory
    mandatory forces |  |  | publish taxi 7.4.1 --mandatory
    page |  |  | publish taxi 7.5.0 --url PAGE1
    mandatory |  | publish taxi 7.5.0 | amend taxi 7.5.0 --mandatory
    mandatory forces |  |  | amend taxi 7.4.0 --mandatory
    page |  |  | amend taxi 7.4.0 --url PAGE1
    page |  | publish taxi 7.5.0 | amend taxi 7.5.0 --url PAGE1
    harsher | amend taxi 7.4.0 --min-os 18 |  | amend taxi 7.4.0 --min-os 15
    forces |  | publish taxi 8.0 | mark taxi 8.0 live
    forces |  | publish taxi 8.0 | mark taxi 8.0 live --visible-now
    forces | publish taxi 8.0; mark taxi 8.0 live --yes |  | mark taxi 8.0 live --visible-now
    forces | publish taxi 8.0; mark taxi 8.0 live --visible-now --yes | mark taxi 8.0 removed --reason x | mark taxi 8.0 live --visible-now
    never-shipped |  |  | void taxi 7.4.0 --never-shipped --reason x
    forces |  |  | import taxi - --yes
    page |  |  | redirect taxi below:7.4 --url PAGE1
    page |  |  | redirect taxi 7.4.0 --url PAGE1
    page |  |  | redirect taxi below:7.4 --url PAGE1 --from 9d
    page | redirect taxi below:7.4 --url PAGE1 --yes |  | redirect taxi below:7.4 --clear
    page | BUS |  | redirect taxi all --to bus
    forces | app add bus --bundle-id com.example.bus --apple-id 2 | publish bus 1.0 | force taxi all --to bus --when-visible --reason x
    page | BUS; redirect taxi below:7.3 --to bus --yes |  | app set bus --store-url PAGE3
    forces | BUS; force taxi below:7.3 --to bus --reason x --yes | stop bus | resume bus
    page | QUIETBUS; redirect taxi below:7.3 --to bus --yes |  | publish bus 2.0 --url PAGE3
    page | QUIETBUS; redirect taxi from:9.0 --to bus --yes | publish bus 2.0 | amend bus 2.0 --url PAGE3
    setting | setting taxi map a |  | setting taxi map b
    setting | setting taxi map a |  | setting taxi map --clear
    setting | setting taxi map a |  | setting taxi map b --versions 7.2.0
    setting | setting taxi map a |  | setting taxi map b --during released
    setting | setting taxi map a |  | setting taxi map b --from 9d
    harsher |  | stop taxi | revert LAST
    harsher |  | app set taxi --policy none | revert LAST
    hold |  | app set taxi --hold 48h | revert LAST
    forces | force taxi below:7.3 --reason x --yes | lift taxi 1 | revert LAST
    setting |  | setting taxi map a | revert LAST
    trust |  |  | trust host evil.example.com
    trust | trust host a.example.com |  | trust remove host a.example.com
    trust |  |  | trust mx mx.example.com
    trust |  |  | trust recipient me@example.com
    trust |  |  | trust webhook taxi --secret-file SECRET
    trust |  |  | trust dkim email.apple.com s1 --key DKIM
    trust |  |  | trust signer eve KEY
    trust |  |  | trust signer ada KEY
    trust |  |  | trust remove signer cyd
    trust |  |  | trust approvals 1
    trust |  |  | trust approvals 0
    trust |  |  | trust remove approvals 2
    trust |  |  | trust approvals 3
    forces | app add bus --bundle-id com.example.bus --apple-id 2 |  | app set bus --policy force
    """.split(separator: "\n").map(Way.init)

  private let signers: [Signer]

  init() throws { signers = try Signer.three() }

  /// A line with what stands for a file, a key or a number in it put in.
  private func words(_ line: String, _ shell: Shell) throws -> [String] {
    try shell.directory.write(Array("secret".utf8), to: "secret")
    return try line.split(separator: " ").map(String.init).map { word in
      switch word {
      case "LAST": String(shell.head() ?? 0)
      case "SECRET": shell.directory.file("secret")
      case "KEY": try Signer("eve", seed: 77).line
      case "DKIM": "-"
      default: word
      }
    }
  }

  private static let dkim = """
    v=DKIM1; k=rsa; p=MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDwIRP/UC3SBsEmGqZ9ZJW3/DkMoGeLnQg1fWn7/zYtIxN2SnFCjxOCKG9v3b4jYfcTNh5ijSsq631uBItLa7od+v/RtdC2UzJ1lWT947qR+Rcac2gbto/NMqJ0fzfVjH4OuKhitdY9tf6mcwGjaNBcWToIMmPSPDdQPNUYckcQ2QIDAQAB
    """

  @Test(arguments: ways) func `a way around two people is refused`(_ way: Way) throws {
    let shell = try Shell.guarded(signers) { shell in
      for line in way.before {
        try shell.tell(line + (line.contains("live") || line.contains("--yes") ? "" : " --yes"))
      }
    }
    for line in way.since { try shell.done(line) }
    let head = shell.head()
    let input =
      way.step.hasPrefix("import")
      ? "version,released_at\n9.0,2027-01-15T12:00:00Z\n"
      : way.step.contains("DKIM") ? ApprovalTests.dkim : ""
    let words = try words(way.step, shell)
    let ran = shell.run(words + ["--json"], input: Array(input.utf8))
    #expect(ran.errorID == "approvals.required" && ran.status == 1, "\(ran.out)\(ran.err)")
    #expect(shell.head() == head)
    let needs = ran.error["details"]?["needs"]?.array?.compactMap(\.string) ?? []
    #expect(way.needs.isSubset(of: needs), "\(needs)")
    #expect(ran.error["details"]?["impact"]?.array != nil)
    // By a plan of two it is recorded, and by a plan of one it is not.
    if !way.step.contains("DKIM"), !way.step.hasPrefix("import"), !way.step.contains("--expect-head"),
      !way.step.contains("--request-id")
    {
      let file = shell.directory.file("plan")
      let made = shell.run(words + ["--plan", file])
      #expect(made.status == 0, "\(made.err)")
      try shell.sign("plan", [signers[0]])
      #expect(shell.apply().errorID == "approvals.required")
      try shell.sign("plan", [signers[1]])
      let applied = shell.apply()
      #expect(applied.status == 0, "\(applied.err)")
    }
    #expect(shell.run("verify").status == 0)
  }

  @Test(arguments: [
    "stop taxi", "stop --all", "allow taxi below:7.4", "allow taxi below:7.4 --until 9d",
    "app set taxi --policy none", "app set taxi --hold 48h", "app set taxi --name Taxi", "publish taxi 7.5.0",
    "publish taxi 8.0", "app add bus --bundle-id com.example.bus --policy force", "setting taxi new value",
    "setting taxi map a --during review", "mark taxi 7.4.0 removed --reason gone",
    "app set taxi --countries US,DE", "app retire taxi",
    "app set taxi --remind-after phase", "amend taxi 7.4.0 --expires 2027-01-20",
    "publish taxi 8.0 --expires 2027-01-20", "ingest usage taxi -",
  ])
  func `what makes answers milder, and what tells nobody anything, needs nobody`(_ line: String) throws {
    let shell = try Shell.guarded(signers)
    let ran = shell.run(line + " --json", input: Array("version,devices\n7.2.0,5\n".utf8))
    #expect(ran.status == 0 && ran.json["changed"] != false, "\(ran.err)")
    #expect(shell.run("verify").status == 0)
  }

  @Test func `a retired app takes nothing, not even by a plan that two signed before`() throws {
    let shell = try Shell.guarded(signers)
    try shell.plan("force taxi below:7.3 --reason x")
    try shell.sign("plan", Array(signers.prefix(2)))
    try shell.done("app retire taxi")
    #expect(shell.apply().errorID == "plan.stale")
    for line in [
      "force taxi below:7.3 --reason x --yes", "publish taxi 8.0", "mark taxi 7.4.0 removed",
      "app set taxi --policy force", "amend taxi 7.4.0 --mandatory --yes", "setting taxi map a",
    ] { try shell.tell("\(line) → 1 app.retired") }
    try shell.tell("resume taxi → same")
    let retirement = try #require(shell.head())
    try shell.agreed("revert \(retirement)", by: Array(signers.prefix(2)))
    #expect(shell.apply().status == 0)
    #expect(shell.run("verify").status == 0)
  }

  @Test func `a release that reminds goes live by one person's word`() throws {
    let shell = try Shell.guarded(signers)
    try shell.tell(
      """
      publish taxi 7.5.0
      mark taxi 7.5.0 in-review
      mark taxi 7.5.0 rejected --reason x
      mark taxi 7.5.0 waiting
      mark taxi 7.5.0 live
      unmark taxi 7.5.0 --reason typing
      mark taxi 7.5.0 live --visible-now --yes → approvals.required
      mark taxi 7.5.0 live
      sleep 2d
      check taxi 7.4.0 → action=remind
      publish taxi 7.6.0
      void taxi 7.6.0 --reason typing
      verify
      """)
  }

  @Test func `five names with one private key are one signer`() throws {
    let shell = try Shell.taxi()
    func trust(_ name: String, _ line: String) -> Ran {
      shell.run(["trust", "signer", name, line, "--json"])
    }
    #expect(trust("ada", signers[0].line).status == 0)
    let key = try #require(Base64.decode(signers[0].line.dropFirst(12).utf8))
    func part(_ bytes: [UInt8]) -> [UInt8] { [0, 0, 0, UInt8(bytes.count)] + bytes }
    // The key of a token signs in its own way, but has the same private half.
    for (name, application) in [("ben", "ssh:"), ("cyd", "ssh:more"), ("dan", "")] {
      let kind = "sk-ssh-ed25519@openssh.com"
      let blob = part(Array(kind.utf8)) + part(key.suffix(32)) + part(Array(application.utf8))
      #expect(trust(name, "\(kind) \(Base64.encode(blob))").errorID == "trust.key-taken")
    }
    // Everybody can sign for the identity.
    let identity = part(Array("ssh-ed25519".utf8)) + part([1] + [UInt8](repeating: 0, count: 31))
    #expect(trust("eve", "ssh-ed25519 \(Base64.encode(identity))").errorID == "trust.key-malformed")
    #expect(trust("*", signers[1].line).status == 64)
    #expect(shell.run("trust approvals 2 --json").errorID == "trust.too-few-signers")
  }

  @Test func `signers have keys of their own, and there are as many as are demanded`() throws {
    let shell = try Shell.taxi()
    func trust(_ name: String, _ signer: Signer) -> Ran {
      shell.run(["trust", "signer", name, signer.line, "--json"])
    }
    #expect(trust("ada", signers[0]).status == 0)
    #expect(trust("ada", signers[0]).json["changed"] == false)
    #expect(trust("other", signers[0]).errorID == "trust.key-taken")
    try shell.tell("trust approvals 2 → trust.too-few-signers")
    #expect(trust("ben", signers[1]).status == 0)
    // One lost key would end all agreement.
    try shell.tell(
      """
      trust approvals 2 → confirm.required
      trust approvals 2 --yes
      trust approvals 2 → same changed=false
      trust approvals 100 → 64
      trust signer x "ssh-ed25519 nonsense" → 65
      trust signer "a b" "\(signers[2].line)" → 64
      trust signer x "\(signers[2].line)" --until 2020-01-01T00:00:00Z → 64
      """)
    #expect(shell.findings().contains("signers.no-spare"))
    // A signer whom two need stays, whoever agrees to it.
    #expect(shell.run("trust remove signer ben --plan - --json").errorID == "trust.too-few-signers")
    try shell.agreed("trust approvals 1", by: Array(signers.prefix(2)))
    try shell.agreed("trust remove signer ben", by: [signers[0]])
    #expect(shell.run("trust remove signer ada --plan - --json").errorID == "trust.too-few-signers")
    try shell.agreed("trust approvals 0", by: [signers[0]])
    try shell.done("trust remove signer ada")
    #expect(shell.run("verify").status == 0)
  }
}
