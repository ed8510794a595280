import AdminCommands
import JSON
import Ledger
import Platform
import ReleaseModel
import TestSupport
import Testing

/// Plans that say something else than they do, and commands that do something while they are only looked at.
@Suite struct ForgedPlanTests {
  private let signers: [Signer]
  private let shell: Shell

  init() throws {
    signers = try Signer.three()
    shell = try Shell.guarded(signers)
  }

  /// The plan in a file, with some members of its text replaced, and signed by two who read no further.
  private func forge(_ pairs: [(path: [String], value: JSON)], _ name: String = "forged") throws {
    let json = try JSON(parsing: readFile(shell.directory.file("plan"), limit: 1 << 23))
    var plan = try #require(json["plan"])
    for (path, value) in pairs { plan = setting(plan, path[...], value) }
    var signed: JSON = ["plan": plan, "signatures": []]
    if var plan = SignedPlan(json: signed) {
      for signer in signers.prefix(2) { #expect(try plan.add(signer.signature(over: plan.bytes))) }
      signed = plan.applied.json
    }
    try shell.directory.write(signed.text() + "\n", to: name)
  }

  private func setting(_ json: JSON, _ path: ArraySlice<String>, _ value: JSON) -> JSON {
    guard let name = path.first else { return value }
    if let index = Int(name), var elements = json.array {
      elements[index] = setting(elements[index], path.dropFirst(), value)
      return .array(elements)
    }
    var object = json.object ?? JSON.Object()
    object[name] = setting(object[name] ?? .null, path.dropFirst(), value)
    return .object(object)
  }

  @Test(arguments: [
    (["effect"], "[]"), (["effect", "0", "steps", "0", "after", "action"], "\"remind\""),
    (["effect", "0", "steps", "0", "after", "action"], "\"none\""),
    (["effect", "0", "steps", "0", "before", "action"], "\"force\""),
    (["effect", "0", "versions"], "\"7.3.0\""), (["effect", "0", "app"], "\"bus\""),
    (["effect", "0", "lo"], "\"000000007000000002000000000000000000\""),
    (["effect", "0", "steps", "0", "at"], "\"2027-01-16T08:00:00Z\""),
    (["effect", "0", "steps", "0", "after", "url"], "\"https://apps.apple.com/app/id2\""),
    (["reason"], "\"harmless\""), (["reason"], "null"), (["rows"], "[]"),
  ])
  func `what a plan shows is what it does, or nobody can use it`(path: [String], value: String) throws {
    try shell.plan("force taxi below:7.3 --reason crash")
    try forge([(path, try JSON(parsing: value.utf8))])
    let head = shell.head()
    let applied = shell.apply("forged")
    #expect(["plan.altered", "plan.stale", "plan.malformed"].contains(applied.errorID), "\(applied)")
    let shown = shell.run(["plan", "show", shell.directory.file("forged"), "--json"])
    #expect(shown.status != 0 || shown.json["holds"] == false, "\(shown)")
    #expect(shell.head() == head)
    try forge([])
    #expect(shell.apply("forged").status == 0)
  }

  @Test func `nobody signs a plan whose reason is not its own`() throws {
    try shell.plan("force taxi below:7.3 --reason crash")
    try forge([(["reason"], "harmless")])
    shell.signer = signers[2]
    let ran = shell.run(["plan", "sign", shell.directory.file("forged"), "--key", "theirs", "--json"])
    #expect(ran.errorID == "plan.altered", "\(ran)")
  }

  @Test func `a plan that says it was made later holds no longer for it`() throws {
    try shell.plan("force taxi below:7.3 --reason crash")
    try forge([
      (["made"], .string(later(86_400).text)), (["expires"], .string(later(8 * 86_400).text)),
    ])
    #expect(shell.apply("forged").errorID == "plan.altered")
    // The clock of a host may be ahead a little.
    try forge([
      (["made"], .string(later(60).text)), (["expires"], .string(later(60 + 7 * 86_400).text)),
    ])
    #expect(shell.apply("forged").status == 0)
  }

  @Test func `a plan covers versions that nobody recorded, and devices change nothing`() throws {
    try shell.directory.write("version,devices\n7.1.5,40\n7.2.0,100\n7.2.7,3\n", to: "usage.csv")
    try shell.done("ingest usage taxi \(shell.directory.file("usage.csv"))")
    for (name, line) in [
      ("one", "force taxi 7.2.7 --reason crash"), ("many", "force taxi below:7.3 --grace 7d --reason crash"),
    ] {
      try shell.plan(line, name)
      try shell.sign(name, Array(signers.prefix(2)))
      let shown = shell.run(["plan", "show", shell.directory.file(name), "--json"]).json
      #expect(shown["holds"] == true, "\(shown)")
      #expect(shell.apply(name).status == 0)
    }
  }

  @Test func `what concerns this host is no plan, and looking at one does nothing`() throws {
    let documents = shell.directory.file("documents")
    for line in ["init --no-export", "init --export \(documents)"] {
      let words = line.split(separator: " ").map(String.init) + ["--plan", shell.directory.file("x")]
      #expect(shell.run(words).status == 64)
    }
    try shell.plan("stop taxi")
    for command: JSON in [
      ["init", .string("--export=\(documents)")], ["init", "--no-export"], ["init"], ["doctor"],
      ["trust", "dkim", "email.apple.com", "x"],
    ] {
      try forge([(["command"], command)])
      for verb in ["show", "apply"] {
        let ran = shell.run(["plan", verb, shell.directory.file("forged"), "--json"])
        #expect(verb == "show" ? ran.json["holds"] == false : ran.status != 0, "\(command.text()): \(ran)")
        #expect(!ran.out.contains("findings"))
      }
      #expect(!shell.directory.exists("documents"))
    }
  }

  @Test func `a key that may look moves no time, by a plan neither`() throws {
    let served = "serve-ssh --ledger \(shell.ledger) --allow doctor,stop,plan"
    try shell.plan("stop taxi")
    let json = try JSON(parsing: readFile(shell.directory.file("plan"), limit: 1 << 23))
    let plan = setting(
      json, ["plan", "command"], ["doctor", "--correct-clock", "--reason=battery"])
    let input = Array(setting(plan, ["plan", "reason"], "battery").text().utf8)
    shell.environment["SSH_ORIGINAL_COMMAND"] = "pawl plan apply - --yes"
    #expect(shell.run(served, input: input).status == 77)
    #expect(shell.run(served, input: Array(json.text().utf8)).status == 0)
  }
}
