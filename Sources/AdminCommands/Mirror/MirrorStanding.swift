import JSON
import Ledger
import ReleaseModel

/// What the last run of `sync` found in a mirror, as the board and `doctor` show it. No run depends on it.
struct MirrorStanding {
  let name: String
  /// The generation of each app that it holds.
  let generations: [String: Int64]
  /// The id of what went wrong; nil if nothing did.
  let fault: String?
  /// Since when something has gone wrong.
  let failingSince: Timestamp?
  /// The apps that it holds an older generation of, and since when.
  private(set) var behind: [String] = []
  private(set) var since: Timestamp?

  /// How long a mirror may be behind before somebody should act.
  private static let patience = TimeSpan(seconds: 600)

  init(name: String, generations: [String: Int64], fault: String?, failingSince: Timestamp?) {
    (self.name, self.generations) = (name, generations)
    (self.fault, self.failingSince) = (fault, failingSince)
  }

  /// All mirrors that a run has been made for; none if the folder cannot be read, which is its owner's business.
  static func all(of ledger: Ledger) throws -> [MirrorStanding] {
    guard let folder = try? CompanionFolder(.mirrors, of: ledger, makes: false) else { return [] }
    let heads = try ledger.storedHeads()
    return try folder.names().compactMap { name in
      guard var standing = read(name, in: folder) else { return nil }
      let behind = heads.filter { standing.generations[$0.slug] != $0.generation }
      standing.behind = behind.map(\.slug)
      standing.since = try behind.map(\.generation).min().map { try Timestamp(ledger.event($0).at) }
      return standing
    }
  }

  static func read(_ name: String, in folder: CompanionFolder) -> MirrorStanding? {
    guard let json = (try? folder.read("\(name).json")) ?? nil, let apps = json["apps"]?.object else {
      return nil
    }
    let generations = apps.members.compactMap { member in member.value.integer.map { (member.key, $0) } }
    return MirrorStanding(
      name: name, generations: Dictionary(generations, uniquingKeysWith: { $1 }),
      fault: json["fault"]?.string,
      failingSince: json["failingSince"]?.string.flatMap { try? Timestamp($0) })
  }

  func write(in folder: CompanionFolder) throws {
    try folder.write(
      [
        "apps": .object(JSON.Object(generations.map { ($0.key, .integer($0.value)) })),
        "fault": .optional(fault),
        "failingSince": .optional(failingSince?.text),
      ], "\(name).json")
  }

  /// What somebody should know; nil if it is up to date.
  func finding(now: Timestamp) -> Finding? {
    if let fault, let failingSince {
      return Finding(
        id: fault, app: "", message: "sync \(name): \(fault) since \(failingSince.text)",
        hint: "run it by hand and read what it says")
    }
    guard let first = behind.first else { return nil }
    let apps = behind.count == 1 ? first : "\(behind.count) apps"
    let at = behind.count == 1 ? generations[first].map { " at generation \($0)" } ?? "" : ""
    let isLong = since.map { $0 + MirrorStanding.patience < now } ?? false
    return Finding(
      id: "mirror.behind", app: behind.count == 1 ? first : "",
      message: "sync \(name): \(apps) behind\(at)" + (since.map { " since \($0.text)" } ?? ""),
      hint: "check that its timer runs", weight: isLong ? .act : .note)
  }

  var json: JSON {
    [
      "behind": .array(behind.map { .string($0) }), "failingSince": .optional(failingSince?.text),
      "fault": .optional(fault),
      "generations": .object(JSON.Object(generations.map { ($0.key, .integer($0.value)) })),
      "name": .string(name), "since": .optional(since?.text),
    ]
  }
}
