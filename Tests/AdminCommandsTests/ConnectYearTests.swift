import JSON
import MailCorpus
import ReleaseModel
import TestSupport
import Testing

/// A year as Apple tells of it: releases on several platforms in mails, webhooks, lookups and answers that are lost, late or
/// repeated; records that are given another number; and builds of every shape and systems, often not those that were typed.
@Suite struct ConnectYearTests {
  /// The first year's seed, `PAWL_SEED` or 0, by which one that failed is gone through again.
  private static let first = environmentNumber("PAWL_SEED", else: 0)
  /// How many years are gone through.
  private static let orders = environmentNumber("PAWL_ORDERS", else: 2)
  private static let cycles = 10

  fileprivate enum Place: String, CaseIterable {
    case ios = "IOS"
    case mac = "MAC_OS"
    case tv = "TV_OS"
    case vision = "VISION_OS"

    var app: String { self == .ios ? "taxi" : "taxi-\(platform)" }
    private var name: String {
      ["iOS", "macOS", "tvOS", "visionOS"][Place.allCases.firstIndex(of: self) ?? 0]
    }
    var platform: String { name.lowercased() }
    var line: String { "Platform: \(name)" }
    /// What the store's record of the app has.
    var lookup: String { self == .mac ? "kind=mac-software" : self == .ios ? "kind=software" : "devices=tv" }

    /// Whether what the store shows of an app of another place is heard here.
    func hears(_ other: Place) -> Bool { self == .ios ? other != .mac : lookup == other.lookup }
  }

  /// What a record of App Store Connect's becomes.
  private struct Fact {
    let place: Place
    let record: Int
    let version: String
    let from: String
    let to: String
    let at: Timestamp
    let build: String
    let system: String

    var id: String { "v-\(place.rawValue.filter { $0 != "_" })-\(record)" }

    /// The name of the state in mails; nil for those of which none is sent.
    var letter: String? {
      [
        "WAITING_FOR_REVIEW": "Waiting for Review", "IN_REVIEW": "In Review",
        "PENDING_DEVELOPER_RELEASE": "Pending Developer Release",
        "READY_FOR_DISTRIBUTION": "Ready for Distribution", "REJECTED": "Rejected",
      ][to]
    }
  }

  /// What the ledger should have of a release.
  private struct Known: Equatable {
    var build: String?
    var system: String?
    var heardBuild: String?
    var heardSystem: String?

    /// Takes in what an answer says: what was missing, or what it says otherwise.
    mutating func hear(_ build: String, _ system: String) {
      if (try? Build(build)) != nil {
        self.build = self.build ?? build
        heardBuild = self.build == build ? nil : build
      }
      self.system = self.system ?? system
      heardSystem = self.system == system ? nil : system
    }
  }

  private static func beginning(_ cycle: Int) -> Timestamp {
    World.now + TimeSpan(seconds: Int64(cycle - 1) * 25 * 86_400)
  }

  private let builds = [
    "512", "202610022047", "1782922384", "1.7.0.6", "18.9.0.2", "999999999999999999", "2026.100.220.48",
    "1b5",
  ]

