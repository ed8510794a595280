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
      what += snapshot.line.windowEdges(at: moment).map { edge in
        edge.isStart ? "\(edge.name) starts: \(edge.says)" : "\(edge.name) ends"
      }
      let count = recorded.count { schedule.course(of: $0).starts.contains(moment) }
      return DueMoment(
        at: moment, app: snapshot.line.app.slug, what: what.joined(separator: "; "), count: count)
    }
  }
}
