import Crypto
import JSON
package import ReleaseModel

/// pawl's own documents: everything that is decided, in self-contained files, plain or each in a signed envelope.
struct V1Format: DocumentFormat {
  var isSigned = false

  var isByVersion: Bool { true }

  var name: String { isSigned ? "v1-signed" : "v1" }

  var saysTimes: Bool { true }

  var checksSystems: Bool { true }

  private var ending: String { isSigned ? ".jws" : ".json" }

  func documents(for answers: AppAnswers) -> (documents: [Document], warnings: [ExportFinding]) {
    func document(_ file: String, _ json: JSON) -> Document {
      Document(path: "\(name)/\(answers.app.slug)/\(file)\(ending)", bytes: json.bytes())
    }
    let documents =
      answers.names.map { document($0.text, answers.document(of: $0)) }
      + [document("default", answers.fallback), document("schedule", answers.scheduleDocument)]
    return (documents, answers.announced(by: name))
  }

  func clients(of documents: [String: [UInt8]], app: String, at moment: Timestamp) -> [DocumentClient] {
    let folder = "\(name)/\(app)/"
    let path = "\(folder)schedule\(ending)"
    let tiers = documents.filter { $0.key != path }.values.flatMap {
      (try? JSON(parsing: $0))?["tiers"]?.array ?? []
    }
    let client = DocumentClient.byVersion(
      documents, in: folder, ending: ending,
      systems: tiers.compactMap { $0["osBelow"]?.string.flatMap { try? Version($0) } }
    ) { bytes, _ in
      { os in (try? JSON(parsing: bytes)).flatMap { Prompt($0, os: os) } }
    }
    let schedule = documents[path].flatMap { ScheduleClient($0, at: moment) }
    return [
      client,
      DocumentClient(
        path: path, bounds: [], isExact: true,
        schedule: documents[path].flatMap { try? JSON(parsing: $0) }.flatMap { Schedule(app, document: $0) }
      ) { version in { os in schedule?.conclusion(version, os: os) } },
    ]
  }
}

extension AppAnswers {
  fileprivate func document(of version: Version) -> JSON {
    let (answer, from, until) = schedule.answer(to: version, at: moment)
    return document(version, answer, from: from, until: until)
  }

  /// The document for every version without one of its own.
  fileprivate var fallback: JSON {
    let found = toldToUnknown
    let told = Told(.unreleased, remindEvery: app.remindEvery)
    return document(nil, told, from: found.from, until: found.end).adding(found.value.json)
  }

  private func document(_ version: Version?, _ told: Told, from: Timestamp, until: Timestamp?) -> JSON {
    var object = told.json()
    object["app"] = .string(app.slug)
    object["version"] = .optional(version?.text)
    object["generation"] = .integer(generation)
    add(told.decision, to: &object)
    object["tiers"] = .array(
      told.tiers(==).map { below, decision in
        var object = decision.json(notesFor: nil)
        (object["osBelow"], object["review"]) = (.string(below.text), nil)
        add(decision, to: &object)
        return .object(object)
      })
    // What holds from the schedule's start is not known ever to have been another.
    object["validFrom"] = from == schedule.from ? .null : .string(from.text)
    object["validUntil"] = .optional(until?.text)
    return .object(object)
  }

  /// A file cannot know its reader's language, so it has the notes in all of them.
  private func add(_ decision: Decision, to object: inout JSON.Object) {
    let notes = decision.target?.notes ?? []
    object["notesByLocale"] = notes.isEmpty ? .null : Note.json(notes)
  }
}

extension Prompt {
  /// What a client concludes from an answer with tiers on its system; nil for anything else.
  init?(_ answer: JSON, os: Version?) {
    guard let tiers = answer["tiers"]?.array else { return nil }
    var told = answer
    if let os {
      for tier in tiers {
        guard let below = tier["osBelow"]?.string.flatMap({ try? Version($0) }) else { return nil }
        if os < below {
          told = tier
          break
        }
      }
    }
    guard let action = told["action"]?.string.flatMap(Action.init(rawValue:)) else { return nil }
    self.init(action, url: told["url"]?.string)
  }
}

