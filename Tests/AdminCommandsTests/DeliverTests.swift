import Crypto
import JSON
import Platform
import ReleaseModel
import TestSupport
import Testing

@testable import AdminCommands

/// What `deliver` hands over, when, and what it does when the receiver fails.
@Suite struct DeliverTests {
  /// A ledger whose messages are collected.
  private final class Site {
    let shell: Shell
    /// What was handed over, be it taken or not.
    private(set) var handed: [(body: String, environment: [String: String], words: [String])] = []
    /// The status of the command, by how often it was run.
    var status: (Int) throws -> Int32 = { _ in 0 }

    init() throws {
      shell = try Shell.taxi()
      shell.feed = { [unowned self] words, feed in
        handed.append(
          (
            String(decoding: feed.input, as: UTF8.self),
            Dictionary(feed.environment.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 }), words
          ))
        return try status(handed.count)
      }
    }

    var bodies: [String] { handed.map(\.body) }
    var messages: [JSON] { bodies.map { (try? JSON(parsing: $0.utf8)) ?? .null } }
    func clear() { handed = [] }

    @discardableResult
    func deliver(_ options: String = "") -> Ran {
      shell.run("deliver chat --json \(options) -- post --now x")
    }
  }

  @Test(arguments: ["a_b", "../chat", ".", "", "chat.json", String(repeating: "a", count: 64)])
  func `a name that cannot be a file's is refused before anything is written`(name: String) throws {
    let site = try Site()
    let ran = site.shell.run(["deliver", name, "--json", "--", "post"])
    #expect(ran.status == 64)
    #expect(ran.errorID == "deliver.name-malformed")
    #expect(site.handed.isEmpty)
    #expect(!site.shell.directory.exists("pawl.db-deliver"))
  }

  private static let ledger = "0123456789abcdef0123456789abcdef"

  @Test func `a first call begins now, and each event comes once, in order`() throws {
    let site = try Site()
    let first = site.deliver()
    #expect(first.status == 0)
    #expect(first.json == ["delivered": 0, "failingSince": .null, "name": "chat", "waiting": 0])
    try site.shell.done("publish taxi 1.0 --note en=Faster --reason why")
    try site.shell.done("mark taxi 1.0 in-review")
    #expect(site.deliver().json["delivered"] == 2)
    #expect(site.handed.first?.words == ["post", "--now", "x"])
    #expect(site.handed.first?.environment == [:])
    #expect(site.bodies.allSatisfy { $0.hasSuffix("}\n") && $0.filter { $0 == "\n" }.count == 1 })
    let (one, two) = (site.messages[0], site.messages[1])
    #expect(keys(one) == ["data", "timestamp", "type"])
    #expect(one["type"] == "event.recorded" && one["timestamp"]?.string == noon.text)
    #expect(one["data"]?["seq"] == 3 && two["data"]?["seq"] == 4)
    #expect(one["data"]?["kind"] == "release.publish" && one["data"]?["reason"] == "why")
    #expect(one["data"]?["ledger"]?.string == DeliverTests.ledger)
    // As in history, without preview and notes.
    let event = try #require(try site.shell.done("show 3 --json").json.object)
    #expect(one["data"]?["hash"] == event["hash"] && one["data"]?["actor"] == event["actor"])
    #expect(one["data"]?["impact"] == nil && one["data"]?["after"]?["notes"] == nil)
    #expect(one["data"]?["after"]?["version"] == "1.0")
    #expect(site.deliver().json["delivered"] == 0)
  }

  @Test func `the past comes with --since-event, and once`() throws {
    let site = try Site()
    try site.shell.done("publish taxi 1.0")
    #expect(site.deliver("--since-event 1").json["delivered"] == 3)
    #expect(site.messages.compactMap { $0["data"]?["seq"]?.integer } == [1, 2, 3])
    let again = site.deliver("--since-event 1")
    #expect(again.json["delivered"] == 0)
    #expect(site.shell.run("deliver other --since-event 9 -- post").status == 66)
    #expect(site.shell.run("deliver next --since-event 4 --json -- post").json["delivered"] == 0)
  }

  @Test func `who begins with an event of the past is told what somebody is who began then`() throws {
    let site = try Site()
    try site.shell.done("app add van --bundle-id com.example.van --apple-id 2")
    for words in ["taxi 1.0", "taxi 1.1", "van 1.0", "van 1.1"] {
      try site.shell.done("publish \(words)")
      try site.shell.done("mark \(words) live --visible-now --yes")
    }
    try site.shell.done("force taxi 1.0 --until 2h --reason bug --yes")
    site.shell.run("deliver early -- post")
    let next = try site.shell.done("force van 1.0 --reason bug --yes --json").json["event"]?.integer ?? 0
    // That the rule is taken down after its end changes nothing, but it is gone from the tables.
    site.shell.clock = later(3 * 3_600)
    try site.shell.done("lift taxi 1")
    func told(_ words: String) -> [String] {
      site.clear()
      site.shell.run("deliver \(words) -- post")
      return site.bodies
    }
    let early = told("early")
    #expect(early.count == 4 && early.filter { $0.contains("answers.changed") }.count == 2)
    #expect(told("late --since-event \(next)") == early)
  }

  @Test func `answers that change are told, by a change and by the clock alone`() throws {
    let site = try Site()
    try site.shell.tell("live taxi 1.0")
    site.deliver()
    try site.shell.done("publish taxi 1.1")
    try site.shell.done("mark taxi 1.1 live")
    site.deliver()
    // 1.1 is released, and 1.0 is not told of it yet.
    #expect(
      site.messages.map { $0["type"]?.string } == ["event.recorded", "event.recorded", "answers.changed"])
    let prompts = site.messages[2]["data"]?["answers"]?.array?.filter { $0["before"] != $0["after"] }
    #expect(prompts == [])
    site.clear()
    site.shell.clock = later(86_399)
    #expect(site.deliver().json["delivered"] == 0)
    #expect(try site.shell.done("status --json").json["deliveries"]?.array?.first?["waiting"] == 0)
    site.shell.clock = later(86_400)
    let waiting = try site.shell.done("status --json").json["deliveries"]?.array?.first
    #expect(waiting?["waiting"] == 1 && waiting?["since"]?.string == later(86_400).text)
    #expect(site.deliver().json["delivered"] == 1)
    let message = try #require(site.messages.first)
    #expect(message["type"] == "answers.changed" && message["timestamp"]?.string == later(86_400).text)
    #expect(message["data"]?["app"] == "taxi" && message["data"]?["generation"] == 6)
    let page: JSON = "https://apps.apple.com/app/id1524608462"
    // Unknown older versions are told of another target.
    #expect(
      message["data"]?["answers"] == [
        [
          "after": "force", "before": "force", "target": "1.1", "targetApp": "taxi", "url": page,
          "versions": "below:1.0",
        ],
        [
          "after": "remind", "before": "none", "target": "1.1", "targetApp": "taxi", "url": page,
          "versions": "from:1.0 below:1.1",
        ],
      ])
    site.clear()
    #expect(site.deliver().json["delivered"] == 0)
    // Back and forth between two calls is no change.
    try site.shell.done("stop taxi --reason test")
    try site.shell.done("resume taxi --yes")
    site.deliver()
    #expect(site.messages.map { $0["type"]?.string } == ["event.recorded", "event.recorded"])
  }

  @Test func `what changes settings, notes or the page is told too`() throws {
    let site = try Site()
    try site.shell.tell("live taxi 1.0 1.1")
    for change in [
      "setting taxi map paid", "amend taxi 1.1 --note en=Faster", "app set taxi --remind-every 1d",
      "amend taxi 1.1 --min-os 16.0",
    ] {
      site.deliver()
      site.clear()
      try site.shell.done(change + " --yes")
      site.deliver()
      #expect(site.messages.map { $0["type"]?.string } == ["event.recorded", "answers.changed"], "\(change)")
    }
    // A release that nobody can have yet changes nothing.
    site.clear()
    try site.shell.done("publish taxi 1.2")
    site.deliver()
    #expect(site.messages.map { $0["type"]?.string } == ["event.recorded"])
  }

  @Test func `a message that was not taken comes again, byte for byte, before all others`() throws {
    let site = try Site()
    try site.shell.tell("live taxi 1.0")
    try site.shell.done("publish taxi 1.1")
    site.deliver()
    try site.shell.done("mark taxi 1.1 live --visible-now")
    site.status = { _ in 1 }
    let failed = site.deliver()
    #expect(failed.status == 75 && failed.errorID == "deliver.failed")
    #expect(
      failed.json == ["delivered": 0, "failingSince": .string(noon.text), "name": "chat", "waiting": 1])
    site.shell.clock = later(60)
    // The event is taken, the answers are not; then the ledger goes on.
    site.status = { $0 == 2 ? 0 : 9 }
    #expect(site.deliver().json["delivered"] == 1)
    #expect(site.bodies[0] == site.bodies[1])
    try site.shell.done("stop taxi --reason test")
    site.shell.clock = later(120)
    site.deliver()
    site.status = { _ in 0 }
    #expect(site.deliver().json["delivered"] == 3)
    #expect(site.bodies[2] == site.bodies[3] && site.bodies[2] == site.bodies[4])
    #expect(site.messages[2]["timestamp"]?.string == later(60).text)
    #expect(
      site.messages.suffix(3).map { $0["type"]?.string } == [
        "answers.changed", "event.recorded", "answers.changed",
      ])
    #expect(site.deliver().json["failingSince"] == .null)
  }

  @Test func `killed at any message, nothing is lost, and what comes twice is the same`() throws {
    struct Killed: Error {}
    /// What a receiver has that is killed with its sender at one message, before or after it has taken it.
    func received(killedAt kill: Int?, isTaken: Bool) throws -> [String] {
      let site = try Site()
      site.deliver()
      try site.shell.tell("live taxi 1.0")
      try site.shell.done("publish taxi 1.1")
      var taken: [String] = []
      site.status = { count in
        if count == kill {
          if isTaken { taken.append(site.bodies[count - 1]) }
          throw Killed()
        }
        taken.append(site.bodies[count - 1])
        return 0
      }
      site.deliver()
      site.shell.clock = later(30)
      try site.shell.done("mark taxi 1.1 live --visible-now")
      site.deliver()
      site.shell.clock = later(60)
      site.deliver()
      return taken
    }
    let events = { (bodies: [String]) in bodies.filter { $0.contains("event.recorded") } }
    let whole = try received(killedAt: nil, isTaken: true)
    #expect(events(whole).count == 4)
    for kill in 1...(whole.count + 1) {
      for isTaken in [true, false] {
        let bodies = try received(killedAt: kill, isTaken: isTaken)
        var once: [String] = []
        for body in bodies where !once.contains(body) { once.append(body) }
        #expect(events(once) == events(whole), "killed at \(kill)")
        #expect(bodies.count - once.count <= 1)
        // The last word on the answers is the same, whatever was folded together.
        let last = try JSON(parsing: #require(bodies.last { $0.contains("answers.changed") }).utf8)
        #expect(last["data"]?["generation"] == 6)
      }
    }
  }

  @Test func `the variables are those of Standard Webhooks`() throws {
    let site = try Site()
    let secrets = [[UInt8](1...24), [UInt8](100...163)]
    try site.shell.directory.write(
      secrets.map { "whsec_" + Base64.encode($0) }.joined(separator: "\n") + "\n", to: "secret")
    let option = "--secret-file \(site.shell.directory.file("secret"))"
    site.deliver(option)
    try site.shell.done("publish taxi 1.0")
    site.shell.clock = later(77)
    site.deliver(option)
    let (body, environment, _) = try #require(site.handed.first)
    let id = "\(DeliverTests.ledger)-3"
    #expect(environment["PAWL_WEBHOOK_ID"] == id)
    #expect(environment["PAWL_WEBHOOK_TIMESTAMP"] == String(later(77).seconds))
    let text = Array("\(id).\(later(77).seconds).\(body)".utf8)
    let wanted = secrets.map { "v1," + Base64.encode(HMACSHA256.code(for: text, key: $0)) }
    #expect(environment["PAWL_WEBHOOK_SIGNATURE"] == wanted.joined(separator: " "))
    for bad in ["", "whsec_c2hvcnQ=", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"] {
      try site.shell.directory.write(bad, to: "secret")
      #expect(site.deliver(option).errorID == "secret.malformed")
    }
  }

  @Test func `the signature is that of the vector that the libraries share`() throws {
    let directory = try TemporaryDirectory()
    try directory.write("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n", to: "secret")
    let message = Message(id: "msg_p5jXN8AQM9LWM0D4loKWxJek", body: #"{"test": 2432232314}"#)
    let environment = try MessageSecret(directory.file("secret")).environment(of: message, at: 1_614_265_330)
    #expect(environment.last?.value == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
  }

  @Test func `a ledger restored from a backup is an alarm and no flood`() throws {
    let site = try Site()
    site.deliver()
    try site.shell.done("publish taxi 1.0")
    let old = try readFile(site.shell.ledger, limit: 1 << 24)
    try site.shell.done("publish taxi 1.1")
    site.deliver()
    site.clear()
    try publishFile(old, as: site.shell.ledger, rights: 0o640, replaces: true)
    let ran = site.deliver()
    #expect(ran.status == 1 && ran.errorID == "deliver.ahead")
    #expect(ran.error["details"]?["seq"] == 4)
    #expect(site.handed.isEmpty)
    #expect(site.shell.findings().contains("deliver.ahead"))
    // Continued, it has as many events again, and they are others.
    site.shell.clock = later(9)
    try site.shell.done("publish taxi 1.2")
    try site.shell.done("publish taxi 1.3")
    #expect(site.deliver().errorID == "deliver.forked")
    #expect(site.handed.isEmpty)
  }

  @Test func `who is behind stands on the board and in doctor`() throws {
    let site = try Site()
    site.deliver()
    site.shell.clock = later(10)
    try site.shell.tell(
      "publish taxi 1.0\nstatus → deliveries.0.waiting=1 deliveries.0.since=\(later(10).text)")
    func expectActing(_ finding: String?, _ acts: Bool = true) {
      let found = site.shell.run("doctor --json").json["findings"]?.array?.first
      #expect(found?["id"]?.string == finding && (finding == nil || found?["act"] == .bool(acts)))
    }
    expectActing("deliver.behind", false)
    site.shell.clock = later(10 + 3_601)
    expectActing("deliver.behind")
    site.status = { _ in 3 }
    site.deliver()
    expectActing("deliver.failing")
    // Since when it fails stays, however often it is tried.
    site.shell.clock = later(10 + 7_200)
    #expect(site.deliver().json["failingSince"]?.string == later(10 + 3_601).text)
    site.status = { _ in 0 }
    site.deliver()
    expectActing(nil)
  }

  @Test func `two runs of one name do not mix`() throws {
    let site = try Site()
    site.deliver()
    try site.shell.done("publish taxi 1.0")
    var inner: Ran?
    site.status = { _ in
      inner = site.shell.run("deliver chat --json -- post")
      return 0
    }
    #expect(site.deliver().json["delivered"] == 1)
    #expect(inner?.status == 75 && inner?.errorID == "deliver.busy")
    // Another name has a cursor of its own.
    #expect(site.shell.run("deliver other --since-event 3 --json -- post").json["delivered"] == 1)
  }

  @Test func `a message stays under 20 kB`() throws {
    let site = try Site()
    site.deliver()
    try site.shell.done("trust host example.com")
    let page = "https://example.com/" + String(repeating: "a", count: 1_900)
    try site.shell.tell("live taxi " + (1...12).map { "\($0).0" }.joined(separator: " "))
    for number in 1...11 {
      try site.shell.done("force taxi \(number).0 --url \(page)\(number) --reason bug --yes")
    }
    site.deliver()
    let answers = try #require(site.messages.last { $0["type"] == "answers.changed" })
    #expect(answers["data"]?["truncated"] == true)
    #expect(site.bodies.allSatisfy { $0.utf8.count < 20_000 })
    let notes = String(repeating: "n", count: 30_000)
    try site.shell.directory.write(notes, to: "notes.txt")
    try site.shell.done("publish taxi 13.0 --notes \(site.shell.directory.file("notes.txt"))")
    site.deliver()
    #expect(site.bodies.allSatisfy { $0.utf8.count < 20_000 })
    // A plan holds the files that its command reads, and its preview; beside it stands what people type.
    site.clear()
    let long = String(repeating: "\"", count: 1_000)
    let signer = try Signer("ada", seed: 1)
    #expect(site.shell.run(["trust", "signer", "ada", signer.line]).status == 0)
    try site.shell.plan(
      "publish taxi 15.0 --notes \(site.shell.directory.file("notes.txt")) --reason \(long) --actor \(long)")
    try site.shell.sign("plan", [signer])
    #expect(site.shell.apply("plan", "--request-id", long).status == 0)
    site.deliver()
    #expect(
      site.messages.map { $0["data"]?["kind"]?.string } == ["trust.add", "plan.apply", "release.publish"])
    #expect(site.messages.map { $0["data"]?["truncated"] == true } == [false, true, false])
    #expect(site.messages[1]["data"]?["reason"]?.string == long)
    #expect(site.bodies.allSatisfy { $0.utf8.count < 20_000 })
  }

  @Test func `half a note of what was taken, left by a full disk, spoils none that follow`() throws {
    let site = try Site()
    site.deliver()
    let head = try #require(site.shell.head())
    let log = site.shell.ledger + "-deliver/chat.log"
    let halves = ["1", "\(head)", "\(head + 1) ", "\(head + 1) \(String(repeating: "0", count: 63))", "\n9"]
    for (number, half) in halves.enumerated() {
      try publishFile(Array(half.utf8), as: log, rights: 0o640, replaces: true)
      try site.shell.done("app set taxi --name \(number)")
      // Killed before the cursor is kept: what was taken is in the notes alone.
      struct Killed: Error {}
      site.clear()
      site.status = { count in
        if count > 1 { throw Killed() }
        return 0
      }
      try site.shell.done("app set taxi --sku \(number)")
      site.deliver()
      site.clear()
      site.status = { _ in 0 }
      #expect(site.deliver().json["delivered"] == 1, "after '\(half)'")
    }
  }

  @Test func `a cursor that nobody can have written is no beginning`() throws {
    let site = try Site()
    site.deliver()
    try site.shell.done("publish taxi 1.0")
    let file = site.shell.ledger + "-deliver/chat.json"
    for bytes in ["", "{", "{}", #"{"seq":"3"}"#] {
      try publishFile(Array(bytes.utf8), as: file, rights: 0o640, replaces: true)
      let ran = site.deliver()
      #expect(ran.status == 65 && ran.errorID == "deliver.cursor-unreadable", "\(bytes)")
    }
    #expect(site.handed.isEmpty)
  }
}
