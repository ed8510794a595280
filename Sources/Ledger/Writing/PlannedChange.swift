import JSON
import ReleaseModel

struct PlannedChange {
  let app: String?
  let change: Change
  let evidence: Int64?
  /// Why it is made, if not for the command's reason.
  var reason: String?
  var rows: [TouchedRow] = []
  /// What this change alters by itself; nil if the command's impact covers it.
  var impact: Impact?
  /// Whether evidence makes the change; such changes are judged separately.
  var isEvidence = false

  /// Whether a plan of the command names it.
  var isOfPlan: Bool { !change.isPlan && change.kind != .ledgerTakeOver }

  /// The change as a plan says it.
  var json: JSON {
    [
      "kind": .string(change.kind.rawValue), "app": .optional(app),
      "version": .optional(change.version?.text),
      "before": change.before(app: app) ?? .null, "after": change.after(app: app) ?? .null,
    ]
  }
}
