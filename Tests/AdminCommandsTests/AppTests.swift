import JSON
import ReleaseModel
import TestSupport
import Testing

@Suite struct AppTests {
  private let shell: Shell
  private var out: String { shell.directory.file("out") }

  init() throws {
    shell = try Shell.taxi()
    try shell.tell(
      """
      app add van --bundle-id com.example.van --apple-id 7
      live taxi 1.0 1.1
      live van 1.0 1.1
      """)
  }

  @Test func `a retired app leaves lists and completions, and its documents say nothing`() throws {
    try shell.tell(
      """
      check van 1.0 → action=remind
      export @out
      app retire van
      status --as-of LAST → apps.*.app.slug=[taxi]
      stop --all → apps.*.slug=[taxi]
      check van 1.0 → action=none decidedBy=stopped review=false
      export @out
      json @out/v1/van/schedule.json → rows.*.action=[none,none]
      """)
    #expect(shell.run(["--complete", "1", "--", "check", ""]).out == "words\ntaxi\tcom.example.taxi\n")
    try shell.tell("app retire taxi\nverify")
    #expect(shell.run("status").out == "Every app is retired.\nnext: pawl app list\n")
    #expect(shell.run("releases").out == "Every app is retired.\nnext: pawl app list\n")
  }

  @Test(arguments: [
    "publish van 2.0 --yes", "amend van 1.1 --min-os 17", "mark van 1.1 removed",
    "void van 1.1 --never-shipped --reason x --yes",
    "app set van --name Van", "stop van", "remind van all --yes", "redirect van all --to taxi --yes",
    "setting van key value", "undo HEAD-1 --yes", "redirect taxi all --to van --yes",
    "force taxi all --to van --reason moved --when-visible --yes",
  ])
  func `a retired app takes no change but the way back, and nobody is sent to it`(line: String) throws {
    try shell.tell(
      """
      setting van key old
      app retire van
      \(line) → 1 app.retired details.event=LAST
      app retire van → same changed=false
      undo LAST → confirm.required
      undo LAST --yes
      status → apps.*.app.slug=[taxi,van]
      verify
      """)
  }

  @Test func `a retirement says which redirect it ends, and the board counts it`() throws {
    try shell.tell(
      """
      redirect van 1.0 --to taxi --when-visible --yes
      app retire van → "warnings=[clients are no longer sent from van to taxi]"
      status → retired=[van]
      app show taxi
      """)
    #expect(shell.run("status").out.contains("1 retired: pawl app list"))
  }

  @Test(arguments: [
    (
      "redirect taxi 1.0 --clear", "redirect taxi 1.0 --url https://apps.apple.com/app/id1 --yes",
      "redirect.not-found"
    ),
    ("setting taxi key --clear", "setting taxi key x", "setting.not-found"),
    ("trust remove dl.example.com", "trust host dl.example.com", "trust.not-found"),
  ])
  func `what never was cannot be cleared, and what was cleared stays so`(
    clear: String, set: String, id: String
  ) throws {
    try shell.tell("\(clear) → 66 \(id)\n\(set)\n\(clear) --yes\n\(clear) → same changed=false")
  }

