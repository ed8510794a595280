import Crypto
package import JSON

/// What a column of a member holds.
package enum ColumnKind: Sendable {
  case key
  case integer
  case flag
  /// At most 64 characters of ASCII.
  case word
  case text
}

/// Who has a member: the ledger always, then documents, then mirrors as well.
package enum Reach: Int, Sendable, Ranked {
  case ledger, documents, mirrors
}

/// A member of what clients are told. JSON both ways, the columns of stores, tags and digests follow from one list of them
/// (`Decision.members`, `Tile.members`), so that a new member is one more entry there, and the way it is read back.
package struct Member<Whole: Sendable>: Sendable {
  package let column: String
  package let kind: ColumnKind
  /// Whether it is about the target: null where no one is prompted.
  package let isOfTarget: Bool
  package let reach: Reach
  /// Its name in JSON: `min_os` is `minOS`.
  package let name: String
  package let value: @Sendable (Whole) -> JSON

  package var isNumber: Bool { kind == .integer || kind == .flag }

  init(
    _ column: String, _ kind: ColumnKind, ofTarget isOfTarget: Bool = false, _ reach: Reach = .mirrors,
    _ value: @escaping @Sendable (Whole) -> JSON
  ) {
    (self.column, self.kind, self.isOfTarget, self.reach) = (column, kind, isOfTarget, reach)
    let words = column.split(separator: "_")
    let others = words.dropFirst().map { $0 == "os" ? "OS" : $0.prefix(1).uppercased() + $0.dropFirst() }
    name = (words.prefix(1).map(String.init) + others).joined()
    self.value = value
  }

  /// The same member of something that has the whole as its part.
  func of<Owner: Sendable>(_ part: any KeyPath<Owner, Whole> & Sendable) -> Member<Owner> {
    let value = value
    return Member<Owner>(column, kind, ofTarget: isOfTarget, reach) { value($0[keyPath: part]) }
  }

  /// What a column holds of it, as text.
  package func cell(of whole: Whole) -> String? {
    switch value(whole) {
    case .null: nil
    case .bool(let holds): holds ? "1" : "0"
    case .string(let text): text
    case let json: json.text()
    }
  }

  /// The value that a column holds as text; nil for anything else.
  package func json(_ cell: String) -> JSON? {
    switch kind {
    case .integer: Int64(cell).map(JSON.integer)
    case .flag: .bool(cell == "1")
    case .key, .word, .text: .string(cell)
    }
  }
}

extension Decision {
  package static let members: [Member<Decision>] = [
    Member("action", .word) { .string($0.action.rawValue) },
    Member("review", .flag) { .bool($0.review) },
    Member("target", .word, ofTarget: true) { .optional($0.target?.version.text) },
    Member("target_app", .word, ofTarget: true) { .optional($0.targetApp) },
    Member("min_os", .word, ofTarget: true) { .optional($0.target?.minOS?.text) },
    Member("url", .text, ofTarget: true) { .optional($0.url) },
    Member("decided_by", .word, .documents) { .string($0.decidedBy.rawValue) },
    Member("rule", .integer, .documents) { .optional($0.rule) },
    Member("forced_from", .integer, .ledger) { .optional($0.forcedFrom?.seconds) },
  ]

  private static let reasons = ["decidedBy", "rule"]

  /// The members with moments as numbers, as stores have them.
  fileprivate var stored: JSON.Object { JSON.Object(Decision.members.map { ($0.name, $0.value(self)) }) }

  /// The members with moments as people read them, without notes: what every answer is made of.
  package var json: JSON.Object {
    var object = stored
    object["forcedFrom"] = .optional(forcedFrom?.text)
    return object
  }

  /// The members with notes in a locale's language, or else in the target's first.
  package func json(notesFor locale: String?) -> JSON.Object {
    var object = json
    object["notes"] = .optional(target?.note(for: locale))
    return object
  }

  /// All that a client is told, and nothing else.
  fileprivate var told: JSON.Object {
    var object = json
    object["notes"] = .string(Note.text(target?.notes ?? []))
    for reason in Decision.reasons { object[reason] = nil }
    return object
  }

