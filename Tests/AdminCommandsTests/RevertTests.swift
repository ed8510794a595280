import Testing

@Suite struct RevertTests {
  private let shell: Shell

  init() throws {
    shell = try Shell.taxi()
    try shell.tell("past taxi 7.0 7.1")
  }

  @Test(arguments: [
    ("force taxi below:7.1 --reason crash --yes", "lift taxi 1"),
    ("redirect taxi 7.0 --url https://apps.apple.com/app/id1 --yes", "redirect taxi 7.0 --clear --yes"),
    ("setting taxi map-key paid", "setting taxi map-key --clear"),
    ("app set taxi --hold 1h --yes", "app set taxi --hold 24h --yes"), ("stop taxi", "resume taxi --yes"),
  ])
  func `what is taken back twice, or was by hand, is already so`(change: String, back: String) throws {
    for way in [back, "revert LAST --yes"] {
      try shell.done(change)
      let event = try #require(shell.head())
      try shell.tell("\(way)\nrevert \(event) → same changed=false")
    }
  }

  @Test func `a lifted rule that is in force again is not lifted by an old number`() throws {
    try shell.tell(
      """
      force taxi below:7.1 --reason crash --yes
      lift taxi 1
      revert LAST --yes
      revert HEAD-1 → same changed=false
      lift taxi 1
      revert HEAD-2 --yes → revert.touched-since
      """)
  }

  @Test func `a change of an app is reverted although something else of it changed since`() throws {
    try shell.tell("app set taxi --policy remind --name Cab --yes")
    let set = try #require(shell.head())
    try shell.tell(
      """
      stop taxi
      app set taxi --sku T1
      revert \(set) --yes
      app show taxi → policy=force,remind,none name=null stopped=true sku=T1
      revert \(set) --yes → same changed=false
      app set taxi --name Taxi
      revert \(set) --yes → revert.touched-since
      app set taxi --apple-id 1524608463 --yes
      app set taxi --store-url https://apps.apple.com/app/id9 --yes
      revert HEAD-1 --yes → revert.touched-since
      revert LAST --yes
      app show taxi → storeURL=https://apps.apple.com/app/id1524608463
      verify
      """)
  }

  @Test func `reverting a redirect looks at its range and its window`() throws {
    let url = "https://apps.apple.com/app/id"
    try shell.tell(
      """
      remind taxi all --yes
      redirect taxi 7.0 --url \(url)1 --yes
      redirect taxi 7.0 --url \(url)2 --from 1d --until 3d --yes
      revert HEAD-1 --yes
      check taxi 7.0 → url=\(url)1524608462
      check taxi 7.0 --at 2d → url=\(url)2
      redirect taxi 7.0 --url \(url)1 --from 1d --until 3d --yes
      revert HEAD-2 --yes → revert.touched-since
      revert LAST --yes
      check taxi 7.0 --at 2d → url=\(url)2
      verify
      """)
  }
}
