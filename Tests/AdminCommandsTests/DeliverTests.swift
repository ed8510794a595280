import Crypto
import JSON
import Platform
import ReleaseModel
import TestSupport
import Testing

@testable import AdminCommands

@Suite struct DeliverTests {
  private final class Site {
    let shell: Shell
    private(set) var handed: [(body: String, environment: [String: String], words: [String])] = []
    var status: (Int) throws -> Int32 = { _ in 0 }

    init(_ story: String = "") throws {
      shell = try Shell.taxi()
      shell.feed = { [unowned self] words, input, environment in
        handed.append(
          (
            String(decoding: input, as: UTF8.self),
            Dictionary(environment.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 }), words
          ))
        return try status(handed.count)
      }
      try shell.tell(story)
    }

    var bodies: [String] { handed.map(\.body) }
    var messages: [JSON] { bodies.map { (try? JSON(parsing: $0.utf8)) ?? .null } }
    var types: [String?] { messages.map { $0["type"]?.string } }
    func clear() { handed = [] }
    @discardableResult
    func deliver(_ options: String = "") -> Ran {
      shell.run("deliver chat --json \(options) -- post --now x")
    }
  }

  private static let ledger = "0123456789abcdef0123456789abcdef"

  @Test func `a command gets its own words, one line of JSON, and no variables without a secret`() throws {
    let site = try Site("deliver chat -- post\npublish taxi 1.0 --yes --note en=Faster --reason why")
    site.deliver()
    #expect(site.handed.first?.words == ["post", "--now", "x"] && site.handed.first?.environment == [:])
    #expect(site.bodies.allSatisfy { $0.hasSuffix("}\n") && $0.filter { $0 == "\n" }.count == 1 })
    #expect(keys(site.messages[0]) == ["data", "timestamp", "type"])
    let event = try #require(try site.shell.done("show 3 --json").json.object)
    for name in ["kind", "reason", "hash", "actor"] {
      #expect(site.messages[0]["data"]?[name] == event[name], "\(name)")
    }
  }

  @Test func `delivery from a past event sends the messages that delivery since then would have`() throws {
    // That the rule is taken down after its end changes nothing, but it is gone from the tables.
    let site = try Site(
      """
      app add van --bundle-id com.example.van --apple-id 2
      live taxi 1.0 1.1
      live van 1.0 1.1
      force taxi 1.0 --until 2h --reason bug --yes
      deliver early -- post
      force van 1.0 --reason bug --yes
      """)
    let next = site.shell.head() ?? 0
    try site.shell.tell("sleep 3h\nlift taxi 1")
    func told(_ words: String) -> [String] {
      site.clear()
      site.shell.run("deliver \(words) -- post")
      return site.bodies
    }
    let early = told("early")
    #expect(site.types.count == 4 && site.types.count { $0 == "answers.changed" } == 2)
    #expect(told("late --since-event \(next)") == early)
  }

  @Test func `delivery killed at any message loses none and repeats at most one, unchanged`() throws {
    struct Killed: Error {}
    /// What a receiver has that is killed with its sender at one message, before or after it has taken it.
    func received(killedAt kill: Int?, isTaken: Bool) throws -> [String] {
      let site = try Site("deliver chat -- post\nlive taxi 1.0\npublish taxi 1.1 --yes")
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
    let isEvent = { (body: String) in body.hasSuffix("\"type\":\"event.recorded\"}\n") }
    let events = { (bodies: [String]) in bodies.filter(isEvent) }
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
        let last = try JSON(parsing: #require(bodies.last { !isEvent($0) }).utf8)
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
    try site.shell.done("publish taxi 1.0 --yes")
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

  @Test func `the signature matches the test vector of the Standard Webhooks libraries`() throws {
    let directory = try TemporaryDirectory()
    try directory.write("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n", to: "secret")
    let message = Message(id: "msg_p5jXN8AQM9LWM0D4loKWxJek", body: #"{"test": 2432232314}"#)
    let environment = try MessageSecret(directory.file("secret")).environment(of: message, at: 1_614_265_330)
    #expect(environment.last?.value == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
  }

  @Test func `a second run under the same name is refused, and another name has its own cursor`() throws {
    let site = try Site("deliver chat -- post\npublish taxi 1.0 --yes")
    site.status = { _ in
      try site.shell.tell("deliver chat -- post → 75 deliver.busy")
      return 0
    }
    // Another name has a cursor of its own.
    site.deliver()
    site.status = { _ in 0 }
    try site.shell.tell("deliver other --since-event 3 -- post → delivered=1")
  }

  @Test func `a message stays under 20 kB`() throws {
    let page = "https://example.com/" + String(repeating: "a", count: 1_900)
    let rules = (1...11).map { "force taxi \($0).0 --url \(page)\($0) --reason bug --yes" }
    let notes = String(repeating: "n", count: 30_000)
    let site = try Site(
      """
      deliver chat -- post
      trust host example.com
      live taxi 1.0 2.0 3.0 4.0 5.0 6.0 7.0 8.0 9.0 10.0 11.0 12.0
      \(rules.joined(separator: "\n"))
      deliver chat -- post
      """)
    let answers = try #require(site.messages.last { $0["type"] == "answers.changed" })
    #expect(answers["data"]?["truncated"] == true)
    // A plan holds the files that its command reads, and its preview; beside it stands what people type.
    let long = String(repeating: "'", count: 1_000)
    let signer = try Signer("ada", seed: 1)
    try site.shell.tell(
      """
      file notes \(notes)
      publish taxi 13.0 --yes --notes @notes
      deliver chat -- post
      trust signer ada "\(signer.line)"
      publish taxi 15.0 --notes @notes --reason "\(long)" --actor "\(long)" --plan @plan
      sign plan ada
      """)
    #expect(site.bodies.allSatisfy { $0.utf8.count < 20_000 })
    site.clear()
    try site.shell.tell("plan apply @plan --yes --request-id \"\(long)\"\ndeliver chat -- post")
    #expect(
      site.messages.map { $0["data"]?["kind"]?.string } == ["trust.add", "plan.apply", "release.publish"])
    #expect(site.messages.map { $0["data"]?["truncated"] == true } == [false, true, false])
    #expect(site.messages[1]["data"]?["reason"]?.string == long)
    #expect(site.bodies.allSatisfy { $0.utf8.count < 20_000 })
  }

  @Test func `a log line cut off by a full disk does not spoil those that follow`() throws {
    let site = try Site("deliver chat -- post")
    let head = try #require(site.shell.head())
    let log = site.shell.ledger + "-deliver/chat.log"
    let halves = ["1", "\(head)", "\(head + 1):", "\(head + 1):\(String(repeating: "0", count: 63))", "\n9"]
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
}
