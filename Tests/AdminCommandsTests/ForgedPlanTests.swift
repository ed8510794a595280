import JSON
import Ledger
import ReleaseModel
import TestSupport
import Testing

@Suite struct ForgedPlanTests {
  private let shell: Shell
  private static let force = "force taxi below:7.3 --reason crash --plan @plan"

  init() throws { shell = try Shell.guarded() }

  /// The plan in a file, with some members of its text replaced, and signed by two who read no further.
  private func forge(_ pairs: [(path: [String], value: JSON)], _ name: String = "forged") throws {
    let json = try shell.json("plan")
    var plan = try #require(json["plan"])
    for (path, value) in pairs { plan = setting(plan, path[...], value) }
    var signed: JSON = ["plan": plan, "signatures": []]
    if var plan = SignedPlan(json: signed) {
      for signer in try Signer.three().prefix(2) { #expect(try plan.add(signer.signature(over: plan.bytes))) }
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
    (["effect"], "[]"), (["effect", "0", "after"], "\"remind\""), (["effect", "0", "after"], "\"none\""),
    (["effect", "0", "before"], "\"force\""), (["effect", "0", "versions"], "\"7.2.0\""),
    (["effect", "0", "app"], "\"bus\""), (["effect", "0", "at"], "\"2027-01-16T08:00:00Z\""),
    (["effect", "0", "until"], "\"2027-01-16T08:00:00Z\""), (["effect", "0", "os"], "\"below:18\""),
    (["effect", "0", "when"], "\"7.5.0\""), (["effect", "0", "targetAfter"], "\"7.3.0\""),
    (["effect", "0", "urlAfter"], "\"https://apps.apple.com/app/id2\""),
    (["reason"], "\"harmless\""), (["reason"], "null"), (["rows"], "[]"),
  ])
  func `a plan with an altered effect, reason or row is not applied`(path: [String], value: String) throws {
    try shell.tell(Self.force)
    try forge([(path, try JSON(parsing: value.utf8))])
    let head = shell.head()
    let applied = shell.run("plan apply @forged --json")
    #expect(["plan.altered", "plan.stale", "plan.malformed"].contains(applied.errorID), "\(applied)")
    let shown = shell.run("plan show @forged --json")
    #expect(shown.status != 0 || shown.json["holds"] == false, "\(shown)")
    #expect(shell.head() == head)
    try forge([])
    try shell.tell("plan apply @forged")
  }

  @Test func `a plan takes as many signatures as can be read back, and no more`() throws {
    try shell.tell(Self.force)
    var plan = try #require(SignedPlan(json: shell.json("plan")))
    for seed in 1...UInt8(Plan.mostSignatures + 1) {
      let signature = try Signer("signer", seed: seed).signature(over: plan.bytes)
      #expect(plan.add(signature) == (seed <= Plan.mostSignatures))
    }
    #expect(SignedPlan(json: plan.applied.json) == plan)
  }

  @Test func `a plan with an altered reason cannot be signed`() throws {
    try shell.tell(Self.force)
    try forge([(["reason"], "harmless")])
    try shell.tell("plan sign @forged --key cyd → plan.altered/words")
  }

  @Test func `a plan dated a day ahead is refused, and one dated a minute ahead applied`() throws {
    // The clock of a host may be ahead a little.
    for (seconds, end) in [(86_400, " → plan.altered/early"), (60, "")] as [(Int64, String)] {
      try shell.tell(Self.force)
      try forge([
        (["made"], .string(later(seconds).text)), (["expires"], .string(later(seconds + 7 * 86_400).text)),
      ])
      try shell.tell("plan apply @forged\(end)")
    }
  }

  @Test(arguments: [
    ["init", "--export=documents"], ["init", "--no-export"], ["init"], ["doctor"],
    ["trust", "dkim", "email.apple.com", "x"],
  ])
  func `a plan of a command about this host is refused and has no effect`(words: [String]) throws {
    try shell.tell("stop taxi --plan @plan\ninit --no-export --plan @x → 64\ninit --export @x --plan @x → 64")
    let command = words.map { $0.replacing("documents", with: shell.directory.file("documents")) }
    try forge([(["command"], .array(command.map(JSON.string)))])
    #expect(shell.run("plan show @forged --json").json["holds"] == false)
    let applied = shell.run("plan apply @forged --json")
    #expect(applied.status != 0 && applied.out.isEmpty)
    #expect(!shell.directory.exists("documents"))
  }
}
