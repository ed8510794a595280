package import JSON

/// How one change alters what a range of versions is told.
package struct ImpactLine: Sendable, Hashable {
  package let app: String
  var lo: VersionKey
  var hi: VersionKey
  /// How many recorded versions the range holds.
  package internal(set) var count: Int
  /// What clients do before and after; nil for what cannot be read.
  package let was: Prompt?
  package let willBe: Prompt?
  package internal(set) var at: Timestamp
  /// When the difference ends by itself; nil if it does not.
  package internal(set) var until: Timestamp?
  /// The systems on which this is so; unknown ones count as new.
  package internal(set) var systems = VersionRange.all
  package internal(set) var hears = true
  /// The case in which this is so; nil for the ledger as it stands.
  package internal(set) var visible: VisibleCase?
  /// The devices that run them; nil if no one counted them.
  package internal(set) var people: Usage.Part?

  package var range: VersionRange { VersionRange(from: lo, to: hi) ?? .all }
  package var first: Version { lo.version ?? .zero }
  package var before: Action { was?.action ?? .none }
  package var after: Action { willBe?.action ?? .none }
  /// The action before as a word.
  package var wordBefore: String { ImpactLine.word(was) }
  package var os: String? { systems == .all ? nil : systems.text }

  package var forces: Bool { after == .force && before != .force }

  /// Whether it forces the oldest versions, of which none is recorded.
  package var forcesUnrecorded: Bool { forces && count == 0 && range.lower == nil }

  /// The new URL, if it is another one.
  package var page: String? { was?.url == nil || was?.url == willBe?.url ? nil : willBe?.url }

  /// Whether people notice it: another action or page, and not only another release.
  package var isNoticed: Bool {
    was?.action != willBe?.action || was?.url != willBe?.url
  }

  /// Whether it says of more versions what another line says in a case.
  func covers(_ other: ImpactLine) -> Bool {
    func isLike(_ one: Prompt?, _ other: Prompt?) -> Bool {
      (one?.action, one?.url) == (other?.action, other?.url)
        && (other?.target == nil || one?.target == other?.target)
    }
    return app == other.app && lo <= other.lo && other.hi <= hi && hears == other.hears
      && systems == other.systems && (at, until) == (other.at, other.until)
      && isLike(was, other.was) && isLike(willBe, other.willBe)
  }

  /// Whether it says of more versions what another line says when that begins.
  package func begins(as other: ImpactLine) -> Bool {
    app == other.app && lo <= other.lo && other.hi <= hi && systems == other.systems && was == other.was
      && willBe == other.willBe && at <= other.at && until.map { other.at < $0 } ?? true
  }

  fileprivate static let unknown = "unknown"

  private static func word(_ prompt: Prompt?) -> String { prompt?.action.rawValue ?? unknown }

  package var json: JSON {
    var object = JSON.Object([
      ("app", .string(app)), ("versions", .string(range.text)), ("count", .integer(Int64(count))),
      ("before", .string(wordBefore)), ("after", .string(ImpactLine.word(willBe))), ("at", .string(at.text)),
      ("until", .optional(until?.text)), ("when", .optional(visible?.text(in: app))),
      ("urlBefore", .optional(was?.url)), ("urlAfter", .optional(willBe?.url)), ("hears", .bool(hears)),
      ("devices", .optional(people?.devices)), ("share", people.map { .number($0.share) } ?? .null),
      ("countedAt", .optional(people?.countedAt.text)),
    ])
    if let os { object["os"] = .string(os) }
    for (name, target) in [("targetBefore", was?.target), ("targetAfter", willBe?.target)] {
      if let target { object[name] = .string(target) }
    }
    return .object(object)
  }
}

extension ImpactLine {
  /// Reads back what `json` wrote; nil for anything else.
  package init?(json: JSON) {
    func moment(_ name: String) -> Timestamp? { json[name]?.string.flatMap { try? Timestamp($0) } }
    func range(_ name: String) -> VersionRange? { json[name]?.string.flatMap { try? VersionRange($0) } }
    func prompt(_ side: String) -> Prompt? {
      json[side]?.string.flatMap(Action.init(rawValue:)).map { action in
        let end = side.prefix(1).uppercased() + side.dropFirst()
        return Prompt(action, url: json["url" + end]?.string, target: json["target" + end]?.string)
      }
    }
    (was, willBe, systems) = (prompt("before"), prompt("after"), range("os") ?? .all)
    guard let app = json["app"]?.string, let versions = range("versions"), let at = moment("at"),
      was != nil || json["before"]?.string == ImpactLine.unknown,
      willBe != nil || json["after"]?.string == ImpactLine.unknown
    else { return nil }
    (self.app, lo, hi, self.at, until) = (app, versions.start, versions.end, at, moment("until"))
    count = Int(clamping: json["count"]?.integer ?? 0)
    hears = json["hears"]?.bool ?? true
    visible = json["when"]?.string.flatMap { VisibleCase($0, in: app) }
    people = json["devices"]?.integer.flatMap { devices in
      moment("countedAt").map {
        Usage.Part(devices: devices, share: json["share"]?.double ?? 0, countedAt: $0)
      }
    }
  }
}
