/// Where clients on one system may be pointed within an app: positions in its line; nil for nowhere.
struct Place: Hashable, Sendable {
  var newest: Int?
  var reminder: Int?
}

/// What an app can point clients at, at one moment; a class, since a line is expensive to copy.
final class Targets: Sendable {
  let line: AppState
  /// The positions of the releases that are visible, and of those that the store took away, newest first;
  /// empty while nobody is pointed anywhere.
  private let path: [Int]
  private let moment: Timestamp

  init(_ line: AppState, at moment: Timestamp, isSilent: Bool = false) {
    self.line = line
    self.moment = moment
    let releases = line.releases
    let path =
      isSilent
      ? []
      : line.positions(
        byVersion: releases.indices.filter {
          releases[$0].isVisible(at: moment) || releases[$0].isOffStore(at: moment)
        }
      ).reversed()
    // A removed release leaves nothing to point at until a newer one is visible (law 4), and a held release
    // does not bring back what a removal took away (docs/decisions.md). An expired release's page offers
    // something that does not open.
    let isOpen = path.first.map { releases[$0].isVisible(at: moment) && !releases[$0].isExpired(at: moment) }
    self.path = isOpen == true ? Array(path) : []
  }

  func place(os: Version?) -> Place {
    var place = Place()
    for position in path where line.releases[position].runs(on: os) {
      let release = line.releases[position]
      // The store does not fall back to what lies below a removed release that runs on the system (law 4).
      guard release.isVisible(at: moment) else { break }
      if place.newest == nil {
        if release.isExpired(at: moment) { return place }
        place.newest = position
      }
      if line.mayRemind(of: release, at: moment) {
        place.reminder = release.isExpired(at: moment) ? nil : position
        break
      }
    }
    return place
  }
}

extension Release {
  /// Whether the release runs on a system; true if the system or the release's minimum is unknown.
  package func runs(on os: Version?) -> Bool {
    guard let os, let minOS else { return true }
    return minOS <= os
  }
}
