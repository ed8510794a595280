import ReleaseModel

/// One change of a command, not yet recorded.
struct PlannedChange {
  let app: String?
  let change: Change
  /// The evidence it relies on.
  let evidence: Int64?
  /// Why it is made, if not for the command's reason.
  var reason: String?
  /// The rows it touches, in the order in which they are written.
  var rows: [TouchedRow] = []
  /// What this change alters by itself; nil if the command's impact covers it.
  var impact: Impact?
  /// Whether evidence makes the change; such changes are judged separately.
  var isEvidence = false
}
