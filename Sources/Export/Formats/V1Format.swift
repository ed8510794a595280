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
      { os in (try? JSON(parsing: bytes)).flatMap { Conclusion($0, os: os) } }
    }
    let schedule = documents[path].flatMap { ScheduleClient($0, at: moment) }
    return [
      client,
      DocumentClient(
        path: path, bounds: [], isExact: true,
        schedule: documents[path].flatMap { (try? JSON(parsing: $0)).flatMap { Schedule(app, document: $0) } }
      ) { version in { os in schedule?.conclusion(version, os: os) } },
    ]
  }
}

extension AppAnswers {
  fileprivate func document(of version: Version) -> JSON {
    let (answer, from, until) = schedule.answer(to: version, at: moment)
    // What holds from the schedule's start is not known ever to have been another.
    return document(version, answer, from: from == schedule.from ? nil : from, until: until)
  }

  /// The document for every version without one of its own.
  fileprivate var fallback: JSON {
    let (settings, from, until) = toldToUnknown
    return document(nil, Answer(.unreleased), from: from, until: until).adding(settings.json)
  }

  private func document(_ version: Version?, _ answer: Answer, from: Timestamp?, until: Timestamp?) -> JSON {
    var object = snapshot.answer(answer.decision, to: version, settings: answer.settings)
    object["generation"] = .integer(generation)
    add(answer.decision, to: &object)
    object["tiers"] = .array(
      answer.tiers.map { tier in
        var object = snapshot.answer(tier.decision)
        add(tier.decision, to: &object)
        object["osBelow"] = .string(tier.below.text)
        return .object(object)
      })
    object["validFrom"] = .optional(from?.text)
    object["validUntil"] = .optional(until?.text)
    return .object(object)
  }

  /// A file cannot know its reader's language, so it has the notes in all of them.
  private func add(_ decision: Decision, to object: inout JSON.Object) {
    object["forcedFrom"] = .optional(decision.forcedFrom?.text)
    let notes = decision.target?.notes ?? []
    object["notesByLocale"] = notes.isEmpty ? .null : Note.json(notes)
  }
}

extension Conclusion {
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
    let keys = Set(schedule.slabs.map(\.lo)).subtracting([.least])
    let versions = known.filter { release in
      !release.wasReleased
        && (keys.contains(VersionKey(release.version)) || keys.contains(.after(release.version)))
    }.map(\.version)
    return finding(
      "export.announces", format, versions: versions,
      "schedule.json names \(ExportFinding.named(versions)), never live: a rule, redirect or setting begins or ends "
        + "there, or a newer version is live")
  }
}

extension Schedule {
  /// Reads `schedule.json` back; nil for anything else.
  fileprivate init?(_ app: String, document: JSON) {
    func line(_ cells: [String?]) -> String {
      cells.map { $0.map { hexadecimalText(Array($0.utf8)) } ?? "-" }.joined(separator: " ")
    }
    let rows = (document["rows"]?.array ?? []).map { row in
      line(
        ScheduleRow.columns.map { column in
          let value = row[column.member]
          return switch value {
          case nil, .null: nil
          case .bool(let isTrue): isTrue ? "1" : "0"
          default: value?.string ?? value?.text()
          }
        })
    }
    let notes = (document["notes"]?.object?.members ?? []).flatMap { app in
      (app.value.object?.members ?? []).map { line([app.key, $0.key, $0.value.text()]) }
    }
    self.init(app, lines: rows + notes)
  }
}

extension ScheduleRow.Column {
  /// Its name in a document: `min_os` is `minOS`.
  fileprivate var member: String {
    let words = name.split(separator: "_")
    return
      (words.prefix(1)
      + words.dropFirst().map { $0 == "os" ? "OS" : $0.prefix(1).uppercased() + $0.dropFirst() })
      .joined()
  }
}

extension ScheduleRow {
  fileprivate var json: JSON {
    let (decision, target) = (answer.decision, answer.decision.target)
    return [
      "action": .string(decision.action.rawValue), "decidedBy": .string(decision.decidedBy.rawValue),
      "hi": .string(hi.text), "lo": .string(lo.text), "minOS": .optional(target?.minOS?.text),
      "remindEvery": .string(remindEvery.rawValue), "review": .bool(decision.review),
      "rule": .optional(decision.rule), "settings": settings, "tag": .string(tag),
      "target": .optional(target?.version.text), "targetApp": .optional(decision.targetApp), "tiers": tiers,
      "url": .optional(decision.url), "validFrom": .integer(from.seconds),
      "validUntil": .integer(until?.seconds ?? Self.never),
    ]
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
  package func conclusion(_ version: Version, os: Version?) -> Conclusion? {
    row(version).flatMap { Conclusion($0, os: os) }
  }

  /// The settings that the client uses.
  package func settings(_ version: Version) -> [String: String]? {
    row(version)?["settings"]?.object.map { object in
      Dictionary(object.members.map { ($0.key, $0.value.string ?? "") }, uniquingKeysWith: { $1 })
    }
  }

  private func row(_ version: Version) -> JSON? {
    let key = (0..<4).map { place in
      let digits = String(version.component(place))
      return String(repeating: "0", count: 9 - digits.count) + digits
    }.joined()
    let place = rows.firstPosition { key < $0.lo } - 1
    return rows.indices.contains(place) && key < rows[place].hi ? rows[place].row : nil
  }
}