  /// What happens at Apple, and what people type meanwhile.
  private func year(_ places: [Place], _ random: inout Seeded) -> (
    facts: [Fact], typed: [(at: Timestamp, line: String)], polls: [Timestamp]
  ) {
    var (facts, typed, polls): ([Fact], [(at: Timestamp, line: String)], [Timestamp]) = ([], [], [])
    for cycle in 1...Self.cycles {
      for place in places {
        var moment = Self.beginning(cycle)
        var state = "PREPARE_FOR_SUBMISSION"
        var version = "9.\(cycle).\(random.below(3))"
        var build = random.pick(builds, else: "1")
        var system = "\(13 + random.below(3)).0"
        func publish(_ version: String, at moment: Timestamp) {
          // On macOS builds would have to grow.
          let ownBuild = place == .mac || random.oneIn(2) ? "" : " --build \(builds[random.below(7)])"
          let ownSystem = random.oneIn(2) ? "" : " --min-os \(13 + random.below(3)).0"
          typed.append(
            (moment, "publish \(place.app) \(version) --yes --accept-clock\(ownBuild)\(ownSystem)"))
        }
        func go(_ to: String) {
          moment = moment + TimeSpan(seconds: Int64(3_600 + random.below(60_000)))
          facts.append(
            Fact(
              place: place, record: cycle, version: version, from: state, to: to, at: moment, build: build,
              system: system))
          state = to
        }
        func review() {
          go("WAITING_FOR_REVIEW")
          go("IN_REVIEW")
        }
        publish(version, at: moment)
        review()
        var rounds = 0
        while rounds < 4, random.oneIn(3) {
          rounds += 1
          go("REJECTED")
          if random.oneIn(2) {
            (build, system) = (random.pick(builds, else: "1"), "\(13 + random.below(3)).0")
          }
          if random.oneIn(2) {
            let old = version
            version =
              random.oneIn(2) ? "9.\(cycle).\(3 + facts.count % 90)" : "9.\(cycle - 1).\(100 + facts.count)"
            go("PREPARE_FOR_SUBMISSION")
            polls.append(moment + TimeSpan(seconds: 60))
            // It is published before the answer that shows it, or after.
            let said = moment + TimeSpan(seconds: random.oneIn(2) ? 30 : 90)
            typed.append((said, "void \(place.app) \(old) --reason renamed"))
            publish(version, at: said)
          }
          review()
        }
        // Released after approval it never waits for anybody; a release that waits may be called off.
        if random.oneIn(2) {
          go("PENDING_DEVELOPER_RELEASE")
          if random.oneIn(3) {
            review()
            go("PENDING_DEVELOPER_RELEASE")
          }
        }
        go("READY_FOR_DISTRIBUTION")
        if random.oneIn(3) {
          let settled = "\(13 + random.below(3)).0"
          typed.append(
            (
              moment + TimeSpan(seconds: 90),
              "amend \(place.app) \(version) --min-os \(settled) --reason settled --yes"
            ))
        }
      }
    }
    return (facts.sorted { $0.at < $1.at }, typed, polls)
  }

  /// What each record is at a moment, as an answer shows it.
  private func records(_ facts: [Fact], of place: Place, at now: Timestamp) -> [Fact] {
    (1...Self.cycles).compactMap { cycle in
      facts.last { $0.place == place && $0.record == cycle && $0.at <= now }
    }
  }

  private func answer(_ facts: [Fact], _ places: [Place], at now: Timestamp) -> [UInt8] {
    Shown.answer(
      places.flatMap { place -> [Shown] in
        let records = records(facts, of: place, at: now)
        let onSale = records.last { $0.to == "READY_FOR_DISTRIBUTION" }?.record
        return records.map { fact in
          let isReplaced = fact.to == "READY_FOR_DISTRIBUTION" && fact.record != onSale
          return Shown(
            "\(fact.version)=\(isReplaced ? "REPLACED_WITH_NEW_VERSION" : fact.to),platform:\(place.rawValue),"
              + "id:\(fact.id),build:\(fact.build),os:\(fact.system)")
        }
      })
  }

  /// What is told of the facts, in the order in which it comes in.
  private func lines(_ facts: [Fact], _ places: [Place], _ random: inout Seeded) -> [(
    at: Timestamp, line: String
  )] {
    var lines: [(at: Timestamp, line: String)] = []
    func tell(_ fact: Fact, _ line: String) {
      if random.oneIn(4) { return }
      for _ in 0...(random.oneIn(4) ? 1 : 0) {
        let delay = random.oneIn(3) ? random.below(2 * 86_400) : 90 + random.below(600)
        lines.append((fact.at + TimeSpan(seconds: Int64(delay)), line))
      }
    }
    for (index, fact) in facts.enumerated() {
      if let letter = fact.letter {
        tell(
          fact,
          """
          letter "\(letter)" version=\(fact.version) "platform=\(fact.place.line)" "date=\(mailDate(fact.at))" id=\(index)
          """)
      }
      tell(fact, "hook \(fact.to) from=\(fact.from) at=\(fact.at.text) id=n-\(index) of=\(fact.id)")
    }
    let whole = Self.beginning(Self.cycles + 1).seconds - World.now.seconds
    for _ in 0..<60 {
      let moment = World.now + TimeSpan(seconds: Int64(random.below(Int(whole))))
      lines.append((moment, "poll"))
      let (asked, told) = (random.pick(places, else: .ios), random.pick(places, else: .ios))
      let shown = records(facts, of: told, at: moment).last { $0.to == "READY_FOR_DISTRIBUTION" }?.version
      let end = asked.hears(told) ? "" : " → same outcome=ignored reason=lookup.other-platform"
      lines.append((moment, "lookup \(asked.app) \(shown ?? "9.1.0") \(told.lookup)\(end)"))
    }
    // A timer asks far more often; what counts is that it asks before the next version goes live.
    for cycle in 2...Self.cycles { lines.append((Self.beginning(cycle) - TimeSpan(seconds: 60), "poll")) }
    return lines + [(Self.beginning(Self.cycles + 1) + TimeSpan(seconds: 5 * 86_400), "poll")]
  }

