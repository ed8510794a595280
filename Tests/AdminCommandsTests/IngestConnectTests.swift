import JSON
import Platform
import ReleaseModel
import TestSupport
import Testing

@Suite struct IngestConnectTests {
  private func taxi(_ more: String = "") throws -> Shell {
    let shell = try Shell.taxi()
    // A policy that forces nobody, so that an app's first release goes live unasked.
    try shell.tell("app set taxi --policy none\npublish taxi 7.4.0\n" + more)
    return shell
  }

  @Test func `a version moves along its states, and a poll that changes nothing records nothing`() throws {
    let shell = try taxi()
    for (state, expected) in [
      ("READY_FOR_REVIEW", "prepared"), ("WAITING_FOR_REVIEW", "waiting"), ("IN_REVIEW", "in-review"),
      ("REJECTED", "rejected"), ("WAITING_FOR_REVIEW", "waiting"), ("IN_REVIEW", "in-review"),
      ("PENDING_DEVELOPER_RELEASE", "approved"), ("PROCESSING_FOR_DISTRIBUTION", "approved"),
      ("READY_FOR_DISTRIBUTION", "live"),
    ] {
      try shell.tell(
        """
        sleep 5m
        asc taxi 7.4.0=\(state),build:512,os:16.0
        show taxi 7.4.0 → release.state=\(expected)
        sleep 5m
        asc taxi 7.4.0=\(state),build:512,os:16.0 → same outcome=ignored reason=asc.overtaken
        """)
    }
    // Somebody's word is no proof, and its going live is held as after 'mark'; what a person said of build and system stays.
    try shell.tell(
      """
      show taxi 7.4.0 → release.build=512 release.minOS=16.0 release.ascID=v-IOS-7-4-0 release.visibleAt=\(
        later(5_100 + 86_400).text)
      verify
      publish taxi 7.5.0 --yes --build 9 --min-os 15.0
      asc taxi 7.5.0=IN_REVIEW,build:512,os:16.0
      show taxi 7.5.0 → release.build=9 release.minOS=15.0 release.state=in-review
      """)
  }

  @Test func `versions and states that nobody knows wait in the inbox, once, and end by themselves`() throws {
    let said = "asc taxi 7.5.0=PENDING_DEVELOPER_RELEASE 7.4.0=SOMETHING_NEW 7.6b1=IN_REVIEW"
    // What Apple has approved closes lower versions, although the ledger does not know it.
    try taxi().tell(
      """
      \(said) → results.*.reason=[asc.version,asc.unknown-state,asc.unknown-version]
      sleep 5m
      \(said) → same results.*.outcome=[duplicate,duplicate,duplicate]
      inbox → inbox.#=3
      next taxi --check 7.4.1 → 1
      publish taxi 7.5.0 --yes
      asc taxi 7.5.0=PENDING_DEVELOPER_RELEASE 7.4.0=IN_REVIEW
      show taxi 7.5.0 → release.state=approved
      inbox → inbox.#=1
      """)
  }

  @Test func `platforms stay apart, and one answer tells of all that are here`() throws {
    try taxi().tell(
      """
      app add taxi-mac --bundle-id com.example.taxi --apple-id 1524608462 --platform macos --policy none
      publish taxi-mac 7.4.0 --yes
      asc taxi 7.4.0=IN_REVIEW 7.4.0=READY_FOR_DISTRIBUTION,platform:MAC_OS 7.4.0=READY_FOR_DISTRIBUTION,platform:TV_OS → results.*.reason=[null,null,asc.other-platform]
      show taxi 7.4.0 → release.state=in-review
      show taxi-mac 7.4.0 → release.state=live
      """)
  }

