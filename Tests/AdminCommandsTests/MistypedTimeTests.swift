import ReleaseModel
import Testing

/// A `mark … live --at` at a moment that is likely mistyped asks, and shows who is told what.
@Suite struct MistypedTimeTests {
  private static let (hour, day): (Int64, Int64) = (3_600, 86_400)

  /// A shell with 7.5.0, which was recorded some seconds ago, in an app with a hold.
  private func shell(hold: String, recorded ago: Int64, _ more: String = "") throws -> Shell {
    let shell = try Shell.taxi()
    try shell.tell(
      "app set taxi --hold \(hold)\npast taxi 7.4.0\npublish taxi 7.5.0 --yes\n\(more)\nsleep \(ago)s")
    return shell
  }

  private func mark(_ shell: Shell, _ ago: Int64, _ more: String = "") -> String {
    "mark taxi 7.5.0 live --at \((shell.clock - TimeSpan(seconds: ago)).text)\(more)"
  }

  /// The hold, how long ago the release was recorded, how long ago it is said to have gone live, and whether that asks.
  @Test(
    arguments: [
      // Before it was recorded: by more than a day.
      ("10d", 0, 86_401, true), ("10d", 0, 86_400, false), ("10d", 3_600, 90_001, true),
      ("10d", 3_600, 90_000, false), ("0", 0, 86_401, true), ("0", 0, 86_400, false),
      // A wrong year or month.
      ("10d", 60, 365 * 86_400, true), ("0", 0, 31 * 86_400, true),
      // With a hold that is over at once.
      ("24h", 3 * 86_400, 86_400, true), ("24h", 3 * 86_400, 86_399, false),
      ("1h", 86_400, 3_600, true), ("1h", 86_400, 3_599, false), ("1s", 60, 1, true),
      // Without a hold, none is over.
      ("0", 3 * 86_400, 86_400, false), ("24h", 60, 0, false),
    ] as [(String, Int64, Int64, Bool)])
  func `a moment long before it was recorded, or after which no hold is left, asks`(
    hold: String, recorded: Int64, at: Int64, asks: Bool
  ) throws {
    let shell = try shell(hold: hold, recorded: recorded)
    let mark = mark(shell, at)
    guard asks else { return try shell.tell("\(mark) → changed=true release.state=live") }
    let since = (shell.clock - TimeSpan(seconds: at)).text
    let isOver = TimeSpan(hold).map { $0.seconds <= at } ?? false
    // Whom it prompts, and from when on.
    let told = shell.clock + TimeSpan(seconds: isOver ? 0 : (TimeSpan(hold)?.seconds ?? 0) - at)
    try shell.tell(
      """
      \(mark) → 1 confirm.required details.impact.0.versions="from:7.4 below:7.5" details.impact.0.before=none details.impact.0.after=remind details.impact.0.at=\(told.text)
      \(mark) --dry-run → same
      """)
    let ran = shell.run(mark)
    #expect(ran.status == 1 && ran.err.contains("7.5.0 would count as live since \(since)"), "\(ran)")
    #expect(ran.err.contains("What clients are told") && ran.err.contains("from:7.4 below:7.5"), "\(ran)")
    try shell.tell("\(mark) --yes → changed=true release.state=live release.liveAt=\(since)\nverify")
  }

  @Test func `what says itself that clients are told at once asks only for a moment before the recording`()
    throws
  {
    try shell(hold: "24h", recorded: 3 * Self.day).tell("mark taxi 7.5.0 live --visible-now")
    let visible = try shell(hold: "24h", recorded: 3 * Self.day)
    try visible.tell(mark(visible, Self.day, " --visible-now"))
    let early = try shell(hold: "24h", recorded: 0)
    try early.tell(mark(early, 2 * Self.day, " --visible-now") + " → confirm.required")
  }

  @Test func `what is so already, what no hold follows and what is no going live does not ask`() throws {
    let shell = try shell(hold: "24h", recorded: 3 * Self.day)
    let mark = mark(shell, 2 * Self.day)
    try shell.tell("\(mark) --yes\n\(mark) → same changed=false")
    for state in ["waiting", "in-review", "approved", "rejected"] {
      let other = try self.shell(hold: "24h", recorded: 3 * Self.day)
      try other.tell(self.mark(other, 2 * Self.day).replacing(" live ", with: " \(state) "))
    }
  }

  @Test func `an undone going live is marked again with the same question`() throws {
    let shell = try shell(hold: "10d", recorded: 0, "mark taxi 7.5.0 live\nunmark taxi 7.5.0 --reason slip")
    try shell.tell("\(mark(shell, Self.day + 1)) → confirm.required\n\(mark(shell, Self.day))")
  }

  @Test func `a plan says it, and is asked about when it is applied`() throws {
    let shell = try shell(hold: "24h", recorded: 3 * Self.day)
    try shell.tell(
      "\(mark(shell, Self.day)) --plan @plan\nplan apply @plan → confirm.required\nplan apply @plan --yes")
  }
}
