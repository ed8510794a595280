import ReleaseModel
import TestSupport

/// A random app and the clocks around it, made through the laws; rules and the like are put straight into it.
struct RandomApp {
  private(set) var stage: Stage
  private var random: Seeded
  private var version: [Int] = [3, 0, 0]

  private static let systems = ["112.4", "114", "115.0", "116.2"]
  private static let pages = [
    "https://apps.apple.com/app/id7", "https://dl.example.com/taxi?a=1&b='2'", "https://evil.example/app",
  ]
  private static let notes = [
    "Faster", "Fixes <& \"more\"> ]]>", "Neu:\n\u{301}ä\r\n\u{1}", "[:mav: 99.0.0]",
  ]

  init(seed: UInt64) throws {
    random = Seeded(seed)
    stage = Stage(channel: random.oneIn(4) ? .enterprise : .appStore)
    app()
    for _ in 0..<(2 + random.below(7)) { try release() }
    if random.oneIn(6) { removal() }
    if random.oneIn(3) { for _ in 0...random.below(3) { try past() } }
    try others()
    phasesAndExpiries()
    // One in three is left to the policy, one in three has rules that a format with two bounds can say.
    let kind = random.below(3)
    if kind == 1 { try bounds() }
    if kind == 2 { for _ in 0...random.below(3) { try anything() } }
    for _ in 0..<random.below(3) { try setting() }
    if random.oneIn(12) { stage.line.app.isStopped = true }
  }

  private mutating func app() {
    if random.oneIn(2) { stage.line.app.hold = TimeSpan(seconds: 86_400) }
    if random.oneIn(3) {
      stage.line.app.policy =
        SegmentPolicy(random.pick(["remind", "force", "none,force", "force,none"], else: "none"))
        ?? .standard
    }
    stage.line.app.remindEvery = random.pick(ReminderFrequency.allCases, else: .once)
    if random.oneIn(9) { stage.line.app.appleID = nil }
    if random.oneIn(9) { stage.line.app.storeURL = "https://apps.apple.com/cn/app/x/id1524608462?mt=8" }
    if random.oneIn(2) { stage.hosts.insert("dl.example.com") }
  }

  private mutating func release() throws {
    // Any component may grow; what follows it starts anew.
    let before = version
    let index = random.below(stage.line.app.channel == .enterprise && random.oneIn(4) ? 4 : 3)
    while version.count <= index { version.append(0) }
    version[index] += 1 + random.below(3) * (random.oneIn(4) ? 4 : 1)
    for later in version.indices where later > index { version[later] = 0 }
    if version.count > 3, version[3] == 0 { version.removeLast() }
    var shown = version
    if random.oneIn(8), shown.count == 3, shown[2] == 0 { shown.removeLast() }
    let fates: [ReleaseState] = [.prepared, .inReview, .approved, .rejected, .withdrawn, .void]
    let state = random.oneIn(4) ? random.pick(fates, else: .void) : .live
    try stage.publish(
      shown.map(String.init).joined(separator: "."), state == .prepared ? nil : state,
      minOS: random.oneIn(3) ? random.pick(RandomApp.systems, else: "114") : nil,
      url: random.oneIn(6) ? random.pick(RandomApp.pages, else: "") : nil,
      notes: random.oneIn(2) ? random.pick(RandomApp.notes, else: "") : nil,
      isMandatory: random.oneIn(6) ? true : nil, visibleNow: random.oneIn(4))
    // A number that was struck out may be used again.
    if state == .void, random.oneIn(2) { version = before }
    stage.now = stage.now + TimeSpan(seconds: Int64([3_600, 40_000, 200_000][random.below(3)]))
  }

  private mutating func removal() {
    let newest = stage.line.live?.version.text
    let text =
      random.oneIn(2) ? newest : stage.line.releases[random.below(stage.line.releases.count)].version.text
    guard let text else { return }
    try? stage.mark(text, .removed)
    if random.oneIn(3) { try? stage.mark(text, .live) }
  }

  private mutating func phasesAndExpiries() {
    func moment(_ random: inout Seeded) -> Timestamp {
      stage.now + TimeSpan(seconds: Int64(random.below(2_000_000))) - TimeSpan(seconds: 900_000)
    }
    if random.oneIn(3) {
      stage.line.app.remindAfter = .phase
      stage.van.app.remindAfter = .phase
    }
    for index in stage.line.releases.indices where stage.line.releases[index].state.isReleased {
      if random.oneIn(5) { stage.line.releases[index].expires = moment(&random) }
      if random.oneIn(3) {
        stage.line.releases[index].phase = random.oneIn(4) ? .inactive : .active
        if !random.oneIn(4) { stage.line.releases[index].remindAt = moment(&random) }
      }
    }
    for index in stage.van.releases.indices where random.oneIn(4) {
      stage.van.releases[index].remindAt = moment(&random)
      if random.oneIn(3) { stage.van.releases[index].expires = moment(&random) }
    }
  }