  @Test func `what was replaced was live, and what was taken off the store stays off`() throws {
    // App Store Connect does not show a removal.
    try taxi("publish taxi 7.5.0 --yes").tell(
      """
      asc taxi 7.5.0=READY_FOR_DISTRIBUTION 7.4.0=REPLACED_WITH_NEW_VERSION
      releases taxi → releases.*.state=[live,superseded]
      sleep 3d
      mark taxi 7.5.0 removed --yes
      asc taxi 7.5.0=READY_FOR_DISTRIBUTION → same
      """)
  }

  @Test func `a webhook whose version nobody knew is taken in once its id is`() throws {
    try taxi("mark taxi 7.4.0 waiting\npin").tell(
      """
      hook PENDING_DEVELOPER_RELEASE of=v-IOS-7-4-0 → reason=webhook.unknown-id
      sleep 1m
      asc taxi 7.4.0=WAITING_FOR_REVIEW → results.#=2
      show taxi 7.4.0 → release.state=approved
      inbox → inbox=[]
      """)
  }

  @Test func `reminders wait for a phased release, through its pauses, until it is complete`() throws {
    let shell = try Shell.taxi()
    func said(_ phase: String, remindIn days: Int64) -> String {
      """
      asc taxi 7.4.0=READY_FOR_DISTRIBUTION,phase:\(phase) --yes
      show taxi 7.4.0 → release.remindAt=\(later(days * 86_400).text)
      """
    }
    try shell.tell(
      """
      app set taxi --remind-after phase --hold 0
      live taxi 7.2.0 7.3.0
      publish taxi 7.4.0 --yes
      \(said("ACTIVE", remindIn: 7))
      sleep 1d
      check taxi 7.2.0 → action=remind decidedBy=policy target=7.3.0
      check taxi 7.3.0 → action=none decidedBy=phased target=null
      check taxi 6.0.0 → action=force decidedBy=policy target=7.4.0
      due → next=\(later(7 * 86_400).text)
      \(said("PAUSED+1", remindIn: 37))
      \(said("ACTIVE+2", remindIn: 9))
      sleep 3d
      \(said("COMPLETE+2", remindIn: 4))
      check taxi 7.3.0 → action=remind decidedBy=policy target=7.4.0
      sleep 1d
      asc taxi 7.4.0=READY_FOR_DISTRIBUTION,phase:COMPLETE+2 --yes → same
      verify
      """)
  }

  @Test func `a phased release that was called off holds nobody back`() throws {
    // Going live and seven days is what 'check' waits for.
    try Shell.taxi().tell(
      """
      app set taxi --remind-after phase --hold 0
      live taxi 7.3.0
      publish taxi 7.4.0 --yes
      asc taxi 7.4.0=IN_REVIEW,phase:INACTIVE
      asc taxi 7.4.0=READY_FOR_DISTRIBUTION,phase:INACTIVE
      show taxi 7.4.0 → release.remindAt=\(later(7 * 86_400).text)
      sleep 2h
      check taxi 7.3.0 → decidedBy=phased
      asc taxi 7.4.0=READY_FOR_DISTRIBUTION,phase:none --yes
      check taxi 7.3.0 → action=remind
      """)
  }