  /// Reads members back; nil for anything else.
  ///
  /// - Parameters:
  ///   - release: Finds the release of an app by its version, or nil.
  ///   - value: What a member of a name is, or nil.
  init?(
    review: Bool, release: (_ app: String, _ version: String) throws -> Release?,
    _ value: (String) -> JSON?
  ) rethrows {
    // Who does not have the reason cannot say it.
    let word = value("decidedBy").map(\.string) ?? Reason.policy.rawValue
    guard let action = value("action")?.string.flatMap(Action.init(rawValue:)),
      let reason = word.flatMap(Reason.init(rawValue:))
    else { return nil }
    self.init(action: action, review: review, decidedBy: reason, rule: value("rule")?.integer)
    forcedFrom = value("forcedFrom")?.integer.map(Timestamp.init(seconds:))
    (targetApp, url) = (value("targetApp")?.string, value("url")?.string)
    if let app = targetApp, let version = value("target")?.string {
      target = try release(app, version)
      target?.minOS = value("minOS")?.string.flatMap { try? Version($0) }
    }
    guard (action == .none) == (target == nil) else { return nil }
  }
}

/// What clients of a version are told from one moment to another: what is decided for each system, and what they get
/// whatever their system is.
package struct Told: Sendable, Equatable {
  /// From each system on; what is told on the newest ones is told on unknown ones, too.
  package let systems: Steps<Version, Decision>
  @Verbatim package private(set) var settings: [String: String]
  package let remindEvery: ReminderFrequency

  /// - Parameter systems: Decisions from ascending systems on; nil for none.
  package init?(
    _ systems: some Sequence<(Version, Decision)>, settings: [String: String] = [:],
    remindEvery: ReminderFrequency
  ) {
    guard let systems = Steps(systems, joining: ==) else { return nil }
    (self.systems, self.settings, self.remindEvery) = (systems, settings, remindEvery)
  }

  /// The same on all systems.
  package init(_ decision: Decision, settings: [String: String] = [:], remindEvery: ReminderFrequency) {
    (systems, self.settings, self.remindEvery) = (Steps(decision, from: .zero), settings, remindEvery)
  }

  /// What versions of an app that the ledger does not have are told.
  package static let nothing = Told(.unreleased, remindEvery: .once)

  /// The decision for new and unknown systems.
  package var decision: Decision { systems[systems.count - 1].value }

  package var decisions: [Decision] { systems.values }

  /// The decision for a system; nil for an unknown one.
  package func decision(on os: Version?) -> Decision { os.map { systems.span(at: $0).value } ?? decision }

  /// What is told on older systems, as far as it looks different: with the system below which it is.
  package func tiers(_ isLike: (Decision, Decision) -> Bool) -> [(below: Version, decision: Decision)] {
    systems.joined(isLike).compactMap { span in span.end.map { ($0, span.value) } }
  }

  /// What is told on older systems, as stores have it; the review is that of the newest.
  var storedTiers: JSON {
    .array(
      tiers(==).map { below, decision in
        var object = decision.stored
        (object["osBelow"], object["review"]) = (.string(below.text), nil)
        return .object(object)
      })
  }

  /// The members of an answer to one client; notes in a locale's language, or else in the target's first.
  package func json(notesFor locale: String? = nil) -> JSON.Object {
    var object = decision.json(notesFor: locale)
    object["remindEvery"] = .string(remindEvery.rawValue)
    object["settings"] = Setting.json(settings)
    return object
  }

  /// 16 hexadecimal digits of a SHA-256 that change when a client is told something else, and only then.
  package var tag: String {
    var object = decision.told
    object["remindEvery"] = .string(remindEvery.rawValue)
    object["settings"] = Setting.json(settings)
    object["tiers"] = .array(
      tiers { $0.isTold(as: $1) }.map { below, decision in
        var told = decision.told
        told["osBelow"] = .string(below.text)
        return .object(told)
      })
    return String(SHA256.hexadecimal(of: JSON.object(object).bytes()).prefix(16))
  }
}

extension Told: Hashable {
  /// Hashes what tells nearly all answers apart; hashing the rest takes longer than comparing it once.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(decision.action)
    hasher.combine(decision.rule)
    hasher.combine(decision.target?.version)
    hasher.combine(decision.forcedFrom)
    hasher.combine(systems.count)
    hasher.combine(settings)
  }
}
