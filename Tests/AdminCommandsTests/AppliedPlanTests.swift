import AdminCommands
import JSON
import ReleaseModel
import TestSupport
import Testing

/// Plans that are applied an hour after they were made, of every command: `verify` finds what they say.
@Suite struct AppliedPlanTests {
  private let signers: [Signer]
  private let shell: Shell

  init() throws {
    signers = try Signer.three()
    shell = try Shell.guarded(signers) { shell in
      try shell.done("publish taxi 7.5.0")
      try shell.done("mark taxi 7.5.0 approved")
      try shell.done("force taxi 7.2.0 --reason x --yes")
      try shell.done("setting taxi map a")
    }
  }

  /// Makes a plan, has it signed, and applies it an hour later.
  private func apply(_ line: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    try shell.plan(line, sourceLocation: sourceLocation)
    try shell.sign("plan", Array(signers.prefix(2)))
    shell.clock = shell.clock + TimeSpan(seconds: 3_600)
    // Something else is recorded meanwhile, so that new rows get other numbers.
    let bus = "bus\(shell.head() ?? 0)"
    try shell.done("app add \(bus) --bundle-id com.example.\(bus)")
    try shell.done("publish \(bus) 1.0")
    let ran = shell.apply()
    #expect(ran.status == 0, "\(line): \(ran.err)", sourceLocation: sourceLocation)
    let verified = shell.run("verify --json")
    #expect(
      verified.json["faults"] == [], "\(line): \(verified.json["faults"]?.text() ?? verified.err)",
      sourceLocation: sourceLocation)
  }

  @Test(arguments: [
    "mark taxi 7.5.0 live", "mark taxi 7.5.0 live --visible-now", "mark taxi 7.5.0 rejected",
    "mark taxi 7.4.0 removed --reason gone", "publish taxi 7.6.0 --mandatory --min-os 17",
    "publish taxi 7.6.0 --expires 90d", "amend taxi 7.5.0 --build 5 --expires 90d",
    "void taxi 7.5.0 --never-shipped --reason typing", "void taxi 7.4.0 --never-shipped --reason typing",
    "force taxi below:7.3 --grace 7d --reason crash", "remind taxi 7.3.0 --until 3d", "allow taxi all",
    "lift taxi 1", "redirect taxi below:7.4 --url https://apps.apple.com/app/id1 --until 9h",
    "setting taxi map b", "setting taxi map --clear", "app set taxi --policy force,force,force --hold 1h",
    "app retire taxi", "stop taxi", "app add car --bundle-id com.example.car",
    "trust host dl.example.com", "trust remove signer cyd", "trust approvals 1",
  ])
  func `a plan that is applied later is as it was recorded`(_ line: String) throws { try apply(line) }

  @Test func `a plan that takes back what it did is as it was recorded`() throws {
    try apply("mark taxi 7.5.0 live")
    try apply("unmark taxi 7.5.0 --reason typing")
    try shell.done("stop taxi")
    try apply("revert \(shell.head() ?? 0)")
  }

  @Test func `a plan that puts the clock right is as it was recorded`() throws {
    shell.clock = later(7_200)
    try shell.done("publish taxi 7.6.0")
    shell.clock = later(60)
    try shell.plan("doctor --correct-clock --reason battery")
    try shell.sign("plan", Array(signers.prefix(2)))
    let ran = shell.apply()
    #expect(ran.status == 0, "\(ran.err)")
    #expect(shell.run("verify").status == 0)
  }
}
