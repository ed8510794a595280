import JSON
import ReleaseModel

/// pawl's own documents: everything that is decided, in self-contained files, plain or each in a signed envelope.
struct V1Format: DocumentFormat {
  var isSigned = false

  var name: String { isSigned ? "v1-signed" : "v1" }

  var saysTimes: Bool { true }

  var checksSystems: Bool { true }

  private var ending: String { isSigned ? ".jws" : ".json" }

  func documents(for answers: AppAnswers) -> (documents: [Document], warnings: [ExportFinding]) {
    let version = VersionDocument(answers: answers)
    func document(_ file: String, _ json: JSON) -> Document {
      Document(path: "\(name)/\(answers.app.slug)/\(file)\(ending)", bytes: json.bytes())
    }
    let documents =
      answers.published.map { document($0.version.text, version.json($0.version)) }
      + [document("default", version.fallback), document("schedule", answers.scheduleDocument)]
    return (documents, answers.announced(by: name))
  }

  func clients(of documents: [String: [UInt8]], app: String, at moment: Timestamp) -> [DocumentClient] {
    let folder = "\(name)/\(app)/"
    let client = DocumentClient.byVersion(documents, in: folder, ending: ending) { bytes, _ in
      { os in (try? JSON(parsing: bytes)).flatMap { Conclusion($0, os: os) } }
    }
    let path = "\(folder)schedule\(ending)"
    let schedule = documents[path].flatMap { ScheduleClient($0, at: moment) }
    return [
      client,
      DocumentClient(path: path, bounds: []) { version in { os in schedule?.conclusion(version, os: os) } },
    ]
  }
}

struct VersionDocument {
  let answers: AppAnswers

  func json(_ version: Version) -> JSON {
    let (answer, from, until) = answers.schedule.answer(to: version, at: answers.moment)
    // What holds from the schedule's start is not known ever to have been another.
    return json(version, answer, from: from == answers.schedule.from ? nil : from, until: until)
  }

  /// The document for every version without one of its own.
  var fallback: JSON {
    let (answer, from, until) = answers.answerToUnknown
    return json(nil, answer, from: from, until: until)
  }

  private func json(_ version: Version?, _ answer: Answer, from: Timestamp?, until: Timestamp?) -> JSON {
    var object = answers.snapshot.answer(answer.decision, to: version, settings: answer.settings)
    object["generation"] = .integer(answers.generation)
    add(answer.decision, to: &object)
    object["tiers"] = .array(
      answer.tiers.map { tier in
        var object = answers.snapshot.answer(tier.decision)
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
