/// Where clients on one system may be pointed within an app: positions in its line; nil for nowhere.
struct Place: Hashable, Sendable {
  var newest: Int?
  var reminder: Int?
}

/// What an app can point clients at, at one moment; a class, since a line is expensive to copy.
final class Targets: Sendable {
  let line: AppState
  /// The positions of the releases that are visible, and of those that the store took away, newest first;
  /// empty while no one is pointed anywhere.
  private let path: [Int]
  private let moment: Timestamp

  init(_ line: AppState, at moment: Timestamp, isSilent: Bool = false) {
    self.line = line
    self.moment = moment
    let releases = line.releases
    let path =
      isSilent
      ? []
      : releases.indices.reversed().filter {
        releases[$0].isVisible(at: moment) || releases[$0].isOffStore(at: moment)
      }
    // A removed release leaves nothing to point at until a newer one is visible (law 4), and a held release
    // does not bring back what a removal took away (docs/decisions.md). An expired release's page offers
    // something that does not open.
    let isOpen = path.first.map { releases[$0].isVisible(at: moment) && !releases[$0].isExpired(at: moment) }
    self.path = isOpen == true ? path : []
  }

  /// - Parameter os: The client's system by its own name; nil if it is unknown.
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
  /// Whether it runs on a system, by the system's own name; true if that or the minimum is unknown.
  func runs(on os: Version?) -> Bool {
    guard let os, let minOS else { return true }
    return minOS <= os
  }

  /// Whether it lets no older one affect what a client is told: it is visible, runs on the client's system and may
  /// be reminded of.
  ///
  /// A decision looks at the greatest version that was ever live, at removals above the visible releases, and at the
  /// newest visible release that runs on the system and may be reminded of (docs/decision.md). The client's own release
  /// and the newest visible mandatory release may be older.
  package func hidesOlder(on os: Version?, at moment: Timestamp) -> Bool {
    isVisible(at: moment) && runs(on: os) && (phaseEnd.map { $0 <= moment } ?? true)
  }
}

extension Snapshot {
  /// Where a redirect, or none, sends prompted clients at a moment: what a client older than all is told; nil for
  /// nowhere.
  package func lead(at moment: Timestamp, by redirect: Redirect? = nil) -> Decision? {
    let outlook = Outlook(self, at: moment)
    var silent = Trace(client: Client(version: .zero), steps: nil)
    let old = Standing(
      isInReview: false, isBelowMandatory: false, isBelowTarget: true, policy: .force,
      isBelowReminder: true)
    let decision = outlook.decide(old, outlook.places(os: nil), rule: nil, redirect: redirect, &silent)
    return decision.target == nil ? nil : decision
  }

  /// The redirect that applies at a moment to every version without a narrower one.
  package func generalRedirect(at moment: Timestamp) -> Redirect? {
    line.redirects.filter { $0.isActive(at: moment) }.byPrecedence().first { $0.range.covers(.all) }
  }

  /// Where prompted clients are sent at a moment, unless a narrower redirect or a rule says otherwise.
  package func generalLead(at moment: Timestamp) -> Decision? {
    lead(at: moment, by: generalRedirect(at: moment))
  }
}
