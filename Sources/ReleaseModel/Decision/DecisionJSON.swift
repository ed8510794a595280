package import JSON

extension Snapshot {
  /// A decision in the contract's names; its notes are in a locale's language, or else in the target's first.
  package func answer(_ decision: Decision, locale: String? = nil) -> JSON.Object {
    let target = decision.target
    return JSON.Object([
      ("action", .string(decision.action.rawValue)), ("decidedBy", .string(decision.decidedBy.rawValue)),
      ("forcedFrom", .optional(decision.forcedFrom?.text)),
      ("minOS", .optional(target?.minOS?.text)), ("notes", .optional(target?.note(for: locale))),
      ("rule", .optional(decision.rule)), ("target", .optional(target?.version.text)),
      ("targetApp", .optional(decision.targetApp)), ("url", .optional(decision.url)),
    ])
  }

  /// Everything that `check` says about a client, except the ledger's head; any version that is not known is
  /// nil.
  package func answer(
    _ decision: Decision, to version: Version?, settings: [String: String], locale: String? = nil
  ) -> JSON.Object {
    var object = answer(decision, locale: locale)
    object["app"] = .string(line.app.slug)
    object["version"] = .optional(version?.text)
    object["review"] = .bool(decision.review)
    object["remindEvery"] = .string(line.app.remindEvery.rawValue)
    object["settings"] = .object(JSON.Object(settings.map { ($0.key, .string($0.value)) }))
    return object
  }

  /// What `check` says about the clients of a range, except the names of the app and the versions.
  package func answer(to range: AnswerRange) -> JSON.Object {
    var object = answer(range.decision, to: nil, settings: range.settings)
    (object["app"], object["version"]) = (nil, nil)
    object["count"] = .integer(Int64(range.count))
    return object
  }
}
