import Crypto
import JSON
import Platform
import ReleaseModel
import TestSupport
import Testing

/// One version as App Store Connect has it, to write answers of.
struct Shown {
  var version: String
  var state: String
  var platform = "IOS"
  var id: String?
  var build: String?
  var minOS: String?
  /// State, start and pause of a phased release.
  var phased: (state: String, start: String?, paused: Int)?
  var hasNoPhases = false
  var created = "2026-10-02T03:04:05-07:00"

  /// App Store Connect's id of it.
  var name: String { id ?? Shown.name(platform, version) }

  static func name(_ platform: String, _ version: String) -> String {
    "v-\(platform.filter { $0 != "_" })-\(version.map { $0 == "." ? "-" : String($0) }.joined())"
  }

  var resource: JSON {
    let name = self.name
    func link(_ type: String, _ isThere: Bool) -> JSON {
      isThere ? ["data": ["type": .string(type), "id": .string(type + name)]] : JSON.object(JSON.Object())
    }
    return [
      "type": "appStoreVersions", "id": .string(name),
      "attributes": [
        "appVersionState": .string(state), "createdDate": .string(created), "platform": .string(platform),
        "versionString": .string(version),
      ],
      "relationships": [
        "appStoreVersionPhasedRelease": hasNoPhases
          ? ["data": .null] : link("appStoreVersionPhasedReleases", phased != nil),
        "build": link("builds", build != nil || minOS != nil),
      ],
    ]
  }

  var included: [JSON] {
    let name = self.name
    var parts: [JSON] = []
    if build != nil || minOS != nil {
      parts.append([
        "type": "builds", "id": .string("builds" + name),
        "attributes": ["minOsVersion": .optional(minOS), "version": .optional(build)],
      ])
    }
    if let phased {
      parts.append([
        "type": "appStoreVersionPhasedReleases", "id": .string("appStoreVersionPhasedReleases" + name),
        "attributes": [
          "phasedReleaseState": .string(phased.state), "startDate": .optional(phased.start),
          "totalPauseDuration": .integer(Int64(phased.paused)),
        ],
      ])
    }
    return parts
  }

  static func answer(_ versions: [Shown]) -> [UInt8] {
    let json: JSON = [
      "data": .array(versions.map(\.resource)), "included": .array(versions.flatMap(\.included)),
    ]
    return json.bytes()
  }
}

/// App Store Connect's webhooks about `taxi`.
extension Shell {
  private static let secret = Array("This is my secret".utf8)

  /// Trusts the secret of the webhooks, which is then in the file `hook`.
  func trustWebhook(_ options: String = "") throws {
    let path = try directory.put(Shell.secret, to: "hook")
    try done("trust webhook taxi --secret-file \(path) \(options)")
  }

  /// Takes in a signed webhook about the version with an id, and returns what became of it.
  func webhook(_ id: String, of version: String, from: String = "WAITING_FOR_REVIEW", to state: String) throws
    -> JSON
  {
    let body = Array(
      """
      {"data":{"type":"appStoreVersionAppVersionStateUpdated","id":"\(id)","version":1,"attributes":{"oldValue":\
      "\(from)","newValue":"\(state)","timestamp":"\(clock.text)"},"relationships":\
      {"instance":{"data":{"type":"appStoreVersions","id":"\(version)"}}}}}
      """.utf8)
    let signature = hexadecimalText(HMACSHA256.code(for: body, key: Shell.secret))
    let ran = run(
      [
        "ingest", "webhook", "taxi", "-", "--signature", "hmacsha256=\(signature)", "--secret-file",
        directory.file("hook"), "--json",
      ], input: body)
    return try #require(ran.json["results"]?.array?.first, "\(ran.err)")
  }
}

/// What App Store Connect says, brought as a file.
@Suite struct IngestConnectTests {
  private func ingest(_ shell: Shell, _ versions: [Shown], _ more: String = "", status: Int32 = 0) throws
    -> Ran
  {
    let ran = shell.run(
      ["ingest", "asc", "taxi", "-", "--json"] + more.split(separator: " ").map(String.init),
      input: Shown.answer(versions))
    try #require(ran.status == status, "\(ran.err)")
    return ran
  }

