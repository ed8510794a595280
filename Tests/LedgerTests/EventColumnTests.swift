internal import ReleaseModel
internal import Testing

@testable internal import Ledger

@Suite struct EventColumnTests {
  typealias Case = Named<@Sendable (inout EventRecord) -> Void>

  /// An actor with some members otherwise, each as JSON; nil leaves one out.
  private static func actor(_ otherwise: [String: String?] = [:]) -> String {
    let usual: [String: String?] = [
      "claimed": "null", "host": #""h""#, "loginUid": "null", "principal": "null",
      "uid": "0", "user": #""root""#,
    ]
    let members = usual.merging(otherwise) { $1 }.sorted { $0.key < $1.key }
    return "{\(members.compactMap { key, value in value.map { "\"\(key)\":\($0)" } }.joined(separator: ","))}"
  }

  static let odd = [
    Case("an actor that is no JSON") { $0.actor = "hello" },
    Case("an actor that is no object") { $0.actor = "[]" },
    Case("an actor of nobody") { $0.actor = "{}" },
    Case("an actor without a host") { $0.actor = actor(["host": nil]) },
    Case("an actor of whom less is said") { $0.actor = actor(["claimed": nil, "loginUid": nil]) },
    Case("an actor of other types") { $0.actor = actor(["claimed": "{}", "host": "[]", "user": "5"]) },
    Case("an actor with another member") { $0.actor = actor(["role": #""x""#]) },
    Case("an actor that is nested deep") {
      $0.actor = actor([
        "claimed": String(repeating: "[", count: 5_000) + String(repeating: "]", count: 5_000)
      ])
    },
    Case("evidence of a request") { $0.evidence = 999 },
    Case("evidence of less than no number") { $0.evidence = .min },
    Case("a reason of several lines") { $0.reason = "a\nb" },
    Case("a reason that moves the cursor") { $0.reason = "a\u{9B}2Jb" },
    Case("a reason that says nothing") { $0.reason = " " },
    Case("a reason that nobody can read") { $0.reason = String(repeating: "x", count: 1_001) },
    Case("an app of a request") { $0.app = "taxi" },
    Case("a version of a request") { $0.version = "9.9" },
    Case("a subject of a request") { $0.subject = "release/3" },
    Case("a request that was something else before") { $0.before = "{}" },
    Case("a request that makes something") { $0.after = #"{"x":1}"# },
    Case("a request without its answer") { $0.answer = nil },
    Case("a request without its id") { ($0.requestID, $0.request, $0.answer) = (nil, nil, nil) },
  ]

  @Test(arguments: odd) func `verify reports a value that pawl never writes`(_ one: Case) throws {
    let altered = try Altered(try Book.taxi().ledger)
    try altered.appendRequest(one.act)
    let seq = try altered.ledger.head().seq
    let faults = try altered.faults().filter { $0.seq == seq }
    #expect(faults.map(\.id) == ["event.unreadable"], "\(faults)")
  }

  static let usual = [
    Case("a request") { _ in },
    Case("a reason as long as it can be") { $0.reason = String(repeating: "x", count: 1_000) },
    Case("a reason in other letters") { $0.reason = "Grüße, 你好" },
    Case("an actor of whom little is known") { $0.actor = actor() },
    Case("an actor with all there is") {
      $0.actor = actor(["claimed": #""x""#, "loginUid": "1000", "principal": #""ada""#])
    },
  ]

  @Test(arguments: usual) func `verify accepts every value that pawl writes`(_ one: Case) throws {
    let altered = try Altered(try Book.taxi().ledger)
    try altered.appendRequest(one.act)
    #expect(try altered.faults() == [])
  }

  @Test func `verify reports what no event of a kind has, and what no command writes`() throws {
    let host = Change.trusted(Trust(kind: .host, value: "dl.example.com"))
    let rule = Change.ruleMade(Rule(number: 1, range: .all, action: .none))
    var evidence = Evidence(id: 1, kind: .lookup, sha256: Recording.digest(of: []), size: 0, receivedAt: noon)
    (evidence.outcome, evidence.app) = (.ignored, "taxi")
    let (odd, broken) = ("event.unreadable", "law.broken")
    let cases: [(String, Change, String?, (inout EventRecord) -> Void)] = [
      (odd, host, "taxi", { _ in }), (odd, rule, "taxi", { $0.evidence = 1 }),
      (odd, rule, "taxi", { $0.before = "{}" }), (odd, host, nil, { $0.version = "1.0" }),
      (odd, host, nil, { $0.before = "{}" }), (odd, rule, "taxi", { $0.command = nil }),
      (broken, rule, "taxi", { ($0.schedules, $0.command) = (nil, nil) }),
      (broken, rule, "taxi", { $0.schedules = "taxi,no-such" }),
      (broken, rule, "taxi", { $0.after?.insert(contentsOf: "\"a\":1,", at: "{".endIndex) }),
      (broken, .evidenceAdded(evidence), "no-such", { _ in }),
      (broken, .evidenceAdded(evidence), nil, { _ in }),
    ]
    for (id, change, app, alter) in cases {
      let altered = try Altered(try Book.taxi().ledger)
      try altered.append(change, app: app, alter)
      let seq = try altered.ledger.head().seq
      let faults = try altered.faults()
      #expect(faults.contains { $0.id == id && $0.seq == seq }, "\(faults)")
    }
  }
}
