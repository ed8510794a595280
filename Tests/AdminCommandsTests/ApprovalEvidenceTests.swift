import ReleaseModel
import Testing

@Suite struct ApprovalEvidenceTests {
  /// A ledger whose next release, 7.3.0, forces clients of `older` or reminds them, and approvals of two.
  private func room(_ older: String, _ believing: Believing, approvals: Bool = true) throws -> Shell {
    let room = try Mailroom.open(believing)
    try room.tell("live taxi \(older)\npublish taxi 7.3.0 --yes\nmark taxi 7.3.0 approved\nsleep 3d")
    if approvals { try room.demand() }
    return room
  }

  @Test func `a mail that its signature proves forces without anybody's agreement`() throws {
    try room("6.0.0", .signatures).tell("letter \"Ready for Distribution\" → outcome=applied to=live\nverify")
  }

  @Test func `a mail that a server vouches for waits where it would force, and passes where it reminds`()
    throws
  {
    let letter = "letter \"Ready for Distribution\" by=server"
    let apply = "inbox apply 1 --app taxi --version 7.3.0 --state live --reason read"
    // Who says what it means says it alone, too.
    try room("6.0.0", .server).tell(
      """
      \(letter) → outcome=parked reason=mail.unagreed
      show taxi 7.3.0 → release.state=approved
      inbox retry → outcome=parked
      \(apply) --yes → approvals.required
      \(apply) --plan @plan
      sign plan ada ben
      plan apply @plan
      show taxi 7.3.0 → release.state=live
      verify
      """)
    try room("7.2.0", .server).tell("\(letter) → outcome=applied\nverify")
  }

  @Test(arguments: [
    "letter \"Ready for Distribution\" by=server", "lookup taxi 7.3.0",
  ])
  func `what nothing proves forces nobody unasked, though nobody has to approve`(line: String) throws {
    for (older, end, then) in [
      ("6.0.0", "parked", "confirm.required"), ("7.2.0", "applied", "evidence.settled"),
    ] {
      try room(older, .server, approvals: false).tell(
        """
        app set taxi --live-by lookup
        \(line) --dry-run → outcome=\(end)
        \(line) → outcome=\(end)
        inbox apply 1 --app taxi --version 7.3.0 --state live → \(then)
        """)
    }
  }

  @Test func `what would force the clients of an app that leads here waits, too`() throws {
    let room = try Mailroom.open(.server)
    try room.tell(
      """
      app set taxi --policy remind
      publish taxi 7.3.0 --yes
      mark taxi 7.3.0 approved
      app add van --bundle-id com.example.van
      live van 1.0
      force van 1.0 --to taxi --when-visible --reason crash --yes
      sleep 3d
      """)
    try room.demand()
    try room.tell("letter \"Ready for Distribution\" by=server → outcome=parked reason=mail.unagreed")
  }

  /// A ledger of 7.2.0 to 7.4.0, the last one approved; reminders wait for phases, and two have to agree.
  private func phased() throws -> Shell {
    let shell = try Shell.taxi()
    try shell.tell(
      """
      app set taxi --remind-after phase --hold 0
      live taxi 7.2.0 7.3.0
      publish taxi 7.4.0 --yes
      mark taxi 7.4.0 approved
      """)
    try shell.demand()
    return shell
  }

  @Test func `a phase is completed, called off or shortened by a file only where two agree`() throws {
    let said = "asc taxi 7.4.0=READY_FOR_DISTRIBUTION,phase:"
    let kept = "show taxi 7.4.0 → release.remindAt=\(later(37 * 86_400).text)"
    // Longer is milder.
    try phased().tell(
      """
      \(said)ACTIVE → outcome=applied
      sleep 1d
      \(said)PAUSED+1 → outcome=applied
      \(kept)
      \(said)COMPLETE+1 → reason=asc.unagreed
      \(said)ACTIVE+1 → outcome=duplicate
      \(said)none → outcome=duplicate
      \(kept)
      check taxi 7.3.0 → decidedBy=phased
      inbox retry → outcome=parked
      verify
      """)
  }

  @Test func `a page is one that two agreed to where only a phase's end will show it`() throws {
    try phased().tell(
      """
      publish taxi 7.5.0 --yes
      asc taxi 7.5.0=IN_REVIEW,phase:INACTIVE → outcome=applied
      amend taxi 7.5.0 --url https://apps.apple.com/app/id1 → approvals.required
      """)
  }

  @Test func `a file teaches no id by which a webhook would prove something else`() throws {
    try phased().tell(
      """
      publish taxi 8.0.0 --plan @plan
      sign plan ada ben
      plan apply @plan
      asc taxi 8.0.0=IN_REVIEW,id:v-IOS-7-4-0
      show taxi 8.0.0 → release.state=in-review release.ascID=null
      verify
      """)
  }

  @Test(arguments: [("0.9", "outcome=parked reason=lookup.unagreed"), ("1.2", "outcome=applied reason=null")])
  func `a lookup from a file ends the hold of what reminds, and not of what forces`(
    older: String, end: String
  ) throws {
    let shell = try Shell()
    try shell.tell(
      """
      app add campus --bundle-id CampusOfGLUT --apple-id 968615456
      live campus \(older)
      publish campus 1.3 --yes
      mark campus 1.3 live --yes
      """)
    try shell.demand()
    try shell.tell("lookup campus 1.3 → \(end)\nverify")
  }
}
