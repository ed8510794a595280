import Crypto
package import JSON

/// A tile of a schedule as stores keep it.
package struct ScheduleRow: Sendable, Equatable {
  package let lo: VersionKey
  package let hi: VersionKey
  package let from: Timestamp
  package let until: Timestamp?
  package let answer: Answer
  /// 16 hexadecimal digits of a SHA-256 over everything that a client is told.
  package let tag: String
  package let remindEvery: ReminderFrequency

  /// A moment after all others, where a store needs a number, in seconds since 1970.
  package static let never: Int64 = 253_402_300_800

  package init(
    lo: VersionKey, hi: VersionKey, from: Timestamp, until: Timestamp?, answer: Answer, tag: String,
    remindEvery: ReminderFrequency
  ) {
    (self.lo, self.hi, self.from, self.until) = (lo, hi, from, until)
    (self.answer, self.tag, self.remindEvery) = (answer, tag, remindEvery)
  }

  /// A column that every store has.
  package struct Column: Sendable {
    /// What it holds.
    package enum Kind: Sendable {
      case key
      case seconds
      case flag
      /// At most 64 characters of ASCII.
      case word
      case text
    }
    package let name: String
    package let kind: Kind
    /// Whether it is about the target: NULL where no one is prompted.
    package let isOfTarget: Bool
    package var isNumber: Bool { kind == .seconds || kind == .flag }

    init(_ name: String, _ kind: Kind, ofTarget isOfTarget: Bool = false) {
      (self.name, self.kind, self.isOfTarget) = (name, kind, isOfTarget)
    }
  }

  /// The columns, apart from the app and its generation; the first four say where the row holds.
  package static let columns = [
    Column("lo", .key), Column("hi", .key), Column("valid_from", .seconds), Column("valid_until", .seconds),
    Column("action", .word), Column("review", .flag), Column("target", .word, ofTarget: true),
    Column("target_app", .word, ofTarget: true), Column("min_os", .word, ofTarget: true),
    Column("url", .text, ofTarget: true), Column("remind_every", .word), Column("settings", .text),
    Column("tiers", .text), Column("tag", .word),
  ]

  package var cells: [String?] {
    let (decision, target) = (answer.decision, answer.decision.target)
    return [
      lo.text, hi.text, String(from.seconds), String(until?.seconds ?? Self.never),
      decision.action.rawValue, decision.review ? "1" : "0", target?.version.text, decision.targetApp,
      target?.minOS?.text, decision.url, remindEvery.rawValue, settings.text(), tiers.text(), tag,
    ]
  }

  package var settings: JSON { Setting.json(answer.settings) }

  package var tiers: JSON {
    .array(
      answer.tiers.map { tier in
        var object = tier.decision.json
        object["forcedFrom"] = .optional(tier.decision.forcedFrom?.seconds)
        object["osBelow"] = .string(tier.below.text)
        object["review"] = nil
        return .object(object)
      })
  }

  /// Reads tiers back; nil for anything else.
  package static func tiers(
    _ json: JSON, review: Bool, release: (_ app: String, _ version: String) throws -> Release?
  ) rethrows -> [Answer.Tier]? {
    guard let listed = json.array else { return nil }
    var tiers: [Answer.Tier] = []
    for one in listed {
      guard let below = one["osBelow"]?.string.flatMap({ try? Version($0) }),
        let action = one["action"]?.string.flatMap(Action.init(rawValue:)),
        let reason = one["decidedBy"]?.string.flatMap(Decision.Reason.init(rawValue:))
      else { return nil }
      var decision = Decision(action: action, review: review, decidedBy: reason, rule: one["rule"]?.integer)
      decision.forcedFrom = one["forcedFrom"]?.integer.map { Timestamp(seconds: $0) }
      (decision.targetApp, decision.url) = (one["targetApp"]?.string, one["url"]?.string)
      if let app = decision.targetApp, let version = one["target"]?.string {
        decision.target = try release(app, version)
      }
      guard (decision.action == .none) == (decision.target == nil) else { return nil }
      tiers.append(Answer.Tier(below: below, decision: decision))
    }
    return tiers
  }
}

