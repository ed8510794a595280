import JSON
import MailCorpus
import Platform
import ReleaseModel
import TestSupport
import Testing

@Suite struct ConnectYearTests {
  /// The first year's seed, `PAWL_SEED` or 0, by which one that failed is gone through again.
  private static let first = environment("PAWL_SEED").flatMap(Int.init) ?? 0
  /// How many years are gone through, `PAWL_ORDERS` or a few.
  private static let orders = environment("PAWL_ORDERS").flatMap(Int.init) ?? 2
  private static let cycles = 20

  private enum Place: String, CaseIterable {
    case ios = "IOS"
    case mac = "MAC_OS"

    var app: String { self == .ios ? "taxi" : "taxi-mac" }
    var line: String { self == .ios ? "Platform: iOS" : "Platform: macOS" }
  }

  private struct Fact {
    let place: Place
    let version: String
    let from: String
    let to: String
    let at: Timestamp

    /// The name of the state in mails; nil for those of which none is sent.
    var letter: String? {
      switch to {
      case "WAITING_FOR_REVIEW": "Waiting for Review"
      case "IN_REVIEW": "In Review"
      case "PENDING_DEVELOPER_RELEASE": "Pending Developer Release"
      case "READY_FOR_DISTRIBUTION": "Ready for Distribution"
      case "REJECTED": "Rejected"
      default: nil
      }
    }
  }

  private enum Word {
    case published(Place, String)
    case mail(Fact)
    case webhook(Fact, id: String)
    case poll
  }

  private static func publishedAt(_ cycle: Int) -> Timestamp {
    World.now + TimeSpan(seconds: Int64(cycle) * 18 * 86_400)
  }

  private func facts(_ random: inout Seeded) -> [Fact] {
    var facts: [Fact] = []
    for cycle in 0..<ConnectYearTests.cycles {
      for place in Place.allCases {
        var moment = ConnectYearTests.publishedAt(cycle)
        var state = "PREPARE_FOR_SUBMISSION"
        let version = "8.\(cycle).0"
        func go(_ to: String) {
          moment = moment + TimeSpan(seconds: Int64(3_600 + random.below(60_000)))
          facts.append(Fact(place: place, version: version, from: state, to: to, at: moment))
          state = to
        }
        go("WAITING_FOR_REVIEW")
        go("IN_REVIEW")
        while random.oneIn(4) {
          go("REJECTED")
          go("WAITING_FOR_REVIEW")
          go("IN_REVIEW")
        }
        // Released after approval it never waits for anybody.
        if random.oneIn(2) { go("PENDING_DEVELOPER_RELEASE") }
        go("READY_FOR_DISTRIBUTION")
      }
    }
    return facts.sorted { $0.at < $1.at }
  }

  private func answer(_ facts: [Fact], at now: Timestamp) -> [UInt8] {
    var shown: [Shown] = []
    for place in Place.allCases {
      var newestLive: String?
      for cycle in (0..<ConnectYearTests.cycles).reversed()
      where ConnectYearTests.publishedAt(cycle) <= now {
        let version = "8.\(cycle).0"
        var state =
          facts.last { $0.place == place && $0.version == version && $0.at <= now }?.to
          ?? "PREPARE_FOR_SUBMISSION"
        if state == "READY_FOR_DISTRIBUTION" {
          if newestLive == nil { newestLive = version } else { state = "REPLACED_WITH_NEW_VERSION" }
        }
        shown.append(Shown(version: version, state: state, platform: place.rawValue, build: "\(500 + cycle)"))
      }
    }
    return Shown.answer(shown)
  }

  private func words(_ facts: [Fact], _ random: inout Seeded) -> [(at: Timestamp, word: Word)] {
    var words: [(at: Timestamp, word: Word)] = []
    for cycle in 0..<ConnectYearTests.cycles {
      for place in Place.allCases {
        words.append((ConnectYearTests.publishedAt(cycle), .published(place, "8.\(cycle).0")))
      }
    }
    func tell(_ fact: Fact, _ word: Word) {
      if random.oneIn(4) { return }
      for _ in 0...(random.oneIn(4) ? 1 : 0) {
        let delay = random.oneIn(3) ? random.below(2 * 86_400) : random.below(600)
        words.append((fact.at + TimeSpan(seconds: Int64(delay)), word))
      }
    }
    for (index, fact) in facts.enumerated() {
      if fact.letter != nil { tell(fact, .mail(fact)) }
      tell(fact, .webhook(fact, id: "n-\(index)"))
    }
    let whole = 86_400 * 18 * ConnectYearTests.cycles
    for _ in 0..<60 { words.append((World.now + TimeSpan(seconds: Int64(random.below(whole))), .poll)) }
    // A timer asks far more often; what counts is that it asks before the next version goes live.
    for cycle in 1...ConnectYearTests.cycles {
      words.append((ConnectYearTests.publishedAt(cycle) - TimeSpan(seconds: 60), .poll))
    }
    words.append((World.now + TimeSpan(seconds: Int64(whole + 5 * 86_400)), .poll))
    return words.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(
      \.element)
  }

  private func mailDate(_ moment: Timestamp) -> String {
    let text = Array(moment.text)
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let month = months[(Int(String(text[5...6])) ?? 1) - 1]
    return "\(String(text[8...9])) \(month) \(String(text[0...3])) \(String(text[11...18])) +0000"
  }

  @Test(arguments: 0..<orders) func `reports in any order lead to the true final state`(year: Int) throws {
    let seed = ConnectYearTests.first + year
    var random = Seeded(UInt64(seed) &* 7_919 &+ 3)
    let shell = try Mailroom.open()
    try shell.done(
      "app add taxi-mac --bundle-id com.example.taxi --apple-id \(World.appleID) --platform macos --hold 24h")
    try shell.tell("pin")
    let facts = facts(&random)
    var polls = 0
    for (moment, word) in words(facts, &random) {
      shell.clock = max(shell.clock, moment)
      switch word {
      case .published(let place, let version):
        try shell.done("publish \(place.app) \(version) --yes --accept-clock")
      case .mail(let fact):
        let id = "\(fact.place.rawValue).\(fact.version).\(fact.at.seconds)"
        try shell.tell(
          """
          letter "\(fact.letter ?? "")" version=\(fact.version) "platform=\(fact.place.line)" "date=\(mailDate(fact.at))" id=\(id)
          """)
      case .webhook(let fact, let id):
        let name = Shown.name(fact.place.rawValue, fact.version)
        try shell.tell("hook \(fact.to) from=\(fact.from) at=\(fact.at.text) id=\(id) of=\(name)")
      case .poll:
        polls += 1
        try shell.directory.write(answer(facts, at: moment), to: "asc.json")
        try shell.done("ingest asc taxi @asc.json --yes")
        let head = shell.head()
        try shell.done("ingest asc taxi @asc.json --yes")
        #expect(shell.head() == head, "seed \(seed): a poll that tells nothing new, at \(moment.text)")
      }
    }
    #expect(polls == 61 + ConnectYearTests.cycles)
    for place in Place.allCases {
      let releases = try shell.done("releases \(place.app) --json").json["releases"]?.array ?? []
      #expect(releases.count == ConnectYearTests.cycles)
      for (index, release) in releases.enumerated() {
        #expect(
          release["state"]?.string == (index == 0 ? "live" : "superseded"),
          "seed \(seed): \(place.app) \(release["version"]?.string ?? "")")
        #expect(release["ascID"]?.string == Shown.name(place.rawValue, release["version"]?.string ?? ""))
      }
    }
    #expect(try shell.done("verify --json").json["ok"] == true)
  }
}
