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
    let name: String
    var before: [String] = []
    var since: [String] = []
    let step: String
    /// What the refusal names.
    var needs: [String] = []

    init(_ name: String, _ before: [String], since: [String] = [], _ step: String, _ needs: String...) {
      (self.name, self.before, self.since, self.step, self.needs) = (name, before, since, step, needs)
    }

    init(_ name: String, since: [String] = [], _ step: String, _ needs: String...) {
      (self.name, self.since, self.step, self.needs) = (name, since, step, needs)
    }

    var description: String { name }
  }

  static let ways: [Way] = [
    // Rules.
    Way("force a range", "force taxi below:7.3 --reason x", "forces"),
    Way("force one version", "force taxi 7.2.0 --reason x", "forces"),
    Way("force a version nobody recorded, below the newest", "force taxi 7.2.5 --reason x", "forces"),
    Way("force versions to come", "force taxi 7.4.0 --reason x --when-visible", "forces"),
    Way("force everybody to what is not there yet", "force taxi all --reason x --when-visible", "forces"),
    Way("force versions beyond the newest", "force taxi from:9.0 --reason x --when-visible", "forces"),
    Way("force later", "force taxi below:7.3 --reason x --from 30d", "forces"),
    Way("force for a moment", "force taxi below:7.3 --reason x --until 1m", "forces"),
    Way("force after a grace", "force taxi below:7.3 --reason x --grace 14d", "forces"),
    Way("remind where nobody was", ["app set taxi --policy none"], "remind taxi below:7.3", "harsher"),
    Way("remind of patches to come", "remind taxi 7.4.0", "harsher"),
    Way("remind to another page", "remind taxi below:7.4 --url https://apps.apple.com/app/id1", "page"),
    Way("lift what silences", ["allow taxi below:7.4"], "lift taxi 1", "harsher"),
    Way(
      "lift what silences a force", ["force taxi below:7.3 --reason x --yes", "allow taxi below:7.3"],
      "lift taxi 2", "forces"),
    Way("silence now and let it end", since: ["allow taxi below:7.4 --until 9d"], "lift taxi 1", "harsher"),
    Way(
      "put back a rule that was lifted", ["force taxi below:7.3 --reason x --yes"], since: ["lift taxi 1"],
      "force taxi below:7.3 --reason x", "forces"),
    Way("under --yes", "force taxi below:7.3 --reason x --yes", "forces"),
    Way("under --actor", "force taxi below:7.3 --reason x --actor ada", "forces"),
    Way("under a request id", "force taxi below:7.3 --reason x --request-id r1", "forces"),
    Way("under --expect-head", "force taxi 7.3.0 --reason x --expect-head 12", "forces"),
    Way("while the app is stopped", since: ["stop taxi"], "force taxi below:7.3 --reason x", "forces"),
    // Windows of time.
    Way(
      "a policy under a silence that ends", since: ["allow taxi all --until 9d"],
      "app set taxi --policy force,force,force", "forces"),
    Way(
      "a rule under a silence that ends", since: ["allow taxi all --until 9d"],
      "remind taxi below:7.3 --url https://apps.apple.com/app/id1", "page"),
    Way(
      "a force between two silences",
      since: ["allow taxi 7.2.0 --until 5d", "allow taxi 7.2.0 --from 6d --until 9d"],
      "force taxi below:7.3 --reason x --from 4d --until 7d", "forces"),
    Way(
      "a redirect for an hour", "redirect taxi below:7.4 --url https://apps.apple.com/app/id1 --until 1h",
      "page"),
    // Retired apps.
    Way("bring back what was retired", since: ["app retire taxi"], "revert LAST", "harsher"),
    Way(
      "bring back what was stopped and retired", since: ["stop taxi", "app retire taxi"], "revert LAST",
      "harsher"),
    Way(
      "bring back what forces", ["force taxi below:7.3 --reason x --yes"], since: ["app retire taxi"],
      "revert LAST", "forces"),
    Way(
      "bring back what forces later", ["force taxi below:7.3 --reason x --from 30d --yes"],
      since: ["app retire taxi"], "revert LAST", "forces"),
    // Builds that expire.
    Way(
      "let a build open longer", ["amend taxi 7.4.0 --expires 2027-01-20"],
      "amend taxi 7.4.0 --expires 2028-01-20",
      "harsher"),
    Way(
      "let a build open again that had expired",
      ["force taxi below:7.4 --reason x --yes", "amend taxi 7.4.0 --expires 2027-01-10"],
      "amend taxi 7.4.0 --expires 2028-01-20", "forces"),
    Way(
      "let what is under way open longer", ["publish taxi 8.0 --mandatory --expires 2027-01-20"],
      "amend taxi 8.0 --expires 2028-01-20", "forces"),
    Way(
      "force to what expires soon", ["amend taxi 7.4.0 --expires 2027-01-17"],
      "force taxi below:7.4 --reason x", "forces"),
    // Phased releases.
    Way(
      "reminders that wait for no phase any more", ["app set taxi --remind-after phase"],
      "app set taxi --remind-after visible", "harsher"),
    Way(
      "wait for phases, then not", since: ["app set taxi --remind-after phase"],
      "app set taxi --remind-after visible", "harsher"),
    Way(
      "revert the waiting for phases", since: ["app set taxi --remind-after phase"], "revert LAST", "harsher"),
    // The policy, the pages and the rest of an app.
    Way("a policy that forces", "app set taxi --policy force,force,force", "forces"),
    Way("a policy for patches to come", "app set taxi --policy force,remind,force", "forces"),
    Way("a policy for minors to come", "app set taxi --policy force,force,none", "forces"),
    Way("a policy while the app is stopped", since: ["stop taxi"], "app set taxi --policy force", "forces"),
    Way("a policy that reminds of patches", "app set taxi --policy force,remind,remind", "harsher"),
    Way(
      "a policy in two steps", since: ["app set taxi --policy none,none,none"],
      "app set taxi --policy force,remind,none", "harsher"),
    Way("no hold", "app set taxi --hold 0", "hold"),
    Way("a shorter hold", "app set taxi --hold 23h", "hold"),
    Way(
      "a hold longer, then as before", since: ["app set taxi --hold 48h"], "app set taxi --hold 24h", "hold"),
    Way("lookups that mark", "app set taxi --live-by lookup", "live-by"),
    Way("fewer countries", ["app set taxi --countries US,DE"], "app set taxi --countries US", "countries"),
    Way("no countries", ["app set taxi --countries US"], "app set taxi --countries=", "countries"),
    Way("another country", ["app set taxi --countries US"], "app set taxi --countries DE", "countries"),
    Way("another store page", "app set taxi --store-url https://apps.apple.com/app/id1", "page"),
    Way("another Apple ID", "app set taxi --apple-id 7", "page"),
    Way("resume", since: ["stop taxi"], "resume taxi", "harsher"),
    Way("resume all", since: ["stop --all"], "resume --all", "harsher"),
    // Releases.
    Way("publish what forces everybody", "publish taxi 8.0 --mandatory", "mandatory"),
    Way("publish a patch that forces everybody", "publish taxi 7.4.1 --mandatory", "mandatory", "forces"),
    Way("publish to another page", "publish taxi 7.5.0 --url https://apps.apple.com/app/id1", "page"),
    Way(
      "amend what is under way", since: ["publish taxi 7.5.0"], "amend taxi 7.5.0 --mandatory", "mandatory"),
    Way("amend what is live", "amend taxi 7.4.0 --mandatory", "mandatory", "forces"),
    Way("amend the page of what is live", "amend taxi 7.4.0 --url https://apps.apple.com/app/id1", "page"),
    Way(
      "amend the page of what is under way", since: ["publish taxi 7.5.0"],
      "amend taxi 7.5.0 --url https://apps.apple.com/app/id1", "page"),
    Way(
      "amend the system it needs", ["amend taxi 7.4.0 --min-os 18"], "amend taxi 7.4.0 --min-os 15", "harsher"
    ),
    Way("mark a major live", since: ["publish taxi 8.0"], "mark taxi 8.0 live", "forces"),
    Way(
      "mark a major live at once", since: ["publish taxi 8.0"], "mark taxi 8.0 live --visible-now", "forces"),
    Way(
      "end a running hold of a major", ["publish taxi 8.0", "mark taxi 8.0 live --yes"],
      "mark taxi 8.0 live --visible-now", "forces"),
    Way(
      "bring back what was removed",
      [
        "publish taxi 8.0", "mark taxi 8.0 live --visible-now --yes",
      ], since: ["mark taxi 8.0 removed --reason x"], "mark taxi 8.0 live --visible-now", "forces"),
    Way("say that a release never was", "void taxi 7.4.0 --never-shipped --reason x", "never-shipped"),
    Way("import what forces", "import taxi - --yes", "forces"),
    // Redirects.
    Way("a redirect to a page", "redirect taxi below:7.4 --url https://apps.apple.com/app/id1", "page"),
    Way("a redirect of versions to come", "redirect taxi 7.4.0 --url https://apps.apple.com/app/id1", "page"),
    Way(
      "a redirect to a page, later", "redirect taxi below:7.4 --url https://apps.apple.com/app/id1 --from 9d",
      "page"),
    Way(
      "clear a redirect", ["redirect taxi below:7.4 --url https://apps.apple.com/app/id1 --yes"],
      "redirect taxi below:7.4 --clear", "page"),
    Way(
      "a redirect to another app",
      [
        "app add bus --bundle-id com.example.bus --apple-id 2", "publish bus 1.0",
        "mark bus 1.0 live --visible-now",
      ], "redirect taxi all --to bus", "page"),
    Way(
      "a force to another app that has nothing yet", ["app add bus --bundle-id com.example.bus --apple-id 2"],
      since: ["publish bus 1.0"], "force taxi all --to bus --when-visible --reason x", "forces"),
    Way(
      "what another app's clients are sent to",
      [
        "app add bus --bundle-id com.example.bus --apple-id 2", "publish bus 1.0",
        "mark bus 1.0 live --visible-now",
        "redirect taxi below:7.3 --to bus --yes",
      ], "app set bus --store-url https://apps.apple.com/app/id3", "page"),
    Way(
      "another app that speaks again",
      [
        "app add bus --bundle-id com.example.bus --apple-id 2", "publish bus 1.0",
        "mark bus 1.0 live --visible-now",
        "force taxi below:7.3 --to bus --reason x --yes",
      ], since: ["stop bus"], "resume bus", "forces"),
    Way(
      "the page of what another app's clients are sent to next",
      [
        "app add bus --bundle-id com.example.bus --apple-id 2 --policy none", "publish bus 1.0",
        "mark bus 1.0 live --visible-now",
        "redirect taxi below:7.3 --to bus --yes",
      ], "publish bus 2.0 --url https://apps.apple.com/app/id3", "page"),
    Way(
      "what another app's clients are sent to next, amended",
      [
        "app add bus --bundle-id com.example.bus --apple-id 2 --policy none", "publish bus 1.0",
        "mark bus 1.0 live --visible-now",
        "redirect taxi from:9.0 --to bus --yes",
      ], since: ["publish bus 2.0"], "amend bus 2.0 --url https://apps.apple.com/app/id3", "page"),
    // Settings.
    Way("change a setting", ["setting taxi map a"], "setting taxi map b", "setting"),
    Way("clear a setting", ["setting taxi map a"], "setting taxi map --clear", "setting"),
    Way(
      "a setting for some versions", ["setting taxi map a"], "setting taxi map b --versions 7.2.0", "setting"),
    Way(
      "a setting for the released", ["setting taxi map a"], "setting taxi map b --during released", "setting"),
    Way("a setting that changes later", ["setting taxi map a"], "setting taxi map b --from 9d", "setting"),
    // Revert.
    Way("revert a stop", since: ["stop taxi"], "revert LAST", "harsher"),
    Way("revert a milder policy", since: ["app set taxi --policy none"], "revert LAST", "harsher"),
    Way("revert a longer hold", since: ["app set taxi --hold 48h"], "revert LAST", "hold"),
    Way(
      "revert a lift", ["force taxi below:7.3 --reason x --yes"], since: ["lift taxi 1"], "revert LAST",
      "forces"),
    Way("revert a setting", since: ["setting taxi map a"], "revert LAST", "setting"),
    // Trust.
    Way("trust a host", "trust host evil.example.com", "trust"),
    Way("trust no host any more", ["trust host a.example.com"], "trust remove host a.example.com", "trust"),
    Way("trust a mail server", "trust mx mx.example.com", "trust"),
    Way("trust a recipient", "trust recipient me@example.com", "trust"),
    Way("pin a webhook's secret", "trust webhook taxi --secret-file SECRET", "trust"),
    Way("pin a key of Apple's", "trust dkim email.apple.com s1 --key DKIM", "trust"),
    Way("trust a signer", "trust signer eve KEY", "trust"),
    Way("give a signer another key", "trust signer ada KEY", "trust"),
    Way("trust a signer no more", "trust remove signer cyd", "trust"),
    Way("demand fewer", "trust approvals 1", "trust"),
    Way("demand nothing", "trust approvals 0", "trust"),
    Way("demand nothing, by removing it", "trust remove approvals 2", "trust"),
    Way("demand more", "trust approvals 3", "trust"),
    // Several apps.
    Way(
      "an app without releases", ["app add bus --bundle-id com.example.bus --apple-id 2"],
      "app set bus --policy force",
      "forces"),
  ]

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
        let ran = shell.run(line + (line.contains("--yes") ? "" : " --yes"))
        try #require(ran.status == 0, "\(line): \(ran.err)")
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
    #expect(Set(way.needs).isSubset(of: needs), "\(needs)")
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
      "force taxi below:7.3 --reason x --yes", "publish taxi 8.0", "mark taxi 7.4.0 removed", "resume taxi",
      "app set taxi --policy force", "amend taxi 7.4.0 --mandatory --yes", "setting taxi map a",
    ] {
      let ran = shell.run(line + " --json")
      #expect(ran.status == (line == "resume taxi" ? 0 : 1), "\(line): \(ran.out)\(ran.err)")
      #expect(ran.errorID == (line == "resume taxi" ? nil : "app.retired"), "\(line): \(ran.err)")
    }
    let retirement = try #require(shell.head())
    try shell.agreed("revert \(retirement)", by: Array(signers.prefix(2)))
    #expect(shell.apply().status == 0)
    #expect(shell.run("verify").status == 0)
  }

  @Test func `a release that reminds goes live by one person's word`() throws {
    let shell = try Shell.guarded(signers)
    try shell.done("publish taxi 7.5.0")
    try shell.done("mark taxi 7.5.0 in-review")
    try shell.done("mark taxi 7.5.0 rejected --reason x")
    try shell.done("mark taxi 7.5.0 waiting")
    try shell.done("mark taxi 7.5.0 live")
    try shell.done("unmark taxi 7.5.0 --reason typing")
    #expect(shell.run("mark taxi 7.5.0 live --visible-now --yes --json").errorID == "approvals.required")
    try shell.done("mark taxi 7.5.0 live")
    shell.clock = shell.clock + TimeSpan(seconds: 2 * 86_400)
    #expect(try shell.done("check taxi 7.4.0 --json").json["action"] == "remind")
    try shell.done("publish taxi 7.6.0")
    try shell.done("void taxi 7.6.0 --reason typing")
    #expect(shell.run("verify").status == 0)
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
    #expect(shell.run("trust approvals 2 --json").errorID == "trust.too-few-signers")
    #expect(trust("ben", signers[1]).status == 0)
    // One lost key would end all agreement.
    #expect(shell.run("trust approvals 2 --json").errorID == "confirm.required")
    #expect(shell.run("trust approvals 2 --yes --json").status == 0)
    #expect(shell.run("trust approvals 2 --json").json["changed"] == false)
    let findings = shell.run("doctor --json").json["findings"]?.array ?? []
    #expect(findings.contains { $0["id"] == "signers.no-spare" })
    #expect(shell.run("trust approvals 100").status == 64)
    #expect(shell.run(["trust", "signer", "x", "ssh-ed25519 nonsense"]).status == 65)
    #expect(shell.run(["trust", "signer", "a b", signers[2].line]).status == 64)
    #expect(
      shell.run(["trust", "signer", "x", signers[2].line, "--until", "2020-01-01T00:00:00Z"]).status == 64)
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
