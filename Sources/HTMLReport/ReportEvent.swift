package import JSON

/// An event as a report shows it.
package struct ReportEvent: Sendable {
  package let seq: Int64
  package let at: String
  package let who: String
  package let what: String
  package let reason: String?
  private let makeJSON: @Sendable () -> JSON

  /// - Parameter json: Made on request, since thousands of them would take more memory than their page.
  package init(
    seq: Int64, at: String, who: String, what: String, reason: String?, json: @escaping @Sendable () -> JSON
  ) {
    self.seq = seq
    self.at = at
    self.who = who
    self.what = what
    self.reason = reason
    makeJSON = json
  }

  package var json: JSON { makeJSON() }
}

/// A rule, redirect or setting with the event that made it.
package struct Attributed<Value: Sendable>: Sendable {
  package let value: Value
  package let event: ReportEvent

  func json(_ object: JSON, _ more: [(String, JSON)] = []) -> JSON {
    var object = object.object ?? JSON.Object()
    for (key, value) in more { object[key] = value }
    object["madeAt"] = .string(event.at)
    object["madeBy"] = event.json["actor"] ?? .null
    object["event"] = .integer(event.seq)
    return .object(object)
  }
}
