import JSON
import Testing

@testable import ReleaseModel

func version(_ text: String) throws -> Version { try Version(text) }

func range(_ text: String) throws -> VersionRange { try VersionRange(text) }

func hour(_ count: Int64) -> Timestamp { Timestamp(seconds: 1_800_000_000 + count * 3_600) }

func sampleApp(_ slug: String = "taxi", channel: Channel = .appStore) -> App {
  var app = App(slug: slug, bundleID: "com.example.\(slug)", channel: channel)
  app.appleID = slug == "taxi" ? 310_633_997 : 618_783_545
  return app
}

func sampleRelease(
  _ text: String, _ state: ReleaseState, id: Int64, liveAt: Timestamp? = nil, visibleAt: Timestamp? = nil
) throws -> Release {
  var release = Release(id: id, version: try version(text), state: state, since: liveAt ?? hour(0))
  if state.isReleased {
    release.liveAt = liveAt ?? hour(-100)
    release.visibleAt = visibleAt ?? release.liveAt
  }
  if state == .removed { release.removedAt = hour(-10) }
  if state == .superseded { release.supersededBy = id + 1 }
  return release
}

/// Why the laws refuse something; nil where they do not.
func refusal<Success>(_ body: () throws(Refusal) -> Success) -> Refusal? {
  do { _ = try body() } catch { return error }
  return nil
}

struct Stage {
  var line: AppState
  var now: Timestamp
  var nextID: Int64 = 1
  var event: Int64 = 0

  init(_ app: App = sampleApp(), now: Timestamp = hour(0)) {
    line = AppState(app: app)
    self.now = now
  }

  @discardableResult mutating func take(_ change: Change?) -> Bool {
    guard let change else { return false }
    event += 1
    line.apply(change, event: event)
    return true
  }

  mutating func publish(_ text: String, _ details: ReleaseDetails = ReleaseDetails()) throws {
    if take(try line.publish(try version(text), details, id: nextID, now: now)) { nextID += 1 }
  }

  mutating func mark(
    _ text: String, _ state: ReleaseState, at moment: Timestamp? = nil, visibleNow: Bool = false
  ) throws {
    take(try line.mark(try version(text), state, at: moment, isVisibleNow: visibleNow, now: now))
  }

  mutating func unmark(_ text: String) throws { take(try line.unmark(try version(text), now: now)) }

  mutating func void(_ text: String) throws { take(try line.void(try version(text), now: now)) }

  mutating func importPast(
    _ text: String, _ details: ReleaseDetails = ReleaseDetails(), at moment: Timestamp
  ) throws {
    let change = try line.importPast(try version(text), details, releasedAt: moment, id: nextID, now: now)
    if take(change) { nextID += 1 }
  }

  func state(_ text: String) throws -> ReleaseState? { line.release(try version(text))?.state }

  func target(at moment: Timestamp? = nil) -> String? {
    line.target(at: moment ?? now)?.version.text
  }
}

extension Change {
  init?(kind: String, before: JSON?, after: JSON?, app: String? = nil) {
    guard let kind = EventKind(rawValue: kind) else { return nil }
    guard let read = Change.reading(kind, app: app, before: before?.bytes(), after: after?.bytes()) else {
      return nil
    }
    self = read.change
  }
}

extension Impact {
  /// Compares two states of an app, the first nil if it did not exist, from a moment on.
  init(before: Snapshot?, after: Snapshot, now: Timestamp) {
    let (was, willBe) = (before.map { Schedule($0, from: now) }, Schedule(after, from: now))
    let compared = ComparedCase(willBe.differences(from: was, since: now), of: after)
    self.init(compared) { after.line.recordedVersions.positions(from: $0, to: $1).count }
  }
}

func otherwise(_ text: String, _ name: String, _ recorded: String?, _ said: String) throws -> Refusal {
  .notGreater(
    name == "a release time of" ? "version.not-greater/live-at" : "version.not-greater/details",
    try version(text), than: try version(text),
    ["differs": (recorded.map { "\(name) \($0)" } ?? "no \(name)") + ", not \(said)"])
}