extension Answer {
  /// 16 hexadecimal digits that change when a client is told something else, and only then.
  package func tag(remindEvery: ReminderFrequency) -> String {
    String(SHA256.hexadecimal(of: told(remindEvery: remindEvery).bytes()).prefix(16))
  }
}

extension Schedule {
  package var rows: [ScheduleRow] {
    let tags = answers.map { $0.tag(remindEvery: remindEvery) }
    return tiles.map { tile in
      ScheduleRow(
        lo: tile.lo, hi: tile.hi, from: tile.from, until: tile.until, answer: answers[tile.answer],
        tag: tags[tile.answer], remindEvery: remindEvery)
    }
  }

  /// Makes a schedule of ordered rows; nil if they do not cover every version and all time exactly once.
  package init?(app: String, rows: [ScheduleRow]) {
    guard let first = rows.first, let from = rows.map(\.from).min() else { return nil }
    var builder = ScheduleBuilder(Schedule(app: app, remindEvery: first.remindEvery, from: from))
    var keys = rows.flatMap { [$0.lo, $0.hi] }
    keys.sortUniquely()
    guard keys.first == .least, keys.last == .end else { return nil }
    var next = 0
    var open: [ScheduleRow] = []
    for (lo, hi) in zip(keys, keys.dropFirst()) {
      open.removeAll { $0.hi <= lo }
      while next < rows.count, rows[next].lo <= lo {
        open.append(rows[next])
        next += 1
      }
      open.sort { $0.from < $1.from }
      var course: [Entry] = []
      var end: Timestamp? = from
      for row in open {
        guard row.from == end, hi <= row.hi else { return nil }
        course.append(Entry(from: row.from, answer: builder.place(of: row.answer)))
        end = row.until
      }
      guard end == nil else { return nil }
      builder.add(course, from: lo)
    }
    self = builder.schedule
  }

  /// The notes of every release that is a target: app, version, and texts by language.
  package var notes: [(app: String, version: Version, notes: [Note])] {
    var seen: Set<String> = []
    return answers.flatMap(\.decisions).compactMap { decision -> (String, Version, [Note])? in
      guard let app = decision.targetApp, let target = decision.target, !target.notes.isEmpty,
        seen.insert("\(app) \(target.version.text)").inserted
      else { return nil }
      return (app, target.version, target.notes)
    }.sorted { ($0.0, $0.1.text) < ($1.0, $1.1.text) }
  }

  /// Rows and notes as the lines that their digest is over, in order of `lo` and `valid_from`, then of app and
  /// version as text: each column in hexadecimal, `-` for NULL, with blanks between them.
  package static func lines(
    _ rows: [ScheduleRow], notes: [(app: String, version: Version, notes: [Note])]
  ) -> (rows: [String], notes: [String]) {
    func line(_ cells: [String?]) -> String {
      cells.map { $0.map { hexadecimalText(Array($0.utf8)) } ?? "-" }.joined(separator: " ")
    }
    return (
      rows.map { line($0.cells) },
      notes.map { line([$0.app, $0.version.text, Note.text($0.notes)]) }
    )
  }

  /// The digest by which a copy is known to be whole: SHA-256, in hexadecimal, over the lines, each with a
  /// line feed.
  package static func digest(
    _ rows: [ScheduleRow], notes: [(app: String, version: Version, notes: [Note])]
  ) -> String {
    let lines = lines(rows, notes: notes)
    return SHA256.hexadecimal(of: (lines.rows + lines.notes).flatMap { Array($0.utf8) + [0x0A] })
  }
}

extension Note {
  /// The texts of notes by language.
  package static func json(_ notes: [Note]) -> JSON {
    .object(JSON.Object(notes.map { ($0.locale, .string($0.text)) }))
  }

  /// The same as a text that keeps their order, since the first one is for whoever speaks none of the languages.
  package static func text(_ notes: [Note]) -> String {
    "{"
      + notes.map { "\(JSON.string($0.locale).text()):\(JSON.string($0.text).text())" }.joined(separator: ",")
      + "}"
  }
}
