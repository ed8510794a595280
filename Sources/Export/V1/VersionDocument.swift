import JSON
import ReleaseModel

/// What one version is told, as `v1/<app>/<version>.json` says it.
struct VersionDocument {
  let sheet: AnswerSheet

  /// The document of a version and its answer; a nil version stands for every version without a document.
  func json(_ version: Version?, _ stretch: Stretch<TieredAnswer>) -> JSON {
    let answer = stretch.answer
    var object = sheet.snapshot.answer(answer.decision, to: version, settings: answer.settings)
    object["generation"] = .integer(sheet.generation)
    object["notesByLocale"] = notes(answer.decision)
    object["tiers"] = .array(answer.tiers.map(json))
    object["validFrom"] = .optional(stretch.from?.text)
    object["validUntil"] = .optional(stretch.until?.text)
    return .object(object)
  }

  private func json(_ tier: TieredAnswer.Tier) -> JSON {
    var object = sheet.snapshot.answer(tier.decision)
    object["notesByLocale"] = notes(tier.decision)
    object["osBelow"] = .string(tier.below.text)
    return .object(object)
  }

  /// A file cannot know its reader's language, so it has the notes in all of them.
  private func notes(_ decision: Decision) -> JSON {
    guard let notes = decision.target?.notes, !notes.isEmpty else { return .null }
    return .object(JSON.Object(notes.map { ($0.locale, .string($0.text)) }))
  }
}

extension VersionDocument {
  /// What a client concludes from such a document on its system.
  ///
  /// - Returns: Nil if the document says something that pawl never writes.
  static func conclusion(from bytes: [UInt8], os: Version?) -> Conclusion? {
    guard let json = try? JSON(parsing: bytes), let tiers = json["tiers"]?.array else { return nil }
    var told = json
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
    return Conclusion(action, url: told["url"]?.string)
  }
}