extension AppAnswers {
  /// It depends on the schedule alone, not on the moment of writing; times are in seconds since 1970.
  var scheduleDocument: JSON {
    let rows = schedule.rows
    let notes = schedule.notes
    var byApp = JSON.Object()
    for (app, version, notes) in notes {
      var byVersion = byApp[app]?.object ?? JSON.Object()
      byVersion[version.text] = Note.json(notes)
      byApp[app] = .object(byVersion)
    }
    return [
      "app": .string(app.slug), "digest": .string(Schedule.digest(rows, notes: notes)),
      "from": .integer(schedule.from.seconds), "generation": .integer(generation), "hash": .string(hash),
      "ledger": .string(ledger), "notes": .object(byApp), "rows": .array(rows.map(\.json)),
    ]
  }

  /// The finding about versions that were never live and that the schedule names, since it is exact.
  func announced(by format: String) -> [ExportFinding] {
    guard !includesUnreleased else { return [] }
    let keys = Set(schedule.slabs.starts).subtracting([.least])
    let versions = known.filter { release in
      !release.state.isReleased
        && (keys.contains(VersionKey(release.version)) || keys.contains(.after(release.version)))
    }.map(\.version)
    return finding(
      "export.announces", format, versions: versions,
      "schedule.json names \(ExportFinding.named(versions)), never live: a rule, redirect or setting begins or ends "
        + "there, or a newer version is live")
  }
}

extension Schedule {
  /// Reads `schedule.json` back, apart from reasons; nil for anything else.
  fileprivate init?(_ app: String, document: JSON) {
    // Why someone is told the same is no news.
    let rows = (document["rows"]?.array ?? []).map { row in
      { (member: Member<Tile>) in member.reach == .mirrors ? row[member.name] : nil }
    }
    let notes = (document["notes"]?.object?.members ?? []).flatMap { app in
      (app.value.object?.members ?? []).map { (app.key, $0.key, $0.value) }
    }
    self.init(app, rows: rows, notes: notes)
  }
}

/// A client that finds its row in `schedule.json`, as docs/documents.md tells client authors to.
///
/// It shares no code with the decision function, so that agreement between the two means something.
package struct ScheduleClient {
  /// Of one moment, ascending.
  private let rows: [(lo: String, hi: String, row: JSON)]

  /// Reads the rows of a moment; nil for bytes that are no schedule.
  package init?(_ bytes: [UInt8], at moment: Timestamp) {
    guard let listed = (try? JSON(parsing: bytes))?["rows"]?.array else { return nil }
    var rows: [(lo: String, hi: String, row: JSON)] = []
    for row in listed {
      guard let lo = row["lo"]?.string, let hi = row["hi"]?.string, let from = row["validFrom"]?.integer,
        let until = row["validUntil"]?.integer
      else { return nil }
      if from <= moment.seconds, moment.seconds < until { rows.append((lo, hi, row)) }
    }
    self.rows = rows.sorted { $0.lo < $1.lo }
  }

  /// What the client does; nil if it finds no row.
  package func conclusion(_ version: Version, os: Version?) -> Prompt? {
    row(version).flatMap { Prompt($0, os: os) }
  }

  /// The settings that the client uses.
  package func settings(_ version: Version) -> [String: String]? {
    row(version)?["settings"]?.object.map { object in
      Dictionary(object.members.map { ($0.key, $0.value.string ?? "") }, uniquingKeysWith: { $1 })
    }
  }

  private func row(_ version: Version) -> JSON? {
    let key = (0..<4).map { component in
      let digits = String(version.component(component))
      return String(repeating: "0", count: 9 - digits.count) + digits
    }.joined()
    let index = rows.firstPosition { key < $0.lo } - 1
    return rows.indices.contains(index) && key < rows[index].hi ? rows[index].row : nil
  }
}