  @Test func `an app tells the first steps until it has a release`() throws {
    try shell.tell("app add bus --bundle-id com.example.bus")
    #expect(
      shell.run("app show bus").out.hasSuffix("next: pawl import bus FILE, or pawl publish bus VERSION\n"))
    try shell.tell("publish bus 1.0 --yes")
    #expect(!shell.run("app show bus").out.contains("next:"))
  }

  @Test func `a force that leads to an app without a page says that it can do nothing yet`() throws {
    try shell.tell(
      """
      app add bus --bundle-id com.example.bus
      live bus 1.0
      redirect taxi 1.0 --to bus --when-visible --yes
      """)
    let warnings =
      shell.run("force taxi 1.0 --reason x --yes --when-visible --json").json["warnings"]?.array ?? []
    #expect(warnings.contains { $0.string?.hasPrefix("it can do nothing yet") == true }, "\(warnings)")
  }

  @Test func `an app is not retired while clients are sent to it`() throws {
    try shell.tell(
      """
      redirect taxi 1.0 --to van --yes --until 1h
      app retire van → app.led-to details.apps=[taxi]
      remind taxi 1.0 --to van --yes
      sleep 2h
      app retire van → app.led-to
      lift taxi 1 --yes
      app retire van
      undo HEAD-1 --yes → app.retired
      app add van --bundle-id com.example.van --apple-id 7 → app.exists
      verify
      """)
  }

  @Test func `an Apple ID and a bundle id are one app's, and tvOS gets a page that it can open`() throws {
    let page = "https://apps.apple.com/app/id7"
    try shell.tell(
      """
      app add bus --bundle-id com.example.van → 1 app.bundle-taken
      app add bus --bundle-id com.example.bus --apple-id 7 → 1
      app add van-tv --bundle-id com.example.van --apple-id 7 --platform tvos
      live van-tv 1.0 1.1
      check van-tv 1.0 → url=com.apple.TVAppStore://apps.apple.com/app/id7
      app add bus --bundle-id com.example.bus --platform tvos --store-url \(page) → 1 url.scheme
      app set van-tv --store-url \(page) → 1 url.scheme
      amend van-tv 1.1 --url \(page) → 1 url.scheme
      force van-tv 1.0 --url \(page) --reason crash --yes → 1 url.scheme
      redirect van-tv 1.0 --url \(page) --yes → 1 url.scheme
      redirect van 1.0 --url com.apple.TVAppStore://apps.apple.com/app/id7 --yes → 1 url.scheme
      redirect van 1.0 --to van-tv --yes
      """)
  }

  @Test func `no more than fifty releases are under way`() throws {
    for number in 0..<50 { try shell.done("publish van 2.\(number) --yes") }
    try shell.tell(
      """
      publish van 2.50 --yes → 1 release.too-many
      void van 2.0 --reason "never submitted"
      publish van 2.50 --yes
      """)
  }

  @Test func `no more than a hundred settings are handed out, of 64 KiB together`() throws {
    let long = String(repeating: "x", count: 4_000)
    for number in 0..<16 { try shell.done("setting van long-\(number) \(long)") }
    try shell.tell("setting van long-16 \(long) → 1 setting.too-many")
    for number in 0..<84 { try shell.done("setting van short-\(number) 1 --until 1h") }
    try shell.tell(
      """
      setting van another 1 → 1 setting.too-many
      setting van long-1 --clear
      setting van another 1
      undo HEAD-1 --yes → 1 setting.too-many
      sleep 2h
      undo HEAD-1 --yes
      verify
      """)
  }

  @Test func `a mail about a retired app waits`() throws {
    try Mailroom.open("7.3.0", .waiting).tell(
      """
      app retire taxi
      letter "In Review" → outcome=parked reason=mail.unknown-app
      undo HEAD-1 --yes
      inbox retry → outcome=applied to=in-review
      """)
  }

  @Test func `the documents of an app that was struck out go, and its slug may be used again`() throws {
    try shell.done("init --export \(out)")
    for _ in 0..<2 {
      try shell.tell("app add typo --bundle-id com.example.typo --apple-id 9")
      #expect(shell.directory.exists("out/v1/typo"))
      try shell.tell("app void typo --reason typo → changed=true app.slug=typo")
      #expect(!shell.directory.exists("out/v1/typo"))
    }
    try shell.tell("app add typo --bundle-id com.example.other\npublish typo 1.0\nverify")
  }

  @Test(arguments: [
    ("publish typo 1.0 --yes", "void typo 1.0 --reason x", "releases"),
    ("allow typo all", "lift typo 1", "rules"),
    ("redirect typo all --to van --yes", "redirect typo all --clear", "redirects"),
    ("setting typo key value", "setting typo key --clear", "settings"),
    ("redirect taxi all --to typo --when-visible --yes", "redirect taxi all --clear --yes", "redirects"),
  ])
  func `an app under which something was recorded is not struck out`(
    first: String, last: String, table: String
  )
    throws
  {
    try shell.tell(
      """
      app add typo --bundle-id com.example.typo --apple-id 9
      \(first)
      \(last)
      app void typo --reason x → 1 app.in-use details.holds=[\(table)]
      verify
      """)
  }
}