  private func taxi(_ version: String = "7.4.0", _ state: String? = nil) throws -> Shell {
    let shell = try Shell.taxi()
    try shell.done("publish taxi \(version)")
    if let state { try shell.done("mark taxi \(version) \(state)") }
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
      shell.clock = shell.clock + TimeSpan(seconds: 300)
      let said = [Shown(version: "7.4.0", state: state, build: "512", minOS: "16.0")]
      _ = try ingest(shell, said)
      #expect(try shell.release("7.4.0")?["state"]?.string == expected, "\(state)")
      let head = shell.head()
      shell.clock = shell.clock + TimeSpan(seconds: 300)
      let result = try ingest(shell, said).json["results"]?.array?.first
      #expect(result?["outcome"] == "ignored")
      #expect(result?["reason"] == "asc.overtaken")
      #expect(shell.head() == head, "\(state)")
    }
    // Somebody's word is no proof, and its going live is held as after 'mark'.
    let live = try #require(try shell.release("7.4.0")?["liveAt"]?.string.flatMap { try? Timestamp($0) })
    try shell.tell(
      """
      show taxi 7.4.0 → release.build=512 release.minOS=16.0 release.ascID=v-IOS-7-4-0 release.visibleAt=\(
        (live + TimeSpan(seconds: 86_400)).text)
      verify
      publish taxi 7.5.0 --build 9 --min-os 15.0
      """)
    // What a person said of build and system stays.
    _ = try ingest(shell, [Shown(version: "7.5.0", state: "IN_REVIEW", build: "512", minOS: "16.0")])
    try shell.tell("show taxi 7.5.0 → release.build=9 release.minOS=15.0 release.state=in-review")
  }

  @Test func `versions and states that nobody knows wait in the inbox, once, and end by themselves`() throws {
    let shell = try taxi()
    let said = [
      Shown(version: "7.5.0", state: "PENDING_DEVELOPER_RELEASE"),
      Shown(version: "7.4.0", state: "SOMETHING_NEW"),
      Shown(version: "7.6b1", state: "IN_REVIEW"),
    ]
    let results = try ingest(shell, said).json["results"]?.array
    #expect(
      Set((results ?? []).compactMap { $0["reason"]?.string }) == [
        "asc.unknown-version", "asc.unknown-state", "asc.version",
      ])
    let head = shell.head()
    shell.clock = later(300)
    #expect(
      try ingest(shell, said).json["results"]?.array?.allSatisfy { $0["outcome"] == "duplicate" } == true)
    #expect(shell.head() == head)
    // What Apple has approved closes lower versions, although the ledger does not know it.
    try shell.tell("inbox → inbox.#=3\nnext taxi --check 7.4.1 → 1\npublish taxi 7.5.0")
    _ = try ingest(
      shell,
      [
        Shown(version: "7.5.0", state: "PENDING_DEVELOPER_RELEASE"),
        Shown(version: "7.4.0", state: "IN_REVIEW"),
      ])
    try shell.tell("show taxi 7.5.0 → release.state=approved\ninbox → inbox.#=1")
  }

  @Test func `platforms stay apart, and one answer tells of all that are here`() throws {
    let shell = try taxi()
    try shell.done(
      "app add taxi-mac --bundle-id com.example.taxi --apple-id 1524608462 --platform macos")
    try shell.done("publish taxi-mac 7.4.0")
    let results = try ingest(
      shell,
      [
        Shown(version: "7.4.0", state: "IN_REVIEW"),
        Shown(version: "7.4.0", state: "READY_FOR_DISTRIBUTION", platform: "MAC_OS"),
        Shown(version: "7.4.0", state: "READY_FOR_DISTRIBUTION", platform: "TV_OS"),
      ]
    ).json["results"]?.array
    #expect(try shell.release("7.4.0")?["state"] == "in-review")
    let mac = try shell.done("releases taxi-mac --json").json["releases"]?.array?.first
    #expect(mac?["state"] == "live")
    #expect(results?.contains { $0["reason"] == "asc.other-platform" } == true)
  }

  @Test func `what was replaced was live, and what was taken off the store stays off`() throws {
    let shell = try taxi()
    try shell.done("publish taxi 7.5.0")
    _ = try ingest(
      shell,
      [
        Shown(version: "7.5.0", state: "READY_FOR_DISTRIBUTION"),
        Shown(version: "7.4.0", state: "REPLACED_WITH_NEW_VERSION"),
      ])
    // App Store Connect does not show a removal.
    try shell.tell(
      "releases taxi → releases.*.state=[live,superseded]\nsleep 3d\nmark taxi 7.5.0 removed --yes")
    let head = shell.head()
    _ = try ingest(shell, [Shown(version: "7.5.0", state: "READY_FOR_DISTRIBUTION")])
    #expect(shell.head() == head)
  }

  @Test func `a webhook whose version nobody knew is taken in once its id is`() throws {
    let shell = try taxi("7.4.0", "waiting")
    try shell.trustWebhook()
    let parked = try shell.webhook(
      "n-1", of: "v-IOS-7-4-0", from: "IN_REVIEW", to: "PENDING_DEVELOPER_RELEASE")
    #expect(parked["reason"] == "webhook.unknown-id")
    shell.clock = shell.clock + TimeSpan(seconds: 60)
    let results = try ingest(shell, [Shown(version: "7.4.0", state: "WAITING_FOR_REVIEW")]).json["results"]?
      .array
    #expect(results?.count == 2)
    #expect(try shell.release("7.4.0")?["state"] == "approved")
    #expect(try shell.done("inbox --json").json["inbox"]?.array?.isEmpty == true)
  }

  @Test func `reminders wait for a phased release, through its pauses, until it is complete`() throws {
    let shell = try Shell.taxi()
    try shell.done("app set taxi --remind-after phase --hold 0")
    try shell.tell("live taxi 7.2.0 7.3.0\npublish taxi 7.4.0")
    func told(_ version: String) throws -> String {
      let answer = try shell.done("check taxi \(version) --json").json
      return [answer["action"], answer["decidedBy"], answer["target"]].map { $0?.string ?? "-" }.joined(
        separator: " ")
    }
    func say(_ state: String, paused: Int = 0) throws {
      let said = Shown(
        version: "7.4.0", state: "READY_FOR_DISTRIBUTION", phased: (state, noon.text, paused))
      _ = try ingest(shell, [said], "--yes")
    }
    func expectReminders(in days: Int64) throws {
      #expect(try shell.release("7.4.0")?["remindAt"]?.string == later(days * 86_400).text)
    }
    try say("ACTIVE")
    try expectReminders(in: 7)
    shell.clock = later(86_400)
    #expect(try told("7.2.0") == "remind policy 7.3.0")
    #expect(try told("7.3.0") == "none phased -")
    #expect(try told("6.0.0") == "force policy 7.4.0")
    try shell.tell("due → next=\(later(7 * 86_400).text)")
    try say("PAUSED", paused: 1)
    try expectReminders(in: 37)
    try say("ACTIVE", paused: 2)
    try expectReminders(in: 9)
    shell.clock = later(4 * 86_400)
    try say("COMPLETE", paused: 2)
    #expect(try told("7.3.0") == "remind policy 7.4.0")
    try expectReminders(in: 4)
    let head = shell.head()
    shell.clock = later(5 * 86_400)
    try say("COMPLETE", paused: 2)
    #expect(shell.head() == head && shell.run("verify").status == 0)
  }

  @Test func `a phased release that was called off holds nobody back`() throws {
    let shell = try Shell.taxi()
    try shell.done("app set taxi --remind-after phase --hold 0")
    try shell.tell("live taxi 7.3.0\npublish taxi 7.4.0")
    _ = try ingest(shell, [Shown(version: "7.4.0", state: "IN_REVIEW", phased: ("INACTIVE", nil, 0))])
    _ = try ingest(
      shell, [Shown(version: "7.4.0", state: "READY_FOR_DISTRIBUTION", phased: ("INACTIVE", nil, 0))])
    // Going live and seven days, which is what 'check' waits for.
    #expect(try shell.release("7.4.0")?["remindAt"]?.string == later(7 * 86_400).text)
    shell.clock = later(7_200)
    #expect(try shell.done("check taxi 7.3.0 --json").json["decidedBy"] == "phased")
    _ = try ingest(
      shell, [Shown(version: "7.4.0", state: "READY_FOR_DISTRIBUTION", hasNoPhases: true)], "--yes")
    #expect(try shell.done("check taxi 7.3.0 --json").json["action"] == "remind")
  }

  @Test func `an answer that is none, or of another app, records nothing`() throws {
    let shell = try taxi()
    let head = shell.head()
    for (text, status, id) in [
      ("{", Int32(65), "asc.malformed"), ("{\"data\":{}}", 65, "asc.malformed"),
      (
        "{\"errors\":[{\"status\":\"403\",\"title\":\"A required agreement is missing\"}]}", 77,
        "asc.forbidden"
      ),
      ("{\"errors\":[{\"status\":\"429\",\"title\":\"Rate limit\"}]}", 75, "asc.rate-limited"),
      ("{\"data\":[],\"links\":{\"self\":\"https://x/v1/apps/7/appStoreVersions\"}}", 65, "asc.wrong-app"),
    ] {
      let ran = shell.run(["ingest", "asc", "taxi", "-", "--json"], input: Array(text.utf8))
      #expect(ran.status == status, "\(text)")
      #expect(ran.errorID == id)
    }
    #expect(shell.head() == head)
    #expect(shell.run("ingest asc taxi").status == 64)
    #expect(shell.run("ingest asc taxi x.json --endpoint http://127.0.0.1:1").status == 64)
  }

  @Test func `a key that others can read, a link and a foreign address are refused before anything is asked`()
    throws
  {
    let shell = try taxi()
    let key = try shell.directory.put(Array("no key".utf8), to: "key.p8")
    shell.environment = ["PAWL_ASC_KEY": key, "PAWL_ASC_KEY_ID": "2X9R4HXF34"]
    #expect(shell.run("ingest asc taxi --fetch --json").errorID == "asc.key-open")
    let secret = shell.directory.file("secret.p8")
    try publishFile(Array("no key".utf8), as: secret, rights: 0o600, replaces: false)
    shell.environment["PAWL_ASC_KEY"] = secret
    #expect(shell.run("ingest asc taxi --fetch --json").errorID == "asc.key-unusable")
    shell.environment["PAWL_ASC_KEY"] = shell.directory.path
    #expect(shell.run("ingest asc taxi --fetch --json").errorID == "asc.key-open")
    let pem = """
      -----BEGIN PRIVATE KEY-----
      MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgjpsQnnGQmL+YBIff
      H1136cspYG6+0iY7X1fCE9+E9LKhRANCAAR/zc4ncPbEXUGDy+5v20t7WAczNXvp
      7xO6z248e9FURcfxRM0bvZt+hyzf7bnuufSzaV1uqQskrYpGIyiFiOWt
      -----END PRIVATE KEY-----
      """
    try publishFile(Array(pem.utf8), as: secret, rights: 0o600, replaces: true)
    shell.environment["PAWL_ASC_KEY"] = secret
    for url in [
      "https://api.appstoreconnect.apple.com.example.com", "http://127.0.0.1.example.com",
      "http://127.0.0.1:80@x",
      "http://127.0.0.1:99999", "http://user@127.0.0.1", "http://localhost:+80", "http://localhost:80/x",
      "ftp://localhost",
    ] {
      let ran = shell.run(["ingest", "asc", "taxi", "--fetch", "--endpoint", url, "--json"])
      #expect(ran.errorID == "asc.foreign-url", "\(url)")
    }
  }

  @Test func `the whole past of an app is taken over`() throws {
    let shell = try Shell.taxi()
    let said = [
      Shown(version: "7.4.0", state: "IN_REVIEW", created: "2026-09-01T00:00:00Z"),
      Shown(version: "7.3.0", state: "READY_FOR_DISTRIBUTION", build: "30", created: "2026-08-01T00:00:00Z"),
      Shown(version: "7.2.0", state: "REPLACED_WITH_NEW_VERSION", created: "2026-07-01T00:00:00.000+0000"),
      Shown(version: "7.1.0", state: "REPLACED_WITH_NEW_VERSION", platform: "MAC_OS"),
    ]
    let path = try shell.directory.put(Shown.answer(said), to: "asc.json")
    try shell.tell(
      """
      import taxi \(path) --source asc --yes → imported=2
      releases taxi → releases.*.version=[7.3.0,7.2.0] releases.0.state=live releases.0.build=30
      releases taxi → releases.1.liveAt=2026-07-01T00:00:00Z
      import taxi \(path) --source asc --yes → skipped=2
      """)
    // An array of pages.
    let other = try Shell.taxi()
    let pages = try JSON(parsing: Shown.answer(said))
    let both = try other.directory.put(JSON.array([pages]).bytes(), to: "pages.json")
    #expect(try other.done("import taxi \(both) --source asc --yes --json").json["imported"]?.integer == 2)
  }

  @Test func `a source that is expected and silent is an alarm, and one that was heard is not`() throws {
    let shell = try taxi("7.4.0", "waiting")
    try shell.done("app set taxi --expect mail,asc")
    #expect(try shell.done("app show taxi --json").json["expect"] == ["asc", "mail"])
    func findings() -> [String] { shell.findings().filter { $0 == "source.silent" } }
    #expect(findings().count == 1)
    let said = [Shown(version: "7.4.0", state: "WAITING_FOR_REVIEW")]
    _ = try ingest(shell, said)
    #expect(findings().isEmpty)
    // A poll that changes nothing is heard all the same.
    let head = shell.head()
    shell.clock = later(3_000)
    _ = try ingest(shell, said)
    shell.clock = later(6_000)
    #expect(shell.head() == head)
    #expect(findings().isEmpty)
    let sources = try shell.done("status taxi --json").json["apps"]?.array?.first?["sources"]?.array
    #expect(sources?.first { $0["source"] == "asc" }?["ageSeconds"]?.integer == 3_000)
    shell.clock = later(6_700)
    #expect(findings().count == 1)
    // Apple should have told by mail of what happened a day ago.
    _ = try ingest(shell, [Shown(version: "7.4.0", state: "PENDING_DEVELOPER_RELEASE")])
    #expect(findings().isEmpty)
    shell.clock = later(6_700 + 86_401)
    #expect(findings().count == 2)
  }
}

extension TemporaryDirectory {
  /// Writes a file, and returns its path.
  func put(_ bytes: [UInt8], to name: String) throws -> String {
    try write(bytes, to: name)
    return file(name)
  }
}
