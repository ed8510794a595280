import JSON
import TestSupport
import Testing

/// A plan holds while the rows that it names are as they were, and it forces, prompts or sends elsewhere nobody beyond what
/// it says.
@Suite struct StalePlanTests {
  private static let page = "https://apps.apple.com/app/id77"

  /// Records something before a plan is made, and something else before it is applied; what needs two people has them.
  private func plan(_ parts: [String], sourceLocation: SourceLocation = #_sourceLocation) throws -> Shell {
    let shell = try Shell.taxi()
    try shell.tell("live taxi 7.2.0 7.3.0 7.4.0", sourceLocation: sourceLocation)
    let steps = parts.map { $0.replacing("PAGE", with: StalePlanTests.page).replacing("; ", with: "\n") }
    try shell.tell(steps[0], sourceLocation: sourceLocation)
    try shell.demand()
    try shell.tell("sleep 1m\n\(steps[1]) --plan @plan\nsign plan ada ben", sourceLocation: sourceLocation)
    for line in steps[2].split(separator: "\n").map(String.init) {
      if line.hasPrefix("agreed ") {
        try shell.agreed(String(line.dropFirst(7)), sourceLocation: sourceLocation)
      } else {
        try shell.tell(line, sourceLocation: sourceLocation)
      }
    }
    return shell
  }

  private func parts(_ way: String) -> [String] {
    way.split(separator: "|", omittingEmptySubsequences: false).map {
      $0.split(separator: " ").joined(separator: " ")
    }
  }

  /// What is there before, the plan, and what happens until it is applied.
  static let holding = """
    publish taxi 7.5.0 --yes | force taxi below:7.3 --reason x | asc taxi 7.5.0=IN_REVIEW,build:9 7.4.0=READY_FOR_DISTRIBUTION
     | force taxi below:7.3 --reason x | lookup taxi 7.4.0
     | force taxi below:7.3 --reason x | app add bus --bundle-id com.example.bus; publish bus 1.0 --yes
     | force taxi below:7.3 --reason x | publish taxi 7.5.0 --yes; mark taxi 7.5.0 in-review; setting taxi map 1
     | force taxi below:7.3 --reason x | allow taxi 7.2.0
     | force taxi below:7.3 --reason x --when-visible | mark taxi 7.4.0 removed --reason gone
     | force taxi 7.2.0 --reason x | app set taxi --policy none; sleep 6d
     | force taxi below:7.3 --reason x | stop taxi
    stop taxi | force taxi below:7.3 --reason x | setting taxi map 1
     | force taxi below:7.3 --reason x --grace 5d | sleep 3d
    publish taxi 7.5.0 --yes; mark taxi 7.5.0 live | force taxi below:7.3 --reason x | sleep 2d
    publish taxi 7.5.0 --yes; mark taxi 7.5.0 live | force taxi 7.2.0 --reason x | app set taxi --policy none
    allow taxi 7.4.0 | lift taxi 1 | publish taxi 7.5.0 --yes
    allow taxi 7.4.0 | lift taxi 1 | app set taxi --policy remind,remind,none
    allow taxi 7.4.0 | lift taxi 1 | app set taxi --hold 48h
    publish taxi 7.5.0 --yes | mark taxi 7.5.0 live | sleep 2h
     | redirect taxi below:7.3 --url PAGE | allow taxi 7.2.0
     | app set taxi --policy force,force,none | allow taxi all
    """.split(separator: "\n").map(String.init)

  @Test(arguments: holding) func `what makes its effect no other, or milder, leaves a plan as it is`(
    _ way: String
  ) throws {
    try plan(parts(way)).tell("plan show @plan → holds=true\nplan apply @plan\nverify")
  }

  /// What is there before, the plan, what makes its effect another until it is applied, and what the refusal names.
  static let exceeding = """
     | force taxi below:7.3 --reason x | publish taxi 7.5.0 --yes; mark taxi 7.5.0 live; sleep 24h | to 7.5.0
     | force taxi below:7.3 --reason x | agreed redirect taxi below:7.3 --url PAGE | PAGE
     | force taxi below:7.3 --reason x | agreed app set taxi --store-url PAGE | PAGE
     | force taxi below:7.3 --reason x | agreed publish taxi 7.5.0 --url PAGE | when 7.5.0 is visible
    publish taxi 7.5.0 --yes; mark taxi 7.5.0 live | force taxi below:7.3 --reason x | agreed mark taxi 7.5.0 live --visible-now | to 7.5.0
    allow taxi below:7.4 | lift taxi 1 | agreed app set taxi --policy force,force,none | taxi from:7.0 below:7.4 would be forced
     | force taxi below:7.3 --reason x | app set taxi --policy none | taxi below:7.0 would be forced
    allow taxi 7.4.0 | lift taxi 1 | agreed publish taxi 7.5.0 --mandatory | when 7.5.0 is visible
    allow taxi 7.4.0 | lift taxi 1 | agreed app set taxi --policy force,remind,remind | when 7.4.1 is visible
    allow taxi 7.4.0 | lift taxi 1 | agreed app set taxi --policy force,force,none | when 7.5.0 is visible
    app set taxi --policy none; allow taxi 7.4.0 | lift taxi 1 | agreed app set taxi --policy force,none,none | when 8.0.0 is visible
    publish taxi 7.5.0 --yes | mark taxi 7.5.0 live | agreed app set taxi --hold 1h | taxi 7.5.0: visibleAt
    """.split(separator: "\n").map(String.init)

  @Test(arguments: exceeding) func `what makes it do more to somebody voids a plan`(_ way: String) throws {
    let shell = try plan(parts(way))
    let stale = parts(way)[3].replacing("PAGE", with: StalePlanTests.page)
    try shell.tell("plan show @plan → 1 holds=false why=plan.stale\nplan apply @plan → 1 plan.stale")
    let message = shell.run("plan apply @plan --json").error["message"]?.string ?? ""
    #expect(message.contains(stale) && message.utf8.count < 400, "\(message)")
  }

  /// What is there before, the plan, and what alters a row that it names.
  static let altering = """
    publish taxi 7.5.0 --yes | amend taxi 7.5.0 --build 5 | mark taxi 7.5.0 waiting
    publish taxi 7.5.0 --yes | mark taxi 7.5.0 approved | amend taxi 7.5.0 --note en=x
    publish taxi 7.5.0 --yes | mark taxi 7.5.0 approved | asc taxi 7.5.0=IN_REVIEW
     | publish taxi 7.6.0 | publish taxi 7.7.0 --yes
     | app set taxi --policy force,force,none | app set taxi --name Taxi
    setting taxi map a | setting taxi map b | agreed setting taxi map c
    redirect taxi below:7.3 --url PAGE --yes | redirect taxi below:7.3 --clear | agreed redirect taxi below:7.3 --url PAGE?b=1
    force taxi 7.2.0 --reason x --yes | lift taxi 1 | lift taxi 1; agreed undo LAST; lift taxi 1
     | stop --all | app add bus --bundle-id com.example.bus
    """.split(separator: "\n").map(String.init)

  @Test(arguments: altering) func `a row that is no longer as it was voids a plan that names it`(
    _ way: String
  )
    throws
  {
    try plan(parts(way)).tell(
      "plan show @plan → 1 holds=false why=plan.stale\nplan apply @plan → 1 plan.stale")
  }
}
