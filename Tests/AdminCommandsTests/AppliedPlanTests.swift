import Testing

@Suite struct AppliedPlanTests {
  private let shell: Shell

  init() throws {
    shell = try Shell.guarded(
      """
      publish taxi 7.5.0 --yes
      mark taxi 7.5.0 approved
      force taxi 7.2.0 --reason x --yes
      setting taxi map a
      """)
  }

  /// Makes a plan, has it signed, and applies it an hour later; something else is recorded meanwhile, so that new rows get
  /// other numbers.
  private func apply(_ line: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    try shell.tell(
      """
      \(line) --plan @plan
      sign plan ada ben
      sleep 1h
      app add bus-LAST --bundle-id com.example.bus-LAST
      publish bus-HEAD-1 1.0
      plan apply @plan
      verify
      """, sourceLocation: sourceLocation)
  }

  @Test(arguments: [
    "mark taxi 7.5.0 live", "mark taxi 7.5.0 live --visible-now", "mark taxi 7.5.0 rejected",
    "mark taxi 7.4.0 removed --reason gone", "publish taxi 7.6.0 --yes --mandatory --min-os 17",
    "publish taxi 7.6.0 --yes --expires 90d", "amend taxi 7.5.0 --build 5 --expires 90d",
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
    try apply("undo LAST")
  }
}
