import Crypto
package import JSON

/// A range of versions and a span of time with one answer.
package struct Tile: Sendable, Equatable {
  package let lo: VersionKey
  package internal(set) var hi: VersionKey
  package let from: Timestamp
  package let until: Timestamp?
  package let told: Told
  /// The answer's tag; empty where no one asked for it.
  package let tag: String

  /// A moment after all others, where a store needs a number, in seconds since 1970.
  package static let never: Int64 = 253_402_300_800

  /// What stores and documents have of a tile; the first four say where it holds.
  package static let members: [Member<Tile>] =
    [
      Member("lo", .key) { .string($0.lo.text) }, Member("hi", .key) { .string($0.hi.text) },
      Member("valid_from", .integer) { .integer($0.from.seconds) },
      Member("valid_until", .integer) { .integer($0.until?.seconds ?? never) },
    ] + Decision.members.filter { $0.reach == .mirrors }.map { $0.of(\.told.decision) }
    + [
      Member("remind_every", .word) { .string($0.told.remindEvery.rawValue) },
      Member("settings", .text) { Setting.json($0.told.settings) },
      Member("tiers", .text) { $0.told.storedTiers }, Member("tag", .word) { .string($0.tag) },
    ] + Decision.members.filter { $0.reach < .mirrors }.map { $0.of(\.told.decision) }

  /// The columns of mirrors, apart from the app and its generation.
  package static let columns = members.filter { $0.reach == .mirrors }

  /// What the columns of mirrors hold.
  package var cells: [String?] { Tile.columns.map { $0.cell(of: self) } }

  /// The row as `schedule.json` has it.
  package var json: JSON { .object(JSON.Object(Tile.documented.map { ($0.name, $0.value(self)) })) }

  private static let documented = members.filter { $0.reach >= .documents }
}

extension Tile {
  /// Reads members back; nil for anything else.
  ///
  /// - Parameters:
  ///   - release: Finds the release of an app by its version, or nil.
  ///   - value: A member's value, or nil: settings and tiers as text, too.
  package init?(
    release: (_ app: String, _ version: String) throws -> Release?, _ value: (Member<Tile>) -> JSON?
  ) rethrows {
    var found: [String: JSON] = [:]
    for member in Tile.members { found[member.name] = value(member) }
    func parsed(_ name: String) -> JSON? {
      found[name].flatMap { json in json.string.map { try? JSON(parsing: $0.utf8) } ?? json }
    }
    guard let lo = found["lo"]?.string.flatMap(VersionKey.init),
      let hi = found["hi"]?.string.flatMap(VersionKey.init),
      let from = found["validFrom"]?.integer, let until = found["validUntil"]?.integer,
      let review = found["review"]?.bool, let tag = found["tag"]?.string,
      let every = found["remindEvery"]?.string.flatMap(ReminderFrequency.init(rawValue:)),
      let settings = parsed("settings")?.object, let tiers = parsed("tiers")?.array,
      let newest = try Decision(review: review, release: release, { found[$0] })
    else { return nil }
    var (systems, start): ([(Version, Decision)], Version) = ([], .zero)
    for tier in tiers {
      guard let below = tier["osBelow"]?.string.flatMap({ try? Version($0) }), start < below,
        let decision = try Decision(review: review, release: release, { tier[$0] })
      else { return nil }
      systems.append((start, decision))
      start = below
    }
    let values = settings.members.map { ($0.key, $0.value.string ?? "") }
    guard
      let told = Told(
        systems + [(start, newest)], settings: Dictionary(values, uniquingKeysWith: { $1 }),
        remindEvery: every)
    else { return nil }
    (self.lo, self.hi, self.told, self.tag) = (lo, hi, told, tag)
    self.from = Timestamp(seconds: from)
    self.until = until == Tile.never ? nil : Timestamp(seconds: until)
  }
}

extension Schedule {
  /// Makes a schedule of rows; nil if they do not cover every version and all time exactly once.
  package init?(app: String, rows: [Tile]) {
    var keys = rows.flatMap { [$0.lo, $0.hi] }
    keys.sortUniquely()
    guard let from = rows.map(\.from).min(), keys.first == .least, keys.last == .end,
      rows.allSatisfy({ $0.lo < $0.hi })
    else { return nil }
    var builder = Builder(app, from: from)
    var passing = Passing(rows.map { $0.lo..<$0.hi })
    for lo in keys.dropLast() {
      _ = passing.move(to: lo)
      let open = passing.current.map { rows[$0] }.sorted { $0.from < $1.from }
      var end: Timestamp? = from
      for row in open {
        guard row.from == end else { return nil }
        end = row.until
      }
      guard end == nil else { return nil }
      builder.add(open.map { ($0.from, $0.told) }, from: lo)
    }
    self = builder.schedule()
  }

  /// Reads what others hold of a schedule, apart from reasons that they do not have; nil for anything else.
  ///
  /// - Parameters:
  ///   - rows: What tells a member's value, for each row.
  ///   - notes: Those of targets as JSON, by app and version.
  package init?(
    _ app: String, rows: [(Member<Tile>) -> JSON?], notes: [(app: String, version: String, texts: JSON)]
  ) {
    var texts: [String: [Note]] = [:]
    for (app, version, found) in notes {
      texts["\(app) \(version)"] = found.object?.members.map {
        Note(locale: $0.key, text: $0.value.string ?? "")
      }
    }
    let tiles = rows.map { row in
      Tile(
        release: { app, version in
          guard let number = try? Version(version) else { return nil }
          var release = Release(id: 0, version: number, state: .live, since: .distantPast)
          release.notes = texts["\(app) \(version)"] ?? []
          return release
        }, row)
    }
    self.init(app: app, rows: tiles.compactMap(\.self))
    if tiles.contains(nil) { return nil }
  }

  /// Reads a schedule off its lines, as `lines(_:notes:)` makes them; nil for anything else.
  package init?(_ app: String, lines: [String]) {
    let cells = lines.map { line in
      line.split(separator: " ").map { word in
        hexadecimalBytes(String(word)).map { String(decoding: $0, as: UTF8.self) }
      }
    }
    let rows = cells.filter { $0.count == Tile.columns.count }.map { cells -> (Member<Tile>) -> JSON? in
      let values = Dictionary(zip(Tile.columns.map(\.name), cells), uniquingKeysWith: { $1 })
      return { member in (values[member.name] ?? nil).flatMap(member.json) }
    }
    let notes = cells.compactMap { line -> (app: String, version: String, texts: JSON)? in
      guard line.count == 3, let app = line[0], let version = line[1],
        let texts = line[2].flatMap({ try? JSON(parsing: $0.utf8) })
      else { return nil }
      return (app, version, texts)
    }
    self.init(app, rows: rows, notes: notes)
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
    _ rows: [Tile], notes: [(app: String, version: Version, notes: [Note])]
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
    _ rows: [Tile], notes: [(app: String, version: Version, notes: [Note])]
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
