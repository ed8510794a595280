import Export
import ReleaseModel

func hour(_ count: Int64) -> Timestamp { Timestamp(seconds: 1_800_000_000 + count * 3_600) }

/// The app `taxi`, driven through the laws as commands drive it, with another app to send people to.
struct Stage {
  var line: AppState
  var van: AppState
  var hosts = StoreURL.storeHosts
  var now = hour(0)
  private var nextID: Int64 = 1
  private var nextNumber: Int64 = 1

  init(channel: Channel = .appStore) {
    var app = App(slug: "taxi", bundleID: "com.example.taxi", channel: channel)
    app.appleID = 1_524_608_462
    app.name = "Taxi & Co"
    app.hold = .zero
    line = AppState(app: app)
    var other = App(slug: "van", bundleID: "com.example.van")
    other.appleID = 618_783_545
    van = AppState(app: other)
  }

  var snapshot: Snapshot {
    let others = line.leadsTo.contains("van") ? ["van": van] : [:]
    return Snapshot(line: line, others: others, hosts: hosts)
  }

  /// - Parameter since: When the schedule starts; nil for now.
  func answers(since start: Timestamp? = nil) -> AppAnswers {
    let snapshot = snapshot
    return AppAnswers(
      snapshot, Schedule(snapshot, from: start ?? now), at: now, generation: 42,
      hash: String(repeating: "a", count: 64), ledger: String(repeating: "b", count: 32),
      includesUnreleased: false)
  }

  mutating func take(_ change: Change?) {
    if let change { line.apply(change, event: nextID) }
  }

  mutating func publish(
    _ text: String, _ state: ReleaseState? = nil, minOS: String? = nil, url: String? = nil,
    notes: String? = nil, isMandatory: Bool? = nil, visibleNow: Bool = false
  ) throws {
    var details = ReleaseDetails()
    details.minOS = try minOS.map { try Version($0) }
    details.url = url
    details.isMandatory = isMandatory
    if let notes { details.notes = [Note(locale: "en", text: notes)] }
    let version = try Version(text)
    take(try line.publish(version, details, id: nextID, now: now))
    nextID += 1
    guard let state else { return }
    if state == .void {
      take(try line.void(version, now: now))
    } else {
      take(try line.mark(version, state, at: nil, isVisibleNow: visibleNow, now: now))
    }
  }

  mutating func mark(_ text: String, _ state: ReleaseState) throws {
    take(try line.mark(try Version(text), state, at: nil, isVisibleNow: false, now: now))
  }

  mutating func live(_ texts: String...) throws {
    for text in texts {
      try publish(text, .live)
      now = now + TimeSpan(seconds: 3_600)
    }
  }

  mutating func rule(
    _ range: String, _ action: Action, from: Timestamp? = nil, until: Timestamp? = nil, to: Destination? = nil
  ) throws {
    line.rules.append(
      Rule(
        number: nextNumber, range: try VersionRange(range), action: action, from: from, until: until,
        destination: to))
    nextNumber += 1
  }

  mutating func redirect(
    _ range: String, to destination: Destination, from: Timestamp? = nil, until: Timestamp? = nil
  ) throws {
    line.redirects.append(
      Redirect(
        number: nextNumber, range: try VersionRange(range), destination: destination, from: from, until: until
      ))
    nextNumber += 1
  }

  mutating func setting(
    _ key: String, _ value: String, _ range: String, _ phase: Setting.Phase?, from: Timestamp? = nil,
    until: Timestamp? = nil
  ) throws {
    line.settings.append(
      Setting(
        number: nextNumber, key: key, range: try VersionRange(range), phase: phase, value: value, from: from,
        until: until))
    nextNumber += 1
  }

  mutating func past(_ text: String, minOS: String? = nil) throws {
    var release = Release(id: nextID, version: try Version(text), state: .superseded, since: now)
    release.isPast = true
    release.liveAt = hour(-9)
    release.minOS = try minOS.map { try Version($0) }
    nextID += 1
    line.put(release)
  }

  mutating func vanServes(_ text: String, minOS: String? = nil) throws {
    var release = Release(id: 900, version: try Version(text), state: .live, since: hour(-9))
    release.liveAt = hour(-9)
    release.visibleAt = hour(-9)
    release.minOS = try minOS.map { try Version($0) }
    van.releases = [release]
  }
}

/// The documents of a format as the export makes them, held against the decisions; or why there are none.
struct Written {
  var documents: [String: [UInt8]] = [:]
  var warnings: [ExportFinding] = []
  var refusal: ExportFinding?

  init(_ format: some DocumentFormat, _ answers: AppAnswers) {
    let made = answers.made(as: format)
    (warnings, refusal) = (made.warnings, made.refusal)
    documents = Dictionary(made.documents.map { ($0.path, $0.bytes) }, uniquingKeysWith: { $1 })
  }

  var remarks: [String] {
    (warnings + (refusal.map { [$0] } ?? [])).map { finding in
      ([finding.id] + finding.versions.map(\.text)).joined(separator: " ")
    }
  }
}

extension DocumentFormat {
  func client(of documents: [String: [UInt8]], app: String, at moment: Timestamp = hour(0)) -> (
    Version, Version?
  ) -> Prompt? {
    let client = clients(of: documents, app: app, at: moment).first
    return { version, os in client?.conclude(version)(os) }
  }
}

extension Prompt {
  func leads(to other: String?) -> Bool {
    func name(_ url: String) -> Substring? {
      url.split(separator: "?").first?.split(separator: "/").last.flatMap { $0.hasPrefix("id") ? $0 : nil }
    }
    guard action != .none, let url else { return true }
    return url == other || (name(url) != nil && name(url) == other.flatMap(name))
  }
}

func format(_ name: String) throws -> any DocumentFormat {
  guard let format = ExportFormats.named(name) else { throw NoSuchFormat(name: name) }
  return format
}

struct NoSuchFormat: Error { let name: String }
