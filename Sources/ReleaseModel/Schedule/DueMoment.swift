package import JSON

/// A moment at which answers of an app change by themselves.
package struct DueMoment: Sendable {
  package let at: Timestamp
  package let app: String
  package let what: String
  /// How many recorded versions are told something different from then on.
  package let count: Int

  package var changes: String { count == 1 ? "1 version" : "\(count) versions" }

  package var json: JSON {
    ["at": .string(at.text), "app": .string(app), "what": .string(what), "count": .integer(Int64(count))]
  }

  /// The moments of an app after one, in order.
  package static func all(of snapshot: Snapshot, after since: Timestamp) -> [DueMoment] {
    let (schedule, recorded) = (Schedule(snapshot, from: since).asTold, snapshot.line.recordedVersions)
    return schedule.moments.map { moment in
      var what: [String] = []
      for line in [snapshot.line] + snapshot.others.values.sorted(by: { $0.app.slug < $1.app.slug }) {
        for release in line.releases {
          what += line.passages(of: release, at: moment).map {
            "\(line.app.slug) \(release.version.text) \($0)"
          }
        }
      }
      what += snapshot.line.windowEdges(at: moment)
      let count = recorded.count { schedule.course(of: $0).starts.contains(moment) }
      return DueMoment(
        at: moment, app: snapshot.line.app.slug, what: what.joined(separator: "; "), count: count)
    }
  }
}

extension AppState {
  /// What a release itself does at a moment, in words that follow its name.
  package func passages(of release: Release, at moment: Timestamp) -> [String] {
    guard release.isVisible(at: moment) else { return [] }
    return [
      release.visibleAt == moment
        ? "becomes visible" + (release.isHeldOn ? ", held on since the store still showed less" : "") : nil,
      remindsFrom(release) == moment ? "reminders start (phased release complete)" : nil,
      release.expires == moment ? "expires" : nil,
    ].compactMap(\.self)
  }

  /// Which rules, redirects and settings, in this order, start or end to apply at a moment.
  fileprivate func windowEdges(at moment: Timestamp) -> [String] {
    func edges<Item: Timed>(_ items: [Item], _ describe: (Item) -> (name: String, says: String)) -> [String] {
      items.filter { $0.moments.contains(moment) }.map { item in
        let (name, says) = describe(item)
        return item.from == moment ? "\(name) starts: \(says)" : "\(name) ends"
      }
    }
    return edges(rules) { ("rule \($0.number)", "\($0.range.text) → \($0.action.rawValue)") }
      + edges(redirects) { ("redirect of \($0.range.text)", "to \($0.destination.text)") }
      + edges(settings) {
        let phase = $0.phase.map { " during \($0.rawValue)" } ?? ""
        return ("setting \($0.key) for \($0.range.text)\(phase)", $0.value)
      }
  }
}