  @Test func `an answer that is none, or of another app, records nothing`() throws {
    let shell = try taxi()
    for (text, end) in [
      ("{", "65 asc.malformed"), (#"{"data":{}}"#, "65 asc.malformed"),
      (#"{"errors":[{"status":"403","title":"A required agreement is missing"}]}"#, "77 asc.forbidden"),
      (#"{"errors":[{"status":"429","title":"Rate limit"}]}"#, "75 asc.rate-limited"),
      (#"{"data":[],"links":{"self":"https://x/v1/apps/7/appStoreVersions"}}"#, "65 asc.wrong-app"),
    ] {
      try shell.directory.write(text, to: "answer")
      try shell.tell("ingest asc taxi @answer → \(end)")
    }
    try shell.tell("ingest asc taxi → 64\ningest asc taxi x.json --endpoint http://127.0.0.1:1 → 64")
  }

  @Test func `a key that others can read, a link and a foreign address are refused before anything is asked`()
    throws
  {
    let shell = try taxi("set PAWL_ASC_KEY_ID=2X9R4HXF34\nfile key.p8 none")
    try publishFile(Array("no key".utf8), as: shell.directory.file("none.p8"), rights: 0o600, replaces: false)
    let pem = """
      -----BEGIN PRIVATE KEY-----
      MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgjpsQnnGQmL+YBIff
      H1136cspYG6+0iY7X1fCE9+E9LKhRANCAAR/zc4ncPbEXUGDy+5v20t7WAczNXvp
      7xO6z248e9FURcfxRM0bvZt+hyzf7bnuufSzaV1uqQskrYpGIyiFiOWt
      -----END PRIVATE KEY-----
      """
    try publishFile(Array(pem.utf8), as: shell.directory.file("good.p8"), rights: 0o600, replaces: false)
    try shell.tell(
      """
      set PAWL_ASC_KEY=@key.p8
      ingest asc taxi --fetch → asc.key-open
      set PAWL_ASC_KEY=@none.p8
      ingest asc taxi --fetch → asc.key-unusable
      set PAWL_ASC_KEY=@
      ingest asc taxi --fetch → asc.key-open
      set PAWL_ASC_KEY=@good.p8
      """)
    for url in [
      "https://api.appstoreconnect.apple.com.example.com", "http://127.0.0.1.example.com",
      "http://127.0.0.1:80@x", "http://127.0.0.1:99999", "http://user@127.0.0.1", "http://localhost:+80",
      "http://localhost:80/x", "ftp://localhost",
    ] { try shell.tell("ingest asc taxi --fetch --endpoint \(url) → asc.foreign-url") }
  }

  @Test func `the whole past of an app is taken over, from one page or several`() throws {
    let said = [
      "7.4.0=IN_REVIEW,created:2026-09-01T00:00:00Z",
      "7.3.0=READY_FOR_DISTRIBUTION,build:30,created:2026-08-01T00:00:00Z",
      "7.2.0=REPLACED_WITH_NEW_VERSION,created:2026-07-01T00:00:00.000+0000",
      "7.1.0=REPLACED_WITH_NEW_VERSION,platform:MAC_OS",
    ].map { Shown($0) }
    let pages = try [said.prefix(1), said.dropFirst()].map { try JSON(parsing: Shown.answer(Array($0))) }
    for file in [Shown.answer(said), JSON.array(pages).bytes()] {
      let shell = try Shell.taxi()
      try shell.directory.write(file, to: "asc.json")
      try shell.tell(
        """
        import taxi @asc.json --source asc --yes → imported=2
        releases taxi → releases.*.version=[7.3.0,7.2.0] releases.0.state=live releases.0.build=30
        releases taxi → releases.1.liveAt=2026-07-01T00:00:00Z
        import taxi @asc.json --source asc --yes → skipped=2
        """)
    }
  }

  @Test func `a source that is expected and silent is an alarm, and one that was heard is not`() throws {
    // A poll that changes nothing is heard all the same; Apple should have told by mail of what happened a day ago.
    try taxi("mark taxi 7.4.0 waiting").tell(
      """
      app set taxi --expect mail,asc
      app show taxi → expect=[asc,mail]
      doctor → 1 findings.*.id=[source.silent]
      asc taxi 7.4.0=WAITING_FOR_REVIEW
      doctor → findings=[]
      sleep 50m
      asc taxi 7.4.0=WAITING_FOR_REVIEW → same
      sleep 50m
      doctor → findings=[]
      status taxi → apps.0.sources.0.source=asc apps.0.sources.0.ageSeconds=3000
      sleep 700s
      doctor → 1 findings.*.id=[source.silent]
      asc taxi 7.4.0=PENDING_DEVELOPER_RELEASE
      doctor → findings=[]
      sleep 1d
      sleep 1s
      doctor → 1 findings.*.id=[source.silent,source.silent]
      """)
  }
}
