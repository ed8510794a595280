import ReleaseModel

/// (e) What a change makes stricter, for any version, now or later, is in its preview, and is asked about.
struct PreviewWalk {
  private let family: Family
  private let before: Snapshot
  private(set) var broken: [String] = []
  private(set) var (changes, stricter) = (0, 0)
  private let moments = [0, 6, 12, 18, 24].map(hour)

  init(_ before: Snapshot, _ family: Family) { (self.before, self.family) = (before, family) }

  mutating func walk() {
    for (name, after) in alterations where after != before {
      changes += 1
      compare(name, after)
    }
  }

  /// What commands make of the state, one each.
  private var alterations: [(String, Snapshot)] {
    var all: [(String, Snapshot)] = []
    func add(_ name: String, _ alter: (inout Snapshot) -> Void) {
      var after = before
      alter(&after)
      all.append((name, after))
    }
    let number = (before.line.rules.map(\.number).max() ?? 0) + 1
    let ranges =
      [before.line.releases.first?.version].compactMap(\.self).map { VersionRange.exactly($0) } + [.all]
    for range in ranges
      + [try? VersionRange("above:0.5 below:1.0.0"), try? VersionRange("above:1.0.0")].compactMap(\.self)
    {
      for action in Action.allCases {
        for (from, words) in [(nil, ""), (hour(6), " --from 6h")] as [(Timestamp?, String)] {
          add("\(action.rawValue) taxi \(range.text)\(words)") {
            $0.line.rules.append(Rule(number: number, range: range, action: action, from: from))
          }
        }
      }
    }
    for place in before.line.rules.indices {
      add("lift taxi \(before.line.rules[place].number)") { $0.line.rules.remove(at: place) }
    }
    for place in before.line.redirects.indices {
      add("redirect taxi \(before.line.redirects[place].range.text) --clear") {
        $0.line.redirects.remove(at: place)
      }
    }
    for release in before.line.releases {
      let name = release.version.text
      for isVisibleNow in [false, true] {
        if let change = try? before.line.mark(
          release.version, .live, at: nil, isVisibleNow: isVisibleNow, now: now)
        {
          add("mark taxi \(name) live\(isVisibleNow ? " --visible-now" : "")") {
            $0.line.apply(change, event: 2)
          }
        }
      }
      if let change = try? before.line.mark(release.version, .removed, at: nil, isVisibleNow: false, now: now)
      {
        add("mark taxi \(name) removed") { $0.line.apply(change, event: 2) }
      }
      add("amend taxi \(name) --mandatory") { snapshot in
        for place in snapshot.line.releases.indices where snapshot.line.releases[place].id == release.id {
          snapshot.line.releases[place].isMandatory = true
        }
      }
    }
    for policy in ["none", "force"] {
      add("app set taxi --policy \(policy)") { $0.line.app.policy = SegmentPolicy(policy) ?? .standard }
    }
    add("stop taxi") { $0.line.app.isStopped = true }
    if before.others["van"] != nil { add("stop or resume van") { $0.others["van"]?.app.isStopped.toggle() } }
    return all
  }

  private mutating func compare(_ name: String, _ after: Snapshot) {
    let (was, willBe) = (Schedule(before, from: now), Schedule(after, from: now))
    let differences = willBe.differences(from: was, since: now)
    let impact = Impact(ComparedCase(differences, of: after)) {
      _, _ in 0
    }
    var (forces, isStricter, isElsewhere) = (false, false, false)
    for moment in moments {
      let (one, other) = (Decider(before, at: moment), Decider(after, at: moment))
      for version in family.clients {
        for os in family.systems {
          let client = Client(version: version, os: os)
          let (was, willBe) = (one.decide(client), other.decide(client))
          if let (one, other) = both(was.url, willBe.url), one != other { isElsewhere = true }
          guard was.action < willBe.action else { continue }
          (isStricter, forces) = (true, forces || willBe.action == .force)
          if !impact.lines.contains(where: { says($0, client, moment, was, willBe) }) {
            broken.append("(e) \(name): \(version.text) on \(os?.text ?? "any"): not in its preview")
          }
        }
      }
    }
    if isStricter { stricter += 1 }
    let (said, wanted) = (
      [impact.forces, impact.isStricter, impact.changesPage], [forces, isStricter, isElsewhere]
    )
    if said != wanted {
      broken.append("(e) \(name): asks \(said), not \(wanted)")
    }
    guard isStricter else { return }
    let needs = AgreementLaw(before: before, after: after, now: now).needs(remindersCount: true)
    if !needs.contains(.stricter) || forces && !needs.contains(.forces) {
      broken.append("(e) \(name): needs no agreement, only \(needs)")
    }
  }

  private func both(_ one: String?, _ other: String?) -> (String, String)? {
    if let one, let other { (one, other) } else { nil }
  }

  /// Whether a line of a preview is about a client at a moment, and has what it was and will be told.
  private func says(
    _ line: ImpactLine, _ client: Client, _ moment: Timestamp, _ before: Decision, _ after: Decision
  ) -> Bool {
    line.visible == nil && line.range.contains(client.version)
      && line.at <= moment && line.until.map { moment < $0 } ?? true
      && client.os.map(line.systems.contains) ?? (line.systems.upper == nil)
      && line.before == before.action && line.after == after.action && line.willBe?.url == after.url
  }
}
