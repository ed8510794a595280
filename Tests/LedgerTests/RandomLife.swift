import Ledger
import ReleaseModel
import TestSupport

extension Book {
  static let systems = ["14.0", "15.0", "16.2", "17.0"]

  static func text(_ number: Int) -> String { "\(1 + number / 24).\(number % 24 / 6).\(number % 6)" }

  /// - Parameters:
  ///   - past: How many releases were imported before.
  ///   - pace: At most so many seconds pass from one change to the next.
  static func life(
    _ random: inout Seeded, changes: Int, past: Int, pace: Int = 400, platform: ApplePlatform = .iOS
  ) throws -> Book {
    let book = try Book.taxi(platform: platform)
    try book.add("van", appleID: 7) { $0.hold = TimeSpan(seconds: Int64(pace)) }
    let remindAfter = random.pick(RemindAfter.allCases, else: .visible)
    let policy = random.pick(["force,remind,none", "remind,remind,none", "none,force,remind"], else: "none")
    let asksSince = random.oneIn(3) ? try Version(text(random.below(20))) : nil
    try book.set {
      ($0.hold, $0.remindAfter, $0.asksSince) = (TimeSpan(seconds: Int64(pace)), remindAfter, asksSince)
      if let policy = SegmentPolicy(policy) { $0.policy = policy }
    }
    // In a long past few stand out.
    try book.record { draft in
      for number in 0..<past {
        let details = try random.oneIn(12) ? randomDetails(&random, noon, number, pace) : ReleaseDetails()
        try draft.change(text(number)) { line, version, id, now throws(Refusal) in
          number > 0 && random.oneIn(30)
            ? try line.publish(version, details, id: id, now: now)
            : try line.importPast(version, details, releasedAt: later(-900), id: id, now: now)
        }
      }
    }
    var numbers = ["taxi": past, "van": 0]
    // Much of it is refused, which is a life as well.
    for _ in 0..<changes {
      book.clock = book.clock + TimeSpan(seconds: Int64(random.below(pace)))
      let slug = random.oneIn(5) ? "van" : "taxi"
      try? book.change(slug, &random, pace, &numbers[slug, default: 0])
    }
    return book
  }

  private func change(_ slug: String, _ random: inout Seeded, _ pace: Int, _ number: inout Int) throws {
    let version = Book.text(random.below(number + 2))
    let newest = Book.text(number)
    func moment(_ random: inout Seeded) -> Timestamp {
      clock + TimeSpan(seconds: Int64(random.below(pace)))
    }
    switch random.below(19) {
    case 0..<5:
      number += 1
      let new = Book.text(number)
      try publish(new, app: slug, Book.randomDetails(&random, clock, number, pace))
      if !random.oneIn(5) { try mark(new, .live, app: slug, visibleNow: random.oneIn(3)) }
    case 5, 6:
      try mark(version, random.pick([.removed, .rejected, .approved, .live], else: .live), app: slug)
    case 7: try unmark(newest, app: slug)
    case 8: try void(version, app: slug, neverShipped: random.oneIn(3))
    case 9:
      // One of four numbers may lie above all that was live.
      let past = "\(random.below(3)).\(random.below(9)).5"
      try recordPast(
        random.oneIn(2) ? past : Book.text(random.below(number + 9)) + ".5", app: slug, at: later(-9))
    case 10:
      try publish("\(40 + number).0", app: slug)
      try void("\(40 + number).0", app: slug)
    case 11: try record { draft in try draft.change(slug) { $0.set { $0.isStopped = random.oneIn(3) } } }
    case 12: try record { _ = $0.trust(Trust(kind: .host, value: "dl.example.com"), random.oneIn(2)) }
    case 13:
      let page = random.oneIn(2) ? nil : "https://dl.example.com/page"
      try set(slug) { $0.storeURL = page }
    case 14:
      try record { draft in
        let place: Destination =
          random.oneIn(2) ? .app(slug == "van" ? "taxi" : "van") : .url("https://dl.example.com/\(number)")
        let redirect = Redirect(
          number: try draft.nextNumber(of: .redirect), range: try Book.range(&random, version),
          destination: place)
        try draft.change(slug) { $0.placing(redirect, now: .distantPast) }
      }
    case 15:
      try record { draft in
        let setting = Setting(
          number: try draft.nextNumber(of: .setting), key: "map", range: try Book.range(&random, version),
          phase: random.pick(Setting.Phase.allCases), value: "\(number)")
        try draft.change(slug) { $0.placing(setting, now: .distantPast) }
      }
    default:
      let (now, start) = (clock, moment(&random))
      try record(reason: "drill") { draft in
        let rule = Rule(
          number: try draft.nextNumber(of: .rule), range: try Book.range(&random, version),
          action: random.pick([.remind, .force, .none], else: .none), from: start,
          until: random.oneIn(2) ? start + TimeSpan(seconds: 1 + Int64(random.below(pace))) : nil,
          destination: random.oneIn(3) ? .app(slug == "van" ? "taxi" : "van") : nil, reason: "drill")
        try draft.change(slug) { $0.make(rule, now: now) }
      }
    }
  }

  private static func range(_ random: inout Seeded, _ version: String) throws -> VersionRange {
    try VersionRange(
      random.pick(["all", "below:\(version)", "upto:\(version)", "from:\(version)", version], else: "all"))
  }

  static func randomDetails(_ random: inout Seeded, _ now: Timestamp, _ number: Int, _ pace: Int = 400) throws
    -> ReleaseDetails
  {
    func moment(within paces: Int) -> Timestamp {
      now + TimeSpan(seconds: Int64(random.below(paces * pace)))
    }
    return try details {
      $0.isMandatory = random.oneIn(9)
      if random.oneIn(5) { $0.minOS = try Version(random.pick(systems, else: "14.0")) }
      if random.oneIn(5) { $0.notes = [Note(locale: "en", text: "number \(number)")] }
      if random.oneIn(9) { $0.url = "https://apps.apple.com/app/id\(number)" }
      if random.oneIn(6) { $0.remindAt = moment(within: 2) }
      if random.oneIn(5) { $0.phase = random.pick(ReleasePhase.allCases) }
      if random.oneIn(9) { $0.expires = moment(within: 4) }
    }
  }
}