  private func mailDate(_ moment: Timestamp) -> String {
    let text = Array(moment.text)
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let month = months[(Int(String(text[5...6])) ?? 1) - 1]
    return "\(String(text[8...9])) \(month) \(String(text[0...3])) \(String(text[11...18])) +0000"
  }

  @Test(arguments: 0..<orders) func `reports in any order lead to the true final state`(year: Int) throws {
    let seed = Self.first + year
    var random = Seeded(UInt64(seed) &* 7_919 &+ 3)
    let places = [.ios] + Place.allCases.dropFirst().shuffled(using: &random).prefix(2)
    let shell = try Mailroom.open()
    for place in places.dropFirst() {
      try shell.done(
        "app add \(place.app) --bundle-id com.example.taxi --apple-id \(World.appleID) --platform \(place.platform) --hold 24h"
      )
    }
    // The key that App Store Connect is asked with.
    try shell.tell("pin\nfetched taxi")
    let (facts, typed, polls) = self.year(places, &random)
    var known: [String: Known] = [:]
    let lines = typed + polls.map { ($0, "poll") } + lines(facts, places, &random)
    for (_, (moment, line)) in lines.enumerated().sorted(by: {
      ($0.element.at, $0.offset) < ($1.element.at, $1.offset)
    }) {
      shell.clock = max(shell.clock, moment)
      let words = shell.words(line)
      guard line == "poll" else {
        try shell.tell(line)
        let name = "\(words.dropFirst().first ?? "") \(words.dropFirst(2).first ?? "")"
        func option(_ name: String) -> String? { words.firstIndex(of: name).map { words[$0 + 1] } }
        if words[0] == "publish" { known[name] = Known(build: option("--build"), system: option("--min-os")) }
        if words[0] == "void" { known[name] = nil }
        if words[0] == "amend", let system = option("--min-os") {
          known[name]?.system = system
          if known[name]?.heardSystem == system { known[name]?.heardSystem = nil }
        }
        continue
      }
      shell.shown = answer(facts, places, at: moment)
      let said = try shell.done("ingest asc taxi --fetch --yes")
      for fact in places.flatMap({ records(facts, of: $0, at: moment) }) {
        known["\(fact.place.app) \(fact.version)"]?.hear(fact.build, fact.system)
        if fact.build == "1b5" {
          #expect(said.err.contains("cannot read build '1b5' of \(fact.version)"), "seed \(seed)")
        }
      }
      let head = shell.head()
      try shell.done("ingest asc taxi --fetch --yes")
      #expect(shell.head() == head, "seed \(seed): a poll that tells nothing new, at \(moment.text)")
    }
    for place in places {
      let releases = try shell.done("releases \(place.app) --json").json["releases"]?.array ?? []
      let records = records(facts, of: place, at: shell.clock)
      #expect(records.count == Self.cycles)
      for release in releases where release["state"]?.string != "void" {
        let name = "\(place.app) \(release["version"]?.string ?? "")"
        func text(_ member: String) -> String? { release[member]?.string }
        let found = Known(
          build: text("build"), system: text("minOS"), heardBuild: text("ascBuild"),
          heardSystem: text("ascMinOS"))
        let record = records.first { $0.version == text("version") }
        #expect(found == known[name], "seed \(seed): \(name)")
        #expect(
          text("state") == (record?.record == Self.cycles ? "live" : "superseded"), "seed \(seed): \(name)")
        #expect(text("ascID") == record?.id, "seed \(seed): \(name)")
      }
      #expect(
        Set(releases.filter { $0["state"] != "void" }.map { $0["version"]?.string })
          == Set(records.map(\.version)))
    }
    #expect(try shell.done("verify --json").json["ok"] == true)
  }
}
