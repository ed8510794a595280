import JSON

/// The outcome of a change, besides what the command's own answer says.
struct ChangeOutcome {
  let isChanged: Bool
  /// The last event recorded.
  let event: Int64?
  let impact: [PreviewLine]
  let warnings: [String]

  init(json: JSON) throws(UnreadableAnswer) {
    isChanged = try json.value("changed")
    event = try json.value("event")
    impact = try json.value("impact")
    warnings = try json.value("warnings")
  }
}

/// An answer in words: what was done, and the next command worth running.
///
/// Warnings and the table of what clients are told are printed between the two.
struct Said {
  let done: String
  let next: String?

  init(_ done: String, next: String? = nil) {
    self.done = done
    self.next = next
  }
}