  private mutating func past() throws {
    let live = stage.line.greatestEverLive ?? .zero
    let text = "\(random.below(5)).\(random.below(5)).\(random.below(5))" + (random.oneIn(4) ? ".1" : "")
    let version = try Version(text)
    // One with four numbers stands beside the line of versions, and may be greater than all of it.
    guard version < live || version.count == 4,
      !stage.line.releases.contains(where: { $0.version == version })
    else { return }
    try stage.past(text, minOS: random.oneIn(3) ? random.pick(RandomApp.systems, else: "114") : nil)
  }

  private mutating func others() throws {
    guard !random.oneIn(4) else { return }
    try stage.vanServes(
      random.pick(["1.0.0", "30.1.0"], else: "1.0.0"),
      minOS: random.oneIn(3) ? random.pick(RandomApp.systems, else: "114") : nil)
    if random.oneIn(8) { stage.van.app.isStopped = true }
  }

  private mutating func anyVersion() -> String {
    let version = random.pick(stage.line.releases.map(\.version), else: .zero)
    if random.oneIn(2) { return version.text }
    var parts = (0..<(1 + random.below(random.oneIn(4) ? 4 : 3))).map(version.component)
    parts[parts.count - 1] = max(0, parts[parts.count - 1] + Int64(random.below(5)) - 2)
    // Nothing is below 0.
    return parts.allSatisfy { $0 == 0 } ? "4.0.0" : parts.map(String.init).joined(separator: ".")
  }

  private mutating func time() -> Timestamp? {
    random.oneIn(3) ? stage.now + TimeSpan(seconds: Int64(random.below(400_000)) - 100_000) : nil
  }

  private mutating func destination() -> Destination {
    random.oneIn(2) ? .app(random.oneIn(5) ? "taxi" : "van") : .url(random.pick(RandomApp.pages, else: ""))
  }

  private mutating func bounds() throws {
    if random.oneIn(3) { try stage.redirect("all", to: destination(), from: time()) }
    if random.oneIn(2) { try stage.rule("below:\(anyVersion())", .remind, from: time()) }
    if random.oneIn(2) { try stage.rule("below:\(anyVersion())", .force, until: time()) }
    if random.oneIn(3) { try stage.rule("from:\(anyVersion())", .none) }
  }

  private mutating func anything() throws {
    let range = random.pick(
      [
        "all", anyVersion(), anyVersion(), "below:\(anyVersion())", "upto:\(anyVersion())",
        "above:\(anyVersion())",
      ],
      else: "all")
    let action = random.pick(Action.allCases, else: .none)
    if random.oneIn(3) {
      try stage.redirect(range, to: destination(), from: time(), until: time())
    } else {
      try stage.rule(range, action, from: time(), until: time(), to: random.oneIn(4) ? destination() : nil)
    }
  }

  private mutating func setting() throws {
    let range = random.pick(
      ["all", anyVersion(), "below:\(anyVersion())", "from:\(anyVersion())"], else: "all")
    try stage.setting(
      random.pick(["map", "menu"], else: "map"), random.pick(["a", "b", "c"], else: "a"), range,
      random.pick([nil, .review, .released], else: nil), from: time(), until: time())
  }

  mutating func clocks() -> [Timestamp] {
    let changes = stage.snapshot.momentsOfChange(after: .distantPast).filter { stage.now < $0 }.sorted()
    let near = changes.flatMap { [$0 - TimeSpan(seconds: 1), $0] }.filter { stage.now <= $0 }
    return [stage.now] + near + [stage.now + TimeSpan(seconds: Int64(random.below(500_000)))]
  }

  mutating func levels() throws -> [Version] {
    try ["111", "112.4", "113.7", "114.0", "115", "115.1", "116.2", "117"].shuffled(using: &random).prefix(4)
      .map { try Version($0) }
  }

  mutating func anybody() throws -> Version {
    let ranges = stage.line.rules.map(\.range) + stage.line.redirects.map(\.range)
    let ends = ranges.flatMap { [$0.lower?.version, $0.upper?.version].compactMap(\.self) }
    let near = random.pick(stage.line.releases.map(\.version) + ends, else: .zero)
    var parts = (0..<4).map(near.component)
    switch random.below(8) {
    case 0: break
    case 1: parts = parts.map { _ in Int64(random.below(12)) }
    case 2: parts[random.below(4)] = Int64(random.below(1_000_000_000))
    default:
      let index = random.below(4)
      parts[index] = max(0, parts[index] + Int64(random.below(5)) - 2)
      // What follows stays, starts anew, or goes as far as it can.
      let rest: Int64? = random.pick([nil, 0, 999_999_999], else: nil)
      if let rest { for later in parts.indices where later > index { parts[later] = rest } }
    }
    let count = 1 + random.below(4)
    return try Version(parts.prefix(count).map(String.init).joined(separator: "."))
  }

  func strangers() throws -> [Version] {
    let known = stage.line.releases.map(\.version)
    let near = try known.flatMap { version -> [Version] in
      let parts = (0..<4).map(version.component)
      let start = "\(parts[0]).\(parts[1])"
      return try [
        Version("\(start).\(parts[2]).\(parts[3] + 1)"), Version("\(start).\(parts[2] + 1)"),
        Version("\(parts[0]).\(max(0, parts[1] - 1)).9"),
      ]
    }
    return try near + [Version("0"), Version("2.9"), Version("999.0.0")]
  }
}
